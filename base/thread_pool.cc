#include "base/thread_pool.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <thread>
#include <vector>

#include "absl/types/optional.h"
#include "base/check.h"

namespace synap_internal {
namespace {

// Time that an idle thread polls before it sleeps, about twice the time of a wake-up. A network is
// some hundred loops, most of them shorter than that, in immediate succession.
constexpr std::chrono::microseconds kSpinTime{100};
// Polls between two readings of the clock.
constexpr int kPolls = 64;

void Pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#else
  std::this_thread::yield();
#endif
}

// Waits until `value` differs from `old`, and returns it; sleeps if that takes long.
uint32_t WaitForChange(const std::atomic<uint32_t>& value, uint32_t old) {
  const auto end = std::chrono::steady_clock::now() + kSpinTime;
  do {
    for (int i = 0; i < kPolls; ++i) {
      if (const uint32_t now = value.load(std::memory_order_acquire); now != old) return now;
      Pause();
    }
  } while (std::chrono::steady_clock::now() < end);
  value.wait(old);
  return value.load();
}

}  // namespace

// The current or the last loop. Helpers join a loop by themselves: a loop whose tasks are all
// taken doesn't wait for helpers that haven't joined yet.
struct ThreadPool::Impl {
  using Task = absl::FunctionRef<void(int64_t, int)>;

  // Starts as many of `helpers` threads as the system grants.
  explicit Impl(int helpers) {
    threads.reserve(static_cast<size_t>(helpers));
    try {
      for (int worker = 1; worker <= helpers; ++worker) {
        threads.emplace_back([this, worker] { Help(worker); });
      }
    } catch (const std::exception&) {
      // std::thread throws std::system_error at a limit on processes (ulimit -u, a container's
      // pids) and std::bad_alloc at a limit on memory. Fewer threads give the same results.
    }
  }

  ~Impl() {
    ending = true;
    NextRound();
    for (std::thread& thread : threads) thread.join();
  }

  void Run(int64_t tasks, Task body, int helpers) {
    count = tasks;
    task.emplace(body);
    next.store(0, std::memory_order_relaxed);
    open.store(helpers);
    NextRound();
    Work(0);
    open.store(0);
    for (uint32_t now = joined.load(); now > 0;) now = WaitForChange(joined, now);
  }

  void NextRound() {
    round.fetch_add(1);
    round.notify_all();
  }

  void Work(int worker) {
    for (int64_t i = next.fetch_add(1, std::memory_order_relaxed); i < count;
         i = next.fetch_add(1, std::memory_order_relaxed)) {
      (*task)(i, worker);
    }
  }

  void Help(int worker) {
    for (uint32_t seen = 0;;) {
      seen = WaitForChange(round, seen);
      if (ending.load()) return;
      // Counted in `joined` before `open` is read: either the owner of the loop waits for this
      // thread, or this thread sees that the loop is over.
      joined.fetch_add(1);
      if (worker <= open.load()) Work(worker);
      if (joined.fetch_sub(1) == 1) joined.notify_one();
    }
  }

  int64_t count = 0;
  absl::optional<Task> task;
  alignas(64) std::atomic<int64_t> next{0};    // first task that no worker has taken
  alignas(64) std::atomic<uint32_t> round{0};  // number of the loop; helpers wait for the next
  alignas(64) std::atomic<int> open{0};        // last worker that may join the loop
  std::atomic<uint32_t> joined{0};
  std::atomic<bool> ending{false};
  std::vector<std::thread> threads;
};

ThreadPool::ThreadPool(int threads)
    : threads_(threads > 0 ? threads
                           : std::max(1, static_cast<int>(std::thread::hardware_concurrency()))) {
  CHECK(threads >= 0);
  if (threads_ == 1) return;
  impl_ = std::make_unique<Impl>(threads_ - 1);
  threads_ = static_cast<int>(impl_->threads.size()) + 1;
  if (threads_ == 1) impl_.reset();
}

ThreadPool::~ThreadPool() = default;

void ThreadPool::ParallelFor(int64_t count, absl::FunctionRef<void(int64_t, int)> task) {
  if (impl_ == nullptr || count <= 1) {
    for (int64_t i = 0; i < count; ++i) task(i, 0);
    return;
  }
  impl_->Run(count, task, static_cast<int>(std::min<int64_t>(count, threads_) - 1));
}

}  // namespace synap_internal
