// Thread pool that runs loops of independent tasks.
#ifndef BASE_THREAD_POOL_H_
#define BASE_THREAD_POOL_H_

#include <cstdint>
#include <memory>

#include "absl/functional/function_ref.h"

namespace synap_internal {

// Runs the tasks of a loop on up to a fixed number of workers, one of which is the caller's thread.
// Any number of threads may run loops simultaneously; a loop must not be run from inside a task.
// The helping threads work on one loop at a time: loops that begin meanwhile run on their callers'
// threads alone, and a loop gets fewer helpers while other threads run loops, so that together they
// aren't more than the threads of the pool.
class ThreadPool {
 public:
  // Creates threads of its own. `threads` counts the caller's: 1 starts no thread, 0 uses one for
  // each processor (ProcessorCount). threads() is less if the system refuses to create some.
  explicit ThreadPool(int threads);

  // A view of the process's threads, of which there are as many as the largest view that lives, or
  // has lived, since there were none. They end with the last view. A process that was forked makes
  // threads of its own for its first view; views from before run on the caller's thread alone.
  static std::shared_ptr<ThreadPool> OfProcess(int threads);

  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;
  ~ThreadPool();

  int threads() const { return threads_; }

  // Calls task(i, worker) once for every i in [0, count) and returns when all
  // are done. worker is in [0, threads()) and unique among the loop's running tasks,
  // so that it can index scratch memory of the caller. A worker begins with neighbouring tasks,
  // about the same part of each loop, but any task may run on any worker. For the same bits on
  // any number of threads, a task's result must not depend on its worker, nor the split into
  // tasks on threads().
  void ParallelFor(int64_t count, absl::FunctionRef<void(int64_t i, int worker)> task);

 private:
  class Helpers;

  ThreadPool(int threads, std::shared_ptr<Helpers> helpers);

  int threads_;
  std::shared_ptr<Helpers> helpers_;  // null: 1 thread
};

}  // namespace synap_internal

#endif  // BASE_THREAD_POOL_H_
