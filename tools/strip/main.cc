// SPDX-License-Identifier: MIT
#include "os/run_tool.h"
#include "strip/strip.h"

int main(int argc, char** argv) {
  piship::strip::Options o;
  piship::CommandLine line("piship-strip", "Takes what no run needs out of an inventory of npm packages.",
                           "piship-strip --input packages.inventory --store ~/.cache/piship/store "
                           "--output stripped.inventory --report strip-report.json --depfile stripped.d");
  using piship::Need;
  line.Option(o.input, "--input", "<inventory>", "The packages, paths node_modules/...", Need::kRequired)
      .Option(o.store, "--store", "<directory>", "The content store.", Need::kRequired)
      .Option(o.keep, "--keep", "<pattern>", "Files that stay: '*' within a component, '**' for any components.")
      .Option(o.output, "--output", "<inventory>", "The inventory of what stays.", Need::kRequired)
      .Option(o.report, "--report", "<file>", "What went and what stayed, by reason.", Need::kRequired)
      .Option(o.depfile, "--depfile", "<file>", "For Ninja: the files that were read.", Need::kRequired);
  return piship::RunTool(argc, argv, line, [&] { return piship::strip::Run(o); });
}
