// Operators of com.microsoft that ONNX Runtime's optimizer writes into float models, and those with
// weights of few bits. Source:
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/emit/axes.h"
#include "compiler/import/emit/matmul.h"
#include "compiler/import/emit/normalization.h"
#include "compiler/import/emit/op_name.h"
#include "compiler/import/onnx/op_table.h"

namespace synap_internal::onnx_import {
namespace {

// An operator that the default domain has too.
template <OpName kOp>
absl::Status MapAs(NodeContext& node) {
  return Operators().Find(kOp)->map(node);
}

// --- Activations

// x + bias, where there is a bias.
Emitted Biased(NodeContext& node) {
  if (!node.HasInput(1)) return node.input(0);
  return node.Emit("add", {node.input(0), node.input(1)}, {}, ".biased");
}

template <int64_t kApproximate>
absl::Status MapBiasGelu(NodeContext& node) {
  return node.SetOutput(node.Emit("gelu", {Biased(node)}, {{"approximate", kApproximate}}));
}

// x * sigmoid(alpha * x)
absl::Status MapQuickGelu(NodeContext& node) {
  Tensor* x = node.input(0);
  const float alpha = node.Float("alpha", 1.702f);
  if (alpha == 1) return node.SetOutput(node.Emit("silu", {x}));
  Emitted gate = node.Emit("sigmoid", {node.Scale(x, alpha, ".scaled")}, {}, ".sigmoid");
  return node.SetOutput(node.Emit("mul", {x, gate}));
}

// --- Products with an activation

// The attributes 'activation' and, in the order of the operator's own, its parameters.
struct FusedActivation {
  std::string op_type;
  std::vector<float> parameters;
};

Emitted EmitActivation(NodeContext& node, const FusedActivation& activation, const Emitted& x) {
  const std::string& type = activation.op_type;
  const std::vector<float>& given = activation.parameters;
  const auto parameter = [&](size_t i, float fallback) {
    return i < given.size() ? given[i] : fallback;
  };
  if (type == "Relu") return node.Emit("relu", {x});
  if (type == "Tanh") return node.Emit("tanh", {x});
  if (type == "Sigmoid") return node.Emit("sigmoid", {x});
  if (type == "LeakyRelu") {
    return node.Emit("leaky_relu", {x}, {{"alpha", parameter(0, 0.01f)}});
  }
  if (type == "HardSigmoid") {
    return node.Emit("hard_sigmoid", {x},
                     {{"alpha", parameter(0, 0.2f)}, {"beta", parameter(1, 0.5f)}});
  }
  if (type == "Clip" && given.size() == 2) {
    return node.Emit("clip", {x}, {{"min", given[0]}, {"max", given[1]}});
  }
  return absl::UnimplementedError(
      absl::StrCat("attribute 'activation' is '", type, "' with ", given.size(), " parameters"));
}

// The activation's output, or x where there is none.
absl::Status SetActivated(NodeContext& node, const FusedActivation& activation, const Emitted& x) {
  if (activation.op_type.empty()) return node.SetOutput(x);
  return node.SetOutput(EmitActivation(node, activation, x));
}

// activation(Conv(x, w, b) + z)
absl::Status MapFusedConv(NodeContext& node) {
  const FusedActivation activation{node.String("activation", ""), node.Floats("activation_params")};
  std::vector<Tensor*> operands = {node.input(0), node.input(1)};
  if (node.HasInput(2)) operands.push_back(node.input(2));
  Emitted y = EmitAs(node, "Conv", std::move(operands), {"activation", "activation_params"});
  if (node.HasInput(3)) y = node.Emit("add", {y, node.input(3)}, {}, ".sum");
  return SetActivated(node, activation, y);
}

absl::Status MapFusedGemm(NodeContext& node) {
  FusedActivation activation{node.String("activation", ""), {}};
  for (const char* name : {"activation_alpha", "activation_beta"}) {
    if (node.HasAttribute(name)) activation.parameters.push_back(node.Float(name, 0));
  }
  if (node.HasAttribute("activation_gamma")) {
    return absl::UnimplementedError("attribute 'activation_gamma' is set");
  }
  std::vector<Tensor*> operands = {node.input(0), node.input(1)};
  if (node.HasInput(2)) operands.push_back(node.input(2));
  return SetActivated(node, activation,
                      EmitAs(node, "Gemm", std::move(operands),
                             {"activation", "activation_alpha", "activation_beta"}));
}

// With `batch`, the first dimension stands before the last: [M, batch..., K] as [batch..., M, K].
// With `matrix`, the last two are swapped before that.
Emitted EmitOperandOfProduct(NodeContext& node, Tensor* x, bool matrix, bool batch,
                             absl::string_view suffix) {
  const size_t rank = x->type.shape.rank();
  if (rank < 2 || (!matrix && !batch)) return x;
  std::vector<int64_t> perm = AxesFrom(0, rank);
  if (batch) std::rotate(perm.begin(), perm.begin() + 1, perm.end() - 1);
  if (matrix) std::swap(perm[rank - 2], perm[rank - 1]);
  return node.Transpose(x, std::move(perm), suffix);
}

// alpha * a * b
absl::Status MapFusedMatMul(NodeContext& node) {
  Tensor* operands[] = {node.input(0), node.input(1)};
  for (size_t i = 0; i < 2; ++i) {
    const absl::string_view side = i == 0 ? "A" : "B";
    const bool matrix = node.Int(absl::StrCat("trans", side), 0) != 0;
    const bool batch = node.Int(absl::StrCat("transBatch", side), 0) != 0;
    ASSIGN_OR_RETURN(operands[i], EmitOperandOfProduct(node, operands[i], matrix, batch,
                                                       absl::StrCat(".", side)));
  }
  const float alpha = node.Float("alpha", 1);
  const absl::string_view suffix = alpha == 1 ? "" : ".product";
  return node.SetOutput(node.Scale(EmitMatmul(node, operands[0], operands[1], suffix), alpha));
}

// --- Normalizations of a sum

// input + skip + bias, also output 3.
Emitted SkipSum(NodeContext& node, Tensor* bias) {
  Emitted sum = node.Emit("add", {node.input(0), node.input(1)}, {}, ".sum");
  if (bias != nullptr) sum = node.Emit("add", {sum, bias}, {}, ".biased");
  RETURN_IF_ERROR(node.SetOutput(3, sum));
  return sum;
}

absl::Status CheckNoStatistics(const NodeContext& node) {
  if (!node.HasOutput(1) && !node.HasOutput(2)) return absl::OkStatus();
  return absl::UnimplementedError("its mean or deviation is an output");
}

// Operands: input, skip, gamma, beta, bias.
absl::Status MapSkipLayerNormalization(NodeContext& node) {
  RETURN_IF_ERROR(CheckNoStatistics(node));
  ASSIGN_OR_RETURN(Tensor * sum, SkipSum(node, node.input(4)));
  const auto last = static_cast<int64_t>(sum->type.shape.rank()) - 1;
  ASSIGN_OR_RETURN(const Standardized standard,
                   EmitStandardized(node, sum, {last}, node.Float("epsilon", 1e-12f)));
  return node.SetOutput(EmitAffine(node, standard.y, node.input(2), node.input(3)));
}

// Operands: input, skip, gamma, bias.
absl::Status MapSkipSimplifiedLayerNormalization(NodeContext& node) {
  RETURN_IF_ERROR(CheckNoStatistics(node));
  return node.SetOutput(
      EmitAs(node, "RMSNormalization", {SkipSum(node, node.input(3)), node.input(2)}));
}

// --- MatMulNBits, a product with weights that are quantized block by block

constexpr int64_t kBitsOfByte = 8;

// Each of `columns` has `depth` weights in `count` blocks of `size`, of which the last may be
// longer than its weights.
struct Blocks {
  int64_t columns = 0, depth = 0, size = 0, count = 0;
  int64_t bits = 4;

  // Bytes of `n` packed numbers.
  int64_t Packed(int64_t n) const { return (n * bits + kBitsOfByte - 1) / kBitsOfByte; }
};

// Number `i` of packed ones: the first is in the low bits of the first byte.
int32_t Unpack(const uint8_t* bytes, int64_t i, int64_t bits) {
  const int64_t at = i * bits;
  return (bytes[at / kBitsOfByte] >> (at % kBitsOfByte)) & ((1 << bits) - 1);
}

absl::StatusOr<Blocks> ReadBlocks(NodeContext& node) {
  Blocks blocks{node.Int("N", 0), node.Int("K", 0), node.Int("block_size", 0)};
  blocks.bits = node.Int("bits", 4);
  node.IgnoreAttribute("accuracy_level");  // of the sums, which are float32 here
  if (blocks.bits != 2 && blocks.bits != 4 && blocks.bits != 8) {
    return absl::UnimplementedError(absl::StrCat("attribute 'bits' is ", blocks.bits));
  }
  constexpr int64_t kMost = int64_t{1} << 24;
  for (const int64_t number : {blocks.columns, blocks.depth, blocks.size}) {
    if (number >= 1 && number <= kMost) continue;
    return absl::InvalidArgumentError(absl::StrCat("attributes 'N', 'K' and 'block_size' are ",
                                                   blocks.columns, ", ", blocks.depth, " and ",
                                                   blocks.size, ", expected 1 to ", kMost));
  }
  blocks.count = (blocks.depth - 1) / blocks.size + 1;
  return blocks;
}

// Operand i is a constant of `type` with as many elements.
absl::Status CheckConstant(const NodeContext& node, size_t i, absl::string_view what, DataType type,
                           int64_t elements) {
  const Tensor& tensor = *node.input(i);
  if (!tensor.is_constant()) return NotConstant(what, tensor);
  const int64_t found = tensor.type.shape.elements();
  if (tensor.type.dtype == type && found == elements) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "its '", what, "' has ", found, " elements of ", synap_internal::Name(tensor.type.dtype),
      ", expected ", elements, " of ", synap_internal::Name(type)));
}

// Of each block, [columns, count]: packed column by column, or as floats. Without the operand the
// middle of the range.
absl::StatusOr<std::vector<float>> ReadZeroPoints(NodeContext& node, const Blocks& blocks) {
  const int64_t all = blocks.columns * blocks.count;
  if (!node.HasInput(3)) {
    return std::vector<float>(static_cast<size_t>(all), static_cast<float>(1 << (blocks.bits - 1)));
  }
  constexpr char kWhat[] = "zero_points";
  if (node.input(3)->type.dtype == DataType::kFloat32) {
    RETURN_IF_ERROR(CheckConstant(node, 3, kWhat, DataType::kFloat32, all));
    return node.ConstantFloats(3, kWhat);
  }
  const int64_t row = blocks.Packed(blocks.count);
  RETURN_IF_ERROR(CheckConstant(node, 3, kWhat, DataType::kUint8, blocks.columns * row));
  const uint8_t* bytes = node.input(3)->values<uint8_t>().data();
  std::vector<float> zero_points;
  for (int64_t i = 0; i < all; ++i) {
    const uint8_t* column = bytes + i / blocks.count * row;
    zero_points.push_back(static_cast<float>(Unpack(column, i % blocks.count, blocks.bits)));
  }
  return zero_points;
}

// The block whose scale and zero point each of `depth` weights of a column has.
absl::StatusOr<std::vector<int64_t>> ReadGroups(NodeContext& node, const Blocks& blocks) {
  std::vector<int64_t> groups;
  if (!node.HasInput(4)) {
    for (int64_t k = 0; k < blocks.depth; ++k) groups.push_back(k / blocks.size);
    return groups;
  }
  ASSIGN_OR_RETURN(groups, node.ConstantInts(4, "g_idx"));
  bool inside = static_cast<int64_t>(groups.size()) == blocks.depth;
  for (const int64_t group : groups) inside = inside && group >= 0 && group < blocks.count;
  if (inside) return groups;
  return absl::InvalidArgumentError(absl::StrCat("its 'g_idx' has ", groups.size(),
                                                 " elements, expected ", blocks.depth, " of 0 to ",
                                                 blocks.count - 1));
}

// The weights as float32 [depth, columns].
Emitted ReadWeights(NodeContext& node, const Blocks& blocks) {
  const Shape shape({blocks.depth, blocks.columns});
  RETURN_IF_ERROR(node.ChargeValues<float>(shape));
  const int64_t block = blocks.Packed(blocks.size), all = blocks.columns * blocks.count;
  RETURN_IF_ERROR(CheckConstant(node, 1, "B", DataType::kUint8, all * block));
  RETURN_IF_ERROR(CheckConstant(node, 2, "scales", DataType::kFloat32, all));
  ASSIGN_OR_RETURN(const std::vector<float> zero_points, ReadZeroPoints(node, blocks));
  ASSIGN_OR_RETURN(const std::vector<int64_t> groups, ReadGroups(node, blocks));
  const uint8_t* bytes = node.input(1)->values<uint8_t>().data();
  const absl::Span<const float> scales = node.input(2)->values<float>();
  std::vector<float> weights;
  weights.reserve(static_cast<size_t>(shape.elements()));
  for (int64_t k = 0; k < blocks.depth; ++k) {
    for (int64_t n = 0; n < blocks.columns; ++n) {
      const uint8_t* packed = bytes + (n * blocks.count + k / blocks.size) * block;
      const auto q = static_cast<float>(Unpack(packed, k % blocks.size, blocks.bits));
      const auto at = static_cast<size_t>(n * blocks.count + groups[static_cast<size_t>(k)]);
      weights.push_back((q - zero_points[at]) * scales[at]);
    }
  }
  return node.Values(shape, std::move(weights), ".weights");
}

// Operands: A [..., K], B, scales, zero_points, g_idx, bias [N].
absl::Status MapMatMulNBits(NodeContext& node) {
  ASSIGN_OR_RETURN(const Blocks blocks, ReadBlocks(node));
  const auto weights = ReadWeights(node, blocks);
  if (!node.HasInput(5)) return node.SetOutput(EmitMatmul(node, node.input(0), weights));
  return node.SetOutput(
      node.Emit("add", {EmitMatmul(node, node.input(0), weights, ".product"), node.input(5)}));
}

constexpr char kActivations[] =
    "'activation' of Relu, Tanh, Sigmoid, LeakyRelu, HardSigmoid and Clip";
constexpr char kNoStatistics[] = "without the outputs 'mean' and 'inv_std_var'";

constexpr OpMapping kContributedMappings[] = {
    {"BiasGelu", 2, 2, MapBiasGelu<0>},
    {"FastGelu", 1, 2, MapBiasGelu<1>},
    {"FusedConv", 2, 4, MapFusedConv, kActivations},
    {"FusedGemm", 2, 3, MapFusedGemm, kActivations},
    {"FusedMatMul", 2, 2, MapFusedMatMul},
    {"Gelu", 1, 1, MapAs<"Gelu">},
    {"MatMulNBits", 3, 6, MapMatMulNBits, "constant weights of 2, 4 and 8 bits"},
    {"QuickGelu", 1, 1, MapQuickGelu},
    {"SkipLayerNormalization", 3, 5, MapSkipLayerNormalization, kNoStatistics},
    {"SkipSimplifiedLayerNormalization", 3, 4, MapSkipSimplifiedLayerNormalization, kNoStatistics},
};

}  // namespace

absl::Span<const OpMapping> ContributedMappings() { return kContributedMappings; }

}  // namespace synap_internal::onnx_import
