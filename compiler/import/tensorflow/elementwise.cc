// Operators of two or more operands that broadcast.
#include "compiler/import/emit/elementwise.h"

#include "base/status_macros.h"
#include "compiler/import/emit/op_name.h"
#include "compiler/import/tensorflow/op_table.h"

namespace synap_internal::tensorflow_import {
namespace {

template <OpName kOp>
absl::Status MapBinary(NodeContext& node) {
  return node.SetOutput(node.Emit(kOp, {node.input(0), node.input(1)}));
}

// x / 1 * 1, which is left of dropout in a graph for inference, is x.
absl::Status MapMul(NodeContext& node) {
  Tensor *a = node.input(0), *b = node.input(1);
  if (NumberBeside(*b, *a) == 1) return node.SetOutput(a);
  if (NumberBeside(*a, *b) == 1) return node.SetOutput(b);
  return MapBinary<"mul">(node);
}

absl::Status MapDiv(NodeContext& node) {
  if (NumberBeside(*node.input(1), *node.input(0)) == 1) return node.SetOutput(node.input(0));
  return MapBinary<"div">(node);
}

// not kOpposite(a, b)
template <OpName kOpposite>
absl::Status MapNegatedComparison(NodeContext& node) {
  return node.SetOutput(EmitNegatedComparison(node, kOpposite, node.input(0), node.input(1)));
}

// Any of the emitters of two operands.
template <absl::StatusOr<Tensor*> (*kEmit)(OpEmitter&, Tensor*, Tensor*)>
absl::Status MapPair(NodeContext& node) {
  return node.SetOutput(kEmit(node, node.input(0), node.input(1)));
}

absl::Status MapAddN(NodeContext& node) {
  const auto operand = [&](size_t i) { return absl::StatusOr<Tensor*>(node.input(i)); };
  return node.SetOutput(EmitChain(node, "add", node.input_count(), operand, ".sum"));
}

// A bias for each channel, whichever dimension the channels are.
absl::Status MapBiasAdd(NodeContext& node) {
  Tensor *x = node.input(0), *bias = node.input(1);
  if (!node.IsNchw()) return MapBinary<"add">(node);
  ASSIGN_OR_RETURN(x, node.Image(x));
  return node.SetOutput(node.EmitImage("add", {x, bias}, {}));
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
  return node.SetOutput(EmitRowSelect(node, node.input(0), node.input(1), node.input(2)));
}

absl::Status MapSelectV2(NodeContext& node) {
  if (Tensor* chosen = ChosenOperand(node)) return node.SetOutput(chosen);
  return node.SetOutput(node.Emit("where", {node.input(0), node.input(1), node.input(2)}));
}

constexpr OpMapping kMappings[] = {
    {"Add", 2, 2, MapBinary<"add">},
    {"AddV2", 2, 2, MapBinary<"add">},
    {"Sub", 2, 2, MapBinary<"sub">},
    {"Mul", 2, 2, MapMul},
    {"Div", 2, 2, MapDiv},
    {"RealDiv", 2, 2, MapDiv},
    {"Maximum", 2, 2, MapBinary<"maximum">},
    {"Minimum", 2, 2, MapBinary<"minimum">},
    {"Pow", 2, 2, MapBinary<"pow">},
    {"Equal", 2, 2, MapBinary<"equal">},
    {"Less", 2, 2, MapBinary<"less">},
    {"Greater", 2, 2, MapBinary<"greater">},
    {"NotEqual", 2, 2, MapNegatedComparison<"equal">},
    {"LessEqual", 2, 2, MapNegatedComparison<"greater">},
    {"GreaterEqual", 2, 2, MapNegatedComparison<"less">},
    {"SquaredDifference", 2, 2, MapPair<EmitSquaredDifference>},
    {"FloorMod", 2, 2, MapPair<EmitFloorMod>},
    {"FloorDiv", 2, 2, MapPair<EmitFloorDiv>},
    {"AddN", 1, kAnyCount, MapAddN},
    {"BiasAdd", 2, 2, MapBiasAdd},
    {"BiasAddV1", 2, 2, MapBiasAdd},
    {"Select", 3, 3, MapSelect},
    {"SelectV2", 3, 3, MapSelectV2},
    {"LogicalAnd", 2, 2, MapPair<EmitAnd>},
    {"LogicalOr", 2, 2, MapPair<EmitOr>},
};

}  // namespace

absl::Span<const OpMapping> ElementwiseMappings() { return kMappings; }

}  // namespace synap_internal::tensorflow_import
