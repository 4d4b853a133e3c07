// Operators of two or more operands that broadcast.
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/emit/floor_ops.h"
#include "compiler/import/tensorflow/op_table.h"

namespace synap_internal::tensorflow_import {
namespace {

absl::string_view BinaryOp(absl::string_view op) {
  constexpr std::pair<absl::string_view, absl::string_view> kOps[] = {
      {"Add", "add"},         {"AddV2", "add"},         {"Sub", "sub"},
      {"Mul", "mul"},         {"Div", "div"},           {"RealDiv", "div"},
      {"Maximum", "maximum"}, {"Minimum", "minimum"},   {"Pow", "pow"},
      {"Equal", "equal"},     {"Less", "less"},         {"Greater", "greater"},
      {"NotEqual", "equal"},  {"LessEqual", "greater"}, {"GreaterEqual", "less"},
  };
  for (const auto& [name, ours] : kOps) {
    if (name == op) return ours;
  }
  return "";
}

absl::Status MapBinary(NodeContext& node) {
  return node.SetOutput(node.Emit(BinaryOp(node.op()), {node.input(0), node.input(1)}));
}

bool IsOne(const Tensor* tensor) {
  return tensor->is_constant() && tensor->type.dtype == DataType::kFloat32 &&
         tensor->type.shape.elements() == 1 && tensor->values<float>()[0] == 1;
}

// What dropout leaves of itself, x / 1 * 1, is x.
absl::Status MapMulOrDiv(NodeContext& node) {
  const auto keeps_shape = [&](size_t other, size_t one) {
    return IsOne(node.input(one)) && node.shape(one).rank() <= node.shape(other).rank();
  };
  if (keeps_shape(0, 1)) return node.SetOutput(0, node.input(0));
  if (node.op() == "Mul" && keeps_shape(1, 0)) return node.SetOutput(0, node.input(1));
  return MapBinary(node);
}

// a != b, a <= b, a >= b
absl::Status MapNegatedComparison(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * negated,
                   node.Emit(BinaryOp(node.op()), {node.input(0), node.input(1)}, {}, ".negated"));
  return node.SetOutput(node.Emit("logical_not", {negated}));
}

absl::Status MapSquaredDifference(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * difference,
                   node.Emit("sub", {node.input(0), node.input(1)}, {}, ".difference"));
  return node.SetOutput(node.Emit("square", {difference}));
}

absl::Status MapFloorMod(NodeContext& node) {
  return node.SetOutput(EmitFloorMod(node, node.input(0), node.input(1)));
}

absl::Status MapFloorDiv(NodeContext& node) {
  return node.SetOutput(EmitFloorDiv(node, node.input(0), node.input(1)));
}

absl::Status MapAddN(NodeContext& node) {
  Tensor* sum = node.input(0);
  for (size_t i = 1; i < node.input_count(); ++i) {
    const bool last = i + 1 == node.input_count();
    ASSIGN_OR_RETURN(
        sum, node.Emit("add", {sum, node.input(i)}, {}, last ? "" : absl::StrCat(".sum", i)));
  }
  return node.SetOutput(0, sum);
}

// A bias for each channel, wherever these are.
absl::Status MapBiasAdd(NodeContext& node) {
  Tensor *x = node.input(0), *bias = node.input(1);
  if (!node.IsNchw()) return node.SetOutput(node.Emit("add", {x, bias}));
  ASSIGN_OR_RETURN(x, node.Image(x));
  return node.SetOutput(node.EmitImage("add", {x, bias}, {}));
}

// Select's condition may be one value for each row of the others.
absl::Status MapSelect(NodeContext& node) {
  Tensor* condition = node.input(0);
  const Shape& shape = condition->type.shape;
  const size_t rank = node.shape(1).rank();
  if (condition->is_constant() && condition->type.dtype == DataType::kBool &&
      shape.elements() == 1 && node.shape(1) == node.shape(2) && shape.rank() <= rank) {
    return node.SetOutput(0, node.input(condition->constant->bytes[0] != 0 ? 1 : 2));
  }
  if (node.op() == "Select" && shape.rank() == 1 && rank > 1 && shape[0] == node.shape(1)[0]) {
    std::vector<int64_t> dims(rank, 1);
    dims[0] = shape[0];
    ASSIGN_OR_RETURN(condition, node.Reshape(condition, std::move(dims), ".condition"));
  }
  return node.SetOutput(node.Emit("where", {condition, node.input(1), node.input(2)}));
}

// a and b = a ? b : a; a or b = a ? a : b
absl::Status MapLogical(NodeContext& node) {
  Tensor *a = node.input(0), *b = node.input(1);
  if (node.op() == "LogicalAnd") return node.SetOutput(node.Emit("where", {a, b, a}));
  return node.SetOutput(node.Emit("where", {a, a, b}));
}

constexpr OpMapping kMappings[] = {
    {"Add", 2, 2, MapBinary},
    {"AddV2", 2, 2, MapBinary},
    {"Sub", 2, 2, MapBinary},
    {"Mul", 2, 2, MapMulOrDiv},
    {"Div", 2, 2, MapMulOrDiv},
    {"RealDiv", 2, 2, MapMulOrDiv},
    {"Maximum", 2, 2, MapBinary},
    {"Minimum", 2, 2, MapBinary},
    {"Pow", 2, 2, MapBinary},
    {"Equal", 2, 2, MapBinary},
    {"Less", 2, 2, MapBinary},
    {"Greater", 2, 2, MapBinary},
    {"NotEqual", 2, 2, MapNegatedComparison},
    {"LessEqual", 2, 2, MapNegatedComparison},
    {"GreaterEqual", 2, 2, MapNegatedComparison},
    {"SquaredDifference", 2, 2, MapSquaredDifference},
    {"FloorMod", 2, 2, MapFloorMod},
    {"FloorDiv", 2, 2, MapFloorDiv},
    {"AddN", 1, kAnyCount, MapAddN},
    {"BiasAdd", 2, 2, MapBiasAdd},
    {"BiasAddV1", 2, 2, MapBiasAdd},
    {"Select", 3, 3, MapSelect},
    {"SelectV2", 3, 3, MapSelect},
    {"LogicalAnd", 2, 2, MapLogical},
    {"LogicalOr", 2, 2, MapLogical},
};

}  // namespace

absl::Span<const OpMapping> ElementwiseMappings() { return kMappings; }

}  // namespace synap_internal::tensorflow_import
