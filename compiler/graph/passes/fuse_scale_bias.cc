#include "compiler/graph/passes/fuse_scale_bias.h"

#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "compiler/graph/passes/epilogue.h"
#include "compiler/graph/passes/op_attributes.h"
#include "compiler/graph/passes/replace_op.h"
#include "compiler/graph/passes/tensor_uses.h"

namespace synap_internal {
namespace {

// A weighted sum whose weights and bias [O] are constant and which has no clamp or epilogue yet.
bool CanTakeScaleAndBias(const Op& op) {
  if (!op.def->is_weighted_sum() || !IsEpilogueEmpty(op)) return false;
  if (op.output()->type.dtype != DataType::kFloat32) return false;
  if (HasClamp(op)) return false;
  const Tensor* bias = op.input(2);
  return op.inputs[1]->is_constant() && (bias == nullptr || bias->is_constant());
}

// The constant as one value for each channel (the last dimension), if it
// broadcasts along nothing else.
std::optional<std::vector<float>> PerChannel(const Tensor& constant, const Shape& output) {
  if (!constant.is_constant() || constant.type.dtype != DataType::kFloat32) return std::nullopt;
  const Shape& shape = constant.type.shape;
  const auto channels = static_cast<size_t>(output.back());
  const auto values = constant.values<float>();
  if (values.size() == 1) return std::vector<float>(channels, values[0]);
  if (shape.back() != output.back() || values.size() != channels) return std::nullopt;
  return std::vector<float>(values.begin(), values.end());
}

// y = x * scale + shift.
struct Affine {
  std::vector<float> scale;
  std::vector<float> shift;
};

std::optional<Affine> MatchAffine(const Op& op, size_t constant_operand, const Shape& output) {
  if (HasClamp(op)) return std::nullopt;
  std::optional<std::vector<float>> values = PerChannel(*op.inputs[constant_operand], output);
  if (!values.has_value()) return std::nullopt;
  const std::vector<float> ones(values->size(), 1), zeros(values->size(), 0);
  const auto map = [&](auto function) {
    for (float& value : *values) value = function(value);
    return *values;
  };
  if (op.Is(Arithmetic::kProduct)) return Affine{*values, zeros};
  if (op.Is(Arithmetic::kSum)) return Affine{ones, *values};
  if (constant_operand == 0) return std::nullopt;  // c - x, c / x
  if (op.Is(Arithmetic::kDifference)) return Affine{ones, map([](float v) { return -v; })};
  if (op.Is(Arithmetic::kQuotient)) return Affine{map([](float v) { return 1 / v; }), zeros};
  return std::nullopt;
}

Tensor* ScaledWeights(Graph& graph, const Op& linear, const std::vector<float>& scale) {
  const Tensor& weights = *linear.inputs[1];
  const auto values = weights.values<float>();
  const size_t channels = scale.size();
  const Shape& shape = weights.type.shape;
  const auto axis = static_cast<size_t>(linear.def->weight_channels);
  const auto inner = static_cast<size_t>(shape.Product(axis + 1, shape.rank()));
  std::vector<float> scaled(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    scaled[i] = values[i] * scale[i / inner % channels];
  }
  return graph.AddConstant(weights.name, weights.type, Constant::Own(std::move(scaled)));
}

Tensor* ShiftedBias(Graph& graph, const Op& linear, const Affine& affine) {
  const size_t channels = affine.scale.size();
  std::vector<float> bias(channels);
  if (const Tensor* old_bias = linear.input(2)) {
    const auto values = old_bias->values<float>();
    for (size_t c = 0; c < channels; ++c) bias[c] = values[c] * affine.scale[c];
  }
  for (size_t c = 0; c < channels; ++c) bias[c] += affine.shift[c];
  const TensorType type{DataType::kFloat32, Shape({static_cast<int64_t>(channels)}), {}};
  return graph.AddConstant(absl::StrCat(linear.inputs[1]->name, ".bias"), type,
                           Constant::Of(absl::MakeConstSpan(bias)));
}

bool FuseIntoWeights(Graph& graph, Op* op) {
  for (size_t i = 0; i < 2; ++i) {
    Tensor* data = op->inputs[i];
    Op* linear = data->producer;
    if (linear == nullptr || !CanTakeScaleAndBias(*linear) || !HasSingleUse(graph, data)) continue;
    if (data->type.shape != op->output()->type.shape) continue;
    const std::optional<Affine> affine = MatchAffine(*op, 1 - i, data->type.shape);
    if (!affine.has_value()) continue;
    graph.SetInput(linear, 2, ShiftedBias(graph, *linear, *affine));
    Tensor* weights = linear->inputs[1];
    graph.SetInput(linear, 1, ScaledWeights(graph, *linear, affine->scale));
    ReleaseUnread(graph, weights);
    linear->origins = JoinOrigins(*linear, *op);
    ReplaceOp(graph, op, data);
    return true;
  }
  return false;
}

}  // namespace

absl::StatusOr<int> FuseScaleBias(Graph& graph) {
  std::vector<Op*> order;
  for (Op& op : graph.ops()) order.push_back(&op);
  int rewrites = 0;
  for (Op* op : order) {
    if (op->def->arithmetic == Arithmetic::kNone) continue;
    rewrites += FuseIntoWeights(graph, op);
  }
  graph.RemoveDead();
  return rewrites;
}

}  // namespace synap_internal
