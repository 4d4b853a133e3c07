// Functions of one tensor that are composed of others, many of them from torch.special.
#include <cmath>
#include <limits>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "compiler/import/emit/elementwise.h"
#include "compiler/import/emit/indexing.h"
#include "compiler/import/torchscript/op_table.h"
#include "compiler/import/torchscript/operands.h"

namespace synap_internal::torchscript_import {
namespace {

constexpr float kSpecialInfinity = std::numeric_limits<float>::infinity();
constexpr float kHalfTurn = 3.14159265358979324f;

bool HasFractions(const Tensor& x) { return x.type.dtype == DataType::kFloat32; }

// --- Questions about numbers

// NaN alone isn't equal to itself.
absl::Status MapIsNan(NodeContext& node) {
  const Emitted x = node.GetTensor(0);
  return node.SetOutput(node.Emit("logical_not", {node.Emit("equal", {x, x}, {}, ".number")}));
}

// isinf, isposinf and isneginf.
absl::Status MapIsInf(NodeContext& node) {
  Emitted x = GetRealTensor(node, 0);
  if (node.kind() == "aten::isinf") x = node.Emit("abs", {x}, {}, ".abs");
  const float infinity = node.kind() == "aten::isneginf" ? -kSpecialInfinity : kSpecialInfinity;
  return node.SetOutput(node.Emit("equal", {x, node.Scalar(infinity, ".infinity")}));
}

absl::Status MapIsFinite(NodeContext& node) {
  const Emitted size = node.Emit("abs", {GetRealTensor(node, 0)}, {}, ".abs");
  return node.SetOutput(node.Emit("less", {size, node.Scalar(kSpecialInfinity, ".infinity")}));
}

// x with `to` where it equals `from`.
Emitted ReplacedNumber(NodeContext& node, const Emitted& x, float from, float to,
                       absl::string_view suffix) {
  const Emitted found = node.Emit("equal", {x, node.Scalar(from, suffix)}, {}, suffix);
  return node.Emit("where", {found, node.Scalar(to, suffix), x}, {}, suffix);
}

// (x, nan, posinf, neginf): by default 0, the largest and the smallest number.
absl::Status MapNanToNum(NodeContext& node) {
  constexpr float kLargest = std::numeric_limits<float>::max();
  ASSIGN_OR_RETURN(Tensor * x, node.GetTensor(0));
  if (!HasFractions(*x)) return node.SetOutput(x);
  ASSIGN_OR_RETURN(const float nan, node.GetRealOr(1, 0));
  ASSIGN_OR_RETURN(const float above, node.GetRealOr(2, kLargest));
  ASSIGN_OR_RETURN(const float below, node.GetRealOr(3, -kLargest));
  Emitted y = ReplacedNumber(node, x, kSpecialInfinity, above, ".posinf");
  y = ReplacedNumber(node, y, -kSpecialInfinity, below, ".neginf");
  const Emitted number = node.Emit("equal", {x, x}, {}, ".number");
  return node.SetOutput(node.Emit("where", {number, y, node.Scalar(nan, ".nan")}));
}

absl::Status MapSignBit(NodeContext& node) {
  return node.SetOutput(EmitSignBit(node, GetRealTensor(node, 0)));
}

// --- Rounding

// x without its fraction, or that alone.
absl::Status MapTruncate(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, node.GetTensor(0));
  if (!HasFractions(*x)) return node.SetOutput(x);
  if (node.kind() != "aten::frac") return node.SetOutput(EmitTruncate(node, x));
  return node.SetOutput(node.Emit("sub", {x, EmitTruncate(node, x, ".whole")}));
}

// --- Functions

// x = m 2^e of float32.
struct MantissaAndExponent {
  Emitted m, e;
};

// Those of x, above 0 and finite. The logarithm may be off by one rounding, so that m is 0.25 to 2.
MantissaAndExponent EmitNearMantissa(NodeContext& node, const Emitted& x) {
  constexpr int kLeast = -125, kMost = 128;
  std::vector<float> powers;  // 2^-e
  for (int e = kLeast; e <= kMost; ++e) powers.push_back(std::ldexp(1.0f, -e));
  Tensor* table = node.builder().AddFloats(node.Name(".powers"), powers);
  const Emitted bits = node.Scale(node.Emit("log", {x}, {}, ".log"), 1.44269504f, ".bits");
  const Emitted below = node.Emit("floor", {bits}, {}, ".floor");
  Emitted e = node.Emit("add", {below, node.Scalar(1, ".one")}, {}, ".next");
  e = node.Emit("clip", {e}, {{"min", float{kLeast}}, {"max", float{kMost}}}, ".exponent");
  const Emitted place = node.Emit("sub", {e, node.Scalar(kLeast, ".least")}, {}, ".place");
  const Emitted index = node.Cast(place, DataType::kInt64, ".index");
  const Emitted factor = EmitGather(node, table, index, 0, ".factor");
  return {node.Emit("mul", {x, factor}, {}, ".mantissa"), e};
}

// The same with m from 0.5 to 1: m (1 + small) (1 - large / 2) and e - small + large.
MantissaAndExponent EmitNormalized(NodeContext& node, const MantissaAndExponent& near) {
  Tensor* one = node.Scalar(1, ".one");
  const Emitted half = node.Scalar(0.5f, ".half");
  const Emitted is_small = node.Emit("less", {near.m, half}, {}, ".is_small");
  const Emitted small = node.Cast(is_small, DataType::kFloat32, ".small");
  const Emitted fits =
      node.Cast(node.Emit("less", {near.m, one}, {}, ".fits"), DataType::kFloat32, ".in_range");
  const Emitted large = node.Emit("sub", {one, fits}, {}, ".large");
  const Emitted up = node.Emit("add", {one, small}, {}, ".up");
  const Emitted down = node.Emit("sub", {one, node.Scale(large, 0.5f, ".halves")}, {}, ".down");
  const Emitted factor = node.Emit("mul", {up, down}, {}, ".correction");
  const Emitted lower = node.Emit("sub", {near.e, small}, {}, ".lower");
  return {node.Emit("mul", {near.m, factor}, {}, ".corrected"),
          node.Emit("add", {lower, large}, {}, ".corrected_exponent")};
}

// frexp: the mantissa, 0.5 or more and less than 1 in size, and the integer exponent; x and 0 of
// zeros, infinities and NaN. Of numbers below 2^-126 the mantissa is smaller.
absl::Status MapMantissaAndExponent(NodeContext& node) {
  const Emitted x = GetRealTensor(node, 0);
  const Emitted size = node.Emit("abs", {x}, {}, ".abs");
  Tensor* zero = node.Scalar(0, ".zero");
  const Emitted above = node.Emit("greater", {size, zero}, {}, ".above");
  Tensor* infinity = node.Scalar(kSpecialInfinity, ".infinity");
  const Emitted finite = node.Emit("less", {size, infinity}, {}, ".finite");
  OpEmitter both = node.Step(0);
  const Emitted usual = EmitAnd(both, above, finite);
  const Emitted known = node.Emit("where", {usual, size, node.Scalar(1, ".other")}, {}, ".known");
  const MantissaAndExponent parts = EmitNormalized(node, EmitNearMantissa(node, known));
  const Emitted sign = node.Emit("sign", {x}, {}, ".sign");
  const Emitted mantissa = node.Emit("mul", {parts.m, sign}, {}, ".signed");
  const Emitted exponent = node.Emit("where", {usual, parts.e, zero}, {}, ".whole");
  return node.SetTensors({node.Emit("where", {usual, mantissa, x}, {}, ".m"),
                          node.Cast(exponent, DataType::kInt64, ".e")});
}

absl::Status MapExp2(NodeContext& node) {
  return node.SetOutput(node.Emit("pow", {node.Scalar(2, ".two"), GetRealTensor(node, 0)}));
}

// deg2rad and rad2deg.
absl::Status MapDegrees(NodeContext& node) {
  const float factor = node.kind() == "aten::deg2rad" ? kHalfTurn / 180 : 180 / kHalfTurn;
  return node.SetOutput(node.Scale(GetRealTensor(node, 0), factor));
}

// sin(pi x) / (pi x), 1 at 0.
absl::Status MapSinc(NodeContext& node) {
  const Emitted x = GetRealTensor(node, 0);
  const Emitted angle = node.Scale(x, kHalfTurn, ".angle");
  const Emitted zero = node.Emit("equal", {x, node.Scalar(0, ".zero")}, {}, ".is_zero");
  const Emitted quotient =
      node.Emit("div", {node.Emit("sin", {angle}, {}, ".sin"), angle}, {}, ".quotient");
  return node.SetOutput(node.Emit("where", {zero, node.Scalar(1, ".one"), quotient}));
}

// log(x / (1 - x)) of x clamped to [eps, 1 - eps], if there is an eps.
absl::Status MapLogit(NodeContext& node) {
  Emitted x = GetRealTensor(node, 0);
  if (node.Has(1)) {
    ASSIGN_OR_RETURN(const float eps, node.GetReal(1));
    if (!(eps <= 0.5f)) {
      return absl::UnimplementedError(absl::StrCat("its eps is ", eps, ", expected at most 0.5"));
    }
    x = node.Emit("clip", {x}, {{"min", eps}, {"max", 1 - eps}}, ".clamped");
  }
  const Emitted rest = node.Emit("sub", {node.Scalar(1, ".one"), x}, {}, ".rest");
  return node.SetOutput(node.Emit("log", {node.Emit("div", {x, rest}, {}, ".odds")}));
}

// 1 - erf(x)
absl::Status MapErfc(NodeContext& node) {
  const Emitted erf = node.Emit("erf", {GetRealTensor(node, 0)}, {}, ".erf");
  return node.SetOutput(node.Emit("sub", {node.Scalar(1, ".one"), erf}));
}

// The normal distribution's (1 + erf(x / sqrt(2))) / 2.
absl::Status MapNormalDistribution(NodeContext& node) {
  const Emitted scaled = node.Scale(GetRealTensor(node, 0), std::sqrt(0.5f), ".scaled");
  const Emitted erf = node.Emit("erf", {scaled}, {}, ".erf");
  const Emitted sum = node.Emit("add", {erf, node.Scalar(1, ".one")}, {}, ".sum");
  return node.SetOutput(node.Scale(sum, 0.5f));
}

// -x log(x), 0 at 0; -inf below.
absl::Status MapEntropy(NodeContext& node) {
  const Emitted x = GetRealTensor(node, 0);
  Tensor* zero = node.Scalar(0, ".zero");
  Emitted y = node.Emit("mul", {x, node.Emit("log", {x}, {}, ".log")}, {}, ".product");
  y = node.Emit("neg", {y}, {}, ".entropy");
  const Emitted is_zero = node.Emit("equal", {x, zero}, {}, ".is_zero");
  y = node.Emit("where", {is_zero, zero, y}, {}, ".positive");
  const Emitted negative = node.Emit("less", {x, zero}, {}, ".negative");
  Tensor* infinity = node.Scalar(-kSpecialInfinity, ".infinity");
  return node.SetOutput(node.Emit("where", {negative, infinity, y}));
}

// --- Activations

// 0 where |x| <= lambda; elsewhere, and where it is NaN, x, and of softshrink x moved towards 0 by
// lambda.
absl::Status MapShrink(NodeContext& node) {
  const Emitted x = GetRealTensor(node, 0);
  ASSIGN_OR_RETURN(const float lambda, node.GetRealOr(1, 0.5f));
  if (lambda == 0) return node.SetOutput(x);
  if (node.kind() == "aten::softshrink") {
    const Emitted inside = node.Emit("clip", {x}, {{"min", -lambda}, {"max", lambda}}, ".inside");
    return node.SetOutput(node.Emit("sub", {x, inside}));
  }
  const Emitted size = node.Emit("abs", {x}, {}, ".abs");
  OpEmitter comparison = node.Step(0);
  const Emitted small = EmitLessOrEqual(comparison, size, node.Scalar(lambda, ".lambda"));
  return node.SetOutput(node.Emit("where", {small, node.Scalar(0, ".zero"), x}));
}

// (x, lower, upper, training), with the noise before the bounds in rrelu_with_noise: outside of
// training the slope is the middle of both.
absl::Status MapRandomizedRelu(NodeContext& node) {
  const size_t first = node.kind() == "aten::rrelu" ? 1 : 2;
  ASSIGN_OR_RETURN(const double lower, node.GetDoubleOr(first, 1.0 / 8));
  ASSIGN_OR_RETURN(const double upper, node.GetDoubleOr(first + 1, 1.0 / 3));
  ASSIGN_OR_RETURN(const bool training, node.GetBoolOr(first + 2, false));
  if (training && lower != upper) {
    return absl::UnimplementedError(
        "its slopes are random, as in training; export the model after eval()");
  }
  const auto slope = static_cast<float>((lower + upper) / 2);
  return node.SetOutput(node.Emit("leaky_relu", {GetRealTensor(node, 0)}, {{"alpha", slope}}));
}

// The same, and the noise, which training alone reads.
absl::Status MapRandomizedReluFunctional(NodeContext& node) {
  RETURN_IF_ERROR(MapRandomizedRelu(node));
  node.outputs().push_back(node.argument(1));
  return absl::OkStatus();
}

constexpr char kReluInference[] = "not in training mode";

constexpr OpMapping kSpecialMappings[] = {
    {"aten::isnan", 1, MapIsNan},
    {"aten::isinf", 1, MapIsInf},
    {"aten::isposinf", 1, MapIsInf},
    {"aten::isneginf", 1, MapIsInf},
    {"aten::isfinite", 1, MapIsFinite},
    {"aten::nan_to_num", 1, MapNanToNum},
    {"aten::signbit", 1, MapSignBit},
    {"aten::trunc", 1, MapTruncate},
    {"aten::fix", 1, MapTruncate},
    {"aten::frac", 1, MapTruncate},
    {"aten::frexp", 1, MapMantissaAndExponent},
    {"aten::exp2", 1, MapExp2},
    {"aten::special_exp2", 1, MapExp2},
    {"aten::deg2rad", 1, MapDegrees},
    {"aten::rad2deg", 1, MapDegrees},
    {"aten::sinc", 1, MapSinc},
    {"aten::special_sinc", 1, MapSinc},
    {"aten::logit", 1, MapLogit},
    {"aten::special_logit", 1, MapLogit},
    {"aten::erfc", 1, MapErfc},
    {"aten::special_erfc", 1, MapErfc},
    {"aten::special_ndtr", 1, MapNormalDistribution},
    {"aten::special_entr", 1, MapEntropy},
    {"aten::softshrink", 1, MapShrink},
    {"aten::hardshrink", 1, MapShrink},
    {"aten::rrelu", 1, MapRandomizedRelu, kReluInference},
    {"aten::rrelu_with_noise", 2, MapRandomizedRelu, kReluInference},
    {"aten::rrelu_with_noise_functional", 2, MapRandomizedReluFunctional, kReluInference},
};

}  // namespace

absl::Span<const OpMapping> SpecialMappings() { return kSpecialMappings; }

}  // namespace synap_internal::torchscript_import
