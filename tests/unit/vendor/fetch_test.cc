// SPDX-License-Identifier: MIT
// The whole way from lock entries to tarballs, against a server that plays a registry.
#include "vendor/fetch.h"

#include <gmock/gmock.h>

#include <atomic>
#include <filesystem>
#include <map>
#include <mutex>
#include <thread>

#include "base/files.h"
#include "support/http_server.h"
#include "support/result_matchers.h"
#include "support/temp_dir.h"
#include "vendor/tarball_cache.h"

namespace piship {
namespace {

using testing::HasSubstr;
using testing::UnorderedElementsAre;

std::string IntegrityOf(std::string_view bytes, HashAlgorithm algorithm = HashAlgorithm::kSha512) {
  Hasher hasher(algorithm);
  hasher.Update(bytes);
  return FormatIntegrity(algorithm, hasher.Finish());
}

std::string TarballOf(std::string_view name) { return "tarball of " + std::string(name) + std::string(200'000, '.'); }

class FetchTest : public testing::Test {
 protected:
  FetchTest()
      : server_([this](const ServerRequest& request, ServerStream& stream) {
          if (misbehave_) return misbehave_(request, stream);
          return Serve(request, stream);
        }) {
    options_.tarballs = directory_ / "tarballs";
    options_.project_directory = directory_ / "project";
    options_.environment = {"HOME=" + directory_ / "home", "PREFIX=" + directory_ / "prefix"};
    options_.threads = 2;
    EXPECT_TRUE(MakeDirectories(options_.project_directory));
    Configure("registry=" + server_.url());
  }

  void Configure(const std::string& npmrc) {
    EXPECT_TRUE(
        WriteFileAtomically(directory_ / "project/.npmrc",
                            npmrc + "\nfetch-retry-mintimeout=1\nfetch-retry-maxtimeout=2\nfetch-timeout=30000\n"));
  }

  // "/<name>/-/<file>": the tarball of that name.
  static AfterAnswer Serve(const ServerRequest& request, ServerStream& stream) {
    const std::size_t end = request.target.find("/-/");
    if (end == std::string::npos) {
      stream.Respond(404, "{}");
    } else {
      stream.Respond(200, TarballOf(request.target.substr(1, end - 1)));
    }
    return AfterAnswer::kKeepOpen;
  }

  static TarballRequest Entry(const std::string& name) { return {name, "1.0.0", "", IntegrityOf(TarballOf(name))}; }

  Result<FetchSummary> Fetch(const std::vector<TarballRequest>& requests) {
    taken_.clear();
    return FetchTarballs(requests, options_, [&](std::size_t index, std::string_view tarball) -> Status {
      const std::lock_guard lock(mutex_);
      taken_[index] = tarball;
      return {};
    });
  }

  std::string PathOf(const std::string& name) {
    const Integrity integrity = *Integrity::Parse(IntegrityOf(TarballOf(name)));
    return TarballCache::Open(options_.tarballs)->PathOf(integrity.algorithm(), integrity.digests()[0]);
  }

  TempDir directory_;
  FetchOptions options_;
  HttpServer::Handler misbehave_;
  std::mutex mutex_;
  std::map<std::size_t, std::string> taken_;
  HttpServer server_;
};

TEST_F(FetchTest, FetchesOnceAndThenNeedsNoNetwork) {
  const std::vector<TarballRequest> requests = {Entry("a"), Entry("@s/b"), Entry("c")};
  auto summary = Fetch(requests);
  PISHIP_ASSERT_OK(summary);
  EXPECT_EQ(summary->fetched, 3U);
  EXPECT_EQ(summary->cached, 0U);
  EXPECT_EQ(summary->fetched_bytes, TarballOf("a").size() + TarballOf("@s/b").size() + TarballOf("c").size());
  EXPECT_EQ(taken_[0], TarballOf("a"));
  EXPECT_EQ(taken_[1], TarballOf("@s/b"));
  EXPECT_EQ(taken_[2], TarballOf("c"));
  // With everything there neither the network nor npm's configuration matters.
  options_.network = NetworkUse::kRefused;
  Configure("registry=nonsense");
  summary = Fetch(requests);
  PISHIP_ASSERT_OK(summary);
  EXPECT_EQ(summary->cached, 3U);
  EXPECT_EQ(taken_.size(), 3U);
  EXPECT_EQ(server_.requests().size(), 3U);
}

TEST_F(FetchTest, NothingToDoIsDone) { PISHIP_ASSERT_OK(Fetch({})); }

TEST_F(FetchTest, OneTarballServesEveryEntryThatWantsIt) {
  PISHIP_ASSERT_OK(Fetch({Entry("a"), Entry("b"), Entry("a")}));
  EXPECT_EQ(taken_.size(), 3U);
  EXPECT_EQ(taken_[2], TarballOf("a"));
  EXPECT_EQ(server_.requests().size(), 2U);
}

TEST_F(FetchTest, ManyPackagesShareFewConnections) {
  Configure("registry=" + server_.url() + "\nmaxsockets=4");
  std::vector<TarballRequest> requests;
  for (int i = 0; i < 60; ++i) requests.push_back(Entry("p" + std::to_string(i)));
  PISHIP_ASSERT_OK(Fetch(requests));
  EXPECT_EQ(taken_.size(), 60U);
  EXPECT_LE(server_.connections(), 4);
}

TEST_F(FetchTest, SeveralDownloadsRunAtOnce) {
  std::atomic<int> running = 0;
  std::atomic<int> most = 0;
  misbehave_ = [&](const ServerRequest& request, ServerStream& stream) {
    const int now = ++running;
    for (int seen = most; seen < now && !most.compare_exchange_weak(seen, now);) {
    }
    // Nobody is answered before so many have asked.
    for (int pause = 0; pause < 2000 && most < 8; ++pause) stream.Sleep(std::chrono::milliseconds(5));
    const AfterAnswer after = Serve(request, stream);
    --running;
    return after;
  };
  std::vector<TarballRequest> requests;
  for (int i = 0; i < 30; ++i) requests.push_back(Entry("p" + std::to_string(i)));
  PISHIP_ASSERT_OK(Fetch(requests));
  EXPECT_GE(most, 8);
  EXPECT_LE(most, 15);
}

TEST_F(FetchTest, OfflineNamesWhatIsMissing) {
  PISHIP_ASSERT_OK(Fetch({Entry("a")}));
  options_.network = NetworkUse::kRefused;
  const auto one = Fetch({Entry("a"), Entry("b")});
  PISHIP_EXPECT_ERROR(one, ErrorCode::kOffline);
  EXPECT_THAT(one.error().message, HasSubstr("b@1.0.0"));
  const auto two = Fetch({Entry("c"), Entry("a"), Entry("b")});
  PISHIP_EXPECT_ERROR(two, ErrorCode::kOffline);
  ASSERT_EQ(two.error().problems.size(), 2U);
  EXPECT_THAT(two.error().problems[0], HasSubstr("c@1.0.0"));
  EXPECT_THAT(two.error().problems[1], HasSubstr("b@1.0.0"));
  EXPECT_EQ(server_.requests().size(), 1U);
}

TEST_F(FetchTest, OfflineNamesSomeOfManyAndCountsTheRest) {
  options_.network = NetworkUse::kRefused;
  std::vector<TarballRequest> requests;
  for (int number = 0; number < 25; ++number) requests.push_back(Entry("p" + std::to_string(number)));
  const auto summary = Fetch(requests);
  PISHIP_EXPECT_ERROR(summary, ErrorCode::kOffline);
  EXPECT_THAT(summary.error().message, HasSubstr("25 packages"));
  ASSERT_EQ(summary.error().problems.size(), 11U);
  EXPECT_EQ(summary.error().problems.back(), "15 more are not in the cache");
}

TEST_F(FetchTest, WrongBytesAreRefusedWithBothDigests) {
  TarballRequest entry = Entry("a");
  entry.integrity = IntegrityOf("other bytes");
  const auto summary = Fetch({entry});
  PISHIP_EXPECT_ERROR(summary, ErrorCode::kIntegrityMismatch);
  EXPECT_THAT(summary.error().message, HasSubstr("expected " + IntegrityOf("other bytes")));
  EXPECT_THAT(summary.error().message, HasSubstr("found " + IntegrityOf(TarballOf("a"))));
  EXPECT_THAT(FormatError("test", summary.error()), HasSubstr("a@1.0.0"));
  EXPECT_TRUE(taken_.empty());
  EXPECT_FALSE(std::filesystem::exists(PathOf("a")));
  std::size_t files = 0;
  for (const auto& item : std::filesystem::recursive_directory_iterator(options_.tarballs)) {
    if (item.is_regular_file()) ++files;
  }
  EXPECT_EQ(files, 0U) << "nothing of a refused download stays";
}

TEST_F(FetchTest, AnyDigestOfTheStrongestAlgorithmWillDo) {
  TarballRequest entry = Entry("a");
  entry.integrity = IntegrityOf("x", HashAlgorithm::kSha1) + " " + IntegrityOf("other") + " " + entry.integrity;
  PISHIP_ASSERT_OK(Fetch({entry}));
  options_.network = NetworkUse::kRefused;
  PISHIP_ASSERT_OK(Fetch({entry}));
  PISHIP_ASSERT_OK(Fetch({Entry("a")}));
}

TEST_F(FetchTest, ADamagedTarballIsFetchedAgain) {
  PISHIP_ASSERT_OK(Fetch({Entry("a")}));
  std::string damaged = TarballOf("a");
  damaged[1000] ^= 1;
  for (const std::string& bytes : {damaged, TarballOf("a").substr(0, 500), std::string()}) {
    EXPECT_TRUE(WriteFileAtomically(PathOf("a"), bytes));
    const auto summary = Fetch({Entry("a")});
    PISHIP_ASSERT_OK(summary);
    EXPECT_EQ(summary->fetched, 1U);
    EXPECT_EQ(taken_[0], TarballOf("a"));
  }
  EXPECT_TRUE(WriteFileAtomically(PathOf("a"), damaged));
  options_.network = NetworkUse::kRefused;
  PISHIP_EXPECT_ERROR(Fetch({Entry("a")}), ErrorCode::kOffline);
}

TEST_F(FetchTest, EntriesWithoutIntegrityAreKeptByTheirUrl) {
  TarballRequest entry = Entry("a");
  entry.integrity.clear();
  PISHIP_ASSERT_OK(Fetch({entry}));
  EXPECT_EQ(taken_[0], TarballOf("a"));
  options_.network = NetworkUse::kRefused;
  PISHIP_ASSERT_OK(Fetch({entry}));
  EXPECT_EQ(taken_[0], TarballOf("a"));
  // It is checked against what came at first, so damage is noticed here too.
  const std::string path = TarballCache::Open(options_.tarballs)->PathOf(HashAlgorithm::kSha256, [] {
    Hasher hasher(HashAlgorithm::kSha256);
    hasher.Update(TarballOf("a"));
    return hasher.Finish();
  }());
  EXPECT_TRUE(WriteFileAtomically(path, "damaged"));
  PISHIP_EXPECT_ERROR(Fetch({entry}), ErrorCode::kOffline);
  options_.network = NetworkUse::kAllowed;
  PISHIP_ASSERT_OK(Fetch({entry}));
}

TEST_F(FetchTest, TroubleThatPassesIsNotNoticed) {
  std::map<std::string, int> seen;
  misbehave_ = [&](const ServerRequest& request, ServerStream& stream) {
    int count = 0;
    {
      const std::lock_guard lock(mutex_);
      count = seen[request.target]++;
    }
    if (count == 0) {
      stream.Respond(count % 2 == 0 ? 503 : 429, "later");
      return AfterAnswer::kKeepOpen;
    }
    if (count == 1) {
      stream.Send("HTTP/1.1 200 OK\r\nContent-Length: 999999\r\n\r\nonly this");
      return AfterAnswer::kClose;
    }
    return Serve(request, stream);
  };
  PISHIP_ASSERT_OK(Fetch({Entry("a"), Entry("b"), Entry("c")}));
  EXPECT_EQ(taken_[1], TarballOf("b"));
}

TEST_F(FetchTest, EveryFailureIsTold) {
  misbehave_ = [&](const ServerRequest& request, ServerStream& stream) {
    if (request.target.substr(0, 3) == "/b/") {
      stream.Respond(403, "forbidden");
      return AfterAnswer::kKeepOpen;
    }
    if (request.target.substr(0, 2) == "/c") {
      stream.Respond(404, "{}");
      return AfterAnswer::kKeepOpen;
    }
    return Serve(request, stream);
  };
  TarballRequest bad = Entry("d");
  bad.integrity = "nonsense";
  const auto summary = Fetch({Entry("a"), Entry("b"), Entry("c"), bad});
  PISHIP_EXPECT_ERROR(summary, ErrorCode::kAuthenticationFailed);
  ASSERT_EQ(summary.error().problems.size(), 3U);
  EXPECT_THAT(summary.error().problems[0], HasSubstr("b@1.0.0"));
  EXPECT_THAT(summary.error().problems[0], HasSubstr("[AUTHENTICATION_FAILED]"));
  EXPECT_THAT(summary.error().problems[1], HasSubstr("c@1.0.0"));
  EXPECT_THAT(summary.error().problems[2], HasSubstr("[LOCKFILE_INVALID]"));
  EXPECT_EQ(taken_.size(), 1U) << "what can be had is taken";
}

TEST_F(FetchTest, AFailingTakerIsTold) {
  const auto summary =
      FetchTarballs({Entry("a"), Entry("b")}, options_, [&](std::size_t index, std::string_view) -> Status {
        if (index == 1) return Fail(ErrorCode::kTarballInvalid, "hostile");
        return {};
      });
  PISHIP_EXPECT_ERROR(summary, ErrorCode::kTarballInvalid);
  EXPECT_THAT(FormatError("test", summary.error()), HasSubstr("b@1.0.0"));
}

TEST_F(FetchTest, ADeadNetworkIsGivenUpSoon) {
  std::atomic<int> asked = 0;
  misbehave_ = [&](const ServerRequest&, ServerStream&) {
    ++asked;
    return AfterAnswer::kClose;
  };
  Configure("registry=" + server_.url() + "\nmaxsockets=1");
  std::vector<TarballRequest> requests;
  for (int i = 0; i < 100; ++i) requests.push_back(Entry("p" + std::to_string(i)));
  const auto summary = Fetch(requests);
  PISHIP_EXPECT_ERROR(summary, ErrorCode::kNetworkFailed);
  EXPECT_EQ(asked, 5 * 3);
  EXPECT_THAT(summary.error().message, HasSubstr("100 packages"));
  EXPECT_THAT(summary.error().problems.back(), HasSubstr("95 more were not tried"));
}

TEST_F(FetchTest, WithoutARegistryOnlyWhatIsMissingIsAnError) {
  PISHIP_ASSERT_OK(Fetch({Entry("a")}));
  Configure("");
  PISHIP_ASSERT_OK(Fetch({Entry("a")}));
  const auto summary = Fetch({Entry("a"), Entry("b")});
  PISHIP_EXPECT_ERROR(summary, ErrorCode::kRegistryUnknown);
  EXPECT_TRUE(summary.error().problems.empty());
  EXPECT_THAT(summary.error().hint, HasSubstr("PISHIP_NPM_REGISTRY"));
  options_.registry = server_.url();
  PISHIP_ASSERT_OK(Fetch({Entry("b")}));
}

TEST_F(FetchTest, AWrongConfigurationIsToldOnce) {
  Configure("registry=nonsense\nstrict-ssl=maybe");
  const auto summary = Fetch({Entry("a"), Entry("b"), Entry("c")});
  PISHIP_EXPECT_ERROR(summary, ErrorCode::kNpmrcInvalid);
  EXPECT_EQ(summary.error().problems.size(), 2U);
}

TEST_F(FetchTest, LocksOfOtherRegistriesAreFetchedFromTheConfiguredOne) {
  TarballRequest entry = Entry("a");
  entry.resolved = "https://elsewhere.invalid/a/-/a-1.0.0.tgz";
  PISHIP_ASSERT_OK(Fetch({entry}));
  EXPECT_EQ(taken_[0], TarballOf("a"));
}

TEST_F(FetchTest, WarningsReachTheCaller) {
  Configure("registry=" + server_.url() + "\nstrict-ssl=false");
  const auto summary = Fetch({Entry("a")});
  PISHIP_ASSERT_OK(summary);
  ASSERT_EQ(summary->warnings.size(), 1U);
  EXPECT_THAT(summary->warnings[0], HasSubstr("strict-ssl"));
}

TEST_F(FetchTest, AFailureTellsTheWarningsToo) {
  Configure("registry=" + server_.url() + "\ncafile=none.pem");
  misbehave_ = [](const ServerRequest&, ServerStream& stream) {
    stream.Respond(404, "{}");
    return AfterAnswer::kKeepOpen;
  };
  const auto summary = Fetch({Entry("a")});
  PISHIP_EXPECT_ERROR(summary, ErrorCode::kHttpFailed);
  EXPECT_THAT(summary.error().hint, HasSubstr("none.pem"));
}

TEST_F(FetchTest, TwoRunsAtOnceShareACache) {
  std::vector<TarballRequest> requests;
  for (int i = 0; i < 20; ++i) requests.push_back(Entry("p" + std::to_string(i)));
  std::atomic<int> good = 0;
  const auto run = [&] {
    std::atomic<int> right = 0;
    const auto summary = FetchTarballs(requests, options_, [&](std::size_t index, std::string_view tarball) -> Status {
      if (tarball == TarballOf(requests[index].name)) ++right;
      return {};
    });
    EXPECT_TRUE(summary.has_value()) << FormatError("fetch", summary.error());
    if (summary && right == 20) ++good;
  };
  std::thread other(run);
  run();
  other.join();
  EXPECT_EQ(good, 2);
}

TEST_F(FetchTest, OldTemporaryFilesAreRemoved) {
  PISHIP_ASSERT_OK(Fetch({Entry("a")}));
  const std::string old = options_.tarballs + "/.tmp-0123";
  const std::string fresh = options_.tarballs + "/.tmp-4567";
  EXPECT_TRUE(WriteFileAtomically(old, "x"));
  EXPECT_TRUE(WriteFileAtomically(fresh, "x"));
  std::filesystem::last_write_time(old, std::filesystem::file_time_type::clock::now() - std::chrono::hours(25));
  PISHIP_ASSERT_OK(Fetch({Entry("a")}));
  EXPECT_FALSE(std::filesystem::exists(old));
  EXPECT_TRUE(std::filesystem::exists(fresh));
}

}  // namespace
}  // namespace piship
