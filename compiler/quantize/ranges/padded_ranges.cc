#include "compiler/quantize/ranges/padded_ranges.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/data_type.h"
#include "compiler/graph/passes/op_attributes.h"
#include "compiler/quantize/quantizer_params.h"
#include "kernels/op_def.h"

namespace synap_internal {
namespace {

// Below its quantizer's range a value is stored as the lowest number, which a maximum takes only
// where there is no other.
bool OnlyMaximaRead(const Op& pad) {
  const auto is_maximum = [](const Op* user) {
    return user->def->pools && user->def->averaged_elements == nullptr;
  };
  const std::vector<Op*>& users = pad.output()->users;
  return !users.empty() && std::all_of(users.begin(), users.end(), is_maximum);
}

// The op whose result has the quantizer of `tensor`, if it chooses that quantizer by its own range
// and nothing else reads the result, or what ops in between make of it; else null.
const Tensor* OnlySource(const Graph& graph, const Tensor* tensor) {
  for (;; tensor = tensor->producer->inputs[0]) {
    if (tensor->users.size() != 1 || graph.IsOutput(tensor)) return nullptr;
    if (tensor->producer == nullptr) return nullptr;
    const QuantRule rule = tensor->producer->def->quant_rule;
    if (rule == QuantRule::kOwnRange) return tensor;
    if (rule != QuantRule::kSameAsInput) return nullptr;
  }
}

}  // namespace

PaddedRange PadRange(const Op& op, const ValueRange& operand, int bits) {
  const std::optional<float> value = PadValue(op);
  if (!value.has_value() || std::isnan(*value)) return {operand};
  // The quantizer's range holds 0, and its ends are rounded by half a step.
  const ValueRange range = Hull(operand, {0, 0});
  const float width = WidthOf(operand);
  const float half_step = width / std::ldexp(1.0f, bits + 1);
  if (*value >= range.min - half_step && *value <= range.max + half_step) return {operand};
  if (*value < range.min && OnlyMaximaRead(op)) return {operand};
  const float widest = width * std::ldexp(1.0f, bits / 2);
  ValueRange padded = Hull(operand, {*value, *value});
  const bool is_cut = width > 0 && WidthOf(padded) > widest;
  if (is_cut) {
    padded = *value < 0 ? ValueRange{range.max - widest, operand.max}
                        : ValueRange{operand.min, range.min + widest};
  }
  return {padded, true, is_cut};
}

ValueRange StoredRange(const TensorType& type) {
  const IntegerRange integers = RangeOf(type.dtype);
  const auto real = [&](int64_t integer) {
    return type.quant.scale() * static_cast<float>(integer - type.quant.zero_point());
  };
  return {real(integers.min), real(integers.max)};
}

std::map<std::string, ValueRange> PaddedRanges(const Graph& graph, int bits,
                                               std::map<std::string, ValueRange> ranges) {
  for (const Op& op : graph.ops()) {
    if (!op.Is(Movement::kPad)) continue;
    const Tensor* source = OnlySource(graph, op.inputs[0]);
    const auto range = source == nullptr ? ranges.end() : ranges.find(source->name);
    if (range == ranges.end()) continue;
    const PaddedRange padded = PadRange(op, range->second, bits);
    if (!padded.is_cut) range->second = padded.range;
  }
  return ranges;
}

}  // namespace synap_internal
