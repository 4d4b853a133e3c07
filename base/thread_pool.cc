#define EIGEN_USE_THREADS
#include "base/thread_pool.h"

#include <atomic>
#include <thread>

#include "base/check.h"
#include "unsupported/Eigen/CXX11/ThreadPool"

namespace synap {
namespace {

// How often the caller looks whether its helpers are done before it sleeps: some 30 us,
// about what it takes to be woken. Networks are some hundred loops of less than that.
constexpr int kSpins = 2000;

void Pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#else
  std::this_thread::yield();
#endif
}

struct Loop {
  explicit Loop(int64_t task_count, absl::FunctionRef<void(int64_t, int)> body, unsigned helpers)
      : count(task_count), task(body), running(helpers), done(helpers) {}

  void Work(int worker) {
    for (int64_t i = next++; i < count; i = next++) task(i, worker);
  }

  // What a helper does.
  void Help(int worker) {
    Work(worker);
    running.fetch_sub(1, std::memory_order_release);
    done.Notify();
  }

  void Wait() {
    for (int i = 0; i < kSpins && running.load(std::memory_order_acquire) > 0; ++i) Pause();
    done.Wait();
  }

  const int64_t count;
  const absl::FunctionRef<void(int64_t, int)> task;
  std::atomic<int64_t> next{0};
  std::atomic<unsigned> running;  // helpers
  Eigen::Barrier done;
};

}  // namespace

struct ThreadPool::Impl {
  explicit Impl(int helpers) : pool(helpers) {}
  Eigen::ThreadPool pool;
};

ThreadPool::ThreadPool(int threads)
    : threads_(threads > 0 ? threads
                           : std::max(1, static_cast<int>(std::thread::hardware_concurrency()))) {
  CHECK(threads >= 0);
  if (threads_ > 1) impl_ = std::make_unique<Impl>(threads_ - 1);
}

ThreadPool::~ThreadPool() = default;

void ThreadPool::ParallelFor(int64_t count, absl::FunctionRef<void(int64_t, int)> task) {
  if (impl_ == nullptr || count <= 1) {
    for (int64_t i = 0; i < count; ++i) task(i, 0);
    return;
  }
  const int helpers = static_cast<int>(std::min<int64_t>(count, threads_) - 1);
  Loop loop(count, task, static_cast<unsigned>(helpers));
  for (int worker = 1; worker <= helpers; ++worker) {
    impl_->pool.Schedule([&loop, worker] { loop.Help(worker); });
  }
  loop.Work(0);
  loop.Wait();
}

}  // namespace synap
