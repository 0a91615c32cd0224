// SPDX-License-Identifier: MIT
// A vendor run that is killed, loses its network or meets a full disk continues where it was: what was fetched is not
// fetched again, what is half there is not trusted, and the inventory is the one of an undisturbed run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <random>

#include "base/files.h"
#include "support/http_server.h"
#include "support/run_program.h"
#include "support/tarball_builder.h"
#include "support/temp_dir.h"
#include "support/traced_program.h"
#include "vendor/integrity.h"

namespace piship {
namespace {

using testing::HasSubstr;

namespace fs = std::filesystem;

constexpr int kPackages = 24;
constexpr int kSockets = 4;

std::string NameOf(int number) { return "p" + std::to_string(number); }

std::string TarballOf(const std::string& name) {
  std::minstd_rand random(static_cast<unsigned>(std::hash<std::string>()(name)));
  std::string noise(100'000, '\0');
  for (char& c : noise) c = static_cast<char>(random() >> 8);
  return TarballBuilder()
      .File("package/package.json", R"({"name":")" + name + R"(","version":"1.0.0"})")
      .File("package/index.js", "module.exports = '" + name + "';\n")
      .File("package/data", noise)
      .Gzip();
}

std::string IntegrityOf(std::string_view bytes) {
  Hasher hasher(HashAlgorithm::kSha512);
  hasher.Update(bytes);
  return FormatIntegrity(HashAlgorithm::kSha512, hasher.Finish());
}

class InterruptedVendor : public testing::Test {
 protected:
  InterruptedVendor()
      : server_([this](const ServerRequest& request, ServerStream& stream) { return Serve(request, stream); }) {
    EXPECT_TRUE(MakeDirectories(temp_ / "project"));
    std::string needs;
    std::string entries;
    for (int number = 0; number < kPackages; ++number) {
      const std::string name = NameOf(number);
      tarballs_[name] = TarballOf(name);
      needs += (needs.empty() ? "\"" : ",\"") + name + "\":\"1.0.0\"";
      entries +=
          ",\"node_modules/" + name + R"(":{"version":"1.0.0","integrity":")" + IntegrityOf(tarballs_[name]) + "\"}";
    }
    Write("package.json", R"({"name":"a","dependencies":{)" + needs + "}}\n");
    Write("package-lock.json", R"({"name":"a","lockfileVersion":3,"packages":{"":{"name":"a","dependencies":{)" +
                                   needs + "}}" + entries + "}}\n");
    StartRound(nullptr);
    const Ran whole = RunProgram(Vendor());
    EXPECT_EQ(whole.status, 0) << whole.err;
    inventory_ = Output();
    EXPECT_THAT(inventory_, HasSubstr("node_modules/p23/data"));
    EXPECT_EQ(Requests(), kPackages);
    Forget();
  }

  void Write(const std::string& name, const std::string& text) {
    EXPECT_TRUE(WriteFileAtomically(temp_ / ("project/" + name), text).has_value());
  }
  // Whether the connection is to be cut after what it has sent. Never called twice at once.
  using Disturb = std::function<bool(int number, const std::string& body, ServerStream& stream)>;

  // Requests count from 1 again. What a process that was killed had still asked for belongs to the round before, which
  // the registry's path tells, however late the server reads it.
  void StartRound(Disturb disturb) {
    const std::lock_guard lock(mutex_);
    ++round_;
    requests_ = 0;
    disturb_ = std::move(disturb);
    Write(".npmrc", "registry=" + server_.url() + "/" + std::to_string(round_) +
                        "/\nfetch-retries=1\nfetch-retry-mintimeout=1\nfetch-retry-maxtimeout=2\nmaxsockets=" +
                        std::to_string(kSockets) + "\n");
  }
  int Requests() const {
    const std::lock_guard lock(mutex_);
    return requests_;
  }
  AfterAnswer Serve(const ServerRequest& request, ServerStream& stream) {
    // "/<round>/<name>/-/<file>"
    const std::size_t name = request.target.find('/', 1) + 1;
    const auto tarball = tarballs_.find(request.target.substr(name, request.target.find("/-/") - name));
    if (tarball == tarballs_.end()) {
      stream.Respond(404, "{}");
      return AfterAnswer::kKeepOpen;
    }
    {
      const std::lock_guard lock(mutex_);
      if (!request.target.starts_with("/" + std::to_string(round_) + "/")) return AfterAnswer::kCut;
      const int number = ++requests_;
      if (disturb_ && disturb_(number, tarball->second, stream)) return AfterAnswer::kCut;
    }
    stream.Respond(200, tarball->second);
    return AfterAnswer::kKeepOpen;
  }
  static void SendHalf(const std::string& body, ServerStream& stream) {
    stream.Send("HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n");
    stream.Send(std::string_view(body).substr(0, body.size() / 2));
  }

  Program Vendor(const std::string& output = "out", bool offline = false) const {
    Program program{.argv = {PISHIP_TEST_VENDOR, "--package-json", temp_ / "project/package.json", "--lockfile",
                             temp_ / "project/package-lock.json", "--platform", "linux-x64", "--store",
                             temp_ / "cache/store", "--tarballs", temp_ / "cache/tarballs", "--output",
                             temp_ / (output + ".inventory"), "--depfile", temp_ / (output + ".d")},
                    .environment = {{"HOME", temp_ / "home"}, {"PREFIX", temp_ / "prefix"}}};
    if (offline) program.argv.emplace_back("--offline");
    return program;
  }
  std::string Output(const std::string& name = "out") const {
    return ReadFile(temp_ / (name + ".inventory")).value_or("");
  }
  // The tarballs that the cache holds whole.
  std::vector<std::string> Fetched() const {
    std::vector<std::string> paths;
    std::error_code missing;
    for (const auto& entry : fs::recursive_directory_iterator(temp_ / "cache/tarballs", missing)) {
      if (entry.path().extension() == ".tgz") paths.push_back(entry.path());
    }
    return paths;
  }
  int FetchedCount() const { return static_cast<int>(Fetched().size()); }
  void Forget() {
    for (const auto& entry : fs::directory_iterator(temp_ / "cache")) fs::remove_all(entry);
    fs::remove(temp_ / "out.inventory");
  }
  // Undisturbed now: it fetches exactly what the cache does not hold.
  void ExpectContinues() {
    StartRound(nullptr);
    const int held = FetchedCount();
    const Ran ran = RunProgram(Vendor());
    EXPECT_EQ(ran.status, 0) << ran.err;
    EXPECT_EQ(Requests(), kPackages - held);
    EXPECT_EQ(Output(), inventory_);
  }

  TempDir temp_;
  std::map<std::string, std::string> tarballs_;
  mutable std::mutex mutex_;  // guards the three below
  int round_ = 0;
  int requests_ = 0;
  Disturb disturb_;
  std::string inventory_;
  HttpServer server_;
};

TEST_F(InterruptedVendor, KilledAtAnyDownload) {
  int held_at_most = 0;
  for (int at = 1; at <= kPackages; ++at) {
    Forget();
    std::atomic<pid_t> pid = 0;
    StartRound([&](int number, const std::string& body, ServerStream& stream) {
      if (number != at) return false;
      SendHalf(body, stream);
      while (pid == 0) stream.Sleep(std::chrono::milliseconds(1));
      kill(pid, SIGKILL);
      return true;
    });
    Background running(Vendor());
    pid = running.pid();
    EXPECT_EQ(running.Wait(), 128 + SIGKILL);
    EXPECT_EQ(Output(), "");
    held_at_most = std::max(held_at_most, FetchedCount());
    // Those asked for beside the one that was cut may have come whole, before or after it.
    EXPECT_LT(FetchedCount(), Requests());
    ExpectContinues();
  }
  EXPECT_GT(held_at_most, kPackages / 2);
}

TEST_F(InterruptedVendor, KilledWhileItUnpacks) {
  const std::string reason = WhyNotTraceable();
  if (!reason.empty()) GTEST_SKIP() << reason;
  ASSERT_EQ(RunProgram(Vendor()).status, 0);
  const auto forget_store = [&] {
    fs::remove_all(temp_ / "cache/store");
    fs::remove(temp_ / "out.inventory");
  };
  forget_store();
  Intervention point{.one_processor = false};
  const Traced clean = RunTraced(Vendor("out", true), point);
  ASSERT_EQ(clean.ran.status, 0) << clean.ran.err;
  std::mt19937 random(std::random_device{}());
  point.fault = Fault::kKill;
  for (int round = 0; round < 40; ++round) {
    if (round % 4 == 0) forget_store();
    point.at = random() % clean.calls.size();
    RunTraced(Vendor("out", true), point);
    if (round % 4 != 3) continue;
    const Ran ran = RunProgram(Vendor("out", true));
    EXPECT_EQ(ran.status, 0) << ran.err;
    EXPECT_EQ(Output(), inventory_);
  }
}

TEST_F(InterruptedVendor, LosesItsNetwork) {
  for (const int at : {1, 2, 12, kPackages}) {
    Forget();
    StartRound([at](int number, const std::string& body, ServerStream& stream) {
      if (number < at) return false;
      SendHalf(body, stream);
      return true;
    });
    const Ran ran = RunProgram(Vendor());
    EXPECT_EQ(ran.status, 4) << ran.err;
    EXPECT_THAT(ran.err, HasSubstr("[NETWORK_FAILED]"));
    EXPECT_EQ(FetchedCount(), at - 1);
    EXPECT_EQ(Output(), "");
    ExpectContinues();
  }
}

TEST_F(InterruptedVendor, DamagedAndCutOffTarballsAreFetchedAgain) {
  ASSERT_EQ(RunProgram(Vendor()).status, 0);
  fs::remove_all(temp_ / "cache/store");
  const std::vector<std::string> fetched = Fetched();
  ASSERT_EQ(fetched.size(), static_cast<std::size_t>(kPackages));
  fs::resize_file(fetched[3], fs::file_size(fetched[3]) / 2);
  fs::resize_file(fetched[5], 0);
  std::string flipped = *ReadFile(fetched[7]);
  flipped[flipped.size() / 2] ^= 1;
  ASSERT_TRUE(WriteFileAtomically(fetched[7], flipped).has_value());
  StartRound(nullptr);
  const Ran ran = RunProgram(Vendor());
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(Requests(), 3);
  EXPECT_EQ(Output(), inventory_);
}

TEST_F(InterruptedVendor, TwoAtOnceOnOneCache) {
  for (int round = 0; round < 5; ++round) {
    Forget();
    StartRound(nullptr);
    Background first(Vendor("first"));
    Background second(Vendor("second"));
    EXPECT_EQ(first.Wait(), 0);
    EXPECT_EQ(second.Wait(), 0);
    EXPECT_LE(Requests(), 2 * kPackages);
    EXPECT_EQ(Output("first"), inventory_);
    EXPECT_EQ(Output("second"), inventory_);
    EXPECT_EQ(FetchedCount(), kPackages);
    EXPECT_EQ(RunProgram(Vendor("out", true)).status, 0);
  }
}

// One of two is killed over and over; the other one is not disturbed.
TEST_F(InterruptedVendor, TheOtherIsKilled) {
  for (int at = 2; at < kPackages; at += 3) {
    Forget();
    std::atomic<pid_t> pid = 0;
    StartRound([&](int number, const std::string&, ServerStream& stream) {
      if (number != at) return false;
      while (pid == 0) stream.Sleep(std::chrono::milliseconds(1));
      kill(pid, SIGKILL);
      return false;
    });
    Background killed(Vendor("first"));
    pid = killed.pid();
    const Ran other = RunProgram(Vendor("second"));
    EXPECT_EQ(other.status, 0) << other.err;
    EXPECT_EQ(Output("second"), inventory_);
    killed.Wait();
    ExpectContinues();
  }
}

TEST_F(InterruptedVendor, MeetsAFullDisk) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can mount a small disk";
  if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) {
    GTEST_SKIP() << "no mount is possible here: " << std::strerror(errno);
  }
  const std::string disk = temp_ / "cache";
  ASSERT_EQ(mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=64k"), 0) << std::strerror(errno);
  int failures = 0;
  for (std::size_t kibibytes = 300;; kibibytes += 600) {
    ASSERT_LT(kibibytes, 20'000U);
    const std::string size = "size=" + std::to_string(kibibytes) + "k";
    ASSERT_EQ(mount("none", disk.c_str(), nullptr, MS_REMOUNT, size.c_str()), 0) << std::strerror(errno);
    const int held = FetchedCount();
    const int before = Requests();
    const Ran ran = RunProgram(Vendor());
    if (ran.status == 0) break;
    ++failures;
    EXPECT_EQ(ran.status, 4) << ran.err;
    EXPECT_THAT(ran.err, HasSubstr("[DISK_FULL]"));
    EXPECT_EQ(Output(), "");
    EXPECT_GE(FetchedCount(), held);
    // A full disk is not filled over and over with what then can't be kept: five failures end it, unless one fits
    // between them where another's half was taken away.
    EXPECT_LE(Requests() - before, 6 * (FetchedCount() - held) + 5 + kSockets);
  }
  EXPECT_GT(failures, 4);
  EXPECT_EQ(Output(), inventory_);
  EXPECT_EQ(umount2(disk.c_str(), MNT_DETACH), 0);
}

}  // namespace
}  // namespace piship
