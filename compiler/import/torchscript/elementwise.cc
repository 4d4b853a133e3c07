// Operators of two or more tensors that broadcast.
#include "compiler/import/emit/elementwise.h"

#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "base/status_macros.h"
#include "compiler/import/emit/op_name.h"
#include "compiler/import/torchscript/op_table.h"
#include "compiler/import/torchscript/scalar.h"
#include "compiler/import/torchscript/scalar_type.h"

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
  ASSIGN_OR_RETURN(const Value value,
                   ScalarBinary(node.kind(), node.argument(0), node.argument(1)));
  node.SetOutput(value);
  return absl::OkStatus();
}

// Both as the more general of their types, and `least` at least.
absl::StatusOr<Operands> Promoted(NodeContext& node, Operands x, DataType least) {
  const DataType type = MoreGeneral(least, MoreGeneral(x.a->type.dtype, x.b->type.dtype));
  ASSIGN_OR_RETURN(x.a, node.Cast(x.a, type, ".a"));
  ASSIGN_OR_RETURN(x.b, node.Cast(x.b, type, ".b"));
  return x;
}

absl::StatusOr<Operands> GetOperands(NodeContext& node, DataType least = DataType::kInt64) {
  Operands x;
  ASSIGN_OR_RETURN(x.a, node.GetNumbers(0));
  ASSIGN_OR_RETURN(x.b, node.GetNumbers(1));
  return Promoted(node, x, least);
}

bool AreBools(const Operands& x) {
  return x.a->type.dtype == DataType::kBool && x.b->type.dtype == DataType::kBool;
}

bool AreReal(const Operands& x) { return x.a->type.dtype == DataType::kFloat32; }

// a + alpha * b, a - alpha * b or, of rsub, b - alpha * a.
absl::Status MapAdd(NodeContext& node) {
  if (AreNumbers(node)) return MapNumbers(node);
  Operands x;
  ASSIGN_OR_RETURN(x.a, node.GetNumbers(0));
  ASSIGN_OR_RETURN(x.b, node.GetNumbers(1));
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
  ASSIGN_OR_RETURN(const Operands x, GetOperands(node, DataType::kBool));
  if (AreBools(x)) return node.SetOutput(EmitAnd(node, x.a, x.b));
  return node.SetOutput(node.Emit("mul", {x.a, x.b}));
}

// Towards zero.
absl::StatusOr<Tensor*> TruncatedQuotient(NodeContext& node, const Operands& x) {
  ASSIGN_OR_RETURN(Tensor * quotient, node.Emit("div", {x.a, x.b}, {}, ".quotient"));
  if (!AreReal(x)) return quotient;
  ASSIGN_OR_RETURN(Tensor * integral, node.Cast(quotient, DataType::kInt64, ".integral"));
  return node.Cast(integral, DataType::kFloat32, ".truncated");
}

absl::Status MapDiv(NodeContext& node) {
  if (AreNumbers(node)) return MapNumbers(node);
  const std::string* mode = node.Has(2) ? node.argument(2).Get<std::string>() : nullptr;
  const absl::string_view rounding = mode == nullptr ? absl::string_view() : *mode;
  const bool exact = rounding.empty();
  ASSIGN_OR_RETURN(const Operands x,
                   GetOperands(node, exact ? DataType::kFloat32 : DataType::kInt64));
  if (rounding == "floor") return node.SetOutput(EmitFloorDiv(node, x.a, x.b));
  if (rounding == "trunc") return node.SetOutput(TruncatedQuotient(node, x));
  return node.SetOutput(node.Emit("div", {x.a, x.b}));
}

absl::Status MapFloorDivide(NodeContext& node) {
  if (AreNumbers(node)) return MapNumbers(node);
  ASSIGN_OR_RETURN(const Operands x, GetOperands(node));
  return node.SetOutput(EmitFloorDiv(node, x.a, x.b));
}

absl::Status MapRemainder(NodeContext& node) {
  if (AreNumbers(node)) return MapNumbers(node);
  ASSIGN_OR_RETURN(const Operands x, GetOperands(node));
  return node.SetOutput(EmitFloorMod(node, x.a, x.b));
}

absl::Status MapPow(NodeContext& node) {
  if (AreNumbers(node)) return MapNumbers(node);
  ASSIGN_OR_RETURN(const Operands x, GetOperands(node, DataType::kFloat32));
  if (NumberBeside(*x.b, *x.a) == 2) return node.SetOutput(node.Emit("square", {x.a}));
  return node.SetOutput(node.Emit("pow", {x.a, x.b}));
}

absl::Status MapExtremum(NodeContext& node) {
  if (AreNumbers(node)) return MapNumbers(node);
  const bool max = node.kind() == "aten::maximum";
  ASSIGN_OR_RETURN(const Operands x, GetOperands(node, DataType::kBool));
  if (AreBools(x)) return node.SetOutput(max ? EmitOr(node, x.a, x.b) : EmitAnd(node, x.a, x.b));
  return node.SetOutput(node.Emit(max ? "maximum" : "minimum", {x.a, x.b}));
}

template <OpName kOp>
absl::Status MapComparison(NodeContext& node) {
  if (AreNumbers(node)) return MapNumbers(node);
  ASSIGN_OR_RETURN(const Operands x, GetOperands(node));
  return node.SetOutput(node.Emit(kOp, {x.a, x.b}));
}

absl::Status MapNotEqual(NodeContext& node) {
  if (AreNumbers(node)) return MapNumbers(node);
  ASSIGN_OR_RETURN(const Operands x, GetOperands(node));
  return node.SetOutput(EmitNegatedComparison(node, "equal", x.a, x.b));
}

// kStrict(a, b) or a == b
template <OpName kStrict>
absl::Status MapOrEqual(NodeContext& node) {
  if (AreNumbers(node)) return MapNumbers(node);
  ASSIGN_OR_RETURN(const Operands x, GetOperands(node));
  return node.SetOutput(EmitOrEqual(node, kStrict, x.a, x.b));
}

// Operators of bools; those of bits have kernels for bools alone.
absl::Status MapLogical(NodeContext& node) {
  if (AreNumbers(node)) return MapNumbers(node);
  const std::string& kind = node.kind();
  Operands x;
  ASSIGN_OR_RETURN(x.a, node.GetNumbers(0));
  ASSIGN_OR_RETURN(x.b, node.GetNumbers(1));
  if (!absl::StartsWith(kind, "aten::logical_") && !AreBools(x)) {
    return absl::UnimplementedError("its operands are integers");
  }
  ASSIGN_OR_RETURN(x.a, node.Cast(x.a, DataType::kBool, ".a"));
  ASSIGN_OR_RETURN(x.b, node.Cast(x.b, DataType::kBool, ".b"));
  if (kind == "aten::logical_xor") return node.SetOutput(EmitXor(node, x.a, x.b, ".negated"));
  const bool conjunction = absl::StrContains(kind, "and");
  return node.SetOutput(conjunction ? EmitAnd(node, x.a, x.b) : EmitOr(node, x.a, x.b));
}

absl::Status MapLogicalNot(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, node.GetTensor(0));
  const bool bits = node.kind() == "aten::bitwise_not";
  if (bits && x->type.dtype != DataType::kBool) {
    return absl::UnimplementedError("its operand is of integers");
  }
  ASSIGN_OR_RETURN(x, node.Cast(x, DataType::kBool, ".x"));
  return node.SetOutput(node.Emit("logical_not", {x}));
}

absl::Status MapWhere(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * condition, node.GetTensor(0));
  ASSIGN_OR_RETURN(condition, node.Cast(condition, DataType::kBool, ".condition"));
  Operands x;
  ASSIGN_OR_RETURN(x.a, node.GetNumbers(1));
  ASSIGN_OR_RETURN(x.b, node.GetNumbers(2));
  ASSIGN_OR_RETURN(x, Promoted(node, x, DataType::kBool));
  return node.SetOutput(node.Emit("where", {condition, x.a, x.b}));
}

// x where the mask is false, else a value.
absl::Status MapMaskedFill(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, node.GetTensor(0));
  ASSIGN_OR_RETURN(Tensor * mask, node.GetTensor(1));
  ASSIGN_OR_RETURN(mask, node.Cast(mask, DataType::kBool, ".mask"));
  ASSIGN_OR_RETURN(Tensor * value, node.GetNumbers(2));
  ASSIGN_OR_RETURN(value, node.Cast(value, x->type.dtype, ".value"));
  return node.SetOutput(node.Emit("where", {mask, value, x}));
}

// x + value * (a op b)
absl::Status MapAddProduct(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, node.GetTensor(0));
  ASSIGN_OR_RETURN(Tensor * a, node.GetTensor(1));
  ASSIGN_OR_RETURN(Tensor * b, node.GetTensor(2));
  ASSIGN_OR_RETURN(const float value, node.GetRealOr(3, 1));
  const char* op = node.kind() == "aten::addcmul" ? "mul" : "div";
  ASSIGN_OR_RETURN(Tensor * product, node.Emit(op, {a, b}, {}, ".product"));
  if (value != 1) {
    ASSIGN_OR_RETURN(product,
                     node.Emit("mul", {product, node.Scalar(value, ".value")}, {}, ".scaled"));
  }
  return node.SetOutput(node.Emit("add", {x, product}));
}

constexpr char kBools[] = "bools";

constexpr OpMapping kMappings[] = {
    {"aten::add", 2, MapAdd},
    {"aten::sub", 2, MapAdd},
    {"aten::subtract", 2, MapAdd},
    {"aten::rsub", 2, MapAdd},
    {"aten::mul", 2, MapMul},
    {"aten::multiply", 2, MapMul},
    {"aten::div", 2, MapDiv},
    {"aten::divide", 2, MapDiv},
    {"aten::true_divide", 2, MapDiv},
    {"aten::floor_divide", 2, MapFloorDivide},
    {"aten::remainder", 2, MapRemainder},
    {"aten::pow", 2, MapPow},
    {"aten::maximum", 2, MapExtremum},
    {"aten::minimum", 2, MapExtremum},
    {"aten::eq", 2, MapComparison<"equal">},
    {"aten::ne", 2, MapNotEqual},
    {"aten::lt", 2, MapComparison<"less">},
    {"aten::le", 2, MapOrEqual<"less">},
    {"aten::gt", 2, MapComparison<"greater">},
    {"aten::ge", 2, MapOrEqual<"greater">},
    {"aten::__and__", 2, MapLogical, Quantized::kSame, Result::kNew, kBools},
    {"aten::__or__", 2, MapLogical, Quantized::kSame, Result::kNew, kBools},
    {"aten::bitwise_and", 2, MapLogical, Quantized::kSame, Result::kNew, kBools},
    {"aten::bitwise_or", 2, MapLogical, Quantized::kSame, Result::kNew, kBools},
    {"aten::logical_and", 2, MapLogical},
    {"aten::logical_or", 2, MapLogical},
    {"aten::logical_xor", 2, MapLogical},
    {"aten::logical_not", 1, MapLogicalNot},
    {"aten::bitwise_not", 1, MapLogicalNot, Quantized::kSame, Result::kNew, kBools},
    {"aten::where", 3, MapWhere},
    {"aten::masked_fill", 3, MapMaskedFill, Quantized::kSame, Result::kAlike},
    {"aten::addcmul", 3, MapAddProduct},
    {"aten::addcdiv", 3, MapAddProduct},
};

}  // namespace

absl::Span<const OpMapping> ElementwiseMappings() { return kMappings; }

}  // namespace synap_internal::torchscript_import
