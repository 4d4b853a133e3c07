// Operators of com.microsoft that ONNX Runtime's optimizer writes into float models. Source:
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/emit/axes.h"
#include "compiler/import/emit/matmul.h"
#include "compiler/import/emit/normalization.h"
#include "compiler/import/emit/op_name.h"
#include "compiler/import/onnx/as_operator.h"
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
absl::StatusOr<Tensor*> Biased(NodeContext& node) {
  if (!node.HasInput(1)) return node.input(0);
  return node.Emit("add", {node.input(0), node.input(1)}, {}, ".biased");
}

absl::Status MapBiasGelu(NodeContext& node) {
  return node.SetOutput(node.Emit("gelu", {Biased(node)}, {{"approximate", int64_t{0}}}));
}

absl::Status MapFastGelu(NodeContext& node) {
  return node.SetOutput(node.Emit("gelu", {Biased(node)}, {{"approximate", int64_t{1}}}));
}

// x * sigmoid(alpha * x)
absl::Status MapQuickGelu(NodeContext& node) {
  Tensor* x = node.input(0);
  const float alpha = node.Float("alpha", 1.702f);
  if (alpha == 1) return node.SetOutput(node.Emit("silu", {x}));
  ASSIGN_OR_RETURN(Tensor * gate,
                   node.Emit("sigmoid", {node.Scale(x, alpha, ".scaled")}, {}, ".sigmoid"));
  return node.SetOutput(node.Emit("mul", {x, gate}));
}

// --- Products with an activation

// The attributes 'activation' and, in the order of the operator's own, its parameters.
struct FusedActivation {
  std::string op_type;
  std::vector<float> parameters;
};

absl::StatusOr<Tensor*> EmitActivation(NodeContext& node, const FusedActivation& activation,
                                       Tensor* x) {
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
absl::Status SetActivated(NodeContext& node, const FusedActivation& activation, Tensor* x) {
  if (activation.op_type.empty()) return node.SetOutput(x);
  return node.SetOutput(EmitActivation(node, activation, x));
}

// activation(Conv(x, w, b) + z)
absl::Status MapFusedConv(NodeContext& node) {
  const FusedActivation activation{node.String("activation", ""), node.Floats("activation_params")};
  std::vector<Tensor*> operands = {node.input(0), node.input(1)};
  if (node.HasInput(2)) operands.push_back(node.input(2));
  ASSIGN_OR_RETURN(Tensor * y,
                   EmitAs(node, "Conv", std::move(operands), {"activation", "activation_params"}));
  if (node.HasInput(3)) {
    ASSIGN_OR_RETURN(y, node.Emit("add", {y, node.input(3)}, {}, ".sum"));
  }
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
  ASSIGN_OR_RETURN(Tensor * y, EmitAs(node, "Gemm", std::move(operands),
                                      {"activation", "activation_alpha", "activation_beta"}));
  return SetActivated(node, activation, y);
}

// With `batch`, the first dimension stands before the last: [M, batch..., K] as [batch..., M, K].
// With `matrix`, the last two are swapped before that.
absl::StatusOr<Tensor*> EmitOperandOfProduct(NodeContext& node, Tensor* x, bool matrix, bool batch,
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
absl::StatusOr<Tensor*> SkipSum(NodeContext& node, Tensor* bias) {
  ASSIGN_OR_RETURN(Tensor * sum, node.Emit("add", {node.input(0), node.input(1)}, {}, ".sum"));
  if (bias != nullptr) {
    ASSIGN_OR_RETURN(sum, node.Emit("add", {sum, bias}, {}, ".biased"));
  }
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
  ASSIGN_OR_RETURN(Tensor * sum, SkipSum(node, node.input(3)));
  return node.SetOutput(EmitAs(node, "RMSNormalization", {sum, node.input(2)}));
}

constexpr char kActivations[] =
    "'activation' of Relu, Tanh, Sigmoid, LeakyRelu, HardSigmoid and Clip";
constexpr char kNoStatistics[] = "without the outputs 'mean' and 'inv_std_var'";

constexpr OpMapping kContributedMappings[] = {
    {"BiasGelu", 2, 2, MapBiasGelu},
    {"FastGelu", 1, 2, MapFastGelu},
    {"FusedConv", 2, 4, MapFusedConv, kActivations},
    {"FusedGemm", 2, 3, MapFusedGemm, kActivations},
    {"FusedMatMul", 2, 2, MapFusedMatMul},
    {"Gelu", 1, 1, MapAs<"Gelu">},
    {"QuickGelu", 1, 1, MapQuickGelu},
    {"SkipLayerNormalization", 3, 5, MapSkipLayerNormalization, kNoStatistics},
    {"SkipSimplifiedLayerNormalization", 3, 4, MapSkipSimplifiedLayerNormalization, kNoStatistics},
};

}  // namespace

absl::Span<const OpMapping> ContributedMappings() { return kContributedMappings; }

}  // namespace synap_internal::onnx_import
