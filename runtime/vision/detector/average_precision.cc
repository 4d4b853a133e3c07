#include "runtime/vision/detector/average_precision.h"

#include <algorithm>

namespace synap_internal {

double AveragePrecision(Ranking ranking, size_t objects) {
  std::stable_sort(ranking.begin(), ranking.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<double> precision, recall;
  double hits = 0;
  for (const auto& [confidence, hit] : ranking) {
    hits += hit ? 1 : 0;
    precision.push_back(hits / static_cast<double>(precision.size() + 1));
    recall.push_back(hits / static_cast<double>(objects));
  }
  for (size_t i = precision.size(); i-- > 1;) {
    precision[i - 1] = std::max(precision[i - 1], precision[i]);
  }
  constexpr int kSteps = 100;
  double sum = 0;
  for (int step = 0; step <= kSteps; ++step) {
    const auto at = std::lower_bound(recall.begin(), recall.end(), step / double{kSteps});
    if (at != recall.end()) sum += precision[at - recall.begin()];
  }
  return sum / (kSteps + 1);
}

}  // namespace synap_internal
