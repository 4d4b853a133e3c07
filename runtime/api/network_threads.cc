#include "runtime/api/network_threads.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>

#include "absl/strings/numbers.h"
#include "base/processor_count.h"
#include "runtime/api/logging.h"
#include "runtime/api/no_throw.h"
#include "synap/threads.hpp"

namespace synap_internal {
namespace {

constexpr int kMaxThreads = 1024;

std::atomic<int> chosen_count{0};  // by set_thread_count; 0: none

// 0 if the variable isn't set, or isn't a number.
int CountFromEnvironment() {
  const char* variable = std::getenv("SYNAP_NUM_THREADS");
  if (variable == nullptr || *variable == '\0') return 0;
  int threads = 0;
  if (absl::SimpleAtoi(variable, &threads) && threads >= 0) return std::min(threads, kMaxThreads);
  SYNAP_LOG(kWarning, "SYNAP_NUM_THREADS is '", variable, "', expected a number; it is ignored");
  return 0;
}

int Count() {
  if (const int count = chosen_count; count > 0) return count;
  if (const int count = CountFromEnvironment(); count > 0) return count;
  return std::min(ProcessorCount(), kMaxThreads);
}

}  // namespace

std::shared_ptr<ThreadPool> ThreadsOfNetworks() {
  const int threads = Count();
  std::shared_ptr<ThreadPool> pool = ThreadPool::OfProcess(threads);
  if (pool->threads() < threads) {
    SYNAP_LOG(kWarning, "only ", pool->threads(), " of ", threads,
              " threads could be created; the network runs on these");
  }
  return pool;
}

}  // namespace synap_internal

namespace synaptics::synap {

bool set_thread_count(int count) {
  using ::synap_internal::kMaxThreads;
  return ::synap_internal::NoThrow(__func__, false, [&] {
    if (count < 0 || count > kMaxThreads) {
      SYNAP_LOG(kError, count, " threads, expected 1 to ", kMaxThreads, ", or 0 for the default");
      return false;
    }
    ::synap_internal::chosen_count = count;
    return true;
  });
}

int thread_count() {
  return ::synap_internal::NoThrow(__func__, 1, [] { return ::synap_internal::Count(); });
}

}  // namespace synaptics::synap
