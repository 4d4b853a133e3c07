#include "synap/classifier.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "absl/status/statusor.h"
#include "runtime/api/logging.h"
#include "runtime/api/no_throw.h"
#include "runtime/vision/format_string.h"

namespace synaptics::synap {

namespace {

using ::synap_internal::NoThrow;

// Whether base, base + 1, ..., base + classes - 1 can be stored in class_index.
bool AreClassIndices(int base, size_t classes) {
  constexpr int64_t kLargest = std::numeric_limits<int32_t>::max();
  return classes <= static_cast<size_t>(kLargest) &&
         base + static_cast<int64_t>(classes) - 1 <= kLargest;
}

Classifier::Result Classify(const Tensors& tensors, size_t top_count) {
  if (tensors.size() != 1) {
    SYNAP_LOG(kError, "a classification network has 1 output tensor, not ", tensors.size());
    return {};
  }
  const Tensor& tensor = tensors[0];
  const absl::StatusOr<int> base =
      ::synap_internal::FormatString::Parse(tensor.format()).Int("class_index_base", 0);
  if (!base.ok()) {
    SYNAP_LOG(kError, "tensor '", tensor.name(), "': ", base.status().message());
    return {};
  }
  const float* values = tensor.as_float();
  if (values == nullptr) return {};
  const size_t classes = tensor.item_count();
  if (!AreClassIndices(*base, classes)) {
    SYNAP_LOG(kError, "tensor '", tensor.name(), "': format attribute 'class_index_base' is ",
              *base, " for ", classes, " classes, expected indices of at most ",
              std::numeric_limits<int32_t>::max());
    return {};
  }
  const size_t count = top_count == 0 ? classes : std::min(top_count, classes);
  std::vector<int32_t> order(classes);
  std::iota(order.begin(), order.end(), 0);
  const auto better = [values](int32_t a, int32_t b) {  // NaN is last
    const float va = std::isnan(values[a]) ? -HUGE_VALF : values[a];
    const float vb = std::isnan(values[b]) ? -HUGE_VALF : values[b];
    return va != vb ? va > vb : a < b;
  };
  std::partial_sort(order.begin(), order.begin() + static_cast<ptrdiff_t>(count), order.end(),
                    better);
  Classifier::Result result;
  result.success = true;
  for (size_t i = 0; i < count; ++i) {
    result.items.push_back({order[i] + *base, values[order[i]]});
  }
  return result;
}

}  // namespace

Classifier::Result Classifier::process(const Tensors& tensors) {
  return NoThrow(__func__, Result(), [&] { return Classify(tensors, top_count_); });
}

}  // namespace synaptics::synap
