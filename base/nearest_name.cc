#include "base/nearest_name.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace synap_internal {
namespace {

// Longer names are cut: hostile input must not make the quadratic table large.
constexpr size_t kMaxLength = 256;

constexpr size_t kMostNames = 3;

// Levenshtein distance.
size_t EditDistance(absl::string_view a, absl::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = std::exchange(row[0], i);
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t substitution = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({substitution, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

}  // namespace

std::vector<std::string> NearestNames(absl::string_view name,
                                      absl::Span<const std::string> candidates) {
  const std::string wanted = absl::AsciiStrToLower(name.substr(0, kMaxLength));
  std::vector<std::pair<size_t, size_t>> ranked;  // distance, index
  for (size_t i = 0; i < candidates.size(); ++i) {
    const std::string candidate =
        absl::AsciiStrToLower(absl::string_view(candidates[i]).substr(0, kMaxLength));
    const size_t distance = EditDistance(wanted, candidate);
    const bool contains = wanted.size() >= 3 && (absl::StrContains(candidate, wanted) ||
                                                 absl::StrContains(wanted, candidate));
    const size_t allowed = std::max<size_t>(2, wanted.size() / 3);
    if (distance <= allowed || contains) ranked.emplace_back(distance, i);
  }
  std::sort(ranked.begin(), ranked.end());
  std::vector<std::string> nearest;
  for (const auto& [distance, index] : ranked) {
    if (nearest.size() == kMostNames) break;
    // A pass may run twice, an ONNX node may have the name of its output.
    const bool is_new =
        std::find(nearest.begin(), nearest.end(), candidates[index]) == nearest.end();
    if (is_new) nearest.push_back(candidates[index]);
  }
  return nearest;
}

std::string DidYouMean(absl::string_view name, absl::Span<const std::string> candidates) {
  const std::vector<std::string> nearest = NearestNames(name, candidates);
  if (nearest.empty()) return "";
  return absl::StrCat(" (did you mean '", absl::StrJoin(nearest, "' or '"), "'?)");
}

}  // namespace synap_internal
