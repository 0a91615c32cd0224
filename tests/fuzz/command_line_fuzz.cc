// SPDX-License-Identifier: MIT
// A response file, as CMake writes them for the tools: it is refused, or what an option gets is what stands in the
// file.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "base/cli.h"
#include "base/files.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  // Help goes to standard output.
  static const bool quiet = std::freopen("/dev/null", "w", stdout) != nullptr;
  if (!quiet) std::abort();
  const piship::UniqueFd file(memfd_create("response", MFD_CLOEXEC));
  if (!piship::WriteAll(file.get(), text, "memory")) return 0;
  std::string name;
  std::optional<std::string> other;
  std::int64_t number = 0;
  std::vector<std::string> list;
  std::vector<std::string> rest;
  bool flag = false;
  piship::CommandLine line("fuzz", "Summary.", "fuzz --name a");
  line.Option(name, "--name", "<text>", "Name.", piship::Need::kRequired)
      .Option(other, "--other", "<text>", "Other.")
      .Option(number, "--number", "<number>", "Number.")
      .Option(list, "--list", "<text>", "List.")
      .Flag(flag, "--flag", "Flag.")
      .Rest(rest, "<word>", "Rest.");
  const auto outcome = line.Parse({"@/proc/self/fd/" + std::to_string(file.get())});
  if (!outcome || *outcome != piship::CommandLine::Outcome::kRun) return 0;
  list.push_back(name);
  list.insert(list.end(), rest.begin(), rest.end());
  if (other) list.push_back(*other);
  for (const std::string& value : list) {
    if (text.find(value) == std::string_view::npos) std::abort();
  }
  return 0;
}
