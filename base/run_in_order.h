// Runs independent items on several threads and takes their results in the items' order.
#ifndef BASE_RUN_IN_ORDER_H_
#define BASE_RUN_IN_ORDER_H_

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <type_traits>
#include <utility>

#include "absl/status/status.h"
#include "base/thread_pool.h"

namespace synap_internal {

// Calls compute(item, worker) once for each item in [0, count), on up to `workers` threads, one of
// which is the caller's, and take(item, result) with what it returns:
//
//   Result compute(size_t item, int worker);
//   absl::Status take(size_t item, Result result);
//
// take is called in the items' order, for one item at a time, on any of the threads, when its item
// and all before are computed. Its first error is returned, and ends the loop: nothing more is
// taken, and no more items are begun. worker is in [0, workers) and unique among the items that are
// computed at the same time, so that it can index networks of the caller's. With one worker,
// compute and take are called in turn on the caller's thread. At most four results for each worker
// wait for a slow item before them. REQUIRES: workers > 0; compute runs no loop of the same
// threads.
template <typename Compute, typename Take>
absl::Status RunInOrder(size_t count, int workers, const Compute& compute, const Take& take) {
  using Result = std::invoke_result_t<const Compute&, size_t, int>;
  const auto most = static_cast<size_t>(workers);
  ThreadPool pool(static_cast<int>(std::clamp<size_t>(count, 1, most)));
  std::mutex mutex;
  std::condition_variable has_taken;
  size_t next = 0;   // to begin
  size_t taken = 0;  // so many of the first items
  absl::Status status;
  std::map<size_t, Result> computed;  // and not taken
  pool.ParallelFor(pool.threads(), [&](int64_t worker, int) {
    std::unique_lock<std::mutex> lock(mutex);
    for (;;) {
      has_taken.wait(lock,
                     [&] { return !status.ok() || next < taken + 4 * most || next == count; });
      if (!status.ok() || next == count) return;
      const size_t item = next++;
      lock.unlock();
      Result result = compute(item, static_cast<int>(worker));
      lock.lock();
      computed.emplace(item, std::move(result));
      for (auto it = computed.begin(); status.ok() && it != computed.end() && it->first == taken;
           it = computed.erase(it)) {
        status = take(taken++, std::move(it->second));
        has_taken.notify_all();
      }
    }
  });
  return status;
}

}  // namespace synap_internal

#endif  // BASE_RUN_IN_ORDER_H_
