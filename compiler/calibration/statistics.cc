#include "compiler/calibration/statistics.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/check.h"
#include "base/file.h"
#include "base/status_macros.h"
#include "kernels/attributes.h"

namespace synap {
namespace {

constexpr absl::string_view kHeader = "SYNAPSTATS1";

absl::Status Damaged(size_t line, absl::string_view expected) {
  return absl::InvalidArgumentError(
      absl::StrCat("is not a statistics file: line ", line, ", expected ", expected));
}

// "<keyword> <escaped text>"
bool ParseNamed(absl::string_view line, absl::string_view keyword, std::string& name) {
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(line, absl::MaxSplits(' ', 1));
  return parts.first == keyword && absl::CUnescape(parts.second, &name);
}

bool ParseRange(absl::string_view line, ValueRange& range) {
  const std::vector<absl::string_view> parts = absl::StrSplit(line, ' ');
  return parts.size() == 2 && absl::SimpleAtof(parts[0], &range.min) &&
         absl::SimpleAtof(parts[1], &range.max) && std::isfinite(range.min) &&
         std::isfinite(range.max) && range.min <= range.max;
}

}  // namespace

absl::Status Statistics::Add(const std::string& sample, std::vector<ValueRange> ranges) {
  CHECK(ranges.size() == tensors_.size());
  if (!samples_.emplace(sample, std::move(ranges)).second) {
    return absl::AlreadyExistsError(absl::StrCat("the dataset has two samples named ", sample));
  }
  return absl::OkStatus();
}

absl::Status Statistics::Merge(const Statistics& other) {
  if (other.tensors_ != tensors_) {
    return absl::FailedPreconditionError("statistics of different graphs can't be merged");
  }
  for (const auto& [sample, ranges] : other.samples_) RETURN_IF_ERROR(Add(sample, ranges));
  return absl::OkStatus();
}

std::map<std::string, ValueRange> Statistics::Ranges() const {
  CHECK(!samples_.empty());
  std::vector<ValueRange> total = samples_.begin()->second;
  for (const auto& [sample, ranges] : samples_) {
    for (size_t i = 0; i < ranges.size(); ++i) {
      total[i].min = std::min(total[i].min, ranges[i].min);
      total[i].max = std::max(total[i].max, ranges[i].max);
    }
  }
  std::map<std::string, ValueRange> by_name;
  for (size_t i = 0; i < total.size(); ++i) by_name[tensors_[i]] = total[i];
  return by_name;
}

std::string Statistics::Serialize() const {
  std::string text = absl::StrCat(kHeader, "\n");
  for (const std::string& tensor : tensors_) {
    absl::StrAppend(&text, "tensor ", absl::CEscape(tensor), "\n");
  }
  for (const auto& [sample, ranges] : samples_) {
    absl::StrAppend(&text, "sample ", absl::CEscape(sample), "\n");
    for (const ValueRange& range : ranges) {
      absl::StrAppend(&text, FloatToString(range.min), " ", FloatToString(range.max), "\n");
    }
  }
  return text;
}

absl::StatusOr<Statistics> Statistics::Parse(absl::string_view text) {
  const std::vector<absl::string_view> lines = absl::StrSplit(text, '\n');
  if (lines.front() != kHeader) return Damaged(1, kHeader);
  Statistics statistics;
  size_t at = 1;
  std::string name;
  for (; at < lines.size() && ParseNamed(lines[at], "tensor", name); ++at) {
    statistics.tensors_.push_back(name);
  }
  for (; at < lines.size() && ParseNamed(lines[at], "sample", name); ++at) {
    std::vector<ValueRange> ranges(statistics.tensors_.size());
    for (ValueRange& range : ranges) {
      if (++at >= lines.size() || !ParseRange(lines[at], range)) {
        return Damaged(at + 1, "the two numbers of a range");
      }
    }
    RETURN_IF_ERROR(statistics.Add(name, std::move(ranges)));
  }
  if (at + 1 != lines.size() || !lines[at].empty()) return Damaged(at + 1, "a sample");
  return statistics;
}

absl::StatusOr<Statistics> Statistics::Load(const std::string& path) {
  ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  absl::StatusOr<Statistics> statistics = Parse(text);
  if (!statistics.ok()) return Annotate(statistics.status(), path);
  return statistics;
}

}  // namespace synap
