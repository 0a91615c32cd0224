// SPDX-License-Identifier: MIT
// piship_bench_install <archive> <writers> <waiting bytes>: installs as `piship install` does, with a choice of what
// that program decides by itself: how many threads check and write (0: its own choice), and how many bytes of
// compressed frames may wait for them.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "home/debug_timing.h"
#include "home/homes.h"
#include "home/install_sink.h"
#include "home/installer.h"
#include "source/release_source.h"

namespace piship {
namespace {

Status Install(const std::string& archive, const ReadArchiveOptions& options) {
  PISHIP_TRY(Homes homes, HomesFromEnvironment());
  DebugTiming timing("install");
  Installer installer(std::move(homes));
  InstallSink sink(installer, DryRun::kNo, ReadOn::kToTheEnd, timing);
  PISHIP_TRY(const SourceSummary summary, ReadRelease(archive, sink, options));
  timing.Ended("payload");
  Provenance provenance;
  provenance.archive = summary.archive;
  PISHIP_CHECK(installer.Commit(provenance));
  timing.Ended("commit");
  timing.Print();
  return {};
}

}  // namespace
}  // namespace piship

int main(int argc, char** argv) {
  using namespace piship;
  if (argc != 4) {
    std::fputs("usage: piship_bench_install <archive> <writers> <waiting bytes>\n", stderr);
    return 2;
  }
  ReadArchiveOptions options;
  options.threads = static_cast<unsigned>(std::strtoul(argv[2], nullptr, 10));
  options.waiting_bytes = std::strtoull(argv[3], nullptr, 10);
  const Status done = Install(argv[1], options);
  if (done) return 0;
  std::fprintf(stderr, "%s\n", FormatError("piship_bench_install", done.error()).c_str());
  return 1;
}
