#include "compiler/cli/progress.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "absl/strings/str_cat.h"

namespace synap {

ProgressLine::ProgressLine(bool silent) : enabled_(!silent && isatty(STDOUT_FILENO) != 0) {}

void ProgressLine::Show(absl::string_view text) {
  if (!enabled_ || shown_ == text) return;
  std::string line(text);
  // Overwrite what a longer line left.
  if (line.size() < shown_.size()) line.append(shown_.size() - line.size(), ' ');
  std::fprintf(stdout, "%s\r", line.c_str());
  std::fflush(stdout);
  shown_ = std::string(text);
}

void ProgressLine::Show(absl::string_view text, int done, int total) {
  Show(absl::StrCat(text, " ", 100 * done / std::max(total, 1), "%"));
}

void ProgressLine::Clear() {
  if (!enabled_ || shown_.empty()) return;
  std::fprintf(stdout, "%s\r", std::string(shown_.size(), ' ').c_str());
  std::fflush(stdout);
  shown_.clear();
}

}  // namespace synap
