// Progress line of long work, on terminals only: in a log it would be noise.
#ifndef COMPILER_CONVERT_CLI_PROGRESS_H_
#define COMPILER_CONVERT_CLI_PROGRESS_H_

#include <chrono>
#include <string>

#include "absl/strings/string_view.h"

namespace synap_internal {

// Writes to stdout. Not thread-safe.
class ProgressLine {
 public:
  // `silent`: never write anything.
  explicit ProgressLine(bool silent);
  ~ProgressLine() { Clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // Replaces the line: "Compiling...".
  void Show(absl::string_view text);
  // "Quantizing... 40%, 3 min left": the time since the first call with this `text` tells how long
  // the rest takes.
  void Show(absl::string_view text, int done, int total);
  // Erases the line.
  void Clear();

 private:
  const bool enabled_;
  std::string shown_;
  std::string task_;  // whose time is taken
  std::chrono::steady_clock::time_point start_;
  int start_done_ = 0;  // parts that were done at start_
};

// ", 3 min left" for the rest of work of which `done` of `total` parts took `elapsed`; "" where
// that isn't worth telling (less than a few seconds) or nothing is known yet.
std::string TimeLeft(std::chrono::duration<double> elapsed, int done, int total);

}  // namespace synap_internal

#endif  // COMPILER_CONVERT_CLI_PROGRESS_H_
