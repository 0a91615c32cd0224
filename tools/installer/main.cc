// SPDX-License-Identifier: MIT
#include "installer/installer.h"
#include "os/run_tool.h"

int main(int argc, char** argv) {
  piship::InstallerOptions options;
  piship::CommandLine command_line(
      "piship-installer", "Makes one file of a release archive and the runtime, which installs the release.",
      "piship-installer --runtime piship --archive a.tar.zst --output a.run --checksum a.run.sha256");
  using piship::Need;
  command_line
      .Option(options.runtime, "--runtime", "<file>", "The piship program that the release's payload has.",
              Need::kRequired)
      .Option(options.archive, "--archive", "<file>", "The release archive.", Need::kRequired)
      .Option(options.output, "--output", "<file>", "The installer to write.", Need::kRequired)
      .Option(options.checksum, "--checksum", "<file>", "Where to write its SHA-256, as sha256sum does.",
              Need::kRequired);
  return piship::RunTool(argc, argv, command_line, [&] { return piship::MakeInstaller(options); });
}
