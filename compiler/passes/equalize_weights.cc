#include "compiler/passes/equalize_weights.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>
#include <vector>

#include "compiler/passes/epilogue.h"
#include "compiler/passes/op_attributes.h"
#include "compiler/passes/tensor_uses.h"

namespace synap_internal {
namespace {

// Chains settle in a few rounds; a ring of them can't exist.
constexpr int kRounds = 8;
// More would give one channel's activations most of their tensor's range.
constexpr int kLargestExponent = 6;

bool IsFloatConstant(const Tensor& tensor) {
  return tensor.is_constant() && tensor.type.dtype == DataType::kFloat32;
}

// Weighted sums of x, w and maybe a bias whose last dimension of w counts the input's channels:
// no grouped convolutions. Transposed ones stay as they are.
bool HasWeightsByInput(const Op& op) {
  return op.def->is_weighted_sum() && !op.Is(LinearForm::kTransposed) && op.inputs.size() <= 3 &&
         IsFloatConstant(*op.inputs[1]) &&
         (op.input(2) == nullptr || IsFloatConstant(*op.input(2))) &&
         IntAttribute(op, "groups", 1) == 1;
}

// a * f(x) = f(a * x) for all a > 0.
bool IsHomogeneous(const Op& op) {
  return IsEpilogueEmpty(op) && op.attributes.count("max") == 0 &&
         FloatAttribute(op, "min", 0) == 0;
}

Op* ReaderToEqualizeWith(const Graph& graph, const Op& op) {
  if (!HasWeightsByInput(op) || !IsHomogeneous(op) || !HasSingleUse(graph, op.output()))
    return nullptr;
  Op* reader = op.output()->users[0];
  return HasWeightsByInput(*reader) ? reader : nullptr;
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

bool Equalize(Graph& graph, Op& first, Op& second) {
  const auto outputs = static_cast<size_t>(first.def->weight_channels);
  const size_t inputs = second.inputs[1]->type.shape.rank() - 1;
  const std::vector<float> from = LargestOf(*first.inputs[1], outputs);
  const std::vector<float> to = LargestOf(*second.inputs[1], inputs);
  std::vector<int> exponents;
  for (size_t c = 0; c < from.size(); ++c) {
    const bool used = from[c] > 0 && to[c] > 0 && std::isfinite(from[c]) && std::isfinite(to[c]);
    const double ratio = used ? static_cast<double>(from[c]) / static_cast<double>(to[c]) : 1;
    constexpr double kLargest = kLargestExponent;
    const double exponent = std::clamp(std::nearbyint(std::log2(ratio) / 2), -kLargest, kLargest);
    exponents.push_back(static_cast<int>(exponent));
  }
  if (std::all_of(exponents.begin(), exponents.end(), [](int e) { return e == 0; })) return false;
  Scale(graph, first, 1, outputs, exponents, -1);
  if (first.input(2) != nullptr) Scale(graph, first, 2, 0, exponents, -1);
  Scale(graph, second, 1, inputs, exponents, 1);
  return true;
}

}  // namespace

absl::StatusOr<int> EqualizeWeights(Graph& graph) {
  std::set<const Op*> changed;
  for (int round = 0; round < kRounds; ++round) {
    bool any = false;
    for (Op& op : graph.ops()) {
      Op* reader = ReaderToEqualizeWith(graph, op);
      if (reader == nullptr || !Equalize(graph, op, *reader)) continue;
      changed.insert(&op);
      any = true;
    }
    graph.RemoveDead();
    if (!any) break;
  }
  return static_cast<int>(changed.size());
}

}  // namespace synap_internal
