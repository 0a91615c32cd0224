// SPDX-License-Identifier: MIT
#include "os/run_tool.h"
#include "store/maintain.h"

int main(int argc, char** argv) {
  piship::store_tool::Options o;
  piship::CommandLine line("piship-store", "Keeps a content store small and sound.",
                           "piship-store prune --store ~/.cache/piship/store --max-age-days 14");
  using piship::Need;
  line.Verb("prune", "Removes what was not used for long, the oldest first.",
            "piship-store prune --store ~/.cache/piship/store --max-bytes 5000000000")
      .Option(o.store, "--store", "<directory>", "The content store.", Need::kRequired)
      .Option(o.max_bytes, "--max-bytes", "<number>", "Until no more bytes are left than this (10000000000).")
      .Option(o.max_age_days, "--max-age-days", "<number>", "What was not used for so many days (30).")
      .Option(o.max_seconds, "--max-seconds", "<number>", "Stops after so many seconds (60).");
  line.Verb("check", "Reads and hashes everything and removes what is damaged; fails where something was.",
            "piship-store check --store ~/.cache/piship/store")
      .Option(o.store, "--store", "<directory>", "The content store.", Need::kRequired);
  line.Verb("epoch", "Rewrites the epoch: every build that uses the store checks it when it runs next.",
            "piship-store epoch --store ~/.cache/piship/store")
      .Option(o.store, "--store", "<directory>", "The content store.", Need::kRequired);
  return piship::RunTool(argc, argv, line, [&] { return piship::store_tool::Run(line.verb(), o); });
}
