// SPDX-License-Identifier: MIT
#include "home/managed_home.h"
#include "os/run_tool.h"

int main(int argc, char** argv) {
  piship::managed_home::Options o;
  piship::CommandLine line("piship-home", "Writes a release as an install home that a system's package brings.",
                           "piship-home --release release.json --manager dpkg --package mypi --output root/opt/mypi");
  using piship::Need;
  line.Option(o.release, "--release", "<file>", "The release.json, its archive beside it.", Need::kRequired)
      .Option(o.manager, "--manager", "<name>", "The package manager that the installation belongs to, such as dpkg.",
              Need::kRequired)
      .Option(o.package, "--package", "<name>", "The package's name there.", Need::kRequired)
      .Option(o.output, "--output", "<directory>", "The install home, missing or empty.", Need::kRequired);
  return piship::RunTool(argc, argv, line, [&] { return piship::managed_home::Make(o); });
}
