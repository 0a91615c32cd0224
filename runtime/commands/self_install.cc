// SPDX-License-Identifier: MIT
// A single-file installer is this program with an archive behind it (docs/formats/installer.md). It has no verbs: it
// installs what it carries. Its name and argv[0] decide nothing. It reads itself at its own place: the kernel lets
// nobody write to a file that is executed, and whoever can put another one there could have done so before.
#include <fcntl.h>

#include <optional>
#include <string>

#include "base/cli.h"
#include "base/files.h"
#include "commands/commands.h"
#include "format/installer_file.h"
#include "os/descriptors.h"

namespace piship {
namespace {

struct SelfInstallerOptions {
  InstallOptions install;
  std::optional<std::string> extract;
  bool verify = false;
};

void AddOptions(CommandLine& line, SelfInstallerOptions& options) {
  InstallOptions& install = options.install;
  line.Flag(options.verify, "--verify",
            "Checks every byte of this file and every file of the release; installs nothing.")
      .Option(
          options.extract, "--extract", "<directory>",
          "Writes the release's files into a directory, empty or new, that 'piship install' takes; installs nothing.")
      .Flag(install.dry_run, "--dry-run", "Checks everything and says what would be done, without doing it.")
      .Flag(install.quiet, "--quiet", "Says nothing but errors.")
      .Flag(install.json, "--json", "Prints the result as JSON on standard output.");
  AddLimits(line, install.limits);
}

Status Run(const SelfInstallerOptions& options) {
  const InstallOptions& install = options.install;
  if (int{options.verify} + int{options.extract.has_value()} + int{install.dry_run} > 1) {
    return Fail(ErrorCode::kUsage, "--verify, --extract and --dry-run exclude each other");
  }
  OpenClosedStandardStreams();
  ReportFileSizeLimit();
  if (options.verify) {
    return RunVerify(
        {.subject = install.source, .json = install.json, .quiet = install.quiet, .limits = install.limits});
  }
  if (!options.extract) return RunInstall(install);
  return RunExtract({.source = install.source,
                     .directory = *options.extract,
                     .json = install.json,
                     .quiet = install.quiet,
                     .limits = install.limits});
}

}  // namespace

Result<bool> IsSelfInstaller(const std::string& own_place) {
  const auto file = OpenFile(own_place, O_RDONLY);
  if (!file) {
    // Moved away meanwhile, or not to be read by its users: no installer that anybody could use.
    const ErrorCode code = file.error().code;
    if (code == ErrorCode::kFileNotFound || code == ErrorCode::kPermissionDenied) return false;
    return Fail(file.error());
  }
  PISHIP_TRY(const auto installer, FindInstaller(file->get(), own_place));
  return installer.has_value();
}

int RunSelfInstaller(const std::string& own_place, int argc, char** argv) {
  const std::string name(FileName(own_place));
  CommandLine line(name, "Installs the release that this file carries.", "./" + name);
  SelfInstallerOptions options;
  options.install.source = own_place;
  options.install.is_this_program = true;
  AddOptions(line, options);
  return RunMain(argc, argv, line, [&] { return Run(options); });
}

}  // namespace piship
