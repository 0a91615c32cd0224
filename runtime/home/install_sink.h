// SPDX-License-Identifier: MIT
// Writes a release into the directory that an Installer claims, as it is read.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "format/archive_reader.h"
#include "home/debug_timing.h"
#include "home/installer.h"
#include "model/inventory.h"
#include "tree/payload_writer.h"

namespace piship {

// When reading may end early.
enum class ReadOn : std::uint8_t {
  kToTheEnd,     // the digest of the whole source is wanted, or the whole is to be checked
  kWhileNeeded,  // as soon as nothing is to be written
};

class InstallSink : public PayloadSink {
 public:
  InstallSink(Installer& installer, DryRun dry_run, ReadOn read_on, DebugTiming& timing)
      : installer_(installer), dry_run_(dry_run), read_on_(read_on), timing_(timing) {}

  Status Begin(const Inventory& inventory, std::string_view inventory_text) override;
  Status File(const InventoryEntry& entry, std::string_view bytes) override;
  Status Part(const InventoryEntry& entry, std::uint64_t offset, std::string_view bytes) override;

  // Whether the error that ended the reading only means that nothing more was needed.
  bool stopped() const { return stopped_; }
  // The content of metadata/root.json; empty where it has not come.
  const std::string& root() const { return root_; }
  // Whether the release has been planned: its lock was read and the installer has decided.
  bool planned() const { return planned_; }

 private:
  Status Plan(const InventoryEntry& entry, std::string_view lock_text);
  bool Writes(const InventoryEntry& entry) const { return writer_ && installer_.Wants(entry.path.str()); }

  Installer& installer_;
  DryRun dry_run_;
  ReadOn read_on_;
  DebugTiming& timing_;
  const Inventory* inventory_ = nullptr;
  std::string_view inventory_text_;
  std::string root_;
  bool planned_ = false;
  bool stopped_ = false;
  std::unique_ptr<PayloadWriter> writer_;  // where files are written
};

// The lock's text, parsed and held against the inventory that lists it: the entry, the engine's files, the resources
// and the runtime must be in the payload. kLockInvalid.
Result<DistributionLock> CheckPayloadLock(std::string_view text, const Inventory& inventory);

}  // namespace piship
