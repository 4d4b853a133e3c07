#include "compiler/quantization/narrowed_ranges.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "base/status_macros.h"
#include "compiler/quantization/quantizer_params.h"

namespace synap {
namespace {

constexpr size_t kPoints = 2049;  // at which a function is looked at

// One operand that nothing else reads and whose range is its own: a concat
// shares its range with what it joins.
bool IsFunction(const Graph& graph, const Op& op) {
  if (!op.def->elementwise || op.inputs.size() != 1 || op.outputs.size() != 1) return false;
  const QuantRule rule = op.def->quant_rule;
  if (rule != QuantRule::kOwnRange && rule != QuantRule::kFixedRange) return false;
  const Tensor& operand = *op.inputs[0];
  return operand.type.dtype == DataType::kFloat32 && operand.producer != nullptr &&
         operand.producer->def->quant_rule == QuantRule::kOwnRange &&
         !operand.producer->Is("concat") && operand.users.size() == 1 && !graph.IsOutput(&operand);
}

// The last index whose value stands for all before it within `tolerance`.
template <typename Iterator>
size_t FlatPart(Iterator begin, Iterator end, float tolerance) {
  size_t flat = 0;
  float low = *begin, high = *begin;
  for (Iterator it = begin; it != end; ++it) {
    low = std::min(low, *it);
    high = std::max(high, *it);
    if (high - *it <= tolerance && *it - low <= tolerance) flat = static_cast<size_t>(it - begin);
  }
  return flat;
}

// step: of the output's quantizer.
absl::Status Narrow(const Op& op, float step, ValueRange& range) {
  std::vector<float> points(kPoints);
  for (size_t i = 0; i < kPoints; ++i) {
    const float part = static_cast<float>(i) / static_cast<float>(kPoints - 1);
    points[i] = range.min * (1 - part) + range.max * part;
  }
  const TensorType type{DataType::kFloat32, {static_cast<int64_t>(kPoints)}, {}};
  ASSIGN_OR_RETURN(const Constant results,
                   EvaluateFunction(op, {{type, Constant::Of(absl::MakeConstSpan(points))}}, type));
  const absl::Span<const float> values(reinterpret_cast<const float*>(results.bytes.data()),
                                       kPoints);
  const size_t first = FlatPart(values.begin(), values.end(), step / 4);
  const size_t last = kPoints - 1 - FlatPart(values.rbegin(), values.rend(), step / 4);
  if (first < last) range = {points[first], points[last]};
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::map<std::string, ValueRange>> NarrowedRanges(
    const Graph& graph, int bits, std::map<std::string, ValueRange> ranges) {
  const auto steps = static_cast<float>((1 << bits) - 1);
  for (const Op& op : graph.ops()) {
    if (!IsFunction(graph, op)) continue;
    const auto operand = ranges.find(op.inputs[0]->name);
    const auto own = ranges.find(op.output()->name);
    const bool fixed = op.def->quant_rule == QuantRule::kFixedRange;
    if (operand == ranges.end() || (own == ranges.end() && !fixed)) continue;
    const ValueRange output =
        fixed ? ValueRange{op.def->fixed_min, op.def->fixed_max} : own->second;
    RETURN_IF_ERROR(Narrow(op, WidthOf(output) / steps, operand->second));
  }
  return ranges;
}

}  // namespace synap
