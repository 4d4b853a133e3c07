#include "compiler/quantize/ranges/narrowed_ranges.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "base/status_macros.h"
#include "compiler/quantize/quantizer_params.h"
#include "compiler/quantize/ranges/result_range.h"

namespace synap_internal {
namespace {

constexpr size_t kPoints = 2049;  // at which a function is looked at

// A function with a range of its own.
bool IsFunction(const Op& op) {
  const QuantRule rule = op.def->quant_rule;
  return op.def->is_function() && (rule == QuantRule::kOwnRange || rule == QuantRule::kFixedRange);
}

// Adds the functions that read `tensor`, directly or after ops that move its values; false if
// another op reads it.
bool CollectFunctions(const Graph& graph, const Tensor& tensor, std::vector<const Op*>& functions) {
  if (graph.IsOutput(&tensor) || tensor.users.empty()) return false;
  for (const Op* user : tensor.users) {
    if (IsFunction(*user)) {
      functions.push_back(user);
    } else if (!MovesData(*user) || !CollectFunctions(graph, *user->output(), functions)) {
      return false;
    }
  }
  return true;
}

// The last index whose value differs from all values before it by `tolerance` at most.
template <typename Iterator>
size_t LastFlatIndex(Iterator begin, Iterator end, float tolerance) {
  size_t flat = 0;
  float low = *begin, high = *begin;
  for (Iterator it = begin; it != end; ++it) {
    low = std::min(low, *it);
    high = std::max(high, *it);
    if (high - *it <= tolerance && *it - low <= tolerance) flat = static_cast<size_t>(it - begin);
  }
  return flat;
}

}  // namespace

absl::StatusOr<ValueRange> RelevantPart(const Op& function, int bits, ValueRange operand,
                                        ValueRange result) {
  const float step = WidthOf(result) / (std::ldexp(1.0f, bits) - 1);
  std::vector<float> points(kPoints);
  for (float i = 0; float& point : points) {
    const float part = i++ / static_cast<float>(kPoints - 1);
    point = operand.min * (1 - part) + operand.max * part;
  }
  const TensorType type{DataType::kFloat32, {static_cast<int64_t>(kPoints)}, {}};
  ASSIGN_OR_RETURN(
      const Constant results,
      EvaluateFunction(function, {{type, Constant::Of(absl::MakeConstSpan(points))}}, type));
  const absl::Span<const float> values(reinterpret_cast<const float*>(results.bytes.data()),
                                       kPoints);
  const size_t first = LastFlatIndex(values.begin(), values.end(), step / 4);
  const size_t last = kPoints - 1 - LastFlatIndex(values.rbegin(), values.rend(), step / 4);
  return first < last ? ValueRange{points[first], points[last]} : operand;
}

absl::StatusOr<std::map<std::string, ValueRange>> NarrowedRanges(
    const Graph& graph, const LayerPrecisions& precisions, int bits,
    std::map<std::string, ValueRange> ranges) {
  for (const Op& op : graph.ops()) {
    if (op.def->quant_rule != QuantRule::kOwnRange || op.Is(Movement::kConcat)) continue;
    const Tensor& tensor = *op.output();
    const auto range = ranges.find(tensor.name);
    std::vector<const Op*> functions;
    if (range == ranges.end() || !CollectFunctions(graph, tensor, functions)) continue;
    std::optional<ValueRange> matters;
    for (const Op* function : functions) {
      const ValueRange result = precisions.IsMeasured(*function)
                                    ? RangeIn(ranges, *function->output())
                                    : RangeOfResult(*function, ranges);
      ASSIGN_OR_RETURN(const ValueRange part,
                       RelevantPart(*function, std::max(bits, precisions.of(*function).bits()),
                                    range->second, result));
      matters = matters.has_value() ? Hull(*matters, part) : part;
    }
    range->second = *matters;
  }
  return ranges;
}

}  // namespace synap_internal
