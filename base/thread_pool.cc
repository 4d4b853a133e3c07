#include "base/thread_pool.h"

#include <pthread.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "absl/types/optional.h"
#include "base/check.h"
#include "base/processor_count.h"

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

void RunAlone(int64_t count, absl::FunctionRef<void(int64_t, int)> task) {
  for (int64_t i = 0; i < count; ++i) task(i, 0);
}

// Number of times that this process and its ancestors were forked, in the child's memory.
constinit std::atomic<int> forks{0};

// Guards the process's threads: their number, and the pointer to them. Held during fork(): else the
// child could find it locked by a thread that it doesn't have.
constinit std::mutex process_mutex;

// Done before main(): a fork during the registration would be missed.
[[maybe_unused]] const int fork_handlers =
    pthread_atfork([] { process_mutex.lock(); }, [] { process_mutex.unlock(); },
                   [] {
                     ++forks;
                     process_mutex.unlock();
                   });

int CountOrDefault(int threads) {
  CHECK(threads >= 0);
  return threads > 0 ? threads : ProcessorCount();
}

}  // namespace

// Threads that help with one loop at a time. They join a loop by themselves: a loop whose tasks are
// all taken doesn't wait for helpers that haven't joined yet.
class ThreadPool::Helpers {
 public:
  using Task = absl::FunctionRef<void(int64_t, int)>;

  Helpers() : forks_(forks.load()), threads_(std::make_unique<std::vector<std::thread>>()) {}
  Helpers(const Helpers&) = delete;
  Helpers& operator=(const Helpers&) = delete;

  ~Helpers() {
    if (!IsOfThisProcess()) {
      // A forked child has a copy of the object without the threads: nothing can be joined.
      static_cast<void>(threads_.release());
      return;
    }
    ending_ = true;
    NextRound(size_);
    for (std::thread& thread : *threads_) thread.join();
  }

  bool IsOfThisProcess() const { return forks_ == forks.load(); }

  // Starts as many threads as the system grants, until there are `count`. Returns their number, at
  // most `count`. Other threads may run loops, but not grow, meanwhile.
  int Grow(int count) {
    try {
      threads_->reserve(static_cast<size_t>(count));
      for (int worker = size_ + 1; worker <= count; ++worker) {
        threads_->emplace_back([this, worker] { Help(worker); });
        size_ = worker;
      }
    } catch (const std::exception&) {
      // std::thread throws std::system_error at a limit on processes (ulimit -u, a container's
      // pids) and std::bad_alloc at a limit on memory. Fewer threads give the same results.
    }
    return std::min(count, size_.load());
  }

  // Runs a loop with up to count - 1 helpers, the first `wanted` of all. An exception of a task
  // (std::bad_alloc) is thrown here, when no task runs any more; some tasks weren't run then.
  void Run(int64_t count, Task task, int wanted) {
    if (!IsOfThisProcess()) return RunAlone(count, task);
    const int other_loops = loops_.fetch_add(1);
    const absl::Cleanup uncount = [this] { loops_.fetch_sub(1); };
    const int helpers =
        static_cast<int>(std::min<int64_t>(count - 1, std::min(wanted, size_ - other_loops)));
    if (helpers <= 0 || is_busy_.exchange(true)) return RunAlone(count, task);
    RunTogether(count, task, helpers, wanted);
    std::exception_ptr exception;
    if (has_failed_.exchange(false)) exception = std::exchange(exception_, nullptr);
    is_busy_ = false;
    if (exception != nullptr) std::rethrow_exception(exception);
  }

 private:
  // Wakes all helpers up to `wanted`, even if this loop takes fewer: the next one, which is close,
  // finds them awake.
  void RunTogether(int64_t count, Task task, int helpers, int wanted) {
    count_ = count;
    task_.emplace(task);
    shares_in_use_ = std::min(helpers + 1, kShares);
    for (int share = 0; share < shares_in_use_; ++share) {
      shares_[share].next.store(BeginOf(share), std::memory_order_relaxed);
    }
    open_.store(helpers);
    NextRound(wanted);
    Work(0);
    open_.store(0);
    for (uint32_t now = joined_.load(); now > 0;) now = WaitForChange(joined_, now);
  }

  // Wakes the groups of the workers up to `last`.
  void NextRound(int last) {
    for (int group = 0; group <= GroupOf(last); ++group) {
      rounds_[group].number.fetch_add(1);
      rounds_[group].number.notify_all();
    }
  }

  // Nothing may leave a helper, nor the caller's thread while helpers run the loop.
  void Work(int worker) noexcept {
    try {
      RunShares(worker);
    } catch (...) {
      if (!has_failed_.exchange(true)) exception_ = std::current_exception();
    }
  }

  // The worker's own share, then what others leave of theirs.
  void RunShares(int worker) {
    for (int turn = 0; turn < shares_in_use_; ++turn) {
      const int share = (worker + turn) % shares_in_use_;
      std::atomic<int64_t>& next = shares_[share].next;
      const int64_t end = BeginOf(share + 1);
      // Read first: many workers would write to a share that has nothing left.
      while (next.load(std::memory_order_relaxed) < end) {
        const int64_t i = next.fetch_add(1, std::memory_order_relaxed);
        if (i < end) (*task_)(i, worker);
      }
    }
  }

  // Whole tasks of each, that differ by one at most.
  int64_t BeginOf(int share) const {
    return count_ / shares_in_use_ * share + std::min<int64_t>(count_ % shares_in_use_, share);
  }

  void Help(int worker) {
    const std::atomic<uint32_t>& round = rounds_[GroupOf(worker)].number;
    for (uint32_t seen = 0;;) {
      seen = WaitForChange(round, seen);
      if (ending_.load()) return;
      // Counted in joined_ before open_ is read: either the owner of the loop waits for this
      // thread, or this thread sees that the loop is over.
      joined_.fetch_add(1);
      if (worker <= open_.load()) Work(worker);
      if (joined_.fetch_sub(1) == 1) joined_.notify_one();
    }
  }

  // Helpers wait in groups for their next loop, so that a view wakes few beyond its own: workers 1
  // to 3, with the caller as many as most boards have processors; 4 to 7; 8 to 15; and so on.
  struct alignas(64) Round {
    std::atomic<uint32_t> number{0};  // of the group's loop
  };
  static int GroupOf(int worker) { return std::bit_width(static_cast<unsigned>(worker) / 4); }

  const int forks_;            // when the threads were created
  std::atomic<int> loops_{0};  // that run, with and without helpers
  std::atomic<bool> is_busy_{false};

  // The current or the last loop with helpers.
  int64_t count_ = 0;
  absl::optional<Task> task_;
  // A loop's tasks are shared out in order: a worker reads about the part of a tensor that it wrote
  // in the loop before, which its processor has cached. Workers beyond kShares begin with
  // another's.
  static constexpr int kShares = 64;
  struct alignas(64) Share {
    std::atomic<int64_t> next{0};  // first task that no worker has taken
  };
  int shares_in_use_ = 0;
  std::array<Share, kShares> shares_;
  std::array<Round, 30> rounds_;
  alignas(64) std::atomic<int> open_{0};  // last worker that may join the loop
  std::atomic<uint32_t> joined_{0};
  std::atomic<bool> ending_{false};

  std::unique_ptr<std::vector<std::thread>> threads_;
  std::atomic<int> size_{0};  // of threads_

  std::atomic<bool> has_failed_{false};  // a task of the loop with helpers has thrown `exception_`
  std::exception_ptr exception_;
};

ThreadPool::ThreadPool(int threads) : threads_(CountOrDefault(threads)) {
  if (threads_ == 1) return;
  helpers_ = std::make_shared<Helpers>();
  threads_ = helpers_->Grow(threads_ - 1) + 1;
  if (threads_ == 1) helpers_ = nullptr;
}

ThreadPool::ThreadPool(int threads, std::shared_ptr<Helpers> helpers)
    : threads_(threads), helpers_(std::move(helpers)) {}

ThreadPool::~ThreadPool() = default;

std::shared_ptr<ThreadPool> ThreadPool::OfProcess(int threads) {
  threads = CountOrDefault(threads);
  if (threads == 1) return std::make_shared<ThreadPool>(1);
  const std::lock_guard<std::mutex> lock(process_mutex);
  static auto* const process = new std::weak_ptr<Helpers>;
  std::shared_ptr<Helpers> helpers = process->lock();
  if (helpers == nullptr || !helpers->IsOfThisProcess()) {
    helpers = std::make_shared<Helpers>();
    *process = helpers;
  }
  const int granted = helpers->Grow(threads - 1);
  if (granted == 0) helpers = nullptr;
  return std::shared_ptr<ThreadPool>(new ThreadPool(granted + 1, std::move(helpers)));
}

void ThreadPool::ParallelFor(int64_t count, absl::FunctionRef<void(int64_t, int)> task) {
  if (helpers_ == nullptr || count <= 1) {
    RunAlone(count, task);
  } else {
    helpers_->Run(count, task, threads_ - 1);
  }
}

}  // namespace synap_internal
