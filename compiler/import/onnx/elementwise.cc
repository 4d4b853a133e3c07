// Operators of two or more operands that broadcast.
#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/emit/floor_ops.h"
#include "compiler/import/onnx/narrow_integers.h"
#include "compiler/import/onnx/op_table.h"

namespace synap_internal::onnx_import {
namespace {

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

// Before opset 7, b broadcast where attribute 'broadcast' said so, its first
// dimension standing at 'axis' of a (by default its last at a's last).
absl::StatusOr<Tensor*> AlignedOperand(NodeContext& node, const Shape& a, Tensor* b) {
  node.IgnoreAttribute("consumed_inputs");
  if (node.opset() >= 7 || node.Int("broadcast", 0) == 0) return b;
  const Shape& s = b->type.shape;
  if (s.rank() > a.rank()) {
    return absl::InvalidArgumentError(
        absl::StrCat("its operand ", s.ToString(), " has more dimensions than ", a.ToString()));
  }
  const auto last = static_cast<int64_t>(a.rank() - s.rank());
  int64_t axis = node.Int("axis", last);
  if (axis < 0) axis += static_cast<int64_t>(a.rank());
  if (axis < 0 || axis > last) {
    return absl::InvalidArgumentError(absl::StrCat(
        "attribute 'axis' is ", axis, " for the operands ", a.ToString(), " and ", s.ToString()));
  }
  if (axis == last) return b;
  std::vector<int64_t> dims = s.dims();
  dims.resize(a.rank() - static_cast<size_t>(axis), 1);
  return node.Reshape(b, std::move(dims), ".b");
}

// Both operands of the node as the kernels take them.
struct Operands {
  Tensor* a;
  Tensor* b;
};

absl::StatusOr<Operands> ReadOperands(NodeContext& node) {
  Operands operands;
  ASSIGN_OR_RETURN(operands.a, Widened(node, node.input(0), ".a"));
  ASSIGN_OR_RETURN(Tensor * b, AlignedOperand(node, node.shape(0), node.input(1)));
  ASSIGN_OR_RETURN(operands.b, Widened(node, b, ".b"));
  return operands;
}

// What was computed with wide integers, in the type that operand 0 had.
absl::Status SetNarrowed(NodeContext& node, Tensor* y) {
  return node.SetOutput(CastTo(node, y, node.input(0)->type.dtype));
}

// The name of a result that SetNarrowed still has to cast.
absl::string_view WideSuffix(const NodeContext& node, const Tensor* a) {
  return a->type.dtype == node.input(0)->type.dtype ? "" : ".wide";
}

absl::Status MapBinary(NodeContext& node) {
  ASSIGN_OR_RETURN(const Operands in, ReadOperands(node));
  ASSIGN_OR_RETURN(Tensor * y, node.Emit(BinaryOp(node.node().op_type()), {in.a, in.b}, {},
                                         WideSuffix(node, in.a)));
  return SetNarrowed(node, y);
}

absl::Status MapComparison(NodeContext& node) {
  ASSIGN_OR_RETURN(const Operands in, ReadOperands(node));
  return node.SetOutput(node.Emit(BinaryOp(node.node().op_type()), {in.a, in.b}));
}

absl::StatusOr<Tensor*> Chain(NodeContext& node, absl::string_view last_suffix) {
  node.IgnoreAttribute("consumed_inputs");
  const absl::string_view op = BinaryOp(node.node().op_type());
  ASSIGN_OR_RETURN(Tensor * y, Widened(node, node.input(0), ".0"));
  for (size_t i = 1; i < node.input_count(); ++i) {
    if (!node.HasInput(i)) {
      return absl::InvalidArgumentError(absl::StrCat("its operand ", i, " is missing"));
    }
    ASSIGN_OR_RETURN(Tensor * x, Widened(node, node.input(i), absl::StrCat(".", i)));
    const bool last = i + 1 == node.input_count();
    ASSIGN_OR_RETURN(
        y, node.Emit(op, {y, x}, {}, last ? std::string(last_suffix) : absl::StrCat(".", i)));
  }
  return y;
}

absl::Status MapVariadic(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * wide, Widened(node, node.input(0), ".0"));
  ASSIGN_OR_RETURN(Tensor * y, Chain(node, WideSuffix(node, wide)));
  return SetNarrowed(node, y);
}

absl::Status MapMean(NodeContext& node) {
  if (node.input_count() == 1) return node.SetOutput(node.input(0));
  ASSIGN_OR_RETURN(Tensor * sum, Chain(node, ".sum"));
  Tensor* factor =
      node.builder().AddScalar(node.Name(".factor"), 1.0f / static_cast<float>(node.input_count()));
  return node.SetOutput(node.Emit("mul", {sum, factor}));
}

// a <= b is not (a > b), but for NaN.
absl::Status MapOrEqual(NodeContext& node, absl::string_view op) {
  ASSIGN_OR_RETURN(const Operands in, ReadOperands(node));
  if (in.a->type.dtype != DataType::kFloat32) {
    ASSIGN_OR_RETURN(Tensor * opposite,
                     node.Emit(op == "less" ? "greater" : "less", {in.a, in.b}, {}, ".opposite"));
    return node.SetOutput(node.Emit("logical_not", {opposite}));
  }
  ASSIGN_OR_RETURN(Tensor * strict, node.Emit(op, {in.a, in.b}, {}, ".strict"));
  ASSIGN_OR_RETURN(Tensor * equal, node.Emit("equal", {in.a, in.b}, {}, ".equal"));
  return node.SetOutput(node.Emit("where", {strict, strict, equal}));
}

absl::Status MapLessOrEqual(NodeContext& node) { return MapOrEqual(node, "less"); }
absl::Status MapGreaterOrEqual(NodeContext& node) { return MapOrEqual(node, "greater"); }

// Powers that have an op of their own.
absl::string_view SpecialPower(const Tensor* exponent) {
  if (!exponent->is_constant() || exponent->type.dtype != DataType::kFloat32 ||
      exponent->type.shape.elements() != 1) {
    return "";
  }
  const float power = exponent->values<float>()[0];
  return power == 2 ? "square" : power == 0.5 ? "sqrt" : power == -1 ? "reciprocal" : "";
}

// The only operator whose operands may be of two types.
absl::Status MapPow(NodeContext& node) {
  const DataType type = node.input(0)->type.dtype;
  const bool integers = type != DataType::kFloat32;
  ASSIGN_OR_RETURN(Tensor * x, CastTo(node, node.input(0), DataType::kFloat32, ".a"));
  ASSIGN_OR_RETURN(Tensor * exponent, AlignedOperand(node, node.shape(0), node.input(1)));
  ASSIGN_OR_RETURN(exponent, CastTo(node, exponent, DataType::kFloat32, ".b"));
  const absl::string_view special = SpecialPower(exponent);
  const bool same_shape = exponent->type.shape.rank() <= x->type.shape.rank();
  const absl::string_view suffix = integers ? ".float" : "";
  absl::StatusOr<Tensor*> y = !special.empty() && same_shape
                                  ? node.Emit(special, {x}, {}, suffix)
                                  : node.Emit("pow", {x, exponent}, {}, suffix);
  if (!y.ok() || !integers) return node.SetOutput(y);
  return SetNarrowed(node, *y);
}

// The op's remainder has the sign of a for floats (ONNX's fmod), that of b for
// integers (without fmod).
absl::Status MapMod(NodeContext& node) {
  ASSIGN_OR_RETURN(const Operands in, ReadOperands(node));
  const bool fmod = node.Int("fmod", 0) != 0, floats = in.a->type.dtype == DataType::kFloat32;
  const absl::string_view suffix = WideSuffix(node, in.a);
  if (fmod == floats) {
    ASSIGN_OR_RETURN(Tensor * y, node.Emit("mod", {in.a, in.b}, {}, suffix));
    return SetNarrowed(node, y);
  }
  if (floats) {
    if (node.opset() >= 28) return node.SetOutput(EmitFloorMod(node, in.a, in.b));
    return absl::InvalidArgumentError("attribute 'fmod' is 0 for float32 operands, expected 1");
  }
  // a - a / b * b: integer division rounds to zero.
  ASSIGN_OR_RETURN(Tensor * quotient, node.Emit("div", {in.a, in.b}, {}, ".quotient"));
  ASSIGN_OR_RETURN(Tensor * whole, node.Emit("mul", {quotient, in.b}, {}, ".whole"));
  ASSIGN_OR_RETURN(Tensor * y, node.Emit("sub", {in.a, whole}, {}, suffix));
  return SetNarrowed(node, y);
}

// Opset 28 takes signed integers too, whose right shift keeps the sign. int64 may be one of them:
// uint64 is computed as int64 as well.
absl::Status CheckUnsigned(const NodeContext& node) {
  const DataType type = node.input(0)->type.dtype;
  const bool is_unsigned =
      type == DataType::kUint8 || type == DataType::kUint16 || type == DataType::kUint32;
  if (node.opset() < 28 || is_unsigned) return absl::OkStatus();
  return absl::UnimplementedError(absl::StrCat("its operands are ", synap_internal::Name(type),
                                               ", which since opset 28 may be negative, expected "
                                               "unsigned integers of at most 32 bits"));
}

// By a power of two from a table, which shifts beyond the table's end make 0.
absl::Status MapBitShift(NodeContext& node) {
  RETURN_IF_ERROR(CheckUnsigned(node));
  const std::string direction = node.String("direction", "");
  if (direction != "LEFT" && direction != "RIGHT") {
    return absl::InvalidArgumentError(
        absl::StrCat("attribute 'direction' is '", direction, "', expected LEFT or RIGHT"));
  }
  ASSIGN_OR_RETURN(const Operands in, ReadOperands(node));
  // 2^63 has no place in int64; division by 0 gives 0.
  std::vector<int64_t> powers;
  for (int i = 0; i < 63; ++i) powers.push_back(int64_t{1} << i);
  powers.push_back(direction == "LEFT" ? std::numeric_limits<int64_t>::min() : 0);
  powers.push_back(0);
  ASSIGN_OR_RETURN(Tensor * power,
                   node.Emit("gather", {node.builder().AddInts(node.Name(".powers"), powers), in.b},
                             {{"axis", int64_t{0}}}, ".power"));
  ASSIGN_OR_RETURN(Tensor * y, node.Emit(direction == "LEFT" ? "mul" : "div", {in.a, power}, {},
                                         WideSuffix(node, in.a)));
  return SetNarrowed(node, y);
}

absl::Status MapWhere(NodeContext& node) {
  return node.SetOutput(node.Emit("where", {node.input(0), node.input(1), node.input(2)}));
}

// a and b = a ? b : a; a or b = a ? a : b; a xor b = a ? not b : b
absl::Status MapLogical(NodeContext& node) {
  Tensor* a = node.input(0);
  ASSIGN_OR_RETURN(Tensor * b, AlignedOperand(node, node.shape(0), node.input(1)));
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
    {"Equal", 2, 2, MapComparison},
    {"Less", 2, 2, MapComparison},
    {"Greater", 2, 2, MapComparison},
    {"LessOrEqual", 2, 2, MapLessOrEqual},
    {"GreaterOrEqual", 2, 2, MapGreaterOrEqual},
    {"Min", 1, kAnyCount, MapVariadic},
    {"Max", 1, kAnyCount, MapVariadic},
    {"Sum", 1, kAnyCount, MapVariadic},
    {"Mean", 1, kAnyCount, MapMean},
    {"Pow", 2, 2, MapPow},
    {"Mod", 2, 2, MapMod},
    {"BitShift", 2, 2, MapBitShift},
    {"Where", 3, 3, MapWhere},
    {"And", 2, 2, MapLogical},
    {"Or", 2, 2, MapLogical},
    {"Xor", 2, 2, MapLogical},
};

}  // namespace

absl::Span<const OpMapping> ElementwiseMappings() { return kMappings; }

}  // namespace synap_internal::onnx_import
