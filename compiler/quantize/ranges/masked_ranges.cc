#include "compiler/quantize/ranges/masked_ranges.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "compiler/quantize/quantizer_params.h"
#include "compiler/quantize/statistics/softmax_rows.h"

namespace synap_internal {
namespace {

constexpr float kNothing = -std::numeric_limits<float>::infinity();

class MaskRanges {
 public:
  MaskRanges(const Graph& graph, std::map<std::string, ValueRange> ranges)
      : graph_(graph), rows_(FindSoftmaxRows(graph)), ranges_(std::move(ranges)) {}

  std::map<std::string, ValueRange> Run() {
    // Readers come first.
    for (auto op = graph_.ops().rbegin(); op != graph_.ops().rend(); ++op) {
      Cut(*op->output());
      if (op->Is(Probability::kSoftmax)) continue;  // its operand has rows of its own
      for (size_t i = 0; i < op->inputs.size(); ++i) {
        const Tensor* operand = op->inputs[i];
        if (rows_.count(operand) > 0) LowerFloor(*operand, FloorOf(*op, i));
      }
    }
    for (const auto& [tensor, rows] : rows_) {
      if (tensor->is_constant()) {
        AddConstant(*tensor);
      } else {
        Cut(*tensor);  // of the inputs; what ops made is cut already
      }
    }
    return std::move(ranges_);
  }

 private:
  // Below it, operand i makes no difference to the output.
  float FloorOf(const Op& op, size_t i) const {
    const auto range = ranges_.find(op.output()->name);
    if (range == ranges_.end()) return kNothing;
    const float floor = range->second.min;
    switch (op.def->arithmetic) {
      case Arithmetic::kSum:
        return floor - RangeOfTensor(*op.inputs[1 - i]).max;
      case Arithmetic::kDifference:
        return floor + RangeOfTensor(*op.inputs[1]).min;
      case Arithmetic::kProduct:
        return floor / op.inputs[1 - i]->values<float>()[0];
      case Arithmetic::kQuotient:
        return floor * op.inputs[1]->values<float>()[0];
      default:
        return floor;
    }
  }

  // Of a constant's finite values; everything if nothing is known.
  ValueRange RangeOfTensor(const Tensor& tensor) const {
    if (tensor.is_constant()) return RangeOf(tensor.values<float>());
    const auto range = ranges_.find(tensor.name);
    return range == ranges_.end() ? ValueRange{kNothing, -kNothing} : range->second;
  }

  void LowerFloor(const Tensor& tensor, float floor) {
    float& lowest = floors_.emplace(&tensor, floor).first->second;
    lowest = std::min(lowest, floor);
  }

  void Cut(const Tensor& tensor) {
    const auto floor = floors_.find(&tensor);
    const auto range = ranges_.find(tensor.name);
    if (floor == floors_.end() || range == ranges_.end()) return;
    ValueRange& cut = range->second;
    cut.min = std::min(std::max(cut.min, floor->second), cut.max);
  }

  void AddConstant(const Tensor& tensor) {
    const float floor = floors_.at(&tensor);  // its readers' outputs have rows
    if (!std::isfinite(floor)) return;
    const ValueRange own = RangeOf(tensor.values<float>());
    float smallest = own.min;
    for (const float value : tensor.values<float>()) smallest = std::min(smallest, value);
    ranges_[tensor.name] = {std::max(smallest, floor), std::max(own.max, floor)};
  }

  const Graph& graph_;
  const std::map<const Tensor*, SoftmaxRows> rows_;
  std::map<std::string, ValueRange> ranges_;
  std::map<const Tensor*, float> floors_;
};

}  // namespace

std::map<std::string, ValueRange> MaskedRanges(const Graph& graph,
                                               std::map<std::string, ValueRange> ranges) {
  return MaskRanges(graph, std::move(ranges)).Run();
}

}  // namespace synap_internal
