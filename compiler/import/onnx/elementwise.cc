// Operators of two or more operands that broadcast.
#include "compiler/import/emit/elementwise.h"

#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/constant_operand.h"
#include "compiler/import/emit/axes.h"
#include "compiler/import/emit/indexing.h"
#include "compiler/import/emit/op_name.h"
#include "compiler/import/onnx/narrow_tensors.h"
#include "compiler/import/onnx/op_table.h"

namespace synap_internal::onnx_import {
namespace {

// Operand b as it broadcasts today. Before opset 7 it did so if attribute 'broadcast' was set, with
// its first dimension at 'axis' of a or, by default, its last one at a's last.
Emitted AlignedOperand(NodeContext& node, const Shape& a, Tensor* b) {
  node.IgnoreAttribute("consumed_inputs");
  if (node.opset() >= 7 || node.Int("broadcast", 0) == 0) return b;
  const Shape& s = b->type.shape;
  if (s.rank() > a.rank()) {
    return absl::InvalidArgumentError(absl::StrCat("its operand ", s.ToString(),
                                                   " has more dimensions than ", a.ToString(),
                                                   ", expected at most as many"));
  }
  const auto last = static_cast<int64_t>(a.rank() - s.rank());
  // A scalar may also be at the place after the last axis.
  int64_t axis = node.Int("axis", last);
  if (axis != last) {
    ASSIGN_OR_RETURN(axis, ResolveAxis(axis, a.rank()));
  }
  if (axis > last) {
    return absl::InvalidArgumentError(absl::StrCat("attribute 'axis' is ", axis,
                                                   " for the operands ", a.ToString(), " and ",
                                                   s.ToString(), ", expected at most ", last));
  }
  if (axis == last) return b;
  std::vector<int64_t> dims = s.dims();
  dims.resize(a.rank() - static_cast<size_t>(axis), 1);
  return node.Reshape(b, std::move(dims), ".b");
}

// Both operands of a node in the types that kernels compute with.
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

// Sets the output to a result of wide integers, cast to the type of operand 0.
absl::Status SetNarrowed(NodeContext& node, const Emitted& y) {
  return node.SetOutput(node.Cast(y, node.input(0)->type.dtype));
}

// Suffix of a result that SetNarrowed is called with.
absl::string_view WideSuffix(const NodeContext& node, const Tensor* a) {
  return a->type.dtype == node.input(0)->type.dtype ? "" : ".wide";
}

template <OpName kOp>
absl::Status MapBinary(NodeContext& node) {
  ASSIGN_OR_RETURN(const Operands in, ReadOperands(node));
  return SetNarrowed(node, node.Emit(kOp, {in.a, in.b}, {}, WideSuffix(node, in.a)));
}

// An operator whose result isn't of its operands' type, or whose operands are bools.
template <auto kEmit>
absl::Status MapPair(NodeContext& node) {
  ASSIGN_OR_RETURN(const Operands in, ReadOperands(node));
  return node.SetOutput(kEmit(node, in.a, in.b));
}

// The operands one after the other, as wide integers if they are narrow ones.
Emitted Chain(NodeContext& node, absl::string_view op, absl::string_view suffix) {
  node.IgnoreAttribute("consumed_inputs");
  const auto operand = [&](size_t i) -> Emitted {
    if (!node.HasInput(i)) {
      return absl::InvalidArgumentError(absl::StrCat("its operand ", i, " is missing"));
    }
    return Widened(node, node.input(i), absl::StrCat(".", i));
  };
  return EmitChain(node, op, node.input_count(), operand, suffix);
}

template <OpName kOp>
absl::Status MapVariadic(NodeContext& node) {
  return SetNarrowed(node, Chain(node, kOp, IsNarrow(node.input(0)->type) ? ".wide" : ""));
}

absl::Status MapMean(NodeContext& node) {
  if (node.input_count() == 1) return node.SetOutput(node.input(0));
  const float factor = 1.0f / static_cast<float>(node.input_count());
  return node.SetOutput(node.Scale(Chain(node, "add", ".sum"), factor));
}

// The op of a power that has one of its own.
absl::string_view SpecialPower(std::optional<float> power) {
  return power == 2 ? "square" : power == 0.5f ? "sqrt" : power == -1 ? "reciprocal" : "";
}

// The only operator whose operands may be of two types.
absl::Status MapPow(NodeContext& node) {
  const bool integers = node.input(0)->type.dtype != DataType::kFloat32;
  ASSIGN_OR_RETURN(Tensor * x, node.Cast(node.input(0), DataType::kFloat32, ".a"));
  const auto aligned = AlignedOperand(node, node.shape(0), node.input(1));
  ASSIGN_OR_RETURN(Tensor * exponent, node.Cast(aligned, DataType::kFloat32, ".b"));
  const absl::string_view special = SpecialPower(NumberBeside(*exponent, *x));
  const absl::string_view suffix = integers ? ".float" : "";
  return SetNarrowed(node, special.empty() ? node.Emit("pow", {x, exponent}, {}, suffix)
                                           : node.Emit(special, {x}, {}, suffix));
}

// The op's remainder has the sign of a for floats (ONNX's fmod), that of b for
// integers (without fmod).
absl::Status MapMod(NodeContext& node) {
  ASSIGN_OR_RETURN(const Operands in, ReadOperands(node));
  const bool fmod = node.Int("fmod", 0) != 0, floats = in.a->type.dtype == DataType::kFloat32;
  const absl::string_view suffix = WideSuffix(node, in.a);
  if (fmod == floats) {
    return SetNarrowed(node, node.Emit("mod", {in.a, in.b}, {}, suffix));
  }
  if (floats) {
    if (node.opset() >= 28) return node.SetOutput(EmitFloorMod(node, in.a, in.b));
    return absl::InvalidArgumentError("attribute 'fmod' is 0 for float32 operands, expected 1");
  }
  // a - a / b * b: integer division rounds to zero.
  const auto quotient = node.Emit("div", {in.a, in.b}, {}, ".quotient");
  const auto whole = node.Emit("mul", {quotient, in.b}, {}, ".whole");
  return SetNarrowed(node, node.Emit("sub", {in.a, whole}, {}, suffix));
}

// All bits of an integer flipped: -1 - x, whose low bits are kept.
absl::Status MapBitwiseNot(NodeContext& node) {
  if (IsFloat(node.input(0)->type.dtype) || node.input(0)->type.dtype == DataType::kBool) {
    return absl::InvalidArgumentError(absl::StrCat(
        "its operand is ", synap_internal::Name(node.input(0)->type.dtype), ", expected integers"));
  }
  ASSIGN_OR_RETURN(Tensor * x, Widened(node, node.input(0), ".x"));
  Tensor* ones = node.builder().AddScalar(node.Name(".ones"), int64_t{-1});
  return SetNarrowed(node, node.Emit("sub", {ones, x}, {}, WideSuffix(node, x)));
}

uint64_t And(uint64_t a, uint64_t b) { return a & b; }
uint64_t Or(uint64_t a, uint64_t b) { return a | b; }
uint64_t Xor(uint64_t a, uint64_t b) { return a ^ b; }

// Constants alone: kernels have no such function.
template <uint64_t (*kCombine)(uint64_t, uint64_t)>
absl::Status MapBitwise(NodeContext& node) {
  ASSIGN_OR_RETURN(const Operands in, ReadOperands(node));
  if (in.a->type.dtype != DataType::kInt64 || in.b->type.dtype != DataType::kInt64) {
    return absl::InvalidArgumentError(
        absl::StrCat("its operands are ", synap_internal::Name(node.input(0)->type.dtype), " and ",
                     synap_internal::Name(node.input(1)->type.dtype), ", expected integers"));
  }
  // Each in the shape that both broadcast to.
  Tensor* zero = node.builder().AddScalar(node.Name(".zero"), int64_t{0});
  const auto broadcast = [&](Tensor* x, Tensor* other, absl::string_view suffix) {
    return node.Emit("add", {x, node.Emit("mul", {other, zero}, {}, ".zeros")}, {}, suffix);
  };
  ASSIGN_OR_RETURN(const Tensor* a, broadcast(in.a, in.b, ".a"));
  ASSIGN_OR_RETURN(const Tensor* b, broadcast(in.b, in.a, ".b"));
  ASSIGN_OR_RETURN(std::vector<int64_t> values, ConstantInts(*a, "A"));
  ASSIGN_OR_RETURN(const std::vector<int64_t> others, ConstantInts(*b, "B"));
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<int64_t>(
        kCombine(static_cast<uint64_t>(values[i]), static_cast<uint64_t>(others[i])));
  }
  return SetNarrowed(node, node.Values(a->type.shape, std::move(values), WideSuffix(node, in.a)));
}

// Bits of a signed type; 0 for unsigned ones. int64 may stand for int32, int64 or uint64, which the
// model has to tell.
absl::StatusOr<int64_t> SignedBits(const NodeContext& node) {
  const DataType type = node.input(0)->type.dtype;
  if (type == DataType::kInt8) return 8;
  if (type == DataType::kInt16) return 16;
  if (type != DataType::kInt64) return 0;
  switch (node.DeclaredType(0)) {
    case onnx::TensorProto::INT32:
      return 32;
    case onnx::TensorProto::INT64:
      return 64;
    case onnx::TensorProto::UINT64:
      return 0;
    default:
      return absl::UnimplementedError(
          "its operand may be int32, int64 or uint64, which opset 28 shifts in different ways, "
          "expected that the model declares its type");
  }
}

// floor(x / 2^shift). 2^63 doesn't fit into int64: 64 bits are shifted in two steps.
Emitted EmitRightShift(NodeContext& node, Tensor* x, const Emitted& shift, Tensor* table) {
  constexpr int64_t kHalf = 32;
  OpEmitter wide(node.builder(), node.origin(), node.Name(".wide"));
  if (table->type.shape[0] <= 2 * kHalf) {
    return EmitFloorDiv(wide, x, EmitGather(node, table, shift, 0, ".power"));
  }
  Tensor* half = node.builder().AddScalar(node.Name(".half"), kHalf);
  Emitted first = node.Emit("minimum", {shift, half}, {}, ".first");
  Emitted rest = node.Emit("sub", {shift, first}, {}, ".rest");
  OpEmitter step(node.builder(), node.origin(), node.Name(".shifted"));
  Emitted shifted = EmitFloorDiv(step, x, EmitGather(node, table, first, 0, ".first_power"));
  return EmitFloorDiv(wide, shifted, EmitGather(node, table, rest, 0, ".rest_power"));
}

// Of signed integers, since opset 28: a right shift rounds down; shifts of all bits or more, and
// negative ones, leave the sign, or to the left nothing.
absl::Status MapSignedShift(NodeContext& node, bool left, int64_t bits) {
  ASSIGN_OR_RETURN(const Operands in, ReadOperands(node));
  std::vector<int64_t> powers;
  for (int64_t i = 0; i <= bits; ++i) {
    // 2^64 has no low bits.
    powers.push_back(i == 64 ? 0 : static_cast<int64_t>(uint64_t{1} << i));
  }
  Tensor* table = node.builder().AddInts(node.Name(".powers"), powers);
  Tensor* all = node.builder().AddScalar(node.Name(".all"), bits);
  Tensor* zero = node.builder().AddScalar(node.Name(".zero"), int64_t{0});
  const auto negative = node.Emit("less", {in.b, zero}, {}, ".negative");
  const auto most = node.Emit("minimum", {in.b, all}, {}, ".most");
  const auto shift = node.Emit("where", {negative, all, most}, {}, ".shift");
  if (!left) return SetNarrowed(node, EmitRightShift(node, in.a, shift, table));
  Emitted power = EmitGather(node, table, shift, 0, ".power");
  return SetNarrowed(node, node.Emit("mul", {in.a, power}, {}, ".wide"));
}

// Multiplies or divides by a power of two from a table. Its last entry is 0, for longer shifts.
absl::Status MapBitShift(NodeContext& node) {
  ASSIGN_OR_RETURN(const std::string direction, node.Choice("direction", "", {"LEFT", "RIGHT"}));
  if (node.opset() >= 28) {
    ASSIGN_OR_RETURN(const int64_t bits, SignedBits(node));
    if (bits > 0) return MapSignedShift(node, direction == "LEFT", bits);
  }
  ASSIGN_OR_RETURN(const Operands in, ReadOperands(node));
  // 2^63 doesn't fit into int64; division by 0 gives 0.
  std::vector<int64_t> powers;
  for (int i = 0; i < 63; ++i) powers.push_back(int64_t{1} << i);
  powers.push_back(direction == "LEFT" ? std::numeric_limits<int64_t>::min() : 0);
  powers.push_back(0);
  Tensor* table = node.builder().AddInts(node.Name(".powers"), powers);
  return SetNarrowed(node, node.Emit(direction == "LEFT" ? "mul" : "div",
                                     {in.a, EmitGather(node, table, in.b, 0, ".power")}, {},
                                     WideSuffix(node, in.a)));
}

constexpr OpMapping kElementwiseMappings[] = {
    {"Add", 2, 2, MapBinary<"add">},
    {"Sub", 2, 2, MapBinary<"sub">},
    {"Mul", 2, 2, MapBinary<"mul">},
    {"Div", 2, 2, MapBinary<"div">},
    {"Equal", 2, 2, MapPair<EmitBinary<"equal">>},
    {"Less", 2, 2, MapPair<EmitBinary<"less">>},
    {"Greater", 2, 2, MapPair<EmitBinary<"greater">>},
    {"LessOrEqual", 2, 2, MapPair<EmitLessOrEqual>},
    {"GreaterOrEqual", 2, 2, MapPair<EmitGreaterOrEqual>},
    {"Min", 1, kAnyCount, MapVariadic<"minimum">},
    {"Max", 1, kAnyCount, MapVariadic<"maximum">},
    {"Sum", 1, kAnyCount, MapVariadic<"add">},
    {"Mean", 1, kAnyCount, MapMean},
    {"Pow", 2, 2, MapPow},
    {"Mod", 2, 2, MapMod},
    {"BitShift", 2, 2, MapBitShift},
    {"BitwiseNot", 1, 1, MapBitwiseNot},
    {"BitwiseAnd", 2, 2, MapBitwise<And>, "constants"},
    {"BitwiseOr", 2, 2, MapBitwise<Or>, "constants"},
    {"BitwiseXor", 2, 2, MapBitwise<Xor>, "constants"},
    {"Where", 3, 3, MapOp<"where">},
    {"And", 2, 2, MapPair<EmitAnd>},
    {"Or", 2, 2, MapPair<EmitOr>},
    {"Xor", 2, 2, MapPair<EmitXor>},
};

}  // namespace

absl::Span<const OpMapping> ElementwiseMappings() { return kElementwiseMappings; }

}  // namespace synap_internal::onnx_import
