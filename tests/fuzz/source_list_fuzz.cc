// SPDX-License-Identifier: MIT
// Whatever a list of own files says, only regular files below the base are found, none of them behind a link.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/files.h"
#include "sources/walk.h"

namespace {

// A directory with a file, a directory, links and a pipe; gone when the program ends.
class Base {
 public:
  Base() {
    if (mkdtemp(path_) == nullptr) std::abort();
    fd_ = *piship::OpenFile(path_, O_RDONLY | O_DIRECTORY);
    const std::string path = path_;
    const bool made = piship::MakeDirectories(path + "/d/e").has_value() &&
                      piship::WriteFileAtomically(path + "/a", "a").has_value() &&
                      piship::WriteFileAtomically(path + "/d/b", "b").has_value() &&
                      piship::WriteFileAtomically(path + "/d/e/c", "c").has_value();
    if (!made || symlinkat("/", fd_.get(), "l") != 0 || symlinkat("d", fd_.get(), "m") != 0 ||
        mkfifoat(fd_.get(), "p", 0600) != 0) {
      std::abort();
    }
  }
  Base(const Base&) = delete;
  Base& operator=(const Base&) = delete;
  ~Base() {
    for (const char* name : {"a", "d/b", "d/e/c", "l", "m", "p"}) unlinkat(fd_.get(), name, 0);
    for (const char* name : {"d/e", "d"}) unlinkat(fd_.get(), name, AT_REMOVEDIR);
    rmdir(path_);
  }
  int fd() const { return fd_.get(); }

 private:
  char path_[32] = "/tmp/piship-fuzz-XXXXXX";
  piship::UniqueFd fd_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Base base;
  const std::string_view list(reinterpret_cast<const char*>(data), size);
  piship::Problems problems("list");
  piship::ErrorCode code = piship::ErrorCode::kInternal;
  const piship::sources::Found found = piship::sources::Walk(base.fd(), list, problems, code);
  for (const piship::RelativePath& file : found.files) {
    struct stat status {};
    if (fstatat(base.fd(), file.str().c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) std::abort();
    if (!S_ISREG(status.st_mode) || file.str().starts_with("l/") || file.str().starts_with("m/")) std::abort();
  }
  return 0;
}
