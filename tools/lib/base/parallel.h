// SPDX-License-Identifier: MIT
// Work on several threads without exceptions: the first error wins, and which one that is does not depend on timing.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "base/result.h"

namespace piship {

// The processors that this process may use: at least 1, at most `limit`.
unsigned UsableProcessors(unsigned limit = 8);

// Calls work(index, worker) once for each index below `count`, handing indexes out in ascending order to at most
// `threads` threads (0: UsableProcessors()); the calling thread is worker 0, so that `worker` can index buffers which
// threads must not share. After an error no further index is handed out; the error with the lowest index is returned,
// which is the same one in every run, because all indexes before it have been handed out earlier. An exception that
// leaves `work` becomes kInternal. Where threads can't be made, fewer do the work.
Status ParallelFor(std::size_t count, unsigned threads,
                   const std::function<Status(std::size_t index, unsigned worker)>& work);

// Tasks that become known one by one. One thread submits; at most `queue` tasks wait, then Submit does.
class TaskPool {
 public:
  // threads 0: UsableProcessors(). Without any thread, Submit runs the task itself.
  explicit TaskPool(unsigned threads, std::size_t queue = 64);
  TaskPool(const TaskPool&) = delete;
  TaskPool& operator=(const TaskPool&) = delete;
  ~TaskPool();  // drops what waits and ends what runs

  // False once a task has failed: the submitter then stops and calls Finish, which has the error.
  bool Submit(std::function<Status()> task);
  // Waits for every task. The error of the task that was submitted first among those that failed; the pool is then
  // done.
  Status Finish();

 private:
  struct Task {
    std::size_t number = 0;
    std::function<Status()> run;
  };
  void Work();
  void Note(std::size_t number, Status status);

  std::mutex mutex_;  // protects all below but threads_
  std::condition_variable not_empty_;
  std::condition_variable not_full_;
  std::deque<Task> waiting_;
  std::size_t queue_;
  std::size_t submitted_ = 0;
  bool closed_ = false;
  std::size_t failed_number_ = 0;
  std::optional<Error> error_;
  std::vector<std::thread> threads_;
};

}  // namespace piship
