// SPDX-License-Identifier: MIT
#include "vendor/progress.h"

namespace piship {

void Progress::AddPackages(std::size_t count) {
  const std::lock_guard lock(mutex_);
  packages_ += count;
  Draw();
}

void Progress::AddBytes(std::uint64_t count) {
  const std::lock_guard lock(mutex_);
  bytes_ += count;
  Draw();
}

void Progress::FinishPackage() {
  const std::lock_guard lock(mutex_);
  ++finished_;
  Draw();
}

void Progress::Clear() {
  const std::lock_guard lock(mutex_);
  line_.Clear();
}

void Progress::Draw() {
  line_.Show([this] {
    return "fetching packages: " + std::to_string(finished_) + " of " + std::to_string(packages_) + ", " +
           Megabytes(bytes_);
  });
}

}  // namespace piship
