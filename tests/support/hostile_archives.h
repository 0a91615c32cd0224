// SPDX-License-Identifier: MIT
// Hostile archives by the numbers (A01 ...) of the project's list of attacks. Each is right but for one thing, its
// frame index included, so what is refused is that thing and not a consequence of making it. All must be refused as a
// whole, by their entry and a rule, whatever a lenient reader would make of them.
//
// Where the numbers are that are not in these tables:
//   A18 A19 A94 to A97          unit.format.ArchiveReader (accepted), tool.runtime.HostileInstall
//   A81 to A92                  the streams below, unit.format.ArchiveReader; A90 unit.vendor.HostileGzip
//   A93                         tool.archive.file_above_8_gib
//   A100 to A102                tool.runtime.HostilePlace, unit.tree.TreeWriterTest, unit.os.Beneath
//   A103 A107 to A109           tool.runtime.HostilePlace and Faults
//   A104 A106                   the tracer's tests of install, uninstall and launch
//   A105                        tool.runtime.HostilePlace (noexec, nosuid, overlayfs), Faults (read-only, tmpfs),
//                               e2e.file_systems (FUSE, names in any case, no modes)
// Bugs of other extractors are named S_<program>_<what>: links and hard links beside A30 to A46, pax beside A71 to A79.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/error.h"
#include "support/archive_builder.h"

namespace piship {

// A payload with the hostile place in it: `around` and app/a, app/victim ("content\n") and app/z, which are one frame.
inline constexpr char kVictim[] = "app/victim";
std::vector<TestFile> FilesWithVictim(std::vector<TestFile> around);

// What stands in the place of the victim's entry, header and content.
struct HostileEntry {
  std::string name;   // the number
  std::string bytes;  // of the tar stream
  std::string rule;   // a part of the message
};
// `outside` is an absolute directory that nothing may be written to; at most 80 bytes.
std::vector<HostileEntry> HostileNames(const std::string& outside);
std::vector<HostileEntry> HostileTypes(const std::string& outside);
std::vector<HostileEntry> HostileMetadata();
std::vector<HostileEntry> HostileFraming();
// The archive that holds such an entry.
std::string ArchiveWith(const HostileEntry& entry, const std::vector<TestFile>& around);

// An archive that is wrong as a whole: its frames, their order, its index, its end.
struct HostileStream {
  std::string name;
  ErrorCode code;
  std::string rule;  // a part of the message
  std::function<std::string(const std::vector<TestFile>& around)> make;
};
std::vector<HostileStream> HostileStreams();

// Archives whose inventory lists what their headers say: nothing contradicts itself, and the names are wrong.
struct HostileList {
  std::string name;
  std::vector<std::string> paths;  // in the order of the text
  ErrorCode code;
};
std::vector<HostileList> HostileLists(const std::string& outside);
std::string ArchiveOfList(const HostileList& list);

}  // namespace piship
