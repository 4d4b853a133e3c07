// Operators of two or more tensors that broadcast.
#include "compiler/import/emit/elementwise.h"

#include <optional>
#include <string>
#include <utility>

#include "base/status_macros.h"
#include "compiler/import/emit/op_name.h"
#include "compiler/import/torchscript/op_table.h"
#include "compiler/import/torchscript/operands.h"
#include "compiler/import/torchscript/scalar_type.h"
#include "compiler/import/torchscript/value_dependent.h"

namespace synap_internal::torchscript_import {
namespace {

bool AreNumbers(const NodeContext& node) {
  return !node.argument(0).IsTensor() && !node.argument(1).IsTensor();
}

absl::Status MapNumbers(NodeContext& node) {
  return node.SetOutput(ScalarBinary(node.kind(), node.argument(0), node.argument(1)));
}

bool AreBools(const Operands& x) {
  return x.a->type.dtype == DataType::kBool && x.b->type.dtype == DataType::kBool;
}

// x times the number that argument `at` is; x itself for 1 and without one.
Emitted ScaledBy(NodeContext& node, Tensor* x, size_t at) {
  ASSIGN_OR_RETURN(const float number, node.GetRealOr(at, 1));
  if (number == 1) return x;
  ASSIGN_OR_RETURN(Tensor * factor, node.GetNumbers(at));
  ASSIGN_OR_RETURN(const Operands scaled, Promoted(node, {x, factor}, DataType::kInt64));
  return node.Emit("mul", {scaled.a, scaled.b}, {}, ".scaled");
}

// a + alpha * b, a - alpha * b or, of rsub, b - alpha * a.
absl::Status MapAdd(NodeContext& node) {
  if (AreNumbers(node)) return MapNumbers(node);
  ASSIGN_OR_RETURN(Operands x, GetOperands(node));
  if (node.kind() == "aten::rsub") std::swap(x.a, x.b);
  ASSIGN_OR_RETURN(x.b, ScaledBy(node, x.b, 2));
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
  if (x.dtype() != DataType::kFloat32) return node.Emit("div", {x.a, x.b});
  return EmitTruncate(node, node.Emit("div", {x.a, x.b}, {}, ".quotient"));
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

// The exponent of integers that both operands are, if it is one constant of 0 to 63; products of
// such powers wrap, as PyTorch's do.
std::optional<int64_t> SmallExponent(const Operands& x) {
  constexpr int64_t kMost = 63;
  const bool number = x.b->is_constant() && x.b->type.dtype == DataType::kInt64 &&
                      x.b->type.shape.elements() == 1 &&
                      x.b->type.shape.rank() <= x.a->type.shape.rank();
  if (!number || x.a->type.dtype != DataType::kInt64) return std::nullopt;
  const int64_t exponent = x.b->values<int64_t>()[0];
  if (exponent < 0 || exponent > kMost) return std::nullopt;
  return exponent;
}

// x^exponent of integers by repeated squaring.
Emitted EmitIntegerPower(NodeContext& node, const Emitted& x, int64_t exponent) {
  if (exponent == 0) {
    const Emitted zeros = node.Emit("sub", {x, x}, {}, ".zeros");
    return node.Emit("add", {zeros, node.Integer(1, ".one")});
  }
  Emitted base = x, product = nullptr;
  for (; exponent > 0; exponent /= 2) {
    if (exponent % 2 != 0) {
      product = IsGiven(product) ? node.Emit("mul", {product, base}, {}, ".product") : base;
    }
    if (exponent > 1) base = node.Emit("square", {base}, {}, ".square");
  }
  return product;
}

// 2^k - 1, where k bits tell the sizes of all exponents.
int64_t MostOfExponents(const Tensor& exponents) {
  constexpr int64_t kMostComputed = 127, kMostNegative = 3;
  if (!exponents.is_constant()) return kMostComputed;
  int64_t most = 1;
  for (const int64_t exponent : exponents.values<int64_t>()) {
    while (most < (exponent < 0 ? kMostNegative : exponent)) most = 2 * most + 1;
  }
  return most;
}

// Exponents as numbers from 0 on that are odd where the exponent is: negative ones, which have
// powers of -1, 0 and 1 only, as 2 or 3, and computed ones beyond 63 as 64 or 65. Beyond 63 powers
// of even bases are 0, and those of odd ones but for -1 and 1 overflow.
Emitted EmitExponentSize(NodeContext& node, Tensor* exponent) {
  const auto integer = [&](int64_t value) { return node.Integer(value, ".exponent_bound"); };
  const Emitted odd = node.Emit("mod", {exponent, integer(2)}, {}, ".exponent_odd");
  const Emitted negative = node.Emit("less", {exponent, integer(0)}, {}, ".exponent_negative");
  const Emitted small = node.Emit("add", {odd, integer(2)}, {}, ".exponent_small");
  const Emitted size = node.Emit("where", {negative, small, exponent}, {}, ".exponent_size");
  if (exponent->is_constant()) return size;
  const Emitted beyond = node.Emit("add", {odd, integer(64)}, {}, ".exponent_beyond");
  const Emitted large = node.Emit("greater", {exponent, integer(63)}, {}, ".exponent_large");
  return node.Emit("where", {large, beyond, size}, {}, ".exponent");
}

// x^exponent of int64, by repeated squaring over the bits of the exponents, where products wrap.
// Negative exponents leave -1 and 1, and give 0 for all others.
Emitted EmitIntegerPowers(NodeContext& node, const Operands& x) {
  Tensor* zero = node.Integer(0, ".zero");
  Tensor* one = node.Integer(1, ".one");
  Tensor* two = node.Integer(2, ".two");
  const Emitted inverse = node.Emit("less", {x.b, zero}, {}, ".inverse");
  const Emitted size = node.Emit("abs", {x.a}, {}, ".size");
  const Emitted unit = node.Emit("equal", {size, one}, {}, ".unit");
  const Emitted inverted = node.Emit("where", {unit, x.a, zero}, {}, ".inverted");
  Emitted base = node.Emit("where", {inverse, inverted, x.a}, {}, ".base");
  Emitted rest = EmitExponentSize(node, x.b), power = one;
  int64_t step = 0;
  for (int64_t left = MostOfExponents(*x.b); left > 0; left /= 2, ++step) {
    OpEmitter bit = node.Step(step);
    const Emitted odd =
        bit.Emit("equal", {bit.Emit("mod", {rest, two}, {}, ".bit"), one}, {}, ".odd");
    const Emitted factor = bit.Emit("where", {odd, base, one}, {}, ".factor");
    power = bit.Emit("mul", {power, factor}, {}, ".power");
    if (left == 1) break;
    base = bit.Emit("square", {base}, {}, ".square");
    rest = bit.Emit("div", {rest, two}, {}, ".rest");
  }
  return power;
}

// Powers of integers are integers, those of float_power are real numbers.
absl::Status MapPow(NodeContext& node) {
  if (AreNumbers(node)) return MapNumbers(node);
  ASSIGN_OR_RETURN(Operands x, GetOperands(node));
  const bool integers = node.kind() == "aten::pow" &&
                        MoreGeneral(x.a->type.dtype, x.b->type.dtype) != DataType::kFloat32;
  if (integers) {
    ASSIGN_OR_RETURN(x, Promoted(node, x, DataType::kInt64));
    const std::optional<int64_t> exponent = SmallExponent(x);
    return node.SetOutput(exponent.has_value() ? EmitIntegerPower(node, x.a, *exponent)
                                               : EmitIntegerPowers(node, x));
  }
  ASSIGN_OR_RETURN(x, Promoted(node, x, DataType::kFloat32));
  if (NumberBeside(*x.b, *x.a) == 2) return node.SetOutput(node.Emit("square", {x.a}));
  return node.SetOutput(node.Emit("pow", {x.a, x.b}));
}

absl::Status MapExtremum(NodeContext& node) {
  if (AreNumbers(node)) return MapNumbers(node);
  return SetExtremum(node, node.kind() == "aten::maximum");
}

// Of any types, as bools.
absl::Status MapLogical(NodeContext& node) {
  if (AreNumbers(node)) return MapNumbers(node);
  ASSIGN_OR_RETURN(const Operands x, GetOperands(node));
  const Emitted a = node.Cast(x.a, DataType::kBool, ".a");
  const Emitted b = node.Cast(x.b, DataType::kBool, ".b");
  if (node.kind() == "aten::logical_xor") return node.SetOutput(EmitXor(node, a, b));
  return node.SetOutput(node.kind() == "aten::logical_and" ? EmitAnd(node, a, b)
                                                           : EmitOr(node, a, b));
}

absl::Status MapLogicalNot(NodeContext& node) {
  const Emitted x = node.Cast(node.GetTensor(0), DataType::kBool, ".x");
  return node.SetOutput(node.Emit("logical_not", {x}));
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
  const bool quotient = node.kind() == "aten::addcdiv";
  ASSIGN_OR_RETURN(const Operands in,
                   GetPromoted(node, quotient ? DataType::kFloat32 : DataType::kInt64, 1));
  ASSIGN_OR_RETURN(Tensor * product,
                   node.Emit(quotient ? "div" : "mul", {in.a, in.b}, {}, ".product"));
  Operands sum;
  ASSIGN_OR_RETURN(sum.a, node.GetTensor(0));
  ASSIGN_OR_RETURN(sum.b, ScaledBy(node, product, 3));
  ASSIGN_OR_RETURN(sum, Promoted(node, sum, DataType::kInt64));
  return node.SetOutput(node.Emit("add", {sum.a, sum.b}));
}

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
    {"aten::float_power", 2, MapPow},
    {"aten::maximum", 2, MapExtremum},
    {"aten::minimum", 2, MapExtremum},
    {"aten::eq", 2, MapPair<EmitBinary<"equal">>},
    {"aten::ne", 2, MapPair<EmitNegated<"equal">>},
    {"aten::lt", 2, MapPair<EmitBinary<"less">>},
    {"aten::le", 2, MapPair<EmitLessOrEqual>},
    {"aten::gt", 2, MapPair<EmitBinary<"greater">>},
    {"aten::ge", 2, MapPair<EmitGreaterOrEqual>},
    {"aten::not_equal", 2, MapPair<EmitNegated<"equal">>},
    {"aten::less", 2, MapPair<EmitBinary<"less">>},
    {"aten::less_equal", 2, MapPair<EmitLessOrEqual>},
    {"aten::greater", 2, MapPair<EmitBinary<"greater">>},
    {"aten::greater_equal", 2, MapPair<EmitGreaterOrEqual>},
    {"aten::logical_and", 2, MapLogical},
    {"aten::logical_or", 2, MapLogical},
    {"aten::logical_xor", 2, MapLogical},
    {"aten::logical_not", 1, MapLogicalNot},
    {"aten::where", 1, MapWhere, "constants where it has no values"},
    {"aten::masked_fill", 3, MapMaskedFill, Result::kAlike},
    {"aten::addcmul", 3, MapAddProduct},
    {"aten::addcdiv", 3, MapAddProduct},
};

}  // namespace

absl::Span<const OpMapping> ElementwiseMappings() { return kElementwiseMappings; }

}  // namespace synap_internal::torchscript_import
