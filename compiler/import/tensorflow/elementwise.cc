// Operators of two or more operands that broadcast.
#include "compiler/import/emit/elementwise.h"

#include "compiler/import/tensorflow/op_table.h"

namespace synap_internal::tensorflow_import {
namespace {

// x / 1 * 1, which is left of dropout in a graph for inference, is x.
absl::Status MapMul(NodeContext& node) {
  Tensor *a = node.input(0), *b = node.input(1);
  if (NumberBeside(*b, *a) == 1) return node.SetOutput(a);
  if (NumberBeside(*a, *b) == 1) return node.SetOutput(b);
  return MapOp<"mul">(node);
}

absl::Status MapDiv(NodeContext& node) {
  if (NumberBeside(*node.input(1), *node.input(0)) == 1) return node.SetOutput(node.input(0));
  return MapOp<"div">(node);
}

absl::Status MapAddN(NodeContext& node) {
  const auto operand = [&](size_t i) -> Emitted { return node.input(i); };
  return node.SetOutput(EmitChain(node, "add", node.input_count(), operand));
}

// A bias for each channel, whichever dimension the channels are.
absl::Status MapBiasAdd(NodeContext& node) {
  if (!node.IsNchw()) return MapOp<"add">(node);
  return node.SetOutput(node.EmitImage("add", {node.Image(node.input(0)), node.input(1)}, {}));
}

// The operand that a constant condition of one element chooses, if it doesn't broadcast; else
// null.
Tensor* ChosenOperand(const NodeContext& node) {
  const Tensor& condition = *node.input(0);
  const TensorType& type = condition.type;
  const bool one = condition.is_constant() && type.dtype == DataType::kBool &&
                   type.shape.elements() == 1 && type.shape.rank() <= node.shape(1).rank();
  if (!one || node.shape(1) != node.shape(2)) return nullptr;
  return node.input(condition.constant->bytes[0] != 0 ? 1 : 2);
}

absl::Status MapSelect(NodeContext& node) {
  if (Tensor* chosen = ChosenOperand(node)) return node.SetOutput(chosen);
  if (node.op() == "SelectV2") return node.SetOutput(node.Emit("where", node.inputs()));
  return node.SetOutput(EmitRowSelect(node, node.input(0), node.input(1), node.input(2)));
}

constexpr OpMapping kElementwiseMappings[] = {
    {"Add", 2, 2, MapOp<"add">},
    {"AddV2", 2, 2, MapOp<"add">},
    {"Sub", 2, 2, MapOp<"sub">},
    {"Mul", 2, 2, MapMul},
    {"Div", 2, 2, MapDiv},
    {"RealDiv", 2, 2, MapDiv},
    {"Maximum", 2, 2, MapOp<"maximum">},
    {"Minimum", 2, 2, MapOp<"minimum">},
    {"Pow", 2, 2, MapOp<"pow">},
    {"Equal", 2, 2, MapOp<"equal">},
    {"Less", 2, 2, MapOp<"less">},
    {"Greater", 2, 2, MapOp<"greater">},
    {"NotEqual", 2, 2, MapPair<EmitNegated<"equal">>},
    {"LessEqual", 2, 2, MapPair<EmitNegated<"greater">>},
    {"GreaterEqual", 2, 2, MapPair<EmitNegated<"less">>},
    {"SquaredDifference", 2, 2, MapPair<EmitSquaredDifference>},
    {"FloorMod", 2, 2, MapPair<EmitFloorMod>},
    {"FloorDiv", 2, 2, MapPair<EmitFloorDiv>},
    {"AddN", 1, kAnyCount, MapAddN},
    {"BiasAdd", 2, 2, MapBiasAdd},
    {"BiasAddV1", 2, 2, MapBiasAdd},
    {"Select", 3, 3, MapSelect},
    {"SelectV2", 3, 3, MapSelect},
    {"LogicalAnd", 2, 2, MapPair<EmitAnd>},
    {"LogicalOr", 2, 2, MapPair<EmitOr>},
};

}  // namespace

absl::Span<const OpMapping> ElementwiseMappings() { return kElementwiseMappings; }

}  // namespace synap_internal::tensorflow_import
