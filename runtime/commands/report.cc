// SPDX-License-Identifier: MIT
#include "commands/report.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstdio>

#include "base/cli.h"
#include "home/receipts.h"
#include "model/names.h"

namespace piship {
namespace {

constexpr std::int64_t kMostFiles = UINT32_MAX;

// JSON on a terminal is text like any other, and names in errors are whatever an archive says: neither control
// characters nor what is no UTF-8 may get there.
json::Value Strings(const std::vector<std::string>& texts) {
  json::Value list = json::Value::Array();
  for (const std::string& text : texts) list.Append(Printable(text));
  return list;
}

}  // namespace

json::Value ErrorValue(const Error& error) {
  json::Value value = json::Value::Object();
  value.Set("code", ErrorCodeName(error.code));
  value.Set("context", Strings(error.context));
  value.Set("hint", Printable(error.hint));
  value.Set("message", Printable(error.message));
  value.Set("problems", Strings(error.problems));
  return value;
}

Status Report(bool json, const std::function<Status(json::Value& out)>& verb) {
  json::Value out = json::Value::Object();
  Status status = verb(out);
  if (!json) return status;
  if (!status) {
    out = json::Value::Object();
    out.Set("error", ErrorValue(status.error()));
  }
  out.Set("format", std::int64_t{1});
  PrintData(json::Canonical(out));
  return status;
}

void PrintData(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); }

void PrintWords(std::string_view text) {
  const std::string line = std::string(text) + "\n";
  std::fwrite(line.data(), 1, line.size(), stderr);
}

void SetRelease(json::Value& object, const InstalledRelease& release) {
  if (release.archive) object.Set("archive", release.archive->Hex());
  object.Set("inventory", release.inventory.Hex());
  object.Set("lock", release.lock.Hex());
  object.Set("origin", OriginName(release.origin));
  object.Set("platform", release.platform.str());
  object.Set("qualification", QualificationName(release.qualification));
  object.Set("version", release.version);
}

std::string Grouped(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3;) {
    at -= 3;
    digits.insert(at, 1, ',');
  }
  return digits;
}

void AddLimits(CommandLine& line, LimitOptions& limits) {
  line.Option(limits.max_files, "--max-files", "<number>",
              "How many files a release may have; 1000000 where it is not given.")
      .Option(limits.max_ratio, "--max-ratio", "<number>",
              "How many times its size an archive may unpack to, from 256 MiB on; 1000 where it is not given.");
}

Result<SourceSummary> ReadReleaseWithin(const LimitOptions& limits, const std::string& source, PayloadSink& sink,
                                        ReadArchiveOptions reading) {
  const auto in_range = [](std::string_view name, std::int64_t value, std::int64_t most) -> Status {
    if (value >= 1 && value <= most) return {};
    return Fail(ErrorCode::kUsage, std::string(name) + " is " + std::to_string(value) + ", it must be between 1 and " +
                                       std::to_string(most));
  };
  PISHIP_CHECK(in_range("--max-files", limits.max_files, kMostFiles));
  PISHIP_CHECK(in_range("--max-ratio", limits.max_ratio, UINT32_MAX));
  reading.limits.inventory.entries = static_cast<std::size_t>(limits.max_files);
  reading.limits.ratio = static_cast<std::uint32_t>(limits.max_ratio);
  auto read = ReadRelease(source, sink, reading);
  if (!read && read.error().code == ErrorCode::kLimitExceeded) {
    read.error().hint =
        "limits protect this machine from hostile archives; --max-files and --max-ratio raise them where you know who "
        "made it";
  }
  return read;
}

Result<bool> IsInstalledId(const Homes& homes, const std::string& subject) {
  if (!CheckId(subject, "the id")) return false;
  struct stat status {};
  const std::string receipt = ReceiptPath(homes.install, subject);
  if (stat(receipt.c_str(), &status) == 0) return true;
  if (errno != ENOENT && errno != ENOTDIR) return Fail(SystemError("look up '" + receipt + "'", errno));
  if (stat(subject.c_str(), &status) == 0) return false;
  return Fail(ErrorCode::kNotInstalled, "'" + subject + "' is neither installed in '" + homes.install + "' nor a file",
              "'piship list' shows what is installed");
}

}  // namespace piship
