// Functions of one operand, and softmax.
#include "compiler/import/emit/activation.h"

#include "base/status_macros.h"
#include "compiler/import/emit/op_name.h"
#include "compiler/import/tensorflow/op_table.h"

namespace synap_internal::tensorflow_import {
namespace {

template <OpName kOp>
absl::Status MapUnary(NodeContext& node) {
  return node.SetOutput(node.Emit(kOp, {node.input(0)}));
}

absl::Status MapLeakyRelu(NodeContext& node) {
  return node.SetOutput(
      node.Emit("leaky_relu", {node.input(0)}, {{"alpha", node.Float("alpha", 0.2f)}}));
}

// With the constants of the paper (arXiv:1706.02515).
absl::Status MapSelu(NodeContext& node) {
  constexpr float kAlpha = 1.67326324f, kScale = 1.05070099f;
  return node.SetOutput(EmitSelu(node, node.input(0), kAlpha, kScale, ".scale"));
}

absl::Status MapSoftsign(NodeContext& node) {
  return node.SetOutput(EmitSoftsign(node, node.input(0), ".sum"));
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
    {"Relu", 1, 1, MapUnary<"relu">},
    {"Relu6", 1, 1, MapUnary<"relu6">},
    {"Sigmoid", 1, 1, MapUnary<"sigmoid">},
    {"Tanh", 1, 1, MapUnary<"tanh">},
    {"Elu", 1, 1, MapUnary<"elu">},
    {"Softplus", 1, 1, MapUnary<"softplus">},
    {"Exp", 1, 1, MapUnary<"exp">},
    {"Log", 1, 1, MapUnary<"log">},
    {"Erf", 1, 1, MapUnary<"erf">},
    {"Sqrt", 1, 1, MapUnary<"sqrt">},
    {"Rsqrt", 1, 1, MapUnary<"rsqrt">},
    {"Square", 1, 1, MapUnary<"square">},
    {"Abs", 1, 1, MapUnary<"abs">},
    {"Neg", 1, 1, MapUnary<"neg">},
    {"Sign", 1, 1, MapUnary<"sign">},
    {"Floor", 1, 1, MapUnary<"floor">},
    {"Ceil", 1, 1, MapUnary<"ceil">},
    {"Round", 1, 1, MapUnary<"round">},
    {"Rint", 1, 1, MapUnary<"round">},
    {"Inv", 1, 1, MapUnary<"reciprocal">},
    {"Reciprocal", 1, 1, MapUnary<"reciprocal">},
    {"LogicalNot", 1, 1, MapUnary<"logical_not">},
    {"LeakyRelu", 1, 1, MapLeakyRelu},
    {"Selu", 1, 1, MapSelu},
    {"Softsign", 1, 1, MapSoftsign},
    {"ClipByValue", 3, 3, MapClipByValue},
    {"Softmax", 1, 1, MapSoftmax},
    {"LogSoftmax", 1, 1, MapSoftmax},
};

}  // namespace

absl::Span<const OpMapping> ActivationMappings() { return kMappings; }

}  // namespace synap_internal::tensorflow_import
