// SPDX-License-Identifier: MIT
// main() of a fuzz target where libFuzzer is not at hand: every seed, and of small seeds every prefix and every variant
// with one byte changed. It finds no more than what lies one step beside a seed, but it does so with any compiler, in
// every test run and always the same.
//
// usage: <program> <seed file or directory of seeds>...
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

constexpr std::size_t kVaryUpTo = 2048;

std::size_t runs = 0;

void Run(const std::string& input) {
  ++runs;
  // A heap copy of exactly this size, so that a sanitizer sees a read beyond it.
  const std::vector<std::uint8_t> copy(input.begin(), input.end());
  LLVMFuzzerTestOneInput(copy.data(), copy.size());
}

void RunWithRelatives(const std::string& seed) {
  Run(seed);
  if (seed.size() > kVaryUpTo) return;
  for (std::size_t size = 0; size < seed.size(); ++size) Run(seed.substr(0, size));
  std::string changed = seed;
  for (std::size_t index = 0; index < seed.size(); ++index) {
    for (const unsigned bits : {0x01U, 0x20U, 0x80U, 0xffU}) {
      changed[index] = static_cast<char>(static_cast<unsigned char>(seed[index]) ^ bits);
      Run(changed);
    }
    changed[index] = seed[index];
  }
}

std::vector<std::filesystem::path> Seeds(int argc, char** argv) {
  std::vector<std::filesystem::path> seeds;
  for (int index = 1; index < argc; ++index) {
    const std::filesystem::path path = argv[index];
    if (!std::filesystem::is_directory(path)) {
      seeds.push_back(path);
      continue;
    }
    for (const auto& entry : std::filesystem::recursive_directory_iterator(path)) {
      if (entry.is_regular_file()) seeds.push_back(entry.path());
    }
  }
  return seeds;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::filesystem::path> seeds = Seeds(argc, argv);
  if (seeds.empty()) {
    std::fprintf(stderr, "no seeds\n");
    return 1;
  }
  for (const std::filesystem::path& path : seeds) {
    std::ifstream file(path, std::ios::binary);
    if (!file) {
      std::fprintf(stderr, "can't read '%s'\n", path.c_str());
      return 1;
    }
    RunWithRelatives({std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()});
  }
  std::printf("%zu seeds, %zu runs\n", seeds.size(), runs);
  return 0;
}
