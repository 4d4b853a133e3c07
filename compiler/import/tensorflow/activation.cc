// Functions of one operand, and softmax.
#include "compiler/import/emit/elementwise.h"
#include "compiler/import/tensorflow/op_table.h"

namespace synap_internal::tensorflow_import {
namespace {

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
  const Emitted low = node.Emit("maximum", {node.input(0), node.input(1)}, {}, ".low");
  return node.SetOutput(node.Emit("minimum", {low, node.input(2)}));
}

absl::Status MapSoftmax(NodeContext& node) {
  const bool log = node.op() == "LogSoftmax";
  return node.SetOutput(
      node.Emit(log ? "log_softmax" : "softmax", {node.input(0)}, {{"axis", int64_t{-1}}}));
}

constexpr OpMapping kActivationMappings[] = {
    {"Relu", 1, 1, MapOp<"relu">},
    {"Relu6", 1, 1, MapOp<"relu6">},
    {"Sigmoid", 1, 1, MapOp<"sigmoid">},
    {"Tanh", 1, 1, MapOp<"tanh">},
    {"Elu", 1, 1, MapOp<"elu">},
    {"Softplus", 1, 1, MapOp<"softplus">},
    {"Exp", 1, 1, MapOp<"exp">},
    {"Log", 1, 1, MapOp<"log">},
    {"Erf", 1, 1, MapOp<"erf">},
    {"Sqrt", 1, 1, MapOp<"sqrt">},
    {"Rsqrt", 1, 1, MapOp<"rsqrt">},
    {"Square", 1, 1, MapOp<"square">},
    {"Abs", 1, 1, MapOp<"abs">},
    {"Neg", 1, 1, MapOp<"neg">},
    {"Sign", 1, 1, MapOp<"sign">},
    {"Floor", 1, 1, MapOp<"floor">},
    {"Ceil", 1, 1, MapOp<"ceil">},
    {"Round", 1, 1, MapOp<"round">},
    {"Rint", 1, 1, MapOp<"round">},
    {"Inv", 1, 1, MapOp<"reciprocal">},
    {"Reciprocal", 1, 1, MapOp<"reciprocal">},
    {"LogicalNot", 1, 1, MapOp<"logical_not">},
    {"LeakyRelu", 1, 1, MapLeakyRelu},
    {"Selu", 1, 1, MapSelu},
    {"Softsign", 1, 1, MapSoftsign},
    {"ClipByValue", 3, 3, MapClipByValue},
    {"Softmax", 1, 1, MapSoftmax},
    {"LogSoftmax", 1, 1, MapSoftmax},
};

}  // namespace

absl::Span<const OpMapping> ActivationMappings() { return kActivationMappings; }

}  // namespace synap_internal::tensorflow_import
