// Operators of two or more operands that broadcast.
#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/onnx/op_table.h"

namespace synap::onnx_import {
namespace {

// Pow is the only operator whose operands may be of two types.
absl::StatusOr<Tensor*> CastTo(NodeContext& node, Tensor* x, DataType type) {
  if (x->type.dtype == type) return x;
  return node.Emit("cast", {x}, {{"to", std::string(Name(type))}}, ".cast");
}

absl::string_view BinaryOp(absl::string_view op_type) {
  constexpr std::pair<absl::string_view, absl::string_view> kOps[] = {
      {"Add", "add"},     {"Sub", "sub"},   {"Mul", "mul"},         {"Div", "div"},
      {"Equal", "equal"}, {"Less", "less"}, {"Greater", "greater"}, {"Min", "minimum"},
      {"Max", "maximum"}, {"Sum", "add"},   {"Mean", "add"},
  };
  for (const auto& [onnx_name, name] : kOps) {
    if (onnx_name == op_type) return name;
  }
  return "";
}

absl::Status MapBinary(NodeContext& node) {
  return node.SetOutput(node.Emit(BinaryOp(node.node().op_type()), {node.input(0), node.input(1)}));
}

absl::StatusOr<Tensor*> Chain(NodeContext& node, absl::string_view last_suffix) {
  const absl::string_view op = BinaryOp(node.node().op_type());
  Tensor* y = node.input(0);
  for (size_t i = 1; i < node.input_count(); ++i) {
    if (!node.HasInput(i)) {
      return absl::InvalidArgumentError(absl::StrCat("its operand ", i, " is missing"));
    }
    const bool last = i + 1 == node.input_count();
    ASSIGN_OR_RETURN(y, node.Emit(op, {y, node.input(i)}, {},
                                  last ? std::string(last_suffix) : absl::StrCat(".", i)));
  }
  return y;
}

absl::Status MapVariadic(NodeContext& node) { return node.SetOutput(Chain(node, "")); }

absl::Status MapMean(NodeContext& node) {
  if (node.input_count() == 1) return node.SetOutput(node.input(0));
  ASSIGN_OR_RETURN(Tensor * sum, Chain(node, ".sum"));
  Tensor* factor =
      node.builder().AddScalar(node.Name(".factor"), 1.0f / static_cast<float>(node.input_count()));
  return node.SetOutput(node.Emit("mul", {sum, factor}));
}

// a <= b is not (a > b)
absl::Status MapNegated(NodeContext& node, absl::string_view op) {
  ASSIGN_OR_RETURN(Tensor * opposite,
                   node.Emit(op, {node.input(0), node.input(1)}, {}, ".opposite"));
  return node.SetOutput(node.Emit("logical_not", {opposite}));
}

absl::Status MapLessOrEqual(NodeContext& node) { return MapNegated(node, "greater"); }
absl::Status MapGreaterOrEqual(NodeContext& node) { return MapNegated(node, "less"); }

// Powers that have an op of their own.
absl::string_view SpecialPower(const Tensor* exponent) {
  if (!exponent->is_constant() || exponent->type.dtype != DataType::kFloat32 ||
      exponent->type.shape.elements() != 1) {
    return "";
  }
  const float power = exponent->values<float>()[0];
  return power == 2 ? "square" : power == 0.5 ? "sqrt" : power == -1 ? "reciprocal" : "";
}

absl::Status MapPow(NodeContext& node) {
  Tensor* x = node.input(0);
  const bool integers = x->type.dtype == DataType::kInt64;
  ASSIGN_OR_RETURN(x, CastTo(node, x, DataType::kFloat32));
  ASSIGN_OR_RETURN(Tensor * exponent, CastTo(node, node.input(1), DataType::kFloat32));
  const absl::string_view special = SpecialPower(exponent);
  const bool same_shape = exponent->type.shape.rank() <= x->type.shape.rank();
  const absl::string_view suffix = integers ? ".float" : "";
  absl::StatusOr<Tensor*> y = !special.empty() && same_shape
                                  ? node.Emit(special, {x}, {}, suffix)
                                  : node.Emit("pow", {x, exponent}, {}, suffix);
  if (!y.ok() || !integers) return node.SetOutput(y);
  return node.SetOutput(node.Emit("cast", {*y}, {{"to", std::string("int64")}}));
}

// The op's remainder has the sign of a for floats (ONNX's fmod), that of b for
// integers (without fmod).
absl::Status MapMod(NodeContext& node) {
  Tensor *a = node.input(0), *b = node.input(1);
  const bool fmod = node.Int("fmod", 0) != 0, floats = a->type.dtype == DataType::kFloat32;
  if (fmod == floats) return node.SetOutput(node.Emit("mod", {a, b}));
  if (floats) {
    return absl::InvalidArgumentError("attribute 'fmod' is 0 for float32 operands, expected 1");
  }
  // a - a / b * b: integer division rounds to zero.
  ASSIGN_OR_RETURN(Tensor * quotient, node.Emit("div", {a, b}, {}, ".quotient"));
  ASSIGN_OR_RETURN(Tensor * whole, node.Emit("mul", {quotient, b}, {}, ".whole"));
  return node.SetOutput(node.Emit("sub", {a, whole}));
}

absl::Status MapWhere(NodeContext& node) {
  return node.SetOutput(node.Emit("where", {node.input(0), node.input(1), node.input(2)}));
}

// a and b = a ? b : a; a or b = a ? a : b; a xor b = a ? not b : b
absl::Status MapLogical(NodeContext& node) {
  Tensor *a = node.input(0), *b = node.input(1);
  const std::string& type = node.node().op_type();
  if (type == "And") return node.SetOutput(node.Emit("where", {a, b, a}));
  if (type == "Or") return node.SetOutput(node.Emit("where", {a, a, b}));
  ASSIGN_OR_RETURN(Tensor * not_b, node.Emit("logical_not", {b}, {}, ".not"));
  return node.SetOutput(node.Emit("where", {a, not_b, b}));
}

constexpr OpMapping kMappings[] = {
    {"Add", 2, 2, MapBinary},
    {"Sub", 2, 2, MapBinary},
    {"Mul", 2, 2, MapBinary},
    {"Div", 2, 2, MapBinary},
    {"Equal", 2, 2, MapBinary},
    {"Less", 2, 2, MapBinary},
    {"Greater", 2, 2, MapBinary},
    {"LessOrEqual", 2, 2, MapLessOrEqual},
    {"GreaterOrEqual", 2, 2, MapGreaterOrEqual},
    {"Min", 1, kAnyCount, MapVariadic},
    {"Max", 1, kAnyCount, MapVariadic},
    {"Sum", 1, kAnyCount, MapVariadic},
    {"Mean", 1, kAnyCount, MapMean},
    {"Pow", 2, 2, MapPow},
    {"Mod", 2, 2, MapMod},
    {"Where", 3, 3, MapWhere},
    {"And", 2, 2, MapLogical},
    {"Or", 2, 2, MapLogical},
    {"Xor", 2, 2, MapLogical},
};

}  // namespace

absl::Span<const OpMapping> ElementwiseMappings() { return kMappings; }

}  // namespace synap::onnx_import
