// Operators of complex numbers, whose real and imaginary parts are two tensors.
#include "compiler/import/torchscript/complex.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/emit/shape.h"
#include "compiler/import/emit/slice.h"
#include "compiler/import/torchscript/op_table.h"
#include "compiler/import/torchscript/operands.h"
#include "compiler/import/torchscript/scalar_type.h"

namespace synap_internal::torchscript_import {
namespace {

// --- Parts

Emitted ZerosLike(NodeContext& node, const Tensor& x) {
  return node.Zeros({DataType::kFloat32, x.type.shape, {}}, ".zeros");
}

// The imaginary parts, zeros of real numbers.
Emitted ImaginaryOf(NodeContext& node, const Complex& x) {
  return x.is_real() ? ZerosLike(node, *x.real) : Emitted(x.imaginary);
}

bool HasComplexItem(const List& list) {
  return std::any_of(list.begin(), list.end(), [](const Value& item) { return item.IsComplex(); });
}

// One of the parts of a complex tensor, or of those in a list; other values as they are.
absl::StatusOr<Value> PartOf(NodeContext& node, const Value& value, bool imaginary) {
  if (value.IsComplex()) {
    ASSIGN_OR_RETURN(const Complex numbers, ComplexOf(value));
    return Value::Of(imaginary ? numbers.imaginary : numbers.real);
  }
  const List* list = value.AsList();
  if (list == nullptr || !HasComplexItem(*list)) return value;
  List parts;
  for (const Value& item : *list) {
    ASSIGN_OR_RETURN(const Complex numbers, ComplexOf(item));
    Emitted part = numbers.real;
    if (imaginary) part = ImaginaryOf(node, numbers);
    RETURN_IF_ERROR(part.status());
    parts.push_back(Value::Of(*part));
  }
  return Value::Of(std::move(parts));
}

// What two runs of an operator gave as one value.
absl::StatusOr<Value> Joined(const Value& real, const Value& imaginary) {
  if (real.IsTensor()) {
    ASSIGN_OR_RETURN(Tensor * x, TensorOf(real));
    ASSIGN_OR_RETURN(Tensor * y, TensorOf(imaginary));
    return Value::Of(Complex{x, y});
  }
  const List* list = real.AsList();
  if (list == nullptr) return real;
  List joined;
  for (size_t i = 0; i < list->size(); ++i) {
    ASSIGN_OR_RETURN(joined.emplace_back(), Joined((*list)[i], (*imaginary.AsList())[i]));
  }
  return Value::Of(std::move(joined));
}

// The row of real numbers with one of the parts of each argument.
absl::StatusOr<std::vector<Value>> RunOnPart(NodeContext& node, bool imaginary) {
  std::vector<Value> arguments;
  for (size_t i = 0; i < node.size(); ++i) {
    ASSIGN_OR_RETURN(arguments.emplace_back(), PartOf(node, node.argument(i), imaginary));
  }
  // (x, pads, value) and (x, pads, mode, value)
  const size_t value_at = node.kind() == "aten::constant_pad_nd" ? 2
                          : node.kind() == "aten::pad"           ? 3
                                                                 : node.size();
  const bool has_value = node.Has(value_at) && !node.argument(value_at).IsComplex();
  if (imaginary && has_value) arguments[value_at] = Value{0.0};
  return RunAs(node, *FindMapping(node.kind()), std::move(arguments));
}

// Operators that do the same with real and with imaginary parts: they move elements or add them up.
// A number that fills up is real.
// Of other complex arguments than the first they read the shape.
absl::Status MapParts(NodeContext& node) {
  ASSIGN_OR_RETURN(std::vector<Value> real, RunOnPart(node, false));
  const List* list = node.argument(0).AsList();
  const bool complex = node.argument(0).IsComplex() || (list != nullptr && HasComplexItem(*list));
  if (!complex) return node.SetOutputs(std::move(real));
  ASSIGN_OR_RETURN(const std::vector<Value> imaginary, RunOnPart(node, true));
  std::vector<Value> outputs;
  for (size_t i = 0; i < real.size(); ++i) {
    ASSIGN_OR_RETURN(outputs.emplace_back(), Joined(real[i], imaginary[i]));
  }
  return node.SetOutputs(std::move(outputs));
}

// Questions about shapes.
absl::Status MapShapeOfParts(NodeContext& node) {
  ASSIGN_OR_RETURN(std::vector<Value> real, RunOnPart(node, false));
  return node.SetOutputs(std::move(real));
}

// Lists and tuples, whose items keep what they are.
absl::Status MapItems(NodeContext& node) { return FindMapping(node.kind())->map(node); }

// --- Types

absl::Status MapIsComplex(NodeContext& node) {
  return node.SetOutput(Value{node.argument(0).IsComplex()});
}

absl::Status MapComplexDtype(NodeContext& node) {
  return node.SetOutput(Value{ComplexScalarType()});
}

absl::Status MapIsRealFloat(NodeContext& node) { return node.SetOutput(Value{false}); }

// As conversion.cc's; of complex numbers that become real ones the real parts stay.
absl::Status MapComplexTo(NodeContext& node) {
  ASSIGN_OR_RETURN(const Complex x, GetComplex(node, 0));
  ASSIGN_OR_RETURN(const ConversionType type, ReadConversionType(node));
  if (!type.real.has_value()) return SetComplex(node, x.real, ImaginaryOf(node, x));
  return node.SetOutput(node.Cast(x.real, type.real->dtype), type.real->is_uint8);
}

// --- From real numbers and back

// x [..., 2]
absl::Status MapViewAsComplex(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, node.GetTensor(0));
  const Shape& shape = x->type.shape;
  if (shape.rank() == 0 || shape.back() != 2 || x->type.dtype != DataType::kFloat32) {
    return absl::InvalidArgumentError(
        absl::StrCat("its input is ", shape.ToString(), ", expected pairs of real numbers"));
  }
  const size_t axis = shape.rank() - 1;
  return SetComplex(node, EmitElement(node, x, axis, 0),
                    EmitElement(node, x, axis, 1, ".imaginary"));
}

// An input of the network is real, also where the module had complex numbers.
absl::Status CheckIsComplex(const Value& value) {
  if (value.IsComplex()) return absl::OkStatus();
  return absl::InvalidArgumentError("its input is real, expected complex numbers");
}

absl::Status MapViewAsReal(NodeContext& node) {
  RETURN_IF_ERROR(CheckIsComplex(node.argument(0)));
  ASSIGN_OR_RETURN(const Complex x, ComplexOf(node.argument(0)));
  return node.SetOutput(EmitPairs(node, x));
}

// (real, imaginary)
absl::Status MapComplex(NodeContext& node) {
  ASSIGN_OR_RETURN(Operands x, GetPromoted(node, DataType::kFloat32));
  ASSIGN_OR_RETURN(x, Broadcast(node, x));
  return SetComplex(node, x.a, x.b);
}

// (size, angle)
absl::Status MapPolar(NodeContext& node) {
  ASSIGN_OR_RETURN(const Operands x, GetPromoted(node, DataType::kFloat32));
  const Emitted cosine = node.Emit("cos", {x.b}, {}, ".cos");
  const Emitted sine = node.Emit("sin", {x.b}, {}, ".sin");
  return SetComplex(node, node.Emit("mul", {x.a, cosine}),
                    node.Emit("mul", {x.a, sine}, {}, ".imaginary"));
}

absl::Status MapRealParts(NodeContext& node) {
  ASSIGN_OR_RETURN(const Complex x, ComplexOf(node.argument(0)));
  return node.SetOutput(x.real);
}

absl::Status MapImaginaryParts(NodeContext& node) {
  RETURN_IF_ERROR(CheckIsComplex(node.argument(0)));
  ASSIGN_OR_RETURN(const Complex x, ComplexOf(node.argument(0)));
  return node.SetOutput(x.imaginary);
}

// The angle, of real numbers 0 or, of negative ones, half a turn.
absl::Status MapAngle(NodeContext& node) {
  ASSIGN_OR_RETURN(const Complex x, GetComplex(node, 0));
  ASSIGN_OR_RETURN(Tensor * imaginary, ImaginaryOf(node, x));
  return node.SetOutput(
      EmitOperator(node, "aten::atan2", {Value::Of(imaginary), Value::Of(x.real)}));
}

absl::Status MapComplexAbs(NodeContext& node) {
  ASSIGN_OR_RETURN(const Complex x, GetComplex(node, 0));
  const Emitted a = node.Emit("square", {x.real}, {}, ".real_square");
  const Emitted b = node.Emit("square", {x.imaginary}, {}, ".imaginary_square");
  return node.SetOutput(node.Emit("sqrt", {node.Emit("add", {a, b}, {}, ".sum")}));
}

// --- Arithmetic

// Real numbers are their own conjugates.
absl::Status MapConjugate(NodeContext& node) {
  if (!node.argument(0).IsComplex()) return node.SetOutput(node.GetTensor(0));
  ASSIGN_OR_RETURN(const Complex x, ComplexOf(node.argument(0)));
  return SetComplex(node, x.real, node.Emit("neg", {x.imaginary}, {}, ".imaginary"));
}

absl::Status MapNegView(NodeContext& node) {
  ASSIGN_OR_RETURN(const Complex x, GetComplex(node, 0));
  const Emitted real = node.Emit("neg", {x.real});
  if (x.is_real()) return node.SetOutput(real);
  return SetComplex(node, real, node.Emit("neg", {x.imaginary}, {}, ".imaginary"));
}

// (a + bi) (c + di)
absl::Status MapComplexMul(NodeContext& node) {
  ASSIGN_OR_RETURN(Complex x, GetComplex(node, 0));
  ASSIGN_OR_RETURN(Complex y, GetComplex(node, 1));
  if (x.is_real()) std::swap(x, y);
  if (y.is_real()) {
    return SetComplex(node, node.Emit("mul", {x.real, y.real}),
                      node.Emit("mul", {x.imaginary, y.real}, {}, ".imaginary"));
  }
  const Emitted ac = node.Emit("mul", {x.real, y.real}, {}, ".ac");
  const Emitted bd = node.Emit("mul", {x.imaginary, y.imaginary}, {}, ".bd");
  const Emitted ad = node.Emit("mul", {x.real, y.imaginary}, {}, ".ad");
  const Emitted bc = node.Emit("mul", {x.imaginary, y.real}, {}, ".bc");
  return SetComplex(node, node.Emit("sub", {ac, bd}), node.Emit("add", {ad, bc}, {}, ".imaginary"));
}

absl::Status MapComplexDiv(NodeContext& node) {
  ASSIGN_OR_RETURN(const Complex x, GetComplex(node, 0));
  ASSIGN_OR_RETURN(const Complex y, GetComplex(node, 1));
  if (!y.is_real()) {
    return absl::UnimplementedError("it divides by complex numbers, supported are real divisors");
  }
  return SetComplex(node, node.Emit("div", {x.real, y.real}),
                    node.Emit("div", {x.imaginary, y.real}, {}, ".imaginary"));
}

// The imaginary parts of a + b or a - b, of which one may be real, in the shape of the result.
Emitted ImaginaryOfSum(NodeContext& node, const Complex& a, const Complex& b, absl::string_view op,
                       const Shape& shape) {
  if (!a.is_real() && !b.is_real()) {
    return node.Emit(op, {a.imaginary, b.imaginary}, {}, ".imaginary");
  }
  Emitted y = a.imaginary;
  if (a.is_real()) y = b.imaginary;
  if (a.is_real() && op == "sub") y = node.Emit("neg", {y}, {}, ".imaginary");
  return EmitExpand(node, y, shape.dims(), ".imaginary");
}

// a + alpha * b, a - alpha * b or, of rsub, b - alpha * a.
absl::Status MapComplexAdd(NodeContext& node) {
  ASSIGN_OR_RETURN(Complex a, GetComplex(node, 0));
  ASSIGN_OR_RETURN(Complex b, GetComplex(node, 1));
  if (node.kind() == "aten::rsub") std::swap(a, b);
  ASSIGN_OR_RETURN(const float alpha, node.GetRealOr(2, 1));
  ASSIGN_OR_RETURN(b.real, node.Scale(b.real, alpha, ".scaled"));
  if (!b.is_real()) {
    ASSIGN_OR_RETURN(b.imaginary, node.Scale(b.imaginary, alpha, ".scaled_imaginary"));
  }
  const absl::string_view op = node.kind() == "aten::add" ? "add" : "sub";
  ASSIGN_OR_RETURN(Tensor * real, node.Emit(op, {a.real, b.real}));
  return SetComplex(node, real, ImaginaryOfSum(node, a, b, op, real->type.shape));
}

// e^(a + bi) = e^a (cos b + i sin b)
absl::Status MapComplexExp(NodeContext& node) {
  ASSIGN_OR_RETURN(const Complex x, GetComplex(node, 0));
  const Emitted size = node.Emit("exp", {x.real}, {}, ".size");
  const Emitted cosine = node.Emit("cos", {x.imaginary}, {}, ".cos");
  const Emitted sine = node.Emit("sin", {x.imaginary}, {}, ".sin");
  return SetComplex(node, node.Emit("mul", {size, cosine}),
                    node.Emit("mul", {size, sine}, {}, ".imaginary"));
}

// Of real operands too.
constexpr OpMapping kComplexMappings[] = {
    {"aten::view_as_complex", 1, MapViewAsComplex, Result::kView},
    {"aten::view_as_complex_copy", 1, MapViewAsComplex},
    {"aten::view_as_real", 1, MapViewAsReal, Result::kView},
    {"aten::view_as_real_copy", 1, MapViewAsReal},
    {"aten::complex", 2, MapComplex},
    {"aten::polar", 2, MapPolar},
    {"aten::real", 1, MapRealParts, Result::kView},
    {"aten::imag", 1, MapImaginaryParts, Result::kView},
    {"aten::angle", 1, MapAngle},
    {"aten::conj", 1, MapConjugate, Result::kView},
    {"aten::_conj", 1, MapConjugate, Result::kView},
    {"aten::_conj_copy", 1, MapConjugate},
    {"aten::conj_physical", 1, MapConjugate},
    {"aten::_conj_physical", 1, MapConjugate},
    {"aten::_neg_view", 1, MapNegView, Result::kView},
    {"aten::is_complex", 1, MapIsComplex},
};

// Of operands that have a row of another kind where all of them are real.
constexpr OpMapping kComplexOperandMappings[] = {
    {"aten::abs", 1, MapComplexAbs},
    {"aten::absolute", 1, MapComplexAbs},
    {"aten::add", 2, MapComplexAdd},
    {"aten::sub", 2, MapComplexAdd},
    {"aten::subtract", 2, MapComplexAdd},
    {"aten::rsub", 2, MapComplexAdd},
    {"aten::mul", 2, MapComplexMul},
    {"aten::multiply", 2, MapComplexMul},
    {"aten::div", 2, MapComplexDiv},
    {"aten::divide", 2, MapComplexDiv},
    {"aten::true_divide", 2, MapComplexDiv},
    {"aten::exp", 1, MapComplexExp},
    {"aten::neg", 1, MapParts},
    {"aten::negative", 1, MapParts},
    {"aten::sum", 1, MapParts},
    {"aten::mean", 1, MapParts},
    {"aten::cumsum", 2, MapParts},
    {"aten::to", 1, MapComplexTo, Result::kViewOrCopy},
    {"aten::type_as", 2, MapComplexTo, Result::kViewOrCopy},
    {"aten::_to_copy", 1, MapComplexTo},
    {"aten::contiguous", 1, MapParts, Result::kViewOrCopy},
    {"aten::clone", 1, MapParts},
    {"aten::detach", 1, MapParts, Result::kOrderedView},
    {"aten::detach_copy", 1, MapParts},
    {"aten::alias", 1, MapParts, Result::kOrderedView},
    {"aten::alias_copy", 1, MapParts},
    {"aten::cpu", 1, MapParts, Result::kViewOrCopy},
    {"aten::lift", 1, MapParts, Result::kView},
    {"aten::lift_fresh", 1, MapParts, Result::kOrderedView},
    {"aten::lift_fresh_copy", 1, MapParts},
    {"aten::positive", 1, MapParts, Result::kView},
    {"aten::resolve_conj", 1, MapParts, Result::kViewOrCopy},
    {"aten::resolve_neg", 1, MapParts, Result::kViewOrCopy},
    {"aten::view", 2, MapParts, Result::kOrderedView},
    {"aten::view_copy", 2, MapParts},
    {"aten::view_as", 2, MapParts, Result::kOrderedView},
    {"aten::reshape", 2, MapParts, Result::kViewOrCopy},
    {"aten::reshape_as", 2, MapParts, Result::kViewOrCopy},
    {"aten::_unsafe_view", 2, MapParts},
    {"aten::_reshape_copy", 2, MapParts},
    {"aten::_reshape_alias", 2, MapParts, Result::kView},
    {"aten::flatten", 1, MapParts, Result::kViewOrCopy},
    {"aten::unflatten", 3, MapParts, Result::kOrderedView},
    {"aten::ravel", 1, MapParts, Result::kViewOrCopy},
    {"aten::squeeze", 1, MapParts, Result::kOrderedView},
    {"aten::squeeze_copy", 1, MapParts},
    {"aten::unsqueeze", 2, MapParts, Result::kOrderedView},
    {"aten::unsqueeze_copy", 2, MapParts},
    {"aten::permute", 2, MapParts, Result::kView},
    {"aten::permute_copy", 2, MapParts},
    {"aten::transpose", 3, MapParts, Result::kView},
    {"aten::transpose_copy", 3, MapParts},
    {"aten::swapaxes", 3, MapParts, Result::kView},
    {"aten::swapdims", 3, MapParts, Result::kView},
    {"aten::movedim", 3, MapParts, Result::kView},
    {"aten::moveaxis", 3, MapParts, Result::kView},
    {"aten::t", 1, MapParts, Result::kView},
    {"aten::t_copy", 1, MapParts},
    {"aten::mT", 1, MapParts, Result::kView},
    {"aten::numpy_T", 1, MapParts, Result::kView},
    {"aten::expand", 2, MapParts, Result::kView},
    {"aten::expand_copy", 2, MapParts},
    {"aten::expand_as", 2, MapParts, Result::kView},
    {"aten::broadcast_to", 2, MapParts, Result::kView},
    {"aten::repeat", 2, MapParts},
    {"aten::tile", 2, MapParts},
    {"aten::slice", 1, MapParts, Result::kView},
    {"aten::slice_copy", 1, MapParts},
    {"aten::select", 3, MapParts, Result::kView},
    {"aten::select_copy", 3, MapParts},
    {"aten::narrow", 4, MapParts, Result::kView},
    {"aten::narrow_copy", 4, MapParts},
    {"aten::chunk", 2, MapParts, Result::kView},
    {"aten::split", 2, MapParts, Result::kView},
    {"aten::split_copy", 2, MapParts},
    {"aten::split_with_sizes", 2, MapParts, Result::kView},
    {"aten::split_with_sizes_copy", 2, MapParts},
    {"aten::unbind", 1, MapParts, Result::kView},
    {"aten::unbind_copy", 1, MapParts},
    {"aten::constant_pad_nd", 2, MapParts},
    {"aten::pad", 3, MapParts},
    {"aten::cat", 1, MapParts},
    {"aten::concat", 1, MapParts},
    {"aten::concatenate", 1, MapParts},
    {"aten::stack", 1, MapParts},
    {"aten::flip", 2, MapParts},
    {"aten::roll", 2, MapParts},
    {"aten::index", 2, MapParts},
    {"aten::index_select", 3, MapParts},
    {"aten::size", 1, MapShapeOfParts},
    {"aten::dim", 1, MapShapeOfParts},
    {"aten::numel", 1, MapShapeOfParts},
    {"aten::len", 1, MapShapeOfParts},
    {"aten::is_floating_point", 1, MapIsRealFloat},
    {"prim::dtype", 1, MapComplexDtype},
    {"prim::device", 1, MapShapeOfParts},
    {"prim::ListConstruct", 0, MapItems},
    {"prim::TupleConstruct", 0, MapItems},
    {"prim::ListUnpack", 1, MapItems, Result::kView},
    {"prim::TupleUnpack", 1, MapItems, Result::kOperand},
    {"prim::TupleIndex", 2, MapItems, Result::kOperand},
    {"aten::__getitem__", 2, MapItems, Result::kOperand},
    {"aten::append", 2, MapItems},
};

}  // namespace

absl::StatusOr<Complex> GetComplex(NodeContext& node, size_t i) {
  if (i < node.size() && node.argument(i).IsComplex()) return ComplexOf(node.argument(i));
  ASSIGN_OR_RETURN(Tensor * real, node.Cast(node.GetNumbers(i), DataType::kFloat32, ".real"));
  return Complex{real, nullptr};
}

absl::Status SetComplex(NodeContext& node, const Emitted& real, const Emitted& imaginary) {
  RETURN_IF_ERROR(real.status());
  RETURN_IF_ERROR(imaginary.status());
  return node.SetOutput(Value::Of(Complex{*real, *imaginary}));
}

absl::Status SetComplexOfReal(NodeContext& node, const Emitted& real) {
  ASSIGN_OR_RETURN(Tensor * x, node.Cast(real, DataType::kFloat32, ".real"));
  return SetComplex(node, x, ZerosLike(node, *x));
}

Emitted EmitPairs(NodeContext& node, const Complex& x) {
  return EmitPack(node, {x.real, x.imaginary}, static_cast<int64_t>(x.real->type.shape.rank()));
}

absl::StatusOr<Value> ComplexConstant(GraphBuilder& builder, const Tensor& pairs) {
  const Shape& shape = pairs.type.shape;
  if (shape.rank() == 0 || shape.back() != 2 || pairs.type.dtype != DataType::kFloat32) {
    return absl::InvalidArgumentError(absl::StrCat("its complex constant is stored as ",
                                                   shape.ToString(), ", expected pairs of floats"));
  }
  RETURN_IF_ERROR(builder.Charge(shape.elements() * int64_t{sizeof(float)}));
  std::vector<int64_t> dims = shape.dims();
  dims.pop_back();
  const absl::Span<const float> values = pairs.values<float>();
  std::vector<float> parts[2];
  for (size_t i = 0; i < values.size(); ++i) parts[i % 2].push_back(values[i]);
  Complex x;
  x.real = builder.AddValues(absl::StrCat(pairs.name, ".real"), Shape(dims), std::move(parts[0]));
  x.imaginary =
      builder.AddValues(absl::StrCat(pairs.name, ".imaginary"), Shape(dims), std::move(parts[1]));
  return Value::Of(x);
}

absl::Span<const OpMapping> ComplexMappings() { return kComplexMappings; }
absl::Span<const OpMapping> ComplexOperandMappings() { return kComplexOperandMappings; }

}  // namespace synap_internal::torchscript_import
