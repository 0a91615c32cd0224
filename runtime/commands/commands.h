// SPDX-License-Identifier: MIT
// The verbs. Each gets its options and the command line's error handling around it; data goes to standard output, words
// to standard error. docs/runtime.md documents what --json prints.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/command_text.h"
#include "base/result.h"
#include "format/archive_limits.h"

namespace piship {

class CommandLine;

// What a release may cost before anything about it is proven, as the command line gives it.
struct LimitOptions {
  std::int64_t max_files = static_cast<std::int64_t>(InventoryLimits().entries);
  std::int64_t max_ratio = ArchiveLimits().ratio;
};

void AddLimits(CommandLine& line, LimitOptions& limits);

struct InstallOptions {
  std::string source;
  std::optional<std::string> sha256;
  std::vector<std::string> expect_keys;
  // Of a repository's URL alone.
  std::optional<std::string> channel;
  std::optional<std::string> id;
  std::optional<std::string> root;  // a file
  std::optional<std::string> version;
  // The source is the single-file installer that is running: whoever executes it trusts its maker.
  bool is_this_program = false;
  bool accept_state = false;
  bool json = false;
  bool quiet = false;
  bool dry_run = false;
  LimitOptions limits;
};
Status RunInstall(const InstallOptions& options);

struct ListOptions {
  bool json = false;
};
Status RunList(const ListOptions& options);

// inspect and verify: an id, an archive, a directory or "-".
struct SubjectOptions {
  std::string subject;
  bool json = false;
  bool quiet = false;  // of verify, about a release
  LimitOptions limits;
};
Status RunInspect(const SubjectOptions& options);
Status RunVerify(const SubjectOptions& options);

struct ExtractOptions {
  std::string source;     // an archive or an installer
  std::string directory;  // empty, or not there
  bool json = false;
  bool quiet = false;
  LimitOptions limits;
};
// Writes the files of the release, all checked; after an error nothing is left of them.
Status RunExtract(const ExtractOptions& options);

struct UninstallOptions {
  std::string id;
  bool json = false;
  bool purge = false;
  bool quiet = false;
  bool dry_run = false;
};
Status RunUninstall(const UninstallOptions& options);

struct UpdateOptions {
  std::string id;
  std::optional<std::string> channel;
  std::optional<std::string> version;
  bool all = false;  // in place of an id
  bool check = false;
  bool accept_state = false;
  bool json = false;
  bool quiet = false;
  LimitOptions limits;
};
Status RunUpdate(const UpdateOptions& options);

struct RollbackOptions {
  std::string id;
  std::optional<std::string> to;
  bool accept_state = false;
  bool json = false;
  bool quiet = false;
  bool dry_run = false;
};
Status RunRollback(const RollbackOptions& options);

struct DoctorOptions {
  std::string id;  // empty: all
  bool fix = false;
  bool json = false;
};
// kUnhealthy where a check fails.
Status RunDoctor(const DoctorOptions& options);

struct RepairOptions {
  std::string id;
  std::optional<std::string> from;     // an archive or a directory
  std::optional<std::string> version;  // absent: the active one
  bool json = false;
  bool quiet = false;
  LimitOptions limits;
};
Status RunRepair(const RepairOptions& options);

struct KeepOptions {
  std::string id;
  std::string versions;  // a number or "default"; empty: only says how it is
  bool json = false;
  bool quiet = false;
};
Status RunKeep(const KeepOptions& options);

// Returns only an error; LaunchExitStatus (launch/launch.h) has its status.
struct LaunchOptions {
  std::string id;
  std::vector<std::string> arguments;
};
Status RunLaunch(const LaunchOptions& options);

// Whether the program at `own_place` (absolute) is a single-file installer. kArchiveTruncated, kArchiveInvalid where it
// was one.
Result<bool> IsSelfInstaller(const std::string& own_place);
// Its whole main(): installs the release that it carries, or does what its own options say.
int RunSelfInstaller(const std::string& own_place, int argc, char** argv);

// Prints the script that completes `command` in bash, zsh or fish: verbs, options, files where a value is one, and
// the ids that "piship list" names where it is an id. kUsage for another shell.
Status RunCompletion(const CommandText& command, const std::string& shell);

}  // namespace piship
