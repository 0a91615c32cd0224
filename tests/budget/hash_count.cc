// SPDX-License-Identifier: MIT
// Linked into second copies of the build's tools with the linker's --wrap, so that what they hash can be counted
// without anything of it in the tools that are shipped. At the end the number of bytes is appended to the file that
// PISHIP_TEST_HASHED names.
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstdlib>

namespace {

std::atomic<unsigned long long> hashed{0};

struct AtExit {
  ~AtExit() {
    const char* path = std::getenv("PISHIP_TEST_HASHED");
    std::FILE* file = path == nullptr ? nullptr : std::fopen(path, "ae");
    if (file == nullptr) return;
    std::fprintf(file, "%llu\n", hashed.load());
    std::fclose(file);
  }
} at_exit;

}  // namespace

// The names are the linker's: calls of SHA256_Update arrive at the first, which has the second for the original.
extern "C" {
int __real_SHA256_Update(void* context, const void* data, std::size_t size);  // NOLINT(bugprone-reserved-identifier)
int __wrap_SHA256_Update(void* context, const void* data, std::size_t size);  // NOLINT(bugprone-reserved-identifier)

int __wrap_SHA256_Update(void* context, const void* data, std::size_t size) {
  hashed += size;
  return __real_SHA256_Update(context, data, size);
}
}
