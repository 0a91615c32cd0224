// SPDX-License-Identifier: MIT
#include "base/parallel.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <exception>
#include <new>
#include <system_error>
#include <utility>

namespace piship {
namespace {

// Runs what may throw and turns that into an error; that memory runs out is no bug.
template <class Function>
Status Guarded(const Function& function) {
  try {
    return function();
  } catch (const std::bad_alloc&) {
    return Fail(SystemError("get memory", ENOMEM));
  } catch (const std::exception& exception) {
    return Fail(ErrorCode::kInternal, std::string("unexpected in a worker thread: ") + exception.what());
  }
}

// Starts up to `count` threads; a machine that refuses some gets by with those it gave.
template <class Function>
void StartThreads(std::vector<std::thread>& threads, std::size_t count, const Function& run) {
  try {
    threads.reserve(count);
    while (threads.size() < count) threads.emplace_back(run, static_cast<unsigned>(threads.size()));
  } catch (const std::system_error&) {
    return;
  }
}

}  // namespace

unsigned UsableProcessors(unsigned limit) {
  cpu_set_t set;
  CPU_ZERO(&set);
  unsigned count = 1;
  if (sched_getaffinity(0, sizeof set, &set) == 0) count = static_cast<unsigned>(std::max(1, CPU_COUNT(&set)));
  return std::clamp(count, 1U, std::max(1U, limit));
}

Status ParallelFor(std::size_t count, unsigned threads,
                   const std::function<Status(std::size_t index, unsigned worker)>& work) {
  if (threads == 0) threads = UsableProcessors();
  std::atomic<std::size_t> next{0};
  std::mutex mutex;  // protects the two below
  std::size_t failed_index = count;
  std::optional<Error> error;
  const auto run = [&](unsigned worker) {
    for (;;) {
      const std::size_t index = next.fetch_add(1, std::memory_order_relaxed);
      if (index >= count) return;
      Status status = Guarded([&] { return work(index, worker); });
      if (status) continue;
      next.store(count, std::memory_order_relaxed);
      const std::lock_guard lock(mutex);
      if (!error || index < failed_index) {
        failed_index = index;
        error = std::move(status).error();
      }
    }
  };
  std::vector<std::thread> others;
  const std::size_t wanted = std::min<std::size_t>(threads, count);
  if (wanted > 1) StartThreads(others, wanted - 1, [&](unsigned number) { run(number + 1); });
  run(0);
  for (std::thread& thread : others) thread.join();
  if (error) return Fail(*std::move(error));
  return {};
}

TaskPool::TaskPool(unsigned threads, std::size_t queue) : queue_(std::max<std::size_t>(queue, 1)) {
  StartThreads(threads_, threads == 0 ? UsableProcessors() : threads, [this](unsigned) { Work(); });
}

TaskPool::~TaskPool() {
  {
    const std::lock_guard lock(mutex_);
    waiting_.clear();
  }
  static_cast<void>(Finish());
}

bool TaskPool::Submit(std::function<Status()> task) {
  std::unique_lock lock(mutex_);
  if (error_ || closed_) return false;
  if (threads_.empty()) {
    lock.unlock();
    Status status = Guarded(task);
    const std::size_t number = submitted_++;
    if (!status) Note(number, std::move(status));
    return !error_;
  }
  not_full_.wait(lock, [&] { return waiting_.size() < queue_ || error_; });
  if (error_) return false;
  waiting_.push_back({submitted_++, std::move(task)});
  not_empty_.notify_one();
  return true;
}

Status TaskPool::Finish() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  not_empty_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
  if (error_) return Fail(*error_);
  return {};
}

void TaskPool::Note(std::size_t number, Status status) {
  {
    const std::lock_guard lock(mutex_);
    if (!error_ || number < failed_number_) {
      failed_number_ = number;
      error_ = std::move(status).error();
    }
    // Tasks that were submitted later can't be the first to fail any more; those before have begun.
    waiting_.clear();
  }
  not_full_.notify_all();
}

void TaskPool::Work() {
  for (;;) {
    Task task;
    {
      std::unique_lock lock(mutex_);
      not_empty_.wait(lock, [&] { return !waiting_.empty() || closed_; });
      if (waiting_.empty()) return;
      task = std::move(waiting_.front());
      waiting_.pop_front();
    }
    not_full_.notify_one();
    Status status = Guarded(task.run);
    if (!status) Note(task.number, std::move(status));
  }
}

}  // namespace piship
