// Bits of integers, which flow as int64, and of bools.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "base/status_macros.h"
#include "compiler/import/emit/elementwise.h"
#include "compiler/import/emit/indexing.h"
#include "compiler/import/torchscript/op_table.h"
#include "compiler/import/torchscript/operands.h"

namespace synap_internal::torchscript_import {
namespace {

enum class BitOp { kAnd, kOr, kXor };

BitOp BitOpOf(absl::string_view kind) {
  if (absl::StrContains(kind, "xor")) return BitOp::kXor;
  return absl::StrContains(kind, "and") ? BitOp::kAnd : BitOp::kOr;
}

int64_t Combined(BitOp op, int64_t a, int64_t b) {
  return op == BitOp::kAnd ? a & b : op == BitOp::kOr ? a | b : a ^ b;
}

Emitted OfBools(NodeContext& node, BitOp op, const Operands& x) {
  if (op == BitOp::kXor) return EmitXor(node, x.a, x.b);
  return op == BitOp::kAnd ? EmitAnd(node, x.a, x.b) : EmitOr(node, x.a, x.b);
}

Emitted OfConstants(NodeContext& node, BitOp op, const Operands& x) {
  const auto a = x.a->values<int64_t>(), b = x.b->values<int64_t>();
  RETURN_IF_ERROR(node.builder().Charge(x.a->type.bytes()));
  std::vector<int64_t> values;
  for (size_t i = 0; i < a.size(); ++i) values.push_back(Combined(op, a[i], b[i]));
  return node.Values(x.a->type.shape, std::move(values));
}

// x & mask: a run of ones of the mask, from bit `first` on, is (x >> first) mod 2^length, shifted
// back. Bit 63 of the mask isn't set.
Emitted EmitPositiveMask(NodeContext& node, const Emitted& x, int64_t mask) {
  constexpr int kMostBits = 32;  // of a run, whose power of two has to fit
  Emitted sum = node.Emit("mul", {x, node.Integer(0, ".zero")}, {}, ".none");
  for (int first = 0; mask >> first != 0; ++first) {
    int length = 0;
    while (length < kMostBits && ((mask >> first) >> length & 1) != 0) ++length;
    if (length == 0) continue;
    OpEmitter run = node.Step(first);
    Tensor* low = node.Integer(int64_t{1} << first, ".low");
    const Emitted shifted = first == 0 ? x : EmitFloorDiv(run, x, low);
    Tensor* range = node.Integer(int64_t{1} << length, ".range");
    Emitted bits = run.Emit("mod", {shifted, range}, {}, ".bits");
    if (first > 0) bits = run.Emit("mul", {bits, low}, {}, ".placed");
    sum = run.Emit("add", {sum, bits}, {}, ".sum");
    first += length - 1;
  }
  return sum;
}

// Where a bit of the mask is negative, those that it lacks are taken away.
Emitted EmitMask(NodeContext& node, const Emitted& x, int64_t mask) {
  if (mask >= 0) return EmitPositiveMask(node, x, mask);
  return node.Emit("sub", {x, EmitPositiveMask(node, x, ~mask)}, {}, ".masked");
}

// a | b = a + b - (a & b), a ^ b = a + b - 2 (a & b).
Emitted OfNumber(NodeContext& node, BitOp op, Tensor* x, int64_t number) {
  const Emitted common = EmitMask(node, x, number);
  if (op == BitOp::kAnd) return common;
  const Emitted sum = node.Emit("add", {x, node.Integer(number, ".number")}, {}, ".total");
  const Emitted once = node.Emit("sub", {sum, common}, {}, ".either");
  return op == BitOp::kOr ? once : node.Emit("sub", {once, common});
}

// The one number that all elements of a constant are.
absl::StatusOr<int64_t> OneNumber(const Tensor& tensor) {
  const auto values = tensor.values<int64_t>();
  const bool one = !values.empty() && std::all_of(values.begin(), values.end(), [&](int64_t value) {
    return value == values[0];
  });
  if (one) return values[0];
  return absl::UnimplementedError(
      "its constant operand has different integers, expected one for all elements");
}

absl::Status CheckIntegers(const Operands& x) {
  if (x.dtype() == DataType::kInt64) return absl::OkStatus();
  return absl::InvalidArgumentError("its operands are real numbers, expected integers or bools");
}

bool IsUint8Tensor(const Value& value) {
  const auto* variable = value.Get<std::shared_ptr<Variable>>();
  return variable != nullptr && (*variable)->is_uint8.value_or(false);
}

// `number`, argument `at`, modulo 256 where the other operand, `x`, is of uint8 and decides the
// type: beside a number, and beside a scalar unless it is one too.
Emitted AsByteBeside(NodeContext& node, size_t at, Tensor* number, const Tensor& x) {
  const bool decides = IsUint8Tensor(node.argument(1 - at)) && !IsUint8Tensor(node.argument(at)) &&
                       (!node.argument(at).IsTensor() ||
                        (number->type.shape.rank() == 0 && x.type.shape.rank() > 0));
  if (!decides) return number;
  return node.Emit("mod", {number, node.Integer(256, ".bytes")}, {}, ".byte");
}

absl::Status MapBits(NodeContext& node) {
  if (!node.argument(0).IsTensor() && !node.argument(1).IsTensor()) {
    return node.SetOutput(ScalarBinary(node.kind(), node.argument(0), node.argument(1)));
  }
  const BitOp op = BitOpOf(node.kind());
  ASSIGN_OR_RETURN(Operands x, GetPromoted(node, DataType::kBool));
  if (x.dtype() == DataType::kBool) return node.SetOutput(OfBools(node, op, x));
  RETURN_IF_ERROR(CheckIntegers(x));
  ASSIGN_OR_RETURN(x.b, AsByteBeside(node, 1, x.b, *x.a));
  ASSIGN_OR_RETURN(x.a, AsByteBeside(node, 0, x.a, *x.b));
  ASSIGN_OR_RETURN(x, Broadcast(node, x));
  if (x.a->is_constant() && x.b->is_constant()) return node.SetOutput(OfConstants(node, op, x));
  if (x.a->is_constant()) std::swap(x.a, x.b);
  if (!x.b->is_constant()) {
    return absl::UnimplementedError(
        "both of its operands are integers that depend on the inputs, and ops work on numbers, "
        "not on bits");
  }
  ASSIGN_OR_RETURN(const int64_t number, OneNumber(*x.b));
  return node.SetOutput(OfNumber(node, op, x.a, number));
}

// All bits flipped: -1 - x, of uint8 255 - x. PyTorch has none of real numbers: such an x is an
// input of the network, which TorchScript gives no type, and taken for a mask.
absl::Status MapBitwiseNot(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, node.GetTensor(0));
  if (x->type.dtype == DataType::kFloat32) {
    ASSIGN_OR_RETURN(x, node.Cast(x, DataType::kBool, ".mask"));
  }
  if (x->type.dtype == DataType::kBool) return node.SetOutput(node.Emit("logical_not", {x}));
  constexpr int64_t kBytes = std::numeric_limits<uint8_t>::max();
  const int64_t ones = IsUint8Tensor(node.argument(0)) ? kBytes : -1;
  return node.SetOutput(node.Emit("sub", {node.Integer(ones, ".ones"), x}));
}

// --- Shifts

// 1, 2, 4, ... 2^62.
std::vector<int64_t> PowersOfTwo() {
  std::vector<int64_t> powers;
  for (int i = 0; i < 63; ++i) powers.push_back(int64_t{1} << i);
  return powers;
}

// x * 2^n, which wraps; 0 for n outside of 0 to 63.
Emitted EmitLeftShift(NodeContext& node, const Operands& x, absl::string_view suffix) {
  std::vector<int64_t> powers = PowersOfTwo();  // of n = -1 to 64, all farther ones as these
  powers.push_back(std::numeric_limits<int64_t>::min());
  powers.push_back(0);
  powers.insert(powers.begin(), 0);
  Emitted place = node.Emit("maximum", {x.b, node.Integer(-1, ".least")}, {}, ".from_least");
  place = node.Emit("minimum", {place, node.Integer(64, ".most")}, {}, ".to_most");
  place = node.Emit("add", {place, node.Integer(1, ".one")}, {}, ".place");
  Tensor* table = node.builder().AddInts(node.Name(".powers"), powers);
  return node.Emit("mul", {x.a, EmitGather(node, table, place, 0, ".power")}, {}, suffix);
}

// floor(x / 2^n); the sign of x, 0 or -1, for n outside of 0 to 62.
Emitted EmitRightShift(NodeContext& node, const Operands& x) {
  Tensor* zero = node.Integer(0, ".zero");
  Tensor* most = node.Integer(62, ".most");
  Tensor* table = node.builder().AddInts(node.Name(".powers"), PowersOfTwo());
  Emitted inside = node.Emit("maximum", {x.b, zero}, {}, ".from_zero");
  inside = node.Emit("minimum", {inside, most}, {}, ".inside");
  OpEmitter division = node.Step(0);
  const Emitted y = EmitFloorDiv(division, x.a, EmitGather(node, table, inside, 0, ".power"));
  const Emitted usual = node.Emit("equal", {inside, x.b}, {}, ".usual");
  const Emitted negative = node.Emit("less", {x.a, zero}, {}, ".negative");
  const Emitted sign = node.Emit("where", {negative, node.Integer(-1, ".ones"), zero}, {}, ".sign");
  return node.Emit("where", {usual, y, sign});
}

// Whether the shift is constant and no more than 62 bits, each way.
bool IsUsualShift(const Tensor& shift) {
  if (!shift.is_constant()) return false;
  const auto bits = shift.values<int64_t>();
  return std::all_of(bits.begin(), bits.end(), [](int64_t n) { return n >= 0 && n <= 62; });
}

absl::Status MapShift(NodeContext& node) {
  ASSIGN_OR_RETURN(const Operands x, GetPromoted(node));
  const bool left =
      absl::StrContains(node.kind(), "lshift") || absl::StrContains(node.kind(), "left_shift");
  if (x.dtype() == DataType::kFloat32) {
    const Emitted power = node.Emit("pow", {node.Scalar(2, ".two"), x.b}, {}, ".power");
    return node.SetOutput(node.Emit(left ? "mul" : "div", {x.a, power}));
  }
  if (left) {
    const bool bytes = IsUint8Tensor(node.argument(0));
    const Emitted y = EmitLeftShift(node, x, bytes ? ".wide" : "");
    return node.SetOutput(bytes ? node.Emit("mod", {y, node.Integer(256, ".byte")}) : y);
  }
  if (!IsUsualShift(*x.b)) return node.SetOutput(EmitRightShift(node, x));
  Tensor* table = node.builder().AddInts(node.Name(".powers"), PowersOfTwo());
  return node.SetOutput(EmitFloorDiv(node, x.a, EmitGather(node, table, x.b, 0, ".power")));
}

constexpr char kBits[] = "bools, and integers with a constant operand";

constexpr OpMapping kBitwiseMappings[] = {
    {"aten::__and__", 2, MapBits, kBits},       {"aten::__or__", 2, MapBits, kBits},
    {"aten::__xor__", 2, MapBits, kBits},       {"aten::bitwise_and", 2, MapBits, kBits},
    {"aten::bitwise_or", 2, MapBits, kBits},    {"aten::bitwise_xor", 2, MapBits, kBits},
    {"aten::bitwise_not", 1, MapBitwiseNot},    {"aten::__lshift__", 2, MapShift},
    {"aten::__rshift__", 2, MapShift},          {"aten::bitwise_left_shift", 2, MapShift},
    {"aten::bitwise_right_shift", 2, MapShift},
};

}  // namespace

absl::Span<const OpMapping> BitwiseMappings() { return kBitwiseMappings; }

}  // namespace synap_internal::torchscript_import
