#include "compiler/graph/passes/equalize_weights.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>
#include <vector>

#include "compiler/graph/passes/epilogue.h"
#include "compiler/graph/passes/op_attributes.h"
#include "compiler/graph/passes/tensor_uses.h"

namespace synap_internal {
namespace {

// Chains settle in a few rounds; a ring of them can't exist.
constexpr int kRounds = 8;
// More would give one channel's activations most of their tensor's range.
constexpr int kLargestExponent = 6;
// That normalized values hardly pass.
constexpr float kDeviations = 4;

// Weighted sums of x, w and maybe a bias whose last dimension of w counts the input's channels:
// no grouped convolutions. Transposed ones stay as they are.
bool HasWeightsByInput(const Op& op) {
  return op.def->is_weighted_sum() && !op.Is(LinearForm::kTransposed) && op.inputs.size() <= 3 &&
         op.inputs[1]->is_float_constant() &&
         (op.input(2) == nullptr || op.input(2)->is_float_constant()) &&
         IntAttribute(op, "groups", 1) == 1;
}

// a * f(x) = f(a * x) for all a > 0.
bool IsHomogeneous(const Op& op) {
  return IsEpilogueEmpty(op) && op.attributes.count("max") == 0 &&
         FloatAttribute(op, "min", 0) == 0;
}

// Whether the operand is absent or has a number for each element of x's last dimension.
bool IsFactorOfChannels(const Op& op, size_t index) {
  const Tensor* factor = op.input(index);
  if (factor == nullptr) return true;
  const Shape &shape = factor->type.shape, &x = op.inputs[0]->type.shape;
  return factor->is_float_constant() && shape.rank() > 0 && shape.back() == x.back() &&
         shape.elements() == x.back();
}

bool ScalesChannels(const Op& op) {
  return op.def->normalizes && op.input(1) != nullptr && IsFactorOfChannels(op, 1) &&
         IsFactorOfChannels(op, 2);
}

// The ops that read what `op` computes, if nothing else does and all may take factors of its
// channels: one reader of a linear op, any number of a normalization's, as attention has.
std::vector<Op*> ReadersToEqualizeWith(const Graph& graph, const Op& op) {
  const bool normalizes = ScalesChannels(op);
  if (!normalizes && !HasWeightsByInput(op)) return {};
  const Tensor* output = op.output();
  const bool fits = IsHomogeneous(op) && !graph.IsOutput(output) &&
                    (normalizes || HasSingleUse(graph, output)) &&
                    std::all_of(output->users.begin(), output->users.end(),
                                [](const Op* reader) { return HasWeightsByInput(*reader); });
  return fits ? output->users : std::vector<Op*>();
}

// The largest magnitudes by the index along `dimension`.
std::vector<float> LargestOf(const Tensor& weights, size_t dimension) {
  const Shape& shape = weights.type.shape;
  const auto inner = static_cast<size_t>(shape.Product(dimension + 1, shape.rank()));
  std::vector<float> largest(static_cast<size_t>(shape[dimension]), 0);
  const auto values = weights.values<float>();
  for (size_t i = 0; i < values.size(); ++i) {
    float& channel = largest[i / inner % largest.size()];
    channel = std::max(channel, std::abs(values[i]));
  }
  return largest;
}

// Operand `index` times 2^(sign * exponent) by the index along `dimension`.
void Scale(Graph& graph, Op& op, size_t index, size_t dimension, const std::vector<int>& exponents,
           int sign) {
  const Tensor& tensor = *op.inputs[index];
  const Shape& shape = tensor.type.shape;
  const auto inner = static_cast<size_t>(shape.Product(dimension + 1, shape.rank()));
  const auto values = tensor.values<float>();
  std::vector<float> scaled(values.begin(), values.end());
  for (size_t i = 0; i < scaled.size(); ++i) {
    scaled[i] = std::ldexp(scaled[i], sign * exponents[i / inner % exponents.size()]);
  }
  graph.SetInput(&op, index,
                 graph.AddConstant(tensor.name, tensor.type, Constant::Own(std::move(scaled))));
}

// How large the op's results are by their channels, as far as its constants tell: weights, or what
// a normalization's values, whose deviation is 1, hardly pass.
std::vector<float> SizesOfResults(const Op& op) {
  if (!op.def->normalizes) {
    return LargestOf(*op.inputs[1], static_cast<size_t>(op.def->weight_channels));
  }
  const auto scales = op.inputs[1]->values<float>();
  std::vector<float> sizes;
  for (size_t c = 0; c < scales.size(); ++c) {
    const float bias = op.input(2) == nullptr ? 0 : op.inputs[2]->values<float>()[c];
    sizes.push_back(std::abs(bias) + kDeviations * std::abs(scales[c]));
  }
  return sizes;
}

// The last dimension of the weights counts input channels.
size_t InputDimension(const Op& op) { return op.inputs[1]->type.shape.rank() - 1; }

std::vector<float> LargestOf(const std::vector<Op*>& readers) {
  std::vector<float> largest;
  for (const Op* reader : readers) {
    const std::vector<float> each = LargestOf(*reader->inputs[1], InputDimension(*reader));
    largest.resize(each.size(), 0);
    for (size_t c = 0; c < each.size(); ++c) largest[c] = std::max(largest[c], each[c]);
  }
  return largest;
}

bool Equalize(Graph& graph, Op& first, const std::vector<Op*>& readers) {
  const std::vector<float> from = SizesOfResults(first);
  const std::vector<float> to = LargestOf(readers);
  std::vector<int> exponents;
  for (size_t c = 0; c < from.size(); ++c) {
    const bool used = from[c] > 0 && to[c] > 0 && std::isfinite(from[c]) && std::isfinite(to[c]);
    const double ratio = used ? static_cast<double>(from[c]) / static_cast<double>(to[c]) : 1;
    constexpr double kLargest = kLargestExponent;
    const double exponent = std::clamp(std::nearbyint(std::log2(ratio) / 2), -kLargest, kLargest);
    exponents.push_back(static_cast<int>(exponent));
  }
  if (std::all_of(exponents.begin(), exponents.end(), [](int e) { return e == 0; })) return false;
  for (const size_t index : {1, 2}) {
    if (first.input(index) == nullptr) continue;
    const bool weights = index == 1 && !first.def->normalizes;
    const size_t channels = weights ? static_cast<size_t>(first.def->weight_channels)
                                    : first.inputs[index]->type.shape.rank() - 1;
    Scale(graph, first, index, channels, exponents, -1);
  }
  for (Op* reader : readers) Scale(graph, *reader, 1, InputDimension(*reader), exponents, 1);
  return true;
}

}  // namespace

absl::StatusOr<int> EqualizeWeights(Graph& graph) {
  std::set<const Op*> changed;
  for (int round = 0; round < kRounds; ++round) {
    bool any = false;
    for (Op& op : graph.ops()) {
      const std::vector<Op*> readers = ReadersToEqualizeWith(graph, op);
      if (readers.empty() || !Equalize(graph, op, readers)) continue;
      changed.insert(&op);
      any = true;
    }
    graph.RemoveDead();
    if (!any) break;
  }
  return static_cast<int>(changed.size());
}

}  // namespace synap_internal
