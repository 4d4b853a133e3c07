// Operators of two or more tensors that broadcast.
#include "compiler/import/emit/elementwise.h"

#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "base/status_macros.h"
#include "compiler/import/emit/op_name.h"
#include "compiler/import/torchscript/op_table.h"
#include "compiler/import/torchscript/scalar_type.h"
#include "compiler/import/torchscript/value_dependent.h"

namespace synap_internal::torchscript_import {
namespace {

struct Operands {
  Tensor* a;
  Tensor* b;
};

bool AreNumbers(const NodeContext& node) {
  return !node.argument(0).IsTensor() && !node.argument(1).IsTensor();
}

absl::Status MapNumbers(NodeContext& node) {
  return node.SetOutput(ScalarBinary(node.kind(), node.argument(0), node.argument(1)));
}

// Both as the more general of their types, and `least` at least.
absl::StatusOr<Operands> Promoted(NodeContext& node, Operands x, DataType least) {
  const DataType type = MoreGeneral(least, MoreGeneral(x.a->type.dtype, x.b->type.dtype));
  ASSIGN_OR_RETURN(x.a, node.Cast(x.a, type, ".a"));
  ASSIGN_OR_RETURN(x.b, node.Cast(x.b, type, ".b"));
  return x;
}

// Arguments `first` and the next.
absl::StatusOr<Operands> GetOperands(NodeContext& node, size_t first = 0) {
  Operands x;
  ASSIGN_OR_RETURN(x.a, node.GetNumbers(first));
  ASSIGN_OR_RETURN(x.b, node.GetNumbers(first + 1));
  return x;
}

absl::StatusOr<Operands> GetPromoted(NodeContext& node, DataType least = DataType::kInt64,
                                     size_t first = 0) {
  ASSIGN_OR_RETURN(const Operands x, GetOperands(node, first));
  return Promoted(node, x, least);
}

bool AreBools(const Operands& x) {
  return x.a->type.dtype == DataType::kBool && x.b->type.dtype == DataType::kBool;
}

// a + alpha * b, a - alpha * b or, of rsub, b - alpha * a.
absl::Status MapAdd(NodeContext& node) {
  if (AreNumbers(node)) return MapNumbers(node);
  ASSIGN_OR_RETURN(Operands x, GetOperands(node));
  if (node.kind() == "aten::rsub") std::swap(x.a, x.b);
  if (node.Has(2)) {
    ASSIGN_OR_RETURN(const float alpha, node.GetReal(2));
    if (alpha != 1) {
      ASSIGN_OR_RETURN(Tensor * factor, node.GetNumbers(2));
      ASSIGN_OR_RETURN(const Operands scaled, Promoted(node, {x.b, factor}, DataType::kInt64));
      ASSIGN_OR_RETURN(x.b, node.Emit("mul", {scaled.a, scaled.b}, {}, ".scaled"));
    }
  }
  if (AreBools(x) && node.kind() == "aten::add") return node.SetOutput(EmitOr(node, x.a, x.b));
  ASSIGN_OR_RETURN(x, Promoted(node, x, DataType::kInt64));
  return node.SetOutput(node.Emit(node.kind() == "aten::add" ? "add" : "sub", {x.a, x.b}));
}

absl::Status MapMul(NodeContext& node) {
  if (AreNumbers(node)) return MapNumbers(node);
  ASSIGN_OR_RETURN(const Operands x, GetPromoted(node, DataType::kBool));
  if (AreBools(x)) return node.SetOutput(EmitAnd(node, x.a, x.b));
  return node.SetOutput(node.Emit("mul", {x.a, x.b}));
}

// Towards zero.
Emitted TruncatedQuotient(NodeContext& node, const Operands& x) {
  const Emitted quotient = node.Emit("div", {x.a, x.b}, {}, ".quotient");
  if (x.a->type.dtype != DataType::kFloat32) return quotient;
  return node.Cast(node.Cast(quotient, DataType::kInt64, ".integral"), DataType::kFloat32,
                   ".truncated");
}

absl::Status MapDiv(NodeContext& node) {
  if (AreNumbers(node)) return MapNumbers(node);
  const std::string* mode = node.Has(2) ? node.argument(2).Get<std::string>() : nullptr;
  const absl::string_view rounding = mode == nullptr ? absl::string_view() : *mode;
  const bool exact = rounding.empty();
  ASSIGN_OR_RETURN(const Operands x,
                   GetPromoted(node, exact ? DataType::kFloat32 : DataType::kInt64));
  if (rounding == "floor") return node.SetOutput(EmitFloorDiv(node, x.a, x.b));
  if (rounding == "trunc") return node.SetOutput(TruncatedQuotient(node, x));
  return node.SetOutput(node.Emit("div", {x.a, x.b}));
}

// Any of the emitters of two operands.
template <auto kEmit>
absl::Status MapPair(NodeContext& node) {
  if (AreNumbers(node)) return MapNumbers(node);
  ASSIGN_OR_RETURN(const Operands x, GetPromoted(node));
  return node.SetOutput(kEmit(node, x.a, x.b));
}

absl::Status MapPow(NodeContext& node) {
  if (AreNumbers(node)) return MapNumbers(node);
  ASSIGN_OR_RETURN(const Operands x, GetPromoted(node, DataType::kFloat32));
  if (NumberBeside(*x.b, *x.a) == 2) return node.SetOutput(node.Emit("square", {x.a}));
  return node.SetOutput(node.Emit("pow", {x.a, x.b}));
}

absl::Status MapExtremum(NodeContext& node) {
  if (AreNumbers(node)) return MapNumbers(node);
  const bool max = node.kind() == "aten::maximum";
  ASSIGN_OR_RETURN(const Operands x, GetPromoted(node, DataType::kBool));
  if (AreBools(x)) return node.SetOutput(max ? EmitOr(node, x.a, x.b) : EmitAnd(node, x.a, x.b));
  return node.SetOutput(node.Emit(max ? "maximum" : "minimum", {x.a, x.b}));
}

// Operators of bools; those of bits have kernels for bools alone.
absl::Status MapLogical(NodeContext& node) {
  if (AreNumbers(node)) return MapNumbers(node);
  const std::string& kind = node.kind();
  ASSIGN_OR_RETURN(const Operands x, GetOperands(node));
  if (!absl::StartsWith(kind, "aten::logical_") && !AreBools(x)) {
    return absl::UnimplementedError("its operands are integers");
  }
  const Emitted a = node.Cast(x.a, DataType::kBool, ".a");
  const Emitted b = node.Cast(x.b, DataType::kBool, ".b");
  if (kind == "aten::logical_xor") return node.SetOutput(EmitXor(node, a, b));
  const bool conjunction = absl::StrContains(kind, "and");
  return node.SetOutput(conjunction ? EmitAnd(node, a, b) : EmitOr(node, a, b));
}

absl::Status MapLogicalNot(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, node.GetTensor(0));
  const bool bits = node.kind() == "aten::bitwise_not";
  if (bits && x->type.dtype != DataType::kBool) {
    return absl::UnimplementedError("its operand is of integers");
  }
  return node.SetOutput(node.Emit("logical_not", {node.Cast(x, DataType::kBool, ".x")}));
}

absl::Status MapWhere(NodeContext& node) {
  if (node.size() == 1) return MapNonZeroList(node);
  const Emitted condition = node.Cast(node.GetTensor(0), DataType::kBool, ".condition");
  ASSIGN_OR_RETURN(const Operands x, GetPromoted(node, DataType::kBool, 1));
  return node.SetOutput(node.Emit("where", {condition, x.a, x.b}));
}

// x where the mask is false, else a value.
absl::Status MapMaskedFill(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, node.GetTensor(0));
  const Emitted mask = node.Cast(node.GetTensor(1), DataType::kBool, ".mask");
  const Emitted value = node.Cast(node.GetNumbers(2), x->type.dtype, ".value");
  return node.SetOutput(node.Emit("where", {mask, value, x}));
}

// x + value * (a op b)
absl::Status MapAddProduct(NodeContext& node) {
  ASSIGN_OR_RETURN(const float value, node.GetRealOr(3, 1));
  const char* op = node.kind() == "aten::addcmul" ? "mul" : "div";
  const Emitted product = node.Emit(op, {node.GetTensor(1), node.GetTensor(2)}, {}, ".product");
  return node.SetOutput(
      node.Emit("add", {node.GetTensor(0), node.Scale(product, value, ".scaled")}));
}

constexpr char kBools[] = "bools";

constexpr OpMapping kElementwiseMappings[] = {
    {"aten::add", 2, MapAdd},
    {"aten::sub", 2, MapAdd},
    {"aten::subtract", 2, MapAdd},
    {"aten::rsub", 2, MapAdd},
    {"aten::mul", 2, MapMul},
    {"aten::multiply", 2, MapMul},
    {"aten::div", 2, MapDiv},
    {"aten::divide", 2, MapDiv},
    {"aten::true_divide", 2, MapDiv},
    {"aten::floor_divide", 2, MapPair<EmitFloorDiv>},
    {"aten::remainder", 2, MapPair<EmitFloorMod>},
    {"aten::pow", 2, MapPow},
    {"aten::maximum", 2, MapExtremum},
    {"aten::minimum", 2, MapExtremum},
    {"aten::eq", 2, MapPair<EmitBinary<"equal">>},
    {"aten::ne", 2, MapPair<EmitNegated<"equal">>},
    {"aten::lt", 2, MapPair<EmitBinary<"less">>},
    {"aten::le", 2, MapPair<EmitLessOrEqual>},
    {"aten::gt", 2, MapPair<EmitBinary<"greater">>},
    {"aten::ge", 2, MapPair<EmitGreaterOrEqual>},
    {"aten::__and__", 2, MapLogical, kBools},
    {"aten::__or__", 2, MapLogical, kBools},
    {"aten::bitwise_and", 2, MapLogical, kBools},
    {"aten::bitwise_or", 2, MapLogical, kBools},
    {"aten::logical_and", 2, MapLogical},
    {"aten::logical_or", 2, MapLogical},
    {"aten::logical_xor", 2, MapLogical},
    {"aten::logical_not", 1, MapLogicalNot},
    {"aten::bitwise_not", 1, MapLogicalNot, kBools},
    {"aten::where", 1, MapWhere, "constants where it has no values"},
    {"aten::masked_fill", 3, MapMaskedFill, Result::kAlike},
    {"aten::addcmul", 3, MapAddProduct},
    {"aten::addcdiv", 3, MapAddProduct},
};

}  // namespace

absl::Span<const OpMapping> ElementwiseMappings() { return kElementwiseMappings; }

}  // namespace synap_internal::torchscript_import
