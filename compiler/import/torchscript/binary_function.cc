// Functions of two or three tensors that broadcast, composed of others.
#include <cmath>
#include <limits>
#include <optional>

#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "compiler/import/emit/elementwise.h"
#include "compiler/import/emit/op_name.h"
#include "compiler/import/torchscript/op_table.h"
#include "compiler/import/torchscript/operands.h"

namespace synap_internal::torchscript_import {
namespace {

constexpr float kUnbounded = std::numeric_limits<float>::infinity();
constexpr float kLnOf2 = 0.693147180559945309f;

absl::StatusOr<Operands> GetReals(NodeContext& node) {
  return GetPromoted(node, DataType::kFloat32);
}

// (start, end, weight): start + weight * (end - start), and end - (1 - weight) * (end - start) for
// weights of 0.5 and more, so that a weight of 1 is exact.
absl::Status MapLerp(NodeContext& node) {
  constexpr float kHalf = 0.5f;
  ASSIGN_OR_RETURN(const Operands x, GetReals(node));
  ASSIGN_OR_RETURN(Tensor * weight, node.Cast(node.GetNumbers(2), DataType::kFloat32, ".weight"));
  const Emitted distance = node.Emit("sub", {x.b, x.a}, {}, ".distance");
  const auto from_start = [&](absl::string_view suffix) {
    return node.Emit("add", {x.a, node.Emit("mul", {weight, distance}, {}, ".way")}, {}, suffix);
  };
  const auto from_end = [&](absl::string_view suffix) {
    const Emitted rest = node.Emit("sub", {node.Scalar(1, ".one"), weight}, {}, ".rest");
    return node.Emit("sub", {x.b, node.Emit("mul", {rest, distance}, {}, ".way_back")}, {}, suffix);
  };
  const std::optional<float> number = NumberBeside(*weight, *x.a);
  if (number.has_value()) {
    return node.SetOutput(std::abs(*number) < kHalf ? from_start("") : from_end(""));
  }
  const Emitted size = node.Emit("abs", {weight}, {}, ".size");
  const Emitted small = node.Emit("less", {size, node.Scalar(kHalf, ".half")}, {}, ".small");
  return node.SetOutput(
      node.Emit("where", {small, from_start(".from_start"), from_end(".from_end")}));
}

// (y, x): the angle of atan(|y| / |x|), in the quadrant of both, where zeros have signs. Of equal
// numbers the slope is 0 or 1, also where their quotient is NaN.
absl::Status MapAtan2(NodeContext& node) {
  ASSIGN_OR_RETURN(const Operands in, GetReals(node));
  const Emitted height = node.Emit("abs", {in.a}, {}, ".height");
  const Emitted width = node.Emit("abs", {in.b}, {}, ".width");
  const Emitted diagonal = node.Emit("equal", {height, width}, {}, ".diagonal");
  Emitted slope = node.Emit("div", {height, width}, {}, ".quotient");
  slope =
      node.Emit("where", {diagonal, node.Emit("sign", {height}, {}, ".sign"), slope}, {}, ".slope");
  const Emitted acute = node.Emit("atan", {slope}, {}, ".acute");
  constexpr float kStraight = 3.14159265358979324f;
  const Emitted obtuse = node.Emit("sub", {node.Scalar(kStraight, ".pi"), acute}, {}, ".obtuse");
  const Emitted left = EmitSignBit(node, in.b, ".left");
  const Emitted upper = node.Emit("where", {left, obtuse, acute}, {}, ".upper");
  const Emitted below = EmitSignBit(node, in.a, ".below");
  return node.SetOutput(
      node.Emit("where", {below, node.Emit("neg", {upper}, {}, ".lower"), upper}));
}

// The remainder with the sign of the dividend: op mod of real numbers, of integers a - a / b * b.
absl::Status MapFmod(NodeContext& node) {
  ASSIGN_OR_RETURN(const Operands x, GetPromoted(node));
  if (x.dtype() == DataType::kFloat32) return node.SetOutput(node.Emit("mod", {x.a, x.b}));
  const Emitted quotient = node.Emit("div", {x.a, x.b}, {}, ".quotient");
  const Emitted whole = node.Emit("mul", {quotient, x.b}, {}, ".whole");
  return node.SetOutput(node.Emit("sub", {x.a, whole}));
}

// m sqrt(1 + (n / m)^2), where m is the larger and n the smaller of |a| and |b|: squares of both
// would overflow. Infinite beside NaN too.
absl::Status MapHypot(NodeContext& node) {
  ASSIGN_OR_RETURN(const Operands x, GetReals(node));
  const Emitted a = node.Emit("abs", {x.a}, {}, ".a_size");
  const Emitted b = node.Emit("abs", {x.b}, {}, ".b_size");
  const Emitted most = node.Emit("maximum", {a, b}, {}, ".most");
  const Emitted least = node.Emit("minimum", {a, b}, {}, ".least");
  Tensor* one = node.Scalar(1, ".one");
  Emitted ratio = node.Emit("div", {least, most}, {}, ".quotient");
  const Emitted same = node.Emit("equal", {least, most}, {}, ".same");
  ratio = node.Emit("where", {same, one, ratio}, {}, ".ratio");
  const Emitted sum =
      node.Emit("add", {node.Emit("square", {ratio}, {}, ".square"), one}, {}, ".sum");
  Emitted y = node.Emit("mul", {most, node.Emit("sqrt", {sum}, {}, ".root")}, {}, ".finite");
  Tensor* infinity = node.Scalar(kUnbounded, ".infinity");
  const Emitted a_infinite = node.Emit("equal", {a, infinity}, {}, ".a_infinite");
  y = node.Emit("where", {a_infinite, infinity, y}, {}, ".a_checked");
  const Emitted b_infinite = node.Emit("equal", {b, infinity}, {}, ".b_infinite");
  return node.SetOutput(node.Emit("where", {b_infinite, infinity, y}));
}

absl::Status MapLogAddExp(NodeContext& node) {
  ASSIGN_OR_RETURN(const Operands x, GetReals(node));
  return node.SetOutput(EmitLogAddExp(node, x.a, x.b));
}

// log2(2^a + 2^b), by natural logarithms.
absl::Status MapLogAddExp2(NodeContext& node) {
  ASSIGN_OR_RETURN(const Operands x, GetReals(node));
  OpEmitter natural = node.Step(0);
  const Emitted sum = EmitLogAddExp(natural, node.Scale(x.a, kLnOf2, ".a_natural"),
                                    node.Scale(x.b, kLnOf2, ".b_natural"));
  return node.SetOutput(node.Scale(sum, 1 / kLnOf2));
}

// x log(y) or x log(1 + y); 0 where x is, unless y is NaN.
absl::Status MapXLogY(NodeContext& node) {
  ASSIGN_OR_RETURN(const Operands x, GetReals(node));
  Tensor* zero = node.Scalar(0, ".zero");
  Emitted y = x.b;
  if (node.kind() == "aten::special_xlog1py") {
    y = node.Emit("add", {y, node.Scalar(1, ".one")}, {}, ".shifted");
  }
  y = node.Emit("log", {y}, {}, ".log");
  const Emitted product = node.Emit("mul", {x.a, y}, {}, ".product");
  const Emitted number = node.Emit("equal", {x.b, x.b}, {}, ".number");
  OpEmitter both = node.Step(0);
  const Emitted is_zero = EmitAnd(both, node.Emit("equal", {x.a, zero}, {}, ".is_zero"), number);
  return node.SetOutput(node.Emit("where", {is_zero, zero, product}));
}

// (x, values): 0 below 0, 1 above, `values` at 0.
absl::Status MapHeaviside(NodeContext& node) {
  ASSIGN_OR_RETURN(const Operands x, GetPromoted(node));
  const Emitted zero = node.Cast(node.Scalar(0, ".zero"), x.dtype(), ".typed_zero");
  const Emitted above = node.Emit("greater", {x.a, zero}, {}, ".above");
  const Emitted step = node.Cast(above, x.dtype(), ".step");
  const Emitted at_zero = node.Emit("equal", {x.a, zero}, {}, ".at_zero");
  return node.SetOutput(node.Emit("where", {at_zero, x.b, step}));
}

// (magnitude, sign)
absl::Status MapCopySign(NodeContext& node) {
  ASSIGN_OR_RETURN(const Operands x, GetReals(node));
  const Emitted size = node.Emit("abs", {x.a}, {}, ".abs");
  const Emitted negative = EmitSignBit(node, x.b, ".negative");
  return node.SetOutput(node.Emit("where", {negative, node.Emit("neg", {size}, {}, ".neg"), size}));
}

// a * 2^b
absl::Status MapLdexp(NodeContext& node) {
  ASSIGN_OR_RETURN(const Operands x, GetReals(node));
  const Emitted power = node.Emit("pow", {node.Scalar(2, ".two"), x.b}, {}, ".power");
  return node.SetOutput(node.Emit("mul", {x.a, power}));
}

// fmax and fmin: the other operand where one is NaN.
template <OpName kOp>
absl::Status MapNumberOf(NodeContext& node) {
  ASSIGN_OR_RETURN(const Operands x, GetPromoted(node));
  Emitted y = node.Emit(kOp, {x.a, x.b}, {}, ".both");
  y = node.Emit("where", {node.Emit("equal", {x.b, x.b}, {}, ".b_number"), y, x.a}, {}, ".of_a");
  return node.SetOutput(
      node.Emit("where", {node.Emit("equal", {x.a, x.a}, {}, ".a_number"), y, x.b}));
}

// (a, b, rtol, atol, equal_nan): whether a = b, or |a - b| is finite and at most
// atol + rtol * |b|; NaN only with equal_nan, beside another one.
absl::Status MapIsClose(NodeContext& node) {
  ASSIGN_OR_RETURN(const Operands given, GetPromoted(node));
  ASSIGN_OR_RETURN(const Operands x, Promoted(node, given, DataType::kFloat32));
  ASSIGN_OR_RETURN(const float relative, node.GetRealOr(2, 1e-5f));
  ASSIGN_OR_RETURN(const float absolute, node.GetRealOr(3, 1e-8f));
  ASSIGN_OR_RETURN(const bool equal_nan, node.GetBoolOr(4, false));
  Emitted allowed = node.Scale(node.Emit("abs", {x.b}, {}, ".abs"), relative, ".relative");
  allowed = node.Emit("add", {allowed, node.Scalar(absolute, ".absolute")}, {}, ".allowed");
  // Of integers exactly: those beyond 2^24 that differ may be the same number in float32.
  const bool integers = given.a->type.dtype == DataType::kInt64;
  const Operands& exact = integers ? given : x;
  const Emitted difference = node.Emit("sub", {exact.a, exact.b}, {}, ".difference");
  const Emitted distance = node.Cast(node.Emit("abs", {difference}, {}, ".distance"),
                                     DataType::kFloat32, ".real_distance");
  const Emitted equal = node.Emit("equal", {given.a, given.b}, {}, ".equal");
  const Emitted finite =
      node.Emit("less", {distance, node.Scalar(kUnbounded, ".infinity")}, {}, ".finite");
  OpEmitter within = node.Step(0), close = node.Step(1);
  const Emitted near = EmitAnd(close, finite, EmitLessOrEqual(within, distance, allowed));
  if (!equal_nan) return node.SetOutput(EmitOr(node, equal, near));
  OpEmitter neither = node.Step(2), numbers = node.Step(3);
  const Emitted a_number = node.Emit("equal", {x.a, x.a}, {}, ".a_number");
  const Emitted b_number = node.Emit("equal", {x.b, x.b}, {}, ".b_number");
  const Emitted both =
      node.Emit("logical_not", {EmitOr(neither, a_number, b_number)}, {}, ".both_nan");
  return node.SetOutput(EmitOr(node, both, EmitOr(numbers, equal, near)));
}

constexpr OpMapping kBinaryFunctionMappings[] = {
    {"aten::lerp", 3, MapLerp},
    {"aten::atan2", 2, MapAtan2},
    {"aten::arctan2", 2, MapAtan2},
    {"aten::fmod", 2, MapFmod},
    {"aten::hypot", 2, MapHypot},
    {"aten::logaddexp", 2, MapLogAddExp},
    {"aten::logaddexp2", 2, MapLogAddExp2},
    {"aten::xlogy", 2, MapXLogY},
    {"aten::special_xlogy", 2, MapXLogY},
    {"aten::special_xlog1py", 2, MapXLogY},
    {"aten::heaviside", 2, MapHeaviside},
    {"aten::copysign", 2, MapCopySign},
    {"aten::ldexp", 2, MapLdexp},
    {"aten::fmax", 2, MapNumberOf<"maximum">},
    {"aten::fmin", 2, MapNumberOf<"minimum">},
    {"aten::isclose", 2, MapIsClose},
};

}  // namespace

absl::Span<const OpMapping> BinaryFunctionMappings() { return kBinaryFunctionMappings; }

}  // namespace synap_internal::torchscript_import
