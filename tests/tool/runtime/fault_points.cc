// SPDX-License-Identifier: MIT
#include "tool/runtime/fault_points.h"

#include <fcntl.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>

#include <cstring>
#include <regex>

#include "home/payload_check.h"

namespace piship {
namespace {

using testing::AnyOf;
using testing::Contains;
using testing::Each;
using testing::EndsWith;
using testing::IsEmpty;

namespace fs = std::filesystem;

const std::set<std::string> kHomes = {"install", "state", "bin", "cache", "home"};
constexpr auto kAsItIs = fs::copy_options::recursive | fs::copy_options::copy_symlinks;

constexpr std::size_t kStride = 61;
constexpr std::size_t kNetworkStride = 293;

std::string Describe(const Intervention& point, const SystemCall& call) {
  std::string text = std::string(FaultsOf(call).name) + " (call " + std::to_string(point.at) + "): ";
  if (point.fault == Fault::kKill) return text + "killed";
  return text + (point.fault == Fault::kShorten ? "shortened" : strerrorname_np(point.error));
}

bool IsWriteTo(const SystemCall& call, std::uint64_t fd) { return call.number == SYS_write && call.arguments[0] == fd; }

}  // namespace

// PISHIP_TEST_POINTS=all tries every point; otherwise one of so many.
bool FaultPoints::TriesAll() {
  const char* wanted = std::getenv("PISHIP_TEST_POINTS");
  return wanted != nullptr && std::strcmp(wanted, "all") == 0;
}

void FaultPoints::SetUp() {
  const std::string reason = WhyNotTraceable();
  if (!reason.empty()) GTEST_SKIP() << reason;
  environment_["PISHIP_TEST_RUNTIME"] = RuntimePath();
}

TestRelease FaultPoints::SmallRelease(const std::string& version) const {
  TestRelease release = QuickRelease(version, 3, 300);
  release.runtime = "#!/bin/sh\nexec \"$PISHIP_TEST_RUNTIME\" launch hello -- \"$@\"\n";
  release.resources = {{"skills/one.md", version}};
  release.environment = {{"HELLO_HOME", "{state}"}};
  return release;
}

std::string FaultPoints::ArchiveOf(const TestRelease& release) { return release.WriteArchive(temp_.path()); }

// What no operation may change: everything beside the homes, and in them everything that is not this distribution's.
std::set<std::string> FaultPoints::Surroundings() const {
  std::set<std::string> seen;
  for (auto entry = fs::recursive_directory_iterator(temp_.path()); entry != fs::recursive_directory_iterator();
       ++entry) {
    const std::string path = entry->path();
    const std::string below = path.substr(temp_.path().size() + 1);
    const bool saved = below == "saved" || below == "cut";
    const bool own = below == "install/apps/hello" || below == "install/trust/hello" || below == "install/downloads";
    if (saved || own) entry.disable_recursion_pending();
    if (saved) continue;
    struct stat status {};
    if (lstat(path.c_str(), &status) != 0) continue;
    const bool in_home = kHomes.contains(below.substr(0, below.find('/')));
    if (!in_home) {
      seen.insert(below + " " + std::to_string(status.st_ino) + " " + std::to_string(status.st_mtim.tv_nsec));
    } else if (S_ISREG(status.st_mode) && below != "install/receipts/hello.json" && !below.starts_with("state/")) {
      seen.insert(below + " " + Digest::Of(ReadFile(path).value_or("")).Hex());
    }
  }
  return seen;
}

void FaultPoints::Save(const std::string& place) const {
  fs::remove_all(temp_ / place);
  fs::create_directory(temp_ / place);
  for (const std::string& home : kHomes) {
    if (fs::exists(temp_ / home)) fs::copy(temp_ / home, temp_ / (place + "/" + home), kAsItIs);
  }
}

void FaultPoints::Restore(const std::string& place) const {
  for (const std::string& home : kHomes) {
    fs::remove_all(temp_ / home);
    if (fs::exists(temp_ / (place + "/" + home))) fs::copy(temp_ / (place + "/" + home), temp_ / home, kAsItIs);
  }
}

void FaultPoints::AddNeighbours() {
  TestRelease other = SmallRelease("1.0.0");
  other.id = "neighbour";
  other.command = "neighbour";
  Do(Installing(other));
  Do(Verb({"list"}));
  Append(temp_ / "bin/other", "not PiShip's\n");
}

SeenState FaultPoints::See() const {
  SeenState seen;
  const std::string text = ReceiptText();
  if (!text.empty()) {
    auto receipt = Receipt::Parse(text, "receipt");
    if (receipt) receipt->unsynced_boot.reset();
    seen.receipt = receipt ? receipt->Text() : "damaged: " + text;
  }
  for (const std::string& name : Names(temp_ / "bin")) {
    if (name.starts_with("hello")) seen.commands.push_back(name);
  }
  seen.data = Names(temp_ / "state/hello");
  return seen;
}

std::vector<Intervention> FaultPoints::Points(const Operation& operation, const std::vector<SystemCall>& calls) const {
  std::vector<Intervention> points;
  for (std::size_t at = 0; at < calls.size(); ++at) {
    const CallFaults faults = FaultsOf(calls[at]);
    EXPECT_NE(faults.name, nullptr) << "nothing says how system call " << calls[at].number << " may fail";
    if (faults.name == nullptr) continue;
    points.push_back({.at = at, .fault = Fault::kKill});
    for (const int error : faults.errors) points.push_back({.at = at, .fault = Fault::kFail, .error = error});
    if (faults.shortens) points.push_back({.at = at, .fault = Fault::kShorten});
  }
  if (TriesAll()) return points;
  std::vector<Intervention> some;
  const std::size_t stride = operation.network ? kNetworkStride : kStride;
  for (std::size_t at = 0; at < points.size(); at += stride) some.push_back(points[at]);
  return some;
}

void FaultPoints::Begin(const Operation& operation, Traced& clean) {
  Save("saved");
  old_ = See();
  clean = RunTraced(operation.program, {});
  ASSERT_EQ(clean.ran.status, 0) << clean.ran.err;
  new_ = See();
  EXPECT_EQ(AppNames(), operation.names_after);
  surroundings_ = Surroundings();
}

void FaultPoints::TryPoints(const Operation& operation) {
  Traced clean;
  ASSERT_NO_FATAL_FAILURE(Begin(operation, clean));
  const std::vector<Intervention> points = Points(operation, clean.calls);
  std::size_t tried = 0;
  for (const Intervention& point : points) {
    const std::vector<Next> both = {Next::kSame, Next::kUninstall};
    for (const Next next : TriesAll() && !operation.network ? both : std::vector<Next>{both[tried % 2]}) {
      TryPoint(operation, point, clean.calls[point.at], next);
      ++tried;
    }
  }
  std::printf("%s: %zu system calls, %zu points, %zu runs\n", operation.name.c_str(), clean.calls.size(), points.size(),
              tried);
}

bool FaultPoints::Fits(const Intervention& point, const SystemCall& call) {
  if (point.fault == Fault::kKill) return true;
  const CallFaults faults = FaultsOf(call);
  if (point.fault == Fault::kShorten) return faults.shortens;
  return std::find(faults.errors.begin(), faults.errors.end(), point.error) != faults.errors.end();
}

void FaultPoints::TryPoint(const Operation& operation, const Intervention& point, const SystemCall& call, Next next) {
  const testing::ScopedTrace trace(__FILE__, __LINE__, operation.name + ", " + Describe(point, call));
  Restore("saved");
  const Traced traced = RunTraced(operation.program, point);
  ASSERT_FALSE(traced.hung);
  // Each run makes the same calls up to the fault, unless a directory lists its names in another order since it was
  // restored. A fault that then hits a call which can't fail so must still leave what the others leave.
  const bool reached = traced.calls.size() > point.at;
  ASSERT_TRUE(reached || operation.network);
  const SystemCall& hit = reached ? traced.calls[point.at] : call;
  if (reached && (hit.number == call.number || Fits(point, hit))) ExpectAnswer(operation, point, hit, traced);
  ExpectOldOrNew(operation, traced);
  ExpectPayloads(operation);
  EXPECT_EQ(Surroundings(), surroundings_);
  ExpectContentDoctor(operation, false);
  EXPECT_EQ(Piship({"list"}).status, 0);
  ExpectNext(operation, next);
}

void FaultPoints::ExpectAnswer(const Operation& operation, const Intervention& point, const SystemCall& call,
                               const Traced& traced) {
  if (point.fault == Fault::kKill) {
    EXPECT_EQ(traced.ran.status, 128 + SIGKILL);
    return;
  }
  if (traced.ran.status == 0) return;
  EXPECT_NE(point.fault, Fault::kShorten) << traced.ran.err;
  // Without a handler a write to the standard streams is never interrupted, so what the C library does then is enough.
  if (IsWriteTo(call, 1) && point.error == EINTR) return;
  EXPECT_NE(point.error, EINTR) << traced.ran.err;
  // Without memory the C library ends a program before it is one.
  if (FaultsOf(call).memory && traced.calls.size() < point.at + 12) return;
  EXPECT_THAT(operation.statuses, Contains(traced.ran.status)) << traced.ran.err;
  if (IsWriteTo(call, 2)) return;
  static const std::regex form("[a-z ]+: error: [^\n]+ \\[([A-Z_]+)\\]\n(  [^\n]+\n)*  hint: [^\n]+\n");
  std::smatch match;
  EXPECT_TRUE(std::regex_search(traced.ran.err, match, form)) << traced.ran.err;
  // That a disk fails is never taken for damage, since what is damaged is written anew.
  if (match.size() > 1) {
    EXPECT_NE(match[1], "INTEGRITY_FAILED") << traced.ran.err;
  }
}

void FaultPoints::ExpectOldOrNew(const Operation& operation, const Traced& traced) {
  const SeenState seen = See();
  EXPECT_THAT(seen.receipt, AnyOf(old_.receipt, new_.receipt));
  if (traced.ran.status == 0) {
    EXPECT_EQ(seen, new_);
  }
  const bool installs = !new_.receipt.empty();
  if (seen.receipt.empty()) {
    const Ran ran = Piship({"launch", "hello"});
    EXPECT_EQ(ran.status, 125);
    EXPECT_THAT(ran.err, testing::HasSubstr("[NOT_INSTALLED]"));
    return;
  }
  // A first install makes its command after its receipt.
  if (!old_.receipt.empty() || !installs) {
    EXPECT_THAT(seen.commands, testing::Not(IsEmpty()));
  }
  const auto receipt = Receipt::Parse(ReceiptText(), "receipt");
  ASSERT_TRUE(receipt.has_value());
  const Ran ran = seen.commands.empty() ? Piship({"launch", "hello"}) : RunProgram(Command({}, seen.commands.front()));
  if (operation.repairs && seen.receipt == old_.receipt && ran.status != 0) {
    EXPECT_EQ(ran.status, 125);
    EXPECT_THAT(ran.err, testing::HasSubstr("[INTEGRITY_FAILED]"));
  } else {
    EXPECT_EQ(ran.out, receipt->active.version + "\n") << ran.err;
  }
}

// Nothing that a receipt names is other than its inventory says, except what a repair has in hand.
void FaultPoints::ExpectPayloads(const Operation& operation) const {
  const std::string text = ReceiptText();
  if (text.empty()) return;
  const auto receipt = Receipt::Parse(text, "receipt");
  ASSERT_TRUE(receipt.has_value());
  std::vector<InstalledRelease> releases = receipt->kept;
  if (!operation.repairs) releases.push_back(receipt->active);
  for (const InstalledRelease& release : releases) {
    const std::string path = VersionDirectory(install_home(), "hello", release.version);
    const auto directory = OpenFile(path, O_RDONLY | O_DIRECTORY);
    ASSERT_TRUE(directory.has_value()) << path;
    const auto check = CheckPayload(directory->get(), path, release.inventory);
    EXPECT_TRUE(check.has_value() && check->differences.empty()) << path;
  }
}

void FaultPoints::ExpectContentDoctor(const Operation& operation, bool succeeded) const {
  const Ran ran = Piship({"doctor", "hello", "--json"});
  const json::Value out = Json(ran);
  const json::Value* distributions = out.Find("distributions");
  if (distributions == nullptr) {
    EXPECT_THAT(ran.err, testing::HasSubstr("[NOT_INSTALLED]"));
    return;
  }
  // The command gets its link after the receipt; until then another link of the distribution's may start it.
  const auto receipt = Receipt::Parse(ReceiptText(), "receipt");
  const bool no_command = receipt.has_value() && !Exists(temp_ / "bin/" + receipt->command);
  for (const json::Value& check : distributions->array()[0].Find("checks")->array()) {
    const std::string name = Text(check, "name");
    const std::string status = Text(check, "status");
    const std::string said = name + ": " + Text(check, "text");
    if (succeeded) {
      // What a killed start was writing is no directory; the bin home of tests is not on PATH.
      EXPECT_TRUE(status == "ok" || name == "path") << said;
    } else if (status == "fail") {
      const bool damaged = name == "payload" || name == "lock" || name == "disk";
      EXPECT_TRUE((operation.repairs && damaged) || (no_command && name == "command")) << said;
    }
  }
}

void FaultPoints::ExpectNext(const Operation& operation, Next next) {
  if (next == Next::kSame) {
    const Ran again = RunProgram(operation.program);
    const bool done_before = new_.receipt.empty() && again.err.find("[NOT_INSTALLED]") != std::string::npos;
    EXPECT_TRUE(again.status == 0 || done_before) << again.err;
    EXPECT_EQ(See(), new_);
    std::vector<std::string> names = AppNames();
    // A start reclaims nothing, so what a killed one was writing stays until something is installed or uninstalled.
    if (operation.starts) std::erase_if(names, [](const std::string& name) { return name.starts_with(".tmp-"); });
    EXPECT_EQ(names, operation.names_after);
    if (operation.network) {
      EXPECT_THAT(Names(install_home() + "/trust/hello"), Each(EndsWith(".json")));
      EXPECT_THAT(Names(install_home() + "/downloads"), IsEmpty());
    }
    if (!operation.said_after.empty()) {
      EXPECT_EQ(Piship({"launch", "hello"}).out, operation.said_after);
      ExpectContentDoctor(operation, true);
    }
  } else {
    const Ran removed = Piship({"uninstall", "hello"});
    const bool nothing = removed.err.find("[NOT_INSTALLED]") != std::string::npos;
    EXPECT_TRUE(removed.status == 0 || nothing) << removed.err;
    EXPECT_EQ(See().receipt, "");
    EXPECT_THAT(See().commands, IsEmpty());
    EXPECT_FALSE(Exists(AppDirectory(install_home(), "hello")));
  }
  EXPECT_EQ(Surroundings(), surroundings_);
}

}  // namespace piship
