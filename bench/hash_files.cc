// SPDX-License-Identifier: MIT
// piship_bench_hash_files <threads> <list>: reads and hashes the files that the list names, one path a line, and prints
// the SHA-256 of their digests in that order. This is the least that a check of a payload can cost: it is told what
// there is, compares nothing and looks for nothing else.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "base/digest.h"
#include "base/files.h"
#include "base/parallel.h"

int main(int argc, char** argv) {
  using namespace piship;
  if (argc != 3) {
    std::fputs("usage: piship_bench_hash_files <threads> <list>\n", stderr);
    return 2;
  }
  const auto threads = static_cast<unsigned>(std::strtoul(argv[1], nullptr, 10));
  std::vector<std::string> paths;
  std::ifstream list(argv[2]);
  for (std::string line; std::getline(list, line);) paths.push_back(line);
  std::vector<Digest> digests(paths.size());
  const Status done = ParallelFor(paths.size(), threads, [&](std::size_t index, unsigned) -> Status {
    thread_local std::string buffer;
    const std::string& path = paths[index];
    PISHIP_TRY(const UniqueFd fd, OpenFile(path, O_RDONLY));
    struct stat status {};
    if (fstat(fd.get(), &status) != 0) return Fail(SystemError("read '" + path + "'", errno));
    buffer.resize(static_cast<std::size_t>(status.st_size));
    std::size_t filled = 0;
    while (filled < buffer.size()) {
      const ssize_t count = read(fd.get(), buffer.data() + filled, buffer.size() - filled);
      if (count <= 0) return Fail(SystemError("read '" + path + "'", count < 0 ? errno : EIO));
      filled += static_cast<std::size_t>(count);
    }
    digests[index] = Digest::Of(buffer);
    return {};
  });
  if (!done) {
    std::fprintf(stderr, "%s\n", FormatError("piship_bench_hash_files", done.error()).c_str());
    return 1;
  }
  std::string all;
  for (const Digest& digest : digests) all += digest.Hex() + "\n";
  std::puts(Digest::Of(all).Hex().c_str());
  return 0;
}
