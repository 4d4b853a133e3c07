#include "compiler/import/torchscript/value.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/status_macros.h"
#include "compiler/import/constant_operand.h"

namespace synap_internal::torchscript_import {
namespace {

struct TypeNameOf {
  std::string operator()(const None&) const { return "None"; }
  std::string operator()(const std::shared_ptr<Variable>&) const { return "Tensor"; }
  std::string operator()(int64_t) const { return "int"; }
  std::string operator()(double) const { return "float"; }
  std::string operator()(bool) const { return "bool"; }
  std::string operator()(const std::string&) const { return "str"; }
  std::string operator()(const std::shared_ptr<List>&) const { return "list"; }
  std::string operator()(const torchscript::PackedWeights*) const { return "packed weights"; }
  std::string operator()(const Other& other) const { return other.type; }
};

// The one element of a constant tensor as what Python would make of it.
Value ItemOf(const Tensor& tensor) {
  if (tensor.type.dtype == DataType::kInt64) return {tensor.values<int64_t>()[0]};
  if (tensor.type.dtype == DataType::kBool) return {tensor.values<uint8_t>()[0] != 0};
  return {static_cast<double>(tensor.values<float>()[0])};
}

// Tensors of one element that are constant become numbers.
absl::StatusOr<Value> AsNumber(const Value& value) {
  if (!value.IsTensor()) return value;
  ASSIGN_OR_RETURN(const Tensor* tensor, TensorOf(value));
  if (!tensor->is_constant()) return NotConstant("value", *tensor);
  const DataType dtype = tensor->type.dtype;
  const bool number =
      dtype == DataType::kInt64 || dtype == DataType::kBool || dtype == DataType::kFloat32;
  if (tensor->type.shape.elements() != 1 || !number) return value;
  return ItemOf(*tensor);
}

// --- Arithmetic

absl::Status Unknown() {
  return absl::UnimplementedError("its arguments are numbers, expected tensors");
}

bool IsInteger(const Value& value) { return value.Get<int64_t>() || value.Get<bool>(); }

int64_t Integer(const Value& value) {
  const auto* number = value.Get<int64_t>();
  return number != nullptr ? *number : *value.Get<bool>();
}

template <typename T>
absl::StatusOr<Value> Compare(absl::string_view op, const T& a, const T& b) {
  if (op == "eq") return Value{a == b};
  if (op == "ne") return Value{a != b};
  if (op == "lt") return Value{a < b};
  if (op == "gt") return Value{a > b};
  if (op == "le") return Value{a <= b};
  if (op == "ge") return Value{a >= b};
  return Unknown();
}

bool IsComparison(absl::string_view op) {
  return op == "eq" || op == "ne" || op == "lt" || op == "gt" || op == "le" || op == "ge";
}

absl::StatusOr<Value> Divide(absl::string_view op, int64_t a, int64_t b) {
  if (b == 0) return absl::InvalidArgumentError("it divides by zero, expected another divisor");
  if (b == -1) {
    // The only divisor whose quotient can overflow.
    const auto negated = static_cast<int64_t>(-static_cast<uint64_t>(a));
    return op == "remainder" ? Value{int64_t{0}} : Value{negated};
  }
  // Python's // and % round down.
  const int64_t quotient = a / b, rest = a % b;
  const bool down = rest != 0 && (rest < 0) != (b < 0);
  return op == "remainder" ? Value{down ? rest + b : rest} : Value{down ? quotient - 1 : quotient};
}

absl::StatusOr<Value> OfIntegers(absl::string_view op, int64_t a, int64_t b) {
  const auto ua = static_cast<uint64_t>(a), ub = static_cast<uint64_t>(b);
  if (op == "add") return Value{static_cast<int64_t>(ua + ub)};
  if (op == "sub") return Value{static_cast<int64_t>(ua - ub)};
  if (op == "mul") return Value{static_cast<int64_t>(ua * ub)};
  if (op == "floordiv" || op == "floor_divide" || op == "remainder") return Divide(op, a, b);
  if (op == "minimum" || op == "min") return Value{std::min(a, b)};
  if (op == "maximum" || op == "max") return Value{std::max(a, b)};
  if (op == "__and__") return Value{a & b};
  if (op == "__or__") return Value{a | b};
  return Compare(op, a, b);
}

absl::StatusOr<Value> OfReals(absl::string_view op, double a, double b) {
  if (op == "add") return Value{a + b};
  if (op == "sub") return Value{a - b};
  if (op == "mul") return Value{a * b};
  if (op == "pow") return Value{std::pow(a, b)};
  if (op == "minimum" || op == "min") return Value{std::min(a, b)};
  if (op == "maximum" || op == "max") return Value{std::max(a, b)};
  if (IsComparison(op)) return Compare(op, a, b);
  const bool division = op == "div" || op == "floordiv" || op == "floor_divide" ||
                        op == "true_divide" || op == "remainder";
  if (!division) return Unknown();
  if (b == 0) return absl::InvalidArgumentError("it divides by zero, expected another divisor");
  if (op == "remainder") return Value{a - std::floor(a / b) * b};
  return Value{op == "div" || op == "true_divide" ? a / b : std::floor(a / b)};
}

absl::StatusOr<bool> AreEqual(const List& a, const List& b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    ASSIGN_OR_RETURN(const double left, NumberOf(a[i]));
    ASSIGN_OR_RETURN(const double right, NumberOf(b[i]));
    if (left != right) return false;
  }
  return true;
}

absl::StatusOr<Value> OfLists(absl::string_view op, const List& a, const List& b) {
  if (op == "add") {
    List joined = a;
    joined.insert(joined.end(), b.begin(), b.end());
    return Value::Of(std::move(joined));
  }
  if (op != "eq" && op != "ne") return Unknown();
  ASSIGN_OR_RETURN(const bool equal, AreEqual(a, b));
  return Value{equal == (op == "eq")};
}

}  // namespace

std::string Value::TypeName() const { return std::visit(TypeNameOf{}, data); }

absl::StatusOr<int64_t> IntOf(const Value& given) {
  ASSIGN_OR_RETURN(const Value value, AsNumber(given));
  if (const auto* number = value.Get<int64_t>()) return *number;
  if (const auto* flag = value.Get<bool>()) return int64_t{*flag};
  return absl::InvalidArgumentError(absl::StrCat("a ", value.TypeName(), ", expected an integer"));
}

absl::StatusOr<double> NumberOf(const Value& given) {
  ASSIGN_OR_RETURN(const Value value, AsNumber(given));
  if (const auto* real = value.Get<double>()) return *real;
  if (const auto* number = value.Get<int64_t>()) return static_cast<double>(*number);
  if (const auto* flag = value.Get<bool>()) return *flag ? 1.0 : 0.0;
  return absl::InvalidArgumentError(absl::StrCat("a ", value.TypeName(), ", expected a number"));
}

absl::StatusOr<Complex> ComplexOf(const Value& value) {
  const auto* variable = value.Get<std::shared_ptr<Variable>>();
  if (variable == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat("a ", value.TypeName(), ", expected a tensor"));
  }
  if ((*variable)->current()) return Complex{(*variable)->tensor, (*variable)->imaginary};
  return absl::UnimplementedError(absl::StrCat(
      "'", (*variable)->tensor->name, "' shares its memory with what was changed in place before"));
}

Emitted TensorOf(const Value& value) {
  ASSIGN_OR_RETURN(const Complex numbers, ComplexOf(value));
  if (numbers.is_real()) return numbers.real;
  return absl::UnimplementedError(
      absl::StrCat("'", numbers.real->name, "' has complex numbers, supported are real ones here"));
}

absl::StatusOr<Value> ScalarBinary(absl::string_view kind, const Value& a, const Value& b) {
  const absl::string_view op = absl::StripPrefix(absl::StripPrefix(kind, "aten::"), "prim::");
  if (op == "__is__" || op == "__isnot__") {
    // Modules compare optional arguments with None.
    return Value{(a.IsNone() && b.IsNone()) == (op == "__is__")};
  }
  if (a.Get<std::string>() != nullptr && b.Get<std::string>() != nullptr) {
    return Compare(op, *a.Get<std::string>(), *b.Get<std::string>());
  }
  if (a.AsList() != nullptr && b.AsList() != nullptr) return OfLists(op, *a.AsList(), *b.AsList());
  if (!a.IsScalar() || !b.IsScalar()) {
    return absl::UnimplementedError(absl::StrCat("its arguments are ", a.TypeName(), " and ",
                                                 b.TypeName(), ", expected numbers"));
  }
  const bool logical = op == "__and__" || op == "__or__";
  if (logical && a.Get<bool>() && b.Get<bool>()) {
    return Value{op == "__and__" ? *a.Get<bool>() && *b.Get<bool>()
                                 : *a.Get<bool>() || *b.Get<bool>()};
  }
  const bool integers =
      IsInteger(a) && IsInteger(b) && op != "div" && op != "true_divide" && op != "pow";
  if (integers) return OfIntegers(op, Integer(a), Integer(b));
  ASSIGN_OR_RETURN(const double left, NumberOf(a));
  ASSIGN_OR_RETURN(const double right, NumberOf(b));
  ASSIGN_OR_RETURN(const Value value, OfReals(op, left, right));
  const bool power = op == "pow" && IsInteger(a) && IsInteger(b) && right >= 0;
  if (power && std::abs(*value.Get<double>()) <= kMaxExactInteger) {
    return Value{static_cast<int64_t>(*value.Get<double>())};
  }
  return value;
}

}  // namespace synap_internal::torchscript_import
