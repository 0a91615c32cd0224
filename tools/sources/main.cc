// SPDX-License-Identifier: MIT
#include "os/run_tool.h"
#include "sources/sources.h"

int main(int argc, char** argv) {
  piship::sources::Options o;
  piship::CommandLine line("piship-sources", "Makes an inventory of files and directories.",
                           "piship-sources --base . --list sources.list --store ~/.cache/piship/store "
                           "--output sources.inventory --depfile sources.d");
  using piship::Need;
  line.Option(o.base, "--base", "<directory>", "What the list's paths are relative to.", Need::kRequired)
      .Option(o.list, "--list", "<file>", "A path a line; directories are walked.", Need::kRequired)
      .Option(o.prefix, "--prefix", "<path>", "Where the files go in the inventory; at its top where none is given.",
              Need::kOptional)
      .Option(o.store, "--store", "<directory>", "The content store.", Need::kRequired)
      .Option(o.output, "--output", "<inventory>", "The inventory.", Need::kRequired)
      .Option(o.depfile, "--depfile", "<file>", "For Ninja: the files and directories that were read.",
              Need::kRequired);
  return piship::RunTool(argc, argv, line, [&] { return piship::sources::Run(o); });
}
