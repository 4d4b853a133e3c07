#include "compiler/convert/cli/progress.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace synap_internal {

ProgressLine::ProgressLine(bool silent) : enabled_(!silent && isatty(STDOUT_FILENO) != 0) {}

void ProgressLine::Show(absl::string_view text) {
  if (!enabled_ || shown_ == text) return;
  std::string line(text);
  // Overwrite the rest of a longer line.
  if (line.size() < shown_.size()) line.append(shown_.size() - line.size(), ' ');
  std::fprintf(stdout, "%s\r", line.c_str());
  std::fflush(stdout);
  shown_ = std::string(text);
}

void ProgressLine::Show(absl::string_view text, int done, int total) {
  const auto now = std::chrono::steady_clock::now();
  if (task_ != text) {
    task_ = std::string(text);
    start_ = now;
    start_done_ = done;
  }
  // The first part began before it was told of.
  const std::string left = TimeLeft(now - start_, done - start_done_, total - start_done_);
  Show(absl::StrCat(text, " ", 100 * int64_t{done} / std::max(total, 1), "%", left));
}

std::string TimeLeft(std::chrono::duration<double> elapsed, int done, int total) {
  constexpr double kLeastElapsed = 2, kLeastLeft = 3;  // seconds
  if (done <= 0 || done >= total || elapsed.count() < kLeastElapsed) return "";
  const double left = elapsed.count() / done * (total - done);
  if (left < kLeastLeft) return "";
  if (left < 60) return absl::StrFormat(", %.0f s left", left);
  if (left < 5400) return absl::StrFormat(", %.0f min left", left / 60);
  return absl::StrFormat(", %.1f h left", left / 3600);
}

void ProgressLine::Clear() {
  if (!enabled_ || shown_.empty()) return;
  std::fprintf(stdout, "%s\r", std::string(shown_.size(), ' ').c_str());
  std::fflush(stdout);
  shown_.clear();
}

}  // namespace synap_internal
