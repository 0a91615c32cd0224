// SPDX-License-Identifier: MIT
// Faults of an install and an uninstall of a release of real size, which several threads write: at points that are
// drawn anew in each run, since the threads' calls come in another order each time anyway. The release is the file that
// PISHIP_TEST_ARCHIVE names; e2e.real_faults builds one.
#include <sys/syscall.h>

#include <random>

#include "support/traced_program.h"
#include "tool/runtime/call_faults.h"
#include "tool/runtime/runtime_fixture.h"

namespace piship {
namespace {

using testing::AnyOf;
using testing::Contains;
using testing::IsEmpty;

namespace fs = std::filesystem;

constexpr int kRounds = 24;  // of each operation
constexpr char kId[] = "mypi";

class RealPayload : public RuntimeTest {
 protected:
  void SetUp() override {
    const char* archive = std::getenv("PISHIP_TEST_ARCHIVE");
    if (archive == nullptr) GTEST_SKIP() << "PISHIP_TEST_ARCHIVE names no release";
    archive_ = archive;
    const std::string reason = WhyNotTraceable();
    if (!reason.empty()) GTEST_SKIP() << reason;
    std::printf("drawn from %u\n", seed_);
  }

  // A fault that one of these calls can have.
  Intervention Draw(const std::vector<SystemCall>& calls) {
    for (;;) {
      const SystemCall& call = calls[random_() % calls.size()];
      const CallFaults faults = FaultsOf(call);
      Intervention point{.of = call.number, .one_processor = false};
      std::size_t alike = 0;
      for (const SystemCall& other : calls) alike += other.number == call.number ? 1 : 0;
      point.at = random_() % alike;
      const std::size_t kinds = 1 + faults.errors.size() + (faults.shortens ? 1 : 0);
      const std::size_t kind = random_() % kinds;
      if (kind == 0) {
        point.fault = Fault::kKill;
      } else if (kind <= faults.errors.size()) {
        // What a futex or a wait for memory gives is the C library's affair.
        if (faults.memory || call.number == SYS_futex) continue;
        point.fault = Fault::kFail;
        point.error = faults.errors[kind - 1];
      } else {
        point.fault = Fault::kShorten;
      }
      return point;
    }
  }

  void ExpectWholeOrNothing() {
    EXPECT_EQ(Piship({"list"}).status, 0);
    if (ReceiptText(kId).empty()) {
      EXPECT_EQ(Piship({"launch", kId}).status, 125);
      return;
    }
    const Ran verified = Piship({"verify", kId});
    EXPECT_EQ(verified.status, 0) << verified.err;
    EXPECT_EQ(Piship({"launch", kId, "--", "--version"}).status, 0);
  }

  void ExpectInstalls() {
    const Ran ran = Piship({"install", archive_});
    EXPECT_EQ(ran.status, 0) << ran.err;
    const Ran verified = Piship({"verify", kId});
    EXPECT_EQ(verified.status, 0) << verified.err;
    EXPECT_EQ(AppNames(kId), (std::vector<std::string>{".lock", "1.0.0", "launch"}));
  }

  void ExpectUninstalls() {
    const Ran ran = Piship({"uninstall", kId});
    EXPECT_THAT(ran.status, AnyOf(0, 1)) << ran.err;
    EXPECT_FALSE(Exists(AppDirectory(install_home(), kId)));
    EXPECT_THAT(Names(temp_ / "bin"), IsEmpty());
  }

  void Try(const Program& program, const std::vector<SystemCall>& calls) {
    const Intervention point = Draw(calls);
    SCOPED_TRACE("system call " + std::to_string(point.of) + " for the " + std::to_string(point.at) +
                 "th time, fault " + std::to_string(static_cast<int>(point.fault)) + ", error " +
                 std::to_string(point.error));
    const Traced traced = RunTraced(program, point);
    ASSERT_FALSE(traced.hung);
    EXPECT_THAT((std::vector<int>{0, 1, 3, 4, 128 + SIGKILL}), Contains(traced.ran.status)) << traced.ran.err;
    ExpectWholeOrNothing();
  }

  std::string archive_;
  unsigned seed_ = std::random_device{}();
  std::mt19937 random_{seed_};
};

TEST_F(RealPayload, FaultsOfAnInstall) {
  const Program install = Verb({"install", archive_});
  const Traced clean = RunTraced(install, {.one_processor = false});
  ASSERT_EQ(clean.ran.status, 0) << clean.ran.err;
  for (int round = 0; round < kRounds && !HasFailure(); ++round) {
    ExpectUninstalls();
    Try(install, clean.calls);
    ExpectInstalls();
  }
  std::printf("%zu system calls, %d faults\n", clean.calls.size(), kRounds);
}

TEST_F(RealPayload, FaultsOfAnUninstall) {
  const Program uninstall = Verb({"uninstall", kId});
  ExpectInstalls();
  const Traced clean = RunTraced(uninstall, {.one_processor = false});
  ASSERT_EQ(clean.ran.status, 0) << clean.ran.err;
  for (int round = 0; round < kRounds && !HasFailure(); ++round) {
    ExpectInstalls();
    Try(uninstall, clean.calls);
    ExpectUninstalls();
  }
  std::printf("%zu system calls, %d faults\n", clean.calls.size(), kRounds);
}

}  // namespace
}  // namespace piship
