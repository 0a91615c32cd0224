// SPDX-License-Identifier: MIT
// Two sorts of threads share one table of jobs, one job per distinct tarball. Takers look into the cache, check what
// they read and hand it to `take`; there are as many as processors. What is missing goes to downloaders, which only
// wait for the network and fill the cache; there are at most "maxsockets", and none where nothing is missing. A job
// that has been downloaded goes back to the takers, so every byte that reaches `take` was read from the cache and
// checked there.
//
// When the network is not there at all, hundreds of packages need not each run through their retries, and when the disk
// is full they need not each be fetched in vain: after some failures without a success between them the rest is left
// untried, and said to be.
#include "vendor/fetch.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <system_error>
#include <thread>

#include "base/files.h"
#include "vendor/npm_config.h"
#include "vendor/progress.h"
#include "vendor/registry.h"
#include "vendor/tarball_cache.h"

namespace piship {
namespace {

constexpr std::size_t kFailuresBeforeGivingUp = 5;
constexpr std::size_t kAlikeListed = 10;

struct Job {
  std::vector<std::size_t> indices;    // of the requests that want this tarball
  std::optional<Integrity> integrity;  // what its bytes must hash to; once known also for requests without
  std::string url;                     // key of a request without integrity
  bool downloaded = false;
};

std::string Subject(const TarballRequest& request) {
  return "package " + Printable(request.name) + "@" + Printable(request.version);
}

// False where the system has no more threads to give; the work is then done by fewer.
template <class Work>
bool StartThread(std::vector<std::thread>& threads, Work work) {
  try {
    threads.emplace_back(std::move(work));
    return true;
  } catch (const std::system_error&) {
    return false;
  }
}

// What connects to the registry; made when the first tarball is missing.
struct Network {
  explicit Network(NpmConfig given) : config(std::move(given)), client(config.http()), registry(config, client) {}
  NpmConfig config;
  HttpClient client;
  Registry registry;
};

class CountingSink : public BodySink {
 public:
  CountingSink(BodySink& sink, Progress& progress) : sink_(sink), progress_(progress) {}
  Status Begin(const ResponseHead& head) override { return sink_.Begin(head); }
  Status Take(std::string_view bytes) override {
    progress_.AddBytes(bytes.size());
    return sink_.Take(bytes);
  }

 private:
  BodySink& sink_;
  Progress& progress_;
};

class Fetch {
 public:
  Fetch(const std::vector<TarballRequest>& requests, const FetchOptions& options, const TakeTarball& take,
        TarballCache cache)
      : requests_(requests),
        options_(options),
        take_(take),
        cache_(std::move(cache)),
        environment_(ParseEnvironment(options.environment)),
        progress_(ProgressLine::On(options.progress_fd, [this](std::string_view name) {
          const auto found = environment_.find(name);
          return found == environment_.end() ? std::string() : found->second;
        })) {}

  Result<FetchSummary> Run() {
    MakeJobs();
    unfinished_ = jobs_.size();
    for (std::size_t i = 0; i < jobs_.size(); ++i) to_take_.push_back(i);
    const std::size_t processors = std::max(1U, std::thread::hardware_concurrency());
    const std::size_t takers = std::min(options_.threads != 0 ? options_.threads : processors, jobs_.size());
    std::vector<std::thread> threads;
    for (std::size_t i = 1; i < takers; ++i) StartThread(threads, [this] { TakeUntilDone(); });
    if (takers > 0) TakeUntilDone();
    for (std::thread& thread : threads) thread.join();
    for (std::thread& thread : downloaders_) thread.join();
    progress_.Clear();
    if (network_) summary_.warnings = network_->config.warnings();
    if (errors_.empty()) return std::move(summary_);
    Error error = CombineErrors();
    // A warning may be the reason ("cafile does not exist").
    for (const std::string& warning : summary_.warnings) error.hint += (error.hint.empty() ? "" : " ") + warning + ".";
    return Fail(std::move(error));
  }

 private:
  void MakeJobs() {
    std::map<std::string, std::size_t> places;
    for (std::size_t index = 0; index < requests_.size(); ++index) {
      Job job;
      std::string key;
      if (const auto status = Identify(requests_[index], job, key); !status) {
        errors_.push_back({index, status.error()});
        continue;
      }
      const auto [place, added] = places.emplace(std::move(key), jobs_.size());
      if (added) jobs_.push_back(std::move(job));
      jobs_[place->second].indices.push_back(index);
    }
  }

  // What a tarball is known by: its integrity, else where it comes from.
  Status Identify(const TarballRequest& request, Job& job, std::string& key) {
    if (!request.integrity.empty()) {
      auto integrity = Integrity::Parse(request.integrity);
      if (!integrity)
        return Fail(std::move(integrity).error().While("reading the lock's entry of " + Subject(request)));
      key = integrity->Canonical();
      job.integrity = *std::move(integrity);
      return {};
    }
    PISHIP_TRY(const Network* network, Connect());
    PISHIP_TRY(const TarballPlace place, network->registry.Locate(request));
    job.url = place.url.ToString();
    key = job.url;
    job.integrity = cache_.Recall(job.url);
    return {};
  }

  void TakeUntilDone() {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [this] { return unfinished_ == 0 || !to_take_.empty(); });
      if (unfinished_ == 0) return;
      Job& job = jobs_[to_take_.front()];
      const std::size_t number = to_take_.front();
      to_take_.pop_front();
      lock.unlock();
      auto outcome = TakeFromCache(job);
      lock.lock();
      if (!outcome) {
        if (AllAlike(outcome.error().code)) ++failures_in_a_row_;
        FinishWithError(job, std::move(outcome).error());
      } else if (*outcome) {
        ++(job.downloaded ? summary_.fetched : summary_.cached);
        Finish();
      } else {
        SendToDownload(number, job);
      }
    }
  }

  // False where the cache lacks it.
  Result<bool> TakeFromCache(const Job& job) {
    if (!job.integrity) return false;
    PISHIP_TRY(const std::optional<std::string> tarball, cache_.Read(*job.integrity));
    if (!tarball) return false;
    for (const std::size_t index : job.indices) {
      auto taken = take_(index, *tarball);
      if (!taken) return Fail(std::move(taken).error().While("taking " + Subject(requests_[index])));
    }
    return true;
  }

  // With the lock held.
  void SendToDownload(std::size_t number, Job& job) {
    if (job.downloaded) {
      FinishWithError(job, Error{ErrorCode::kIoFailed, Subject(requests_[job.indices[0]]) + " was downloaded, but " +
                                                           cache_.directory() + " does not give it back"});
      return;
    }
    if (options_.network == NetworkUse::kRefused) {
      FinishWithError(
          job, Error{ErrorCode::kOffline, Subject(requests_[job.indices[0]]) + " is not in " + cache_.directory(),
                     "Build once without --offline."});
      return;
    }
    const auto network = Connect();
    if (!network) {
      // The same for every job: once is enough.
      if (network_error_told_) {
        Finish();
      } else {
        FinishWithError(job, network.error());
      }
      network_error_told_ = true;
      return;
    }
    progress_.AddPackages(1);
    to_download_.push_back(number);
    if (to_download_.size() > idle_downloaders_ && downloaders_.size() < (*network)->config.max_sockets()) {
      if (!StartThread(downloaders_, [this] { DownloadUntilDone(); }) && downloaders_.empty()) {
        to_download_.pop_back();
        FinishWithError(job, Error{ErrorCode::kIoFailed, "can't start a thread that downloads"});
        return;
      }
    }
    changed_.notify_all();
  }

  void DownloadUntilDone() {
    std::unique_lock lock(mutex_);
    while (true) {
      ++idle_downloaders_;
      changed_.wait(lock, [this] { return unfinished_ == 0 || !to_download_.empty(); });
      --idle_downloaders_;
      if (unfinished_ == 0) return;
      const std::size_t number = to_download_.front();
      to_download_.pop_front();
      Job& job = jobs_[number];
      if (failures_in_a_row_ >= kFailuresBeforeGivingUp) {
        ++untried_;
        Finish();
        continue;
      }
      lock.unlock();
      std::uint64_t bytes = 0;
      auto outcome = Download(job, bytes);
      lock.lock();
      progress_.FinishPackage();
      if (outcome) {
        failures_in_a_row_ = 0;
        summary_.fetched_bytes += bytes;
        job.downloaded = true;
        to_take_.push_front(number);
        changed_.notify_all();
      } else {
        if (AllAlike(outcome.error().code)) ++failures_in_a_row_;
        FinishWithError(job, std::move(outcome).error());
      }
    }
  }

  Status Download(Job& job, std::uint64_t& bytes) {
    const TarballRequest& request = requests_[job.indices[0]];
    TarballWriter writer(cache_, job.integrity ? job.integrity->algorithm() : HashAlgorithm::kSha256);
    CountingSink sink(writer, progress_);
    // A recalled integrity says which file it was, not which it must be.
    const bool pinned = !request.integrity.empty();
    PISHIP_CHECK(network_->registry.Download(request, sink));
    auto integrity = writer.Commit(pinned ? job.integrity : std::nullopt);
    if (!integrity) return Fail(std::move(integrity).error().While("fetching " + Subject(request)));
    bytes = writer.bytes();
    if (!pinned) {
      PISHIP_CHECK(cache_.Remember(job.url, *integrity));
      job.integrity = *std::move(integrity);
    }
    return {};
  }

  // Where many packages fail alike.
  static bool AllAlike(ErrorCode code) {
    return code == ErrorCode::kNetworkFailed || code == ErrorCode::kHostUnknown || code == ErrorCode::kTlsFailed ||
           code == ErrorCode::kAuthenticationFailed || code == ErrorCode::kRegistryUnknown ||
           code == ErrorCode::kDiskFull;
  }

  Result<const Network*> Connect() {
    if (network_) return network_.get();
    if (!network_error_) {
      auto config = NpmConfig::Load(options_.project_directory, environment_, options_.registry);
      if (config) {
        network_ = std::make_unique<Network>(*std::move(config));
        return network_.get();
      }
      network_error_ = std::move(config).error();
    }
    return Fail(*network_error_);
  }

  void Finish() {
    if (--unfinished_ == 0) changed_.notify_all();
  }

  void FinishWithError(const Job& job, Error error) {
    errors_.push_back({job.indices[0], std::move(error)});
    Finish();
  }

  // In the order of the requests, whatever the order in which they failed.
  Error CombineErrors() {
    std::stable_sort(errors_.begin(), errors_.end(),
                     [](const Failure& a, const Failure& b) { return a.index < b.index; });
    if (errors_.size() == 1 && untried_ == 0) return std::move(errors_[0].error);
    Error combined{errors_[0].error.code, std::to_string(errors_.size() + untried_) + " packages could not be vendored",
                   errors_[0].error.hint};
    std::size_t alike = 0;
    for (const Failure& failure : errors_) {
      // The same reason for each of hundreds of packages: naming some says it all.
      if (failure.error.code == ErrorCode::kOffline && ++alike > kAlikeListed) continue;
      std::string line = failure.error.message;
      // The operations around it say which package it is about.
      for (const std::string& operation : failure.error.context) line += " (" + operation + ")";
      line += " [" + std::string(ErrorCodeName(failure.error.code)) + "]";
      combined.problems.push_back(std::move(line));
      for (const std::string& problem : failure.error.problems) combined.problems.push_back("  " + problem);
    }
    if (alike > kAlikeListed) {
      combined.problems.push_back(std::to_string(alike - kAlikeListed) + " more are not in the cache");
    }
    if (untried_ > 0)
      combined.problems.push_back(std::to_string(untried_) + " more were not tried after these failures");
    return combined;
  }

  struct Failure {
    std::size_t index;
    Error error;
  };

  const std::vector<TarballRequest>& requests_;
  const FetchOptions& options_;
  const TakeTarball& take_;
  TarballCache cache_;
  Environment environment_;
  Progress progress_;
  std::deque<Job> jobs_;

  std::mutex mutex_;  // protects what follows; a job itself belongs to the thread that has taken it out of a queue
  std::condition_variable changed_;
  std::deque<std::size_t> to_take_;
  std::deque<std::size_t> to_download_;
  std::vector<std::thread> downloaders_;
  std::size_t idle_downloaders_ = 0;
  std::size_t unfinished_ = 0;
  std::size_t failures_in_a_row_ = 0;
  std::size_t untried_ = 0;
  std::vector<Failure> errors_;
  FetchSummary summary_;
  std::unique_ptr<Network> network_;
  std::optional<Error> network_error_;
  bool network_error_told_ = false;
};

}  // namespace

Result<FetchSummary> FetchTarballs(const std::vector<TarballRequest>& requests, const FetchOptions& options,
                                   const TakeTarball& take) {
  PISHIP_TRY(TarballCache cache, TarballCache::Open(options.tarballs));
  return Fetch(requests, options, take, std::move(cache)).Run();
}

}  // namespace piship
