// SPDX-License-Identifier: MIT
#include "archive/archive.h"
#include "os/run_tool.h"

int main(int argc, char** argv) {
  piship::ArchiveOptions options;
  piship::CommandLine command_line("piship-archive", "Packs a payload into its release archive.",
                                   "piship-archive --inventory payload.inventory --lock piship.lock --store "
                                   "~/.cache/piship/store --output a.tar.zst "
                                   "--checksum a.tar.zst.sha256 --release release.json --depfile a.d");
  using piship::Need;
  command_line.Option(options.inventory, "--inventory", "<file>", "The payload's inventory.", Need::kRequired)
      .Option(options.lock, "--lock", "<file>", "The payload's piship.lock.", Need::kRequired)
      .Option(options.store, "--store", "<directory>", "The content store that has the payload's objects.",
              Need::kRequired)
      .Option(options.level, "--level", "<number>", "zstd's compression level, 1 to 22; 19 where it is not given.")
      .Option(options.output, "--output", "<file>", "The archive to write.", Need::kRequired)
      .Option(options.checksum, "--checksum", "<file>", "Where to write its SHA-256, as sha256sum does.",
              Need::kRequired)
      .Option(options.release, "--release", "<file>", "Where to write release.json.", Need::kRequired)
      .Option(options.depfile, "--depfile", "<file>", "Where to write the dependencies for Ninja.", Need::kRequired)
      .Option(options.threads, "--threads", "<number>",
              "Threads that compress; all of the machine's where it is 0 or not given.")
      .Option(options.max_ratio, "--max-ratio", "<number>",
              "How many times its size an archive may unpack to; 1000 where it is not given, as for installers.");
  return piship::RunTool(argc, argv, command_line, [&] { return piship::MakeArchive(options); });
}
