// SPDX-License-Identifier: MIT
// Puts together what the parts find: the installation itself, its trust, its engine.
#include "home/doctor.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <set>

#include "base/files.h"
#include "commands/commands.h"
#include "commands/report.h"
#include "home/receipts.h"
#include "model/names.h"
#include "os/beneath.h"
#include "os/process.h"
#include "source/trust_check.h"

namespace piship {
namespace {

constexpr std::size_t kEngineOutputLimit = 4096;
constexpr std::size_t kNameWidth = 10;

// Ids of receipts, and of directories in apps/ without one.
Result<std::vector<std::string>> AllIds(const Homes& homes) {
  PISHIP_TRY(const std::vector<std::string> installed, ReceiptIds(homes.install));
  std::set<std::string> ids(installed.begin(), installed.end());
  const std::string apps = ParentPath(AppDirectory(homes.install, "x"));
  const auto directory = OpenFile(apps, O_RDONLY | O_DIRECTORY);
  std::vector<DirectoryEntry> entries;
  if (directory && ReadDirectory(directory->get(), entries) == 0) {
    for (const DirectoryEntry& entry : entries) {
      if (entry.type == DT_DIR && CheckId(entry.name, "the id")) ids.insert(entry.name);
    }
  }
  return std::vector<std::string>(ids.begin(), ids.end());
}

// A payload's own engine is judged by the payload's check; what is left to ask is whether it may be executed here. The
// user's is judged by the script that a launch hands to it, which is the payload's, so only when that is intact.
Check ExamineEngine(const Homes& homes, const Examination& examination) {
  const DistributionLock& lock = *examination.lock;
  const std::string payload = VersionDirectory(homes.install, lock.id, lock.version);
  if (lock.engine.kind == EngineKind::kPayload) {
    const std::string path = JoinPath(payload, lock.engine.executable.str());
    if (access(path.c_str(), X_OK) == 0) {
      return {"engine", Health::kOk, lock.engine.package + " " + lock.engine.version + " of the payload"};
    }
    return {"engine", Health::kFail, "'" + path + "' can't be executed",
            "piship repair " + lock.id + ", or is the file system mounted with 'noexec'?"};
  }
  const std::string wanted = "Node.js " + lock.engine.range.str();
  if (!examination.intact) return {"engine", Health::kWarn, "not asked, because the payload is damaged"};
  ProcessRequest request;
  request.argv = {"node", "--require", JoinPath(payload, lock.engine.check.str()), "--print", "process.version"};
  request.output_limit = kEngineOutputLimit;
  const auto ran = RunProcess(request);
  const std::string advice = "install " + wanted + " or put it on PATH";
  if (!ran) return FailedCheck("engine", ran.error(), advice);
  if (ran->status != 0) return {"engine", Health::kFail, "the node of PATH is not " + wanted, advice};
  std::string version = ran->output;
  while (version.ends_with('\n')) version.pop_back();
  return {"engine", Health::kOk, "the node of PATH is " + Printable(version) + ", and " + wanted + " is needed"};
}

class Doctor {
 public:
  Doctor(Homes homes, bool json) : homes_(std::move(homes)), json_(json) {}

  Status Distribution(const std::string& id, bool fix) {
    Status mended = fix ? MendInstallation(homes_, id) : Status();
    auto examined = ExamineInstallation(homes_, id);
    if (!examined && examined.error().code == ErrorCode::kNotInstalled && fix && mended) {
      Note(id, {{"leftovers", Health::kOk, "what an unfinished install or uninstall had left has been removed"}});
      return {};
    }
    PISHIP_TRY(Examination examination, std::move(examined));
    if (examination.receipt) {
      using namespace std::chrono;
      const std::int64_t now = duration_cast<seconds>(system_clock::now().time_since_epoch()).count();
      examination.checks.push_back(ExamineTrust(TrustDirectory(homes_.install, id), *examination.receipt, now));
    }
    if (examination.lock) examination.checks.push_back(ExamineEngine(homes_, examination));
    if (!mended) examination.checks.push_back(FailedCheck("fix", mended.error(), mended.error().hint));
    Note(id, examination.checks);
    return {};
  }

  void Home() { home_ = Say(homes_.install, {ExamineDownloads(homes_)}); }

  void Finish(json::Value& out) {
    out.Set("distributions", std::move(distributions_));
    out.Set("failed", failed_);
    out.Set("home", std::move(home_));
    out.Set("warnings", warnings_);
  }
  std::int64_t failed() const { return failed_; }

 private:
  void Note(const std::string& id, const std::vector<Check>& checks) {
    json::Value item = json::Value::Object();
    item.Set("checks", Say(id, checks));
    item.Set("id", id);
    distributions_.Append(std::move(item));
  }

  json::Value Say(const std::string& subject, const std::vector<Check>& checks) {
    json::Value list = json::Value::Array();
    if (!json_) PrintData(subject + "\n");
    for (const Check& check : checks) {
      if (check.health == Health::kFail) ++failed_;
      if (check.health == Health::kWarn) ++warnings_;
      json::Value item = json::Value::Object();
      if (!check.advice.empty()) item.Set("advice", Printable(check.advice));
      item.Set("name", check.name);
      item.Set("status", HealthName(check.health));
      item.Set("text", Printable(check.text));
      list.Append(std::move(item));
      if (!json_) PrintData(Line(check));
    }
    return list;
  }

  static std::string Line(const Check& check) {
    std::string status(HealthName(check.health));
    status.resize(std::max<std::size_t>(status.size(), 4), ' ');
    std::string name = check.name;
    name.resize(std::max(name.size(), kNameWidth), ' ');
    std::string line = "  " + status + "  " + name + " " + Printable(check.text) + "\n";
    if (!check.advice.empty() && check.health != Health::kOk) {
      line += std::string(kNameWidth + 9, ' ') + "-> " + Printable(check.advice) + "\n";
    }
    return line;
  }

  Homes homes_;
  bool json_;
  json::Value distributions_ = json::Value::Array();
  json::Value home_ = json::Value::Array();
  std::int64_t failed_ = 0;
  std::int64_t warnings_ = 0;
};

}  // namespace

Status RunDoctor(const DoctorOptions& options) {
  std::int64_t failed = 0;
  Status reported = Report(options.json, [&](json::Value& out) -> Status {
    if (!options.id.empty()) PISHIP_CHECK(CheckId(options.id, "the id"));
    PISHIP_TRY(const Homes homes, HomesFromEnvironment());
    std::vector<std::string> ids = {options.id};
    if (options.id.empty()) {
      PISHIP_TRY(ids, AllIds(homes));
    }
    if (options.fix) RemoveDownloads(homes);
    Doctor doctor(homes, options.json);
    for (const std::string& id : ids) PISHIP_CHECK(doctor.Distribution(id, options.fix));
    doctor.Home();
    failed = doctor.failed();
    doctor.Finish(out);
    return {};
  });
  if (!reported || failed == 0) return reported;
  return Fail(ErrorCode::kUnhealthy, std::to_string(failed) + (failed == 1 ? " check failed" : " checks failed"),
              "what to do stands beside each");
}

}  // namespace piship
