// Threads for kernels: a loop over independent tasks, nothing more.
#ifndef BASE_THREAD_POOL_H_
#define BASE_THREAD_POOL_H_

#include <cstdint>
#include <memory>

#include "absl/functional/function_ref.h"

namespace synap {

// Runs the tasks of a loop on a fixed number of workers, the caller's thread
// being one of them. One loop at a time per pool: ParallelFor may not be called
// from inside a task nor from two threads at once; but a pool of one thread has no
// state, and any number of threads may use it.
class ThreadPool {
 public:
  // `threads` >= 1; 1 starts no thread. 0 means one for each processor.
  explicit ThreadPool(int threads);
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;
  ~ThreadPool();

  int threads() const { return threads_; }

  // Calls task(i, worker) once for every i in [0, count) and returns when all
  // are done. worker is in [0, threads()) and unique among running tasks, so
  // that it can index scratch memory. Which worker gets which task is not
  // specified: a task's result must not depend on it. The split into tasks must
  // not depend on threads(), or the same bits on any number of threads would be
  // luck.
  void ParallelFor(int64_t count, absl::FunctionRef<void(int64_t i, int worker)> task);

 private:
  struct Impl;
  int threads_;
  std::unique_ptr<Impl> impl_;
};

}  // namespace synap

#endif  // BASE_THREAD_POOL_H_
