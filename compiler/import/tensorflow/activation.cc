// Functions of one operand, and softmax.
#include <utility>

#include "base/status_macros.h"
#include "compiler/import/tensorflow/op_table.h"

namespace synap_internal::tensorflow_import {
namespace {

// The op that means the same, for operators without attributes.
absl::string_view UnaryOp(absl::string_view op) {
  constexpr std::pair<absl::string_view, absl::string_view> kOps[] = {
      {"Relu", "relu"},
      {"Relu6", "relu6"},
      {"Sigmoid", "sigmoid"},
      {"Tanh", "tanh"},
      {"Elu", "elu"},
      {"Softplus", "softplus"},
      {"Exp", "exp"},
      {"Log", "log"},
      {"Erf", "erf"},
      {"Sqrt", "sqrt"},
      {"Rsqrt", "rsqrt"},
      {"Square", "square"},
      {"Abs", "abs"},
      {"Neg", "neg"},
      {"Sign", "sign"},
      {"Floor", "floor"},
      {"Ceil", "ceil"},
      {"Round", "round"},
      {"Rint", "round"},
      {"Inv", "reciprocal"},
      {"Reciprocal", "reciprocal"},
      {"LogicalNot", "logical_not"},
  };
  for (const auto& [name, ours] : kOps) {
    if (name == op) return ours;
  }
  return "";
}

absl::Status MapUnary(NodeContext& node) {
  return node.SetOutput(node.Emit(UnaryOp(node.op()), {node.input(0)}));
}

absl::Status MapLeakyRelu(NodeContext& node) {
  return node.SetOutput(
      node.Emit("leaky_relu", {node.input(0)}, {{"alpha", node.Float("alpha", 0.2f)}}));
}

// scale * elu(x), with the constants of the paper (arXiv:1706.02515).
absl::Status MapSelu(NodeContext& node) {
  constexpr float kAlpha = 1.67326324f, kScale = 1.05070099f;
  ASSIGN_OR_RETURN(Tensor * elu, node.Emit("elu", {node.input(0)}, {{"alpha", kAlpha}}, ".elu"));
  Tensor* scale = node.builder().AddScalar(node.Name(".scale"), kScale);
  return node.SetOutput(node.Emit("mul", {elu, scale}));
}

// x / (1 + |x|)
absl::Status MapSoftsign(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * abs, node.Emit("abs", {node.input(0)}, {}, ".abs"));
  Tensor* one = node.builder().AddScalar(node.Name(".one"), 1.0f);
  ASSIGN_OR_RETURN(Tensor * sum, node.Emit("add", {abs, one}, {}, ".sum"));
  return node.SetOutput(node.Emit("div", {node.input(0), sum}));
}

absl::Status MapClipByValue(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * low, node.Emit("maximum", {node.input(0), node.input(1)}, {}, ".low"));
  return node.SetOutput(node.Emit("minimum", {low, node.input(2)}));
}

absl::Status MapSoftmax(NodeContext& node) {
  const bool log = node.op() == "LogSoftmax";
  return node.SetOutput(
      node.Emit(log ? "log_softmax" : "softmax", {node.input(0)}, {{"axis", int64_t{-1}}}));
}

constexpr OpMapping kMappings[] = {
    {"Relu", 1, 1, MapUnary},          {"Relu6", 1, 1, MapUnary},
    {"Sigmoid", 1, 1, MapUnary},       {"Tanh", 1, 1, MapUnary},
    {"Elu", 1, 1, MapUnary},           {"Softplus", 1, 1, MapUnary},
    {"Exp", 1, 1, MapUnary},           {"Log", 1, 1, MapUnary},
    {"Erf", 1, 1, MapUnary},           {"Sqrt", 1, 1, MapUnary},
    {"Rsqrt", 1, 1, MapUnary},         {"Square", 1, 1, MapUnary},
    {"Abs", 1, 1, MapUnary},           {"Neg", 1, 1, MapUnary},
    {"Sign", 1, 1, MapUnary},          {"Floor", 1, 1, MapUnary},
    {"Ceil", 1, 1, MapUnary},          {"Round", 1, 1, MapUnary},
    {"Rint", 1, 1, MapUnary},          {"Inv", 1, 1, MapUnary},
    {"Reciprocal", 1, 1, MapUnary},    {"LogicalNot", 1, 1, MapUnary},
    {"LeakyRelu", 1, 1, MapLeakyRelu}, {"Selu", 1, 1, MapSelu},
    {"Softsign", 1, 1, MapSoftsign},   {"ClipByValue", 3, 3, MapClipByValue},
    {"Softmax", 1, 1, MapSoftmax},     {"LogSoftmax", 1, 1, MapSoftmax},
};

}  // namespace

absl::Span<const OpMapping> ActivationMappings() { return kMappings; }

}  // namespace synap_internal::tensorflow_import
