// A line that tells how far long work is. On a terminal only: in a log it would
// be noise.
#ifndef COMPILER_CLI_PROGRESS_H_
#define COMPILER_CLI_PROGRESS_H_

#include <string>

#include "absl/strings/string_view.h"

namespace synap {

// Writes to stdout. Not thread-safe.
class ProgressLine {
 public:
  // `silent`: never write anything.
  explicit ProgressLine(bool silent);
  ~ProgressLine() { Clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // Replaces the line: "Quantizing... 40%".
  void Show(absl::string_view text);
  void Show(absl::string_view text, int done, int total);
  // Wipes it.
  void Clear();

 private:
  const bool enabled_;
  std::string shown_;
};

}  // namespace synap

#endif  // COMPILER_CLI_PROGRESS_H_
