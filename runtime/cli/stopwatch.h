// Elapsed-time stopwatch, which starts when it is constructed.
#ifndef RUNTIME_CLI_STOPWATCH_H_
#define RUNTIME_CLI_STOPWATCH_H_

#include <chrono>
#include <cstdint>

namespace synap_internal {

class Stopwatch {
 public:
  double milliseconds() const { return static_cast<double>(microseconds()) / 1000; }
  int64_t microseconds() const {
    return std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - start_).count();
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

}  // namespace synap_internal

#endif  // RUNTIME_CLI_STOPWATCH_H_
