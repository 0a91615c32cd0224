// SPDX-License-Identifier: MIT
// The directories of a distribution's versions: which process may write one, and when one may go.
//
// One kernel lock per version's directory answers both. A launch holds it shared for as long as the engine lives. An
// install holds it exclusively while it writes a version that no receipt names; removal takes it exclusively before it
// renames the directory aside. A directory that no receipt names and that nobody has locked is what an interrupted
// operation has left.
#pragma once

#include <string>
#include <vector>

#include "base/files.h"
#include "base/result.h"
#include "home/lifecycle_lock.h"
#include "model/receipt.h"
#include "os/beneath.h"

namespace piship {

// A version's directory with its kernel lock.
struct LockedVersion {
  std::string name;  // in apps/<id>
  UniqueFd directory;
};

// Directories that have been taken out of use by a rename, to be deleted when no lock is held any more.
class Removed {
 public:
  void Add(LockedVersion version) { versions_.push_back(std::move(version)); }
  bool empty() const { return versions_.empty(); }
  // Deletes them, until `stop` says so; what can't be deleted, or is not any more, is left for the next time.
  void Delete(const std::string& app_directory, const Stop& stop = {});

 private:
  std::vector<LockedVersion> versions_;
};

// An empty version's directory, exclusively locked. The caller holds the lifecycle lock and has seen that the receipt
// does not name the version. An existing directory, a leftover, is renamed aside into `removed`; kLockHeld where an
// install writes it or a program still runs from it.
Result<LockedVersion> ClaimVersion(const std::string& app_directory, const std::string& version, Removed& removed);
// An empty directory for the files of a repair, exclusively locked; no receipt ever names it.
Result<LockedVersion> ClaimRepair(const std::string& app_directory, Removed& removed);
// Gives the directory of a repair its version's name. What has that name must be no directory; kLockHeld where another
// process has just made one.
Status NameRepair(const std::string& app_directory, LockedVersion& repair, const std::string& version);
// Renames a locked version's directory aside.
Status MoveAside(const std::string& app_directory, LockedVersion version, Removed& removed);

// Renames aside every version's directory that `receipt` does not name and nobody has locked, and collects what earlier
// operations have left. The caller holds `lock`; without kernel locks nothing is touched.
void CollectUnreferenced(const LifecycleLock& lock, const std::string& app_directory, const Receipt* receipt,
                         Removed& removed);

}  // namespace piship
