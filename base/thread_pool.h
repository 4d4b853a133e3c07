// Thread pool that runs loops of independent tasks.
#ifndef BASE_THREAD_POOL_H_
#define BASE_THREAD_POOL_H_

#include <cstdint>
#include <memory>

#include "absl/functional/function_ref.h"

namespace synap_internal {

// Runs the tasks of a loop on a fixed number of workers, one of which is the
// caller's thread. A pool runs one loop at a time: ParallelFor must not be called
// from inside a task, nor by two threads simultaneously. A pool of one thread has
// no state, and any number of threads may use it.
class ThreadPool {
 public:
  // `threads` counts the caller's: 1 starts no thread, 0 uses one for each processor.
  explicit ThreadPool(int threads);
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;
  ~ThreadPool();

  int threads() const { return threads_; }

  // Calls task(i, worker) once for every i in [0, count) and returns when all
  // are done. worker is in [0, threads()) and unique among running tasks, so
  // that it can index scratch memory. The assignment of tasks to workers is not
  // specified. For the same bits on any number of threads, a task's result must
  // not depend on its worker, nor the split into tasks on threads().
  void ParallelFor(int64_t count, absl::FunctionRef<void(int64_t i, int worker)> task);

 private:
  struct Impl;
  int threads_;
  std::unique_ptr<Impl> impl_;
};

}  // namespace synap_internal

#endif  // BASE_THREAD_POOL_H_
