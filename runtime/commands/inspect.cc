// SPDX-License-Identifier: MIT
#include "base/files.h"
#include "commands/commands.h"
#include "commands/report.h"
#include "home/install_sink.h"
#include "home/receipts.h"
#include "home/unsynced.h"
#include "model/distribution_lock.h"

namespace piship {
namespace {

// Takes what describes a release and then ends the reading.
class DescriptionSink : public PayloadSink {
 public:
  Status Begin(const Inventory& inventory, std::string_view text) override {
    inventory_ = &inventory;
    digest = Digest::Of(text);
    files = inventory.entries().size();
    bytes = inventory.total_bytes();
    return {};
  }
  Status File(const InventoryEntry& entry, std::string_view text) override {
    if (entry.path.str() != kPayloadLock) return Missing();
    PISHIP_TRY(lock, CheckPayloadLock(text, *inventory_));
    lock_digest = entry.digest;
    done = true;
    return Fail(ErrorCode::kInternal, "nothing more is needed");
  }
  Status Part(const InventoryEntry& /*entry*/, std::uint64_t /*offset*/, std::string_view /*text*/) override {
    return Missing();
  }

  bool done = false;
  DistributionLock lock;
  Digest lock_digest;
  Digest digest;
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;

 private:
  static Status Missing() {
    return Fail(ErrorCode::kPayloadInvalid, "the payload has no '" + std::string(kPayloadLock) + "'",
                "this is not a release of a distribution");
  }
  const Inventory* inventory_ = nullptr;
};

std::string EngineText(const EngineRequirement& engine) {
  if (engine.kind == EngineKind::kSystem) return "Node.js " + engine.range.str() + " of PATH";
  return engine.package + " " + engine.version + ", in the payload";
}

// Beside the members that SetRelease sets.
void SetLock(json::Value& out, const DistributionLock& lock) {
  json::Value engine = json::Value::Object();
  const bool system = lock.engine.kind == EngineKind::kSystem;
  engine.Set("kind", system ? "system" : "payload");
  if (system) {
    engine.Set("range", lock.engine.range.str());
  } else {
    engine.Set("package", lock.engine.package);
    engine.Set("version", lock.engine.version);
  }
  out.Set("engine", std::move(engine));
  out.Set("entry", lock.entry.str());
  out.Set("id", lock.id);
  out.Set("name", lock.name);
  out.Set("resources", static_cast<std::int64_t>(lock.resources.size()));
  out.Set("state_schema", lock.state_schema);
  out.Set("verify_at_launch", lock.verify_at_launch == VerifyAtLaunch::kOn);
}

void PrintLine(std::string_view key, std::string_view value) {
  PrintData(std::string(key) + std::string(key.size() < 14 ? 14 - key.size() : 1, ' ') + Printable(value) + "\n");
}

void PrintLock(const DistributionLock& lock) {
  PrintLine("id", lock.id);
  PrintLine("name", lock.name);
  PrintLine("version", lock.version);
  PrintLine("platform", lock.platform.str());
  PrintLine("command", lock.command);
  PrintLine("engine", EngineText(lock.engine));
  PrintLine("entry", lock.entry.str());
}

Status InspectInstalled(const Homes& homes, const SubjectOptions& options, json::Value& out) {
  PISHIP_TRY(const OpenReceipt open, OpenReceipt::Read(homes.install, options.subject));
  const Receipt& receipt = open.receipt();
  const std::string directory = VersionDirectory(homes.install, receipt.id, receipt.active.version);
  PISHIP_TRY(const std::string text, ReadFile(JoinPath(directory, kPayloadLock), std::size_t{16} << 20));
  if (Digest::Of(text) != receipt.active.lock) {
    return Fail(
        ErrorCode::kIntegrityFailed, "'" + JoinPath(directory, kPayloadLock) + "' is not the one that was installed",
        "'piship verify " + receipt.id + "' shows what differs; 'piship repair " + receipt.id + "' writes that anew");
  }
  PISHIP_TRY(const DistributionLock lock, DistributionLock::Parse(text, JoinPath(directory, kPayloadLock)));
  SetLock(out, lock);
  SetRelease(out, receipt.active);
  json::Value kept = json::Value::Array();
  for (const InstalledRelease& release : receipt.kept) kept.Append(release.version);
  out.Set("kept", std::move(kept));
  out.Set("command", JoinPath(homes.bin, receipt.command));
  out.Set("directory", directory);
  out.Set("kind", "installed");
  out.Set("state_directory", JoinPath(homes.state, receipt.id));
  if (options.json) return {};
  PrintLock(lock);
  for (const InstalledRelease& release : receipt.kept) PrintLine("kept", release.version);
  PrintLine("directory", directory);
  PrintLine("state", JoinPath(homes.state, receipt.id));
  PrintLine("origin", OriginName(receipt.active.origin));
  PrintLine("qualification", QualificationName(receipt.active.qualification));
  PrintLine("inventory", receipt.active.inventory.Hex());
  if (receipt.active.archive) PrintLine("archive", receipt.active.archive->Hex());
  return {};
}

Status InspectRelease(const SubjectOptions& options, json::Value& out) {
  DescriptionSink sink;
  ReadArchiveOptions reading;
  reading.threads = 1;  // only its beginning is read
  const auto read = ReadReleaseWithin(options.limits, options.subject, sink, reading);
  if (!read && !sink.done) return Fail(read.error());
  if (!sink.done) {
    return Fail(ErrorCode::kPayloadInvalid, "the payload has no '" + std::string(kPayloadLock) + "'",
                "this is not a release of a distribution");
  }
  PISHIP_TRY(const SourceKind kind, KindOfSource(options.subject));
  InstalledRelease release;
  release.version = sink.lock.version;
  release.platform = sink.lock.platform;
  release.inventory = sink.digest;
  release.lock = sink.lock_digest;
  SetRelease(out, release);
  SetLock(out, sink.lock);
  out.Set("bytes", static_cast<std::int64_t>(sink.bytes));
  out.Set("command", sink.lock.command);
  out.Set("files", static_cast<std::int64_t>(sink.files));
  out.Set("kind", kind == SourceKind::kDirectory ? "directory" : "archive");
  if (options.json) return {};
  PrintLock(sink.lock);
  PrintLine("files", Grouped(sink.files));
  PrintLine("bytes", Grouped(sink.bytes));
  PrintLine("inventory", sink.digest.Hex());
  PrintWords("note: only the beginning was read; 'piship verify' checks every byte");
  return {};
}

}  // namespace

Status RunInspect(const SubjectOptions& options) {
  return Report(options.json, [&](json::Value& out) -> Status {
    PISHIP_TRY(const Homes homes, HomesFromEnvironment());
    SettleUnsynced(homes.install);
    PISHIP_TRY(const bool installed, IsInstalledId(homes, options.subject));
    return installed ? InspectInstalled(homes, options, out) : InspectRelease(options, out);
  });
}

}  // namespace piship
