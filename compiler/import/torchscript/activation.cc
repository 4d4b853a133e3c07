// Functions of one tensor, and softmax.
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/status_macros.h"
#include "compiler/import/emit/elementwise.h"
#include "compiler/import/emit/nhwc.h"
#include "compiler/import/emit/slice.h"
#include "compiler/import/torchscript/op_table.h"
#include "compiler/import/torchscript/operands.h"
#include "compiler/import/torchscript/scalar_type.h"

namespace synap_internal::torchscript_import {
namespace {

absl::string_view UnaryOp(absl::string_view kind) {
  constexpr std::pair<absl::string_view, absl::string_view> kOps[] = {
      {"aten::hardswish", "hard_swish"},
      {"aten::arccos", "acos"},
      {"aten::arcsin", "asin"},
      {"aten::arctan", "atan"},
      {"aten::arcsinh", "asinh"},
      {"aten::arccosh", "acosh"},
      {"aten::arctanh", "atanh"},
      {"aten::sgn", "sign"},
      {"aten::negative", "neg"},
      {"aten::absolute", "abs"},
      {"aten::special_expit", "sigmoid"},
      {"aten::_softmax", "softmax"},
      {"aten::_log_softmax", "log_softmax"},
  };
  for (const auto& [name, ours] : kOps) {
    if (name == kind) return ours;
  }
  return absl::StripPrefix(absl::StripPrefix(kind, "aten::"), "special_");
}

absl::Status MapUnary(NodeContext& node) {
  return node.SetOutput(node.Emit(UnaryOp(node.kind()), {GetRealTensor(node, 0)}));
}

// The result for a quantized tensor has a fixed quantizer that covers the function's range, 0 to 1
// or -1 to 1 (PyTorch's qsigmoid.cpp, qtanh.cpp, qhardsigmoid.cpp).
absl::Status SetOfRange(NodeContext& node, absl::string_view op, Attributes attributes) {
  ASSIGN_OR_RETURN(Tensor * x, node.GetTensor(0));
  const DataType dtype = x->type.dtype;
  if (!x->type.quant.quantized()) {
    const Emitted real = node.Cast(x, DataType::kFloat32, ".real");
    return node.SetOutput(node.Emit(op, {real}, std::move(attributes)));
  }
  const bool odd = op == "tanh";
  const int32_t lowest = dtype == DataType::kInt8 ? -128 : 0;
  const QuantParams quantizer =
      QuantParams::Affine(odd ? 2.0f / 256 : 1.0f / 256, odd ? lowest + 128 : lowest);
  const Emitted y = node.Emit(op, {node.Dequantize(x, ".x")}, std::move(attributes), ".y");
  return node.SetOutput(node.Quantize(y, {dtype, Shape(), quantizer}, ""));
}

absl::Status MapOfRange(NodeContext& node) { return SetOfRange(node, UnaryOp(node.kind()), {}); }

absl::Status MapHardSigmoid(NodeContext& node) {
  return SetOfRange(node, "hard_sigmoid", {{"alpha", 1.0f / 6.0f}, {"beta", 0.5f}});
}

// round (x, decimals)
absl::Status MapDecimals(NodeContext& node) {
  ASSIGN_OR_RETURN(const int64_t decimals, node.GetIntOr(1, 0));
  if (decimals == 0) return node.SetOutput(node.Emit("round", {GetRealTensor(node, 0)}));
  const auto power = static_cast<float>(std::pow(10.0, std::abs(static_cast<double>(decimals))));
  Tensor* scale = node.Scalar(power, ".power");
  const bool fraction = decimals > 0;
  Emitted y = node.Emit(fraction ? "mul" : "div", {GetRealTensor(node, 0), scale}, {}, ".scaled");
  y = node.Emit("round", {y}, {}, ".round");
  return node.SetOutput(node.Emit(fraction ? "div" : "mul", {y, scale}));
}

// Also of Python's numbers. Rounded integers are themselves.
absl::Status MapRounding(NodeContext& node) {
  if (node.argument(0).IsTensor()) {
    ASSIGN_OR_RETURN(Tensor * x, node.GetTensor(0));
    const bool sqrt = node.kind() == "aten::sqrt";
    if (!sqrt && x->type.dtype == DataType::kInt64) return node.SetOutput(x);
    return absl::EndsWith(node.kind(), "round") ? MapDecimals(node) : MapUnary(node);
  }
  ASSIGN_OR_RETURN(const double x, NumberOf(node.argument(0)));
  if (node.kind() == "aten::sqrt") {
    return node.SetOutput(Value{std::sqrt(x)});
  }
  const double rounded = node.kind() == "aten::floor"  ? std::floor(x)
                         : node.kind() == "aten::ceil" ? std::ceil(x)
                                                       : std::nearbyint(x);
  if (!(std::abs(rounded) <= kMaxExactInteger)) {
    return absl::InvalidArgumentError(
        absl::StrCat("its operand is ", x, ", expected a number of up to 2^53"));
  }
  return node.SetOutput(Value{static_cast<int64_t>(rounded)});
}

// neg and abs of Python's numbers.
absl::Status MapSignOfNumber(NodeContext& node) {
  const bool is_abs = node.kind() == "aten::abs" || node.kind() == "aten::absolute";
  if (!is_abs && node.kind() != "aten::neg" && node.kind() != "aten::negative") {
    return absl::UnimplementedError("its operand is a number");
  }
  ASSIGN_OR_RETURN(const double x, NumberOf(node.argument(0)));
  Value result = node.argument(0);
  if (!is_abs || x < 0) {
    ASSIGN_OR_RETURN(result, ScalarBinary("aten::sub", Value{int64_t{0}}, node.argument(0)));
  }
  return node.SetOutput(std::move(result));
}

// Functions that keep integers.
absl::Status MapIntegralUnary(NodeContext& node) {
  if (!node.argument(0).IsTensor()) return MapSignOfNumber(node);
  return node.SetOutput(node.Emit(UnaryOp(node.kind()), {node.GetTensor(0)}));
}

absl::Status MapLeaky(NodeContext& node) {
  ASSIGN_OR_RETURN(const float alpha, node.GetRealOr(1, 0.01f));
  return node.SetOutput(node.Emit("leaky_relu", {GetRealTensor(node, 0)}, {{"alpha", alpha}}));
}

// (x, alpha, scale, input_scale): scale * x, below 0 scale * alpha * (exp(input_scale * x) - 1).
absl::Status MapElu(NodeContext& node) {
  const Emitted x = GetRealTensor(node, 0);
  ASSIGN_OR_RETURN(const float alpha, node.GetRealOr(1, 1));
  ASSIGN_OR_RETURN(const float scale, node.GetRealOr(2, 1));
  ASSIGN_OR_RETURN(const float input_scale, node.GetRealOr(3, 1));
  if (input_scale == 1) {
    const Emitted y = node.Emit("elu", {x}, {{"alpha", alpha}}, scale == 1 ? "" : ".elu");
    return node.SetOutput(node.Scale(y, scale));
  }
  if (input_scale < 0) {
    return absl::UnimplementedError(
        absl::StrCat("its input_scale is ", input_scale, ", expected a positive number"));
  }
  const Emitted positive = node.Emit("relu", {x}, {}, ".positive");
  const Emitted negative = node.Emit("sub", {x, positive}, {}, ".negative");
  const Emitted scaled = node.Scale(negative, input_scale, ".scaled");
  const Emitted below = node.Emit("elu", {scaled}, {{"alpha", alpha}}, ".elu");
  const Emitted sum = node.Emit("add", {positive, below}, {}, scale == 1 ? "" : ".sum");
  return node.SetOutput(node.Scale(sum, scale));
}

absl::Status MapSelu(NodeContext& node) {
  constexpr float kAlpha = 1.6732632423543772f, kScale = 1.0507009873554805f;
  return node.SetOutput(EmitSelu(node, GetRealTensor(node, 0), kAlpha, kScale, ".scale"));
}

// alpha * elu(x / alpha)
absl::Status MapCelu(NodeContext& node) {
  Emitted x = GetRealTensor(node, 0);
  ASSIGN_OR_RETURN(const float alpha, node.GetRealOr(1, 1));
  Tensor* scalar = node.Scalar(alpha, ".alpha");
  x = node.Emit("div", {x, scalar}, {}, ".scaled");
  x = node.Emit("elu", {x}, {{"alpha", 1.0f}}, ".elu");
  return node.SetOutput(node.Emit("mul", {x, scalar}));
}

absl::Status MapGelu(NodeContext& node) {
  const std::string* how = node.Has(1) ? node.argument(1).Get<std::string>() : nullptr;
  const bool approximate = how != nullptr && *how == "tanh";
  return node.SetOutput(
      node.Emit("gelu", {GetRealTensor(node, 0)}, {{"approximate", int64_t{approximate}}}));
}

// softplus(beta x) / beta. Where beta x is above the threshold PyTorch returns x itself, which at
// the usual 20 equals the sum in float32.
absl::Status MapSoftplus(NodeContext& node) {
  constexpr float kSameAbove = 15;
  const Emitted x = GetRealTensor(node, 0);
  ASSIGN_OR_RETURN(const float beta, node.GetRealOr(1, 1));
  ASSIGN_OR_RETURN(const float threshold, node.GetRealOr(2, 20));
  const bool linear = threshold < kSameAbove;
  if (beta == 1 && !linear) return node.SetOutput(node.Emit("softplus", {x}));
  Tensor* scalar = node.Scalar(beta, ".beta");
  const Emitted scaled = node.Emit("mul", {x, scalar}, {}, ".scaled");
  Emitted y = node.Emit("softplus", {scaled}, {}, ".softplus");
  y = node.Emit("div", {y, scalar}, {}, linear ? ".smooth" : "");
  if (!linear) return node.SetOutput(y);
  Tensor* limit = node.Scalar(threshold, ".threshold");
  const Emitted above = node.Emit("greater", {scaled, limit}, {}, ".above");
  return node.SetOutput(node.Emit("where", {above, x, y}));
}

// -softplus(-x)
absl::Status MapLogSigmoid(NodeContext& node) {
  const Emitted negative = node.Emit("neg", {GetRealTensor(node, 0)}, {}, ".neg");
  return node.SetOutput(node.Emit("neg", {node.Emit("softplus", {negative}, {}, ".softplus")}));
}

// The same, and a buffer that training alone reads.
absl::Status MapLogSigmoidForward(NodeContext& node) {
  RETURN_IF_ERROR(MapLogSigmoid(node));
  node.AddUnread("buffer of log_sigmoid");
  return absl::OkStatus();
}

// log(x + shift) / divisor, for the relatives of log.
absl::Status MapLog(NodeContext& node) {
  Emitted x = GetRealTensor(node, 0);
  if (absl::EndsWith(node.kind(), "log1p")) {
    x = node.Emit("add", {x, node.Scalar(1, ".one")}, {}, ".shifted");
    return node.SetOutput(node.Emit("log", {x}));
  }
  constexpr float kLog2 = 0.69314718055994531f, kLog10 = 2.3025850929940457f;
  x = node.Emit("log", {x}, {}, ".log");
  Tensor* divisor = node.Scalar(node.kind() == "aten::log2" ? kLog2 : kLog10, ".base");
  return node.SetOutput(node.Emit("div", {x, divisor}));
}

absl::Status MapExpm1(NodeContext& node) {
  const Emitted exp = node.Emit("exp", {GetRealTensor(node, 0)}, {}, ".exp");
  return node.SetOutput(node.Emit("sub", {exp, node.Scalar(1, ".one")}));
}

absl::Status MapSoftsign(NodeContext& node) {
  return node.SetOutput(EmitSoftsign(node, GetRealTensor(node, 0), ".divisor"));
}

// hardtanh, clamp and its halves; of integers as minimum and maximum.
absl::Status MapClamp(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, node.GetTensor(0));
  const bool only_max = node.kind() == "aten::clamp_max";
  const size_t min_at = only_max ? node.size() : 1, max_at = only_max ? 1 : 2;
  const bool tensors = (node.Has(min_at) && node.argument(min_at).IsTensor()) ||
                       (node.Has(max_at) && node.argument(max_at).IsTensor());
  if (x->type.dtype != DataType::kFloat32 || tensors) {
    DataType type = x->type.dtype;
    std::vector<std::pair<const char*, Tensor*>> bounds;
    for (const auto& [at, op] : {std::pair(min_at, "maximum"), std::pair(max_at, "minimum")}) {
      if (!node.Has(at)) continue;
      ASSIGN_OR_RETURN(Tensor * bound, node.GetNumbers(at));
      type = MoreGeneral(type, bound->type.dtype);
      bounds.emplace_back(op, bound);
    }
    Emitted y = node.Cast(x, type, ".typed");
    for (const auto& [op, bound] : bounds) {
      y = node.Emit(op, {y, node.Cast(bound, type, ".bound")}, {}, absl::StrCat(".", op));
    }
    return node.SetOutput(y);
  }
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const bool hardtanh = node.kind() == "aten::hardtanh";
  ASSIGN_OR_RETURN(const float min, node.GetRealOr(min_at, hardtanh ? -1 : -kInfinity));
  ASSIGN_OR_RETURN(const float max, node.GetRealOr(max_at, hardtanh ? 1 : kInfinity));
  if (min == 0 && max == 6) return node.SetOutput(node.Emit("relu6", {x}));
  if (min == 0 && max == kInfinity) return node.SetOutput(node.Emit("relu", {x}));
  // PyTorch takes the upper bound where they cross.
  return node.SetOutput(node.Emit("clip", {x}, {{"min", min < max ? min : max}, {"max", max}}));
}

// x > threshold ? x : value
absl::Status MapThreshold(NodeContext& node) {
  const Emitted x = GetRealTensor(node, 0);
  ASSIGN_OR_RETURN(const float threshold, node.GetReal(1));
  ASSIGN_OR_RETURN(const float value, node.GetReal(2));
  const Emitted above =
      node.Emit("greater", {x, node.Scalar(threshold, ".threshold")}, {}, ".above");
  return node.SetOutput(node.Emit("where", {above, x, node.Scalar(value, ".value")}));
}

// One slope, or one for each channel, the second dimension.
absl::Status MapPrelu(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, GetRealTensor(node, 0));
  ASSIGN_OR_RETURN(Tensor * slope, node.GetTensor(1));
  const int64_t slopes = slope->type.shape.elements();
  const size_t rank = x->type.shape.rank();
  // The op's slopes are along the last dimension, an image's channels.
  if (slopes > 1 && rank == 4) return node.SetOutput(EmitImage(node, "prelu", {x, slope}, {}));
  const Emitted slope_of_channels = slopes > 1 ? AlongChannels(node, slope, rank, ".slope") : slope;
  return node.SetOutput(node.Emit("prelu", {x, slope_of_channels}));
}

// (x, slopes), which broadcast.
absl::Status MapPreluKernel(NodeContext& node) {
  const Emitted x = GetRealTensor(node, 0);
  const Emitted slope = node.Cast(node.GetTensor(1), DataType::kFloat32, ".slope");
  const Emitted positive = node.Emit("greater", {x, node.Scalar(0, ".zero")}, {}, ".positive");
  const Emitted sloped = node.Emit("mul", {x, slope}, {}, ".sloped");
  return node.SetOutput(node.Emit("where", {positive, x, sloped}));
}

// a * sigmoid(b) of two halves.
absl::Status MapGlu(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, GetRealTensor(node, 0));
  ASSIGN_OR_RETURN(const int64_t resolved, node.GetAxisOr(1, x->type.shape.rank(), -1));
  const auto axis = static_cast<size_t>(resolved);
  const int64_t half = x->type.shape[axis] / 2;
  if (x->type.shape[axis] % 2 != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("can't halve dimension ", axis, " of ", x->type.shape.ToString()));
  }
  const Emitted a = EmitAxisSlice(node, x, axis, 0, half, ".a");
  const Emitted b = EmitAxisSlice(node, x, axis, half, half, ".b");
  return node.SetOutput(node.Emit("mul", {a, node.Emit("sigmoid", {b}, {}, ".sigmoid")}));
}

absl::Status MapSoftmax(NodeContext& node) {
  ASSIGN_OR_RETURN(const ListAxis along, GetListAxis(node, 1));
  const Emitted x = node.Cast(along.x, DataType::kFloat32, ".real");
  const Emitted y =
      node.Emit(UnaryOp(node.kind()), {x}, {{"axis", static_cast<int64_t>(along.axis)}});
  return node.SetOutput(ScalarIfGiven(node, along, y, ".scalar"));
}

constexpr char kTensors[] = "tensors";

constexpr OpMapping kActivationMappings[] = {
    {"aten::relu", 1, MapUnary},
    {"aten::relu6", 1, MapUnary},
    {"aten::sigmoid", 1, MapOfRange, Quantized::kOwn},
    {"aten::special_expit", 1, MapOfRange, Quantized::kOwn},
    {"aten::tanh", 1, MapOfRange, Quantized::kOwn},
    {"aten::silu", 1, MapUnary},
    {"aten::mish", 1, MapUnary},
    {"aten::hardswish", 1, MapUnary},
    {"aten::erf", 1, MapUnary},
    {"aten::special_erf", 1, MapUnary},
    {"aten::exp", 1, MapUnary},
    {"aten::log", 1, MapUnary},
    {"aten::rsqrt", 1, MapUnary},
    {"aten::reciprocal", 1, MapUnary},
    {"aten::sin", 1, MapUnary},
    {"aten::cos", 1, MapUnary},
    {"aten::tan", 1, MapUnary},
    {"aten::asin", 1, MapUnary},
    {"aten::acos", 1, MapUnary},
    {"aten::atan", 1, MapUnary},
    {"aten::arcsin", 1, MapUnary},
    {"aten::arccos", 1, MapUnary},
    {"aten::arctan", 1, MapUnary},
    {"aten::sinh", 1, MapUnary},
    {"aten::cosh", 1, MapUnary},
    {"aten::asinh", 1, MapUnary},
    {"aten::acosh", 1, MapUnary},
    {"aten::atanh", 1, MapUnary},
    {"aten::arcsinh", 1, MapUnary},
    {"aten::arccosh", 1, MapUnary},
    {"aten::arctanh", 1, MapUnary},
    {"aten::sqrt", 1, MapRounding},
    {"aten::floor", 1, MapRounding},
    {"aten::ceil", 1, MapRounding},
    {"aten::round", 1, MapRounding},
    {"aten::special_round", 1, MapRounding},
    {"aten::neg", 1, MapIntegralUnary},
    {"aten::negative", 1, MapIntegralUnary},
    {"aten::abs", 1, MapIntegralUnary},
    {"aten::absolute", 1, MapIntegralUnary},
    {"aten::sign", 1, MapIntegralUnary, kTensors},
    {"aten::sgn", 1, MapIntegralUnary, kTensors},
    {"aten::square", 1, MapIntegralUnary, kTensors},
    {"aten::leaky_relu", 1, MapLeaky},
    {"aten::elu", 1, MapElu, "a positive input_scale"},
    {"aten::selu", 1, MapSelu},
    {"aten::celu", 1, MapCelu},
    {"aten::hardsigmoid", 1, MapHardSigmoid, Quantized::kOwn},
    {"aten::gelu", 1, MapGelu},
    {"aten::softplus", 1, MapSoftplus},
    {"aten::log_sigmoid", 1, MapLogSigmoid},
    {"aten::log_sigmoid_forward", 1, MapLogSigmoidForward},
    {"aten::log1p", 1, MapLog},
    {"aten::special_log1p", 1, MapLog},
    {"aten::log2", 1, MapLog},
    {"aten::log10", 1, MapLog},
    {"aten::expm1", 1, MapExpm1},
    {"aten::special_expm1", 1, MapExpm1},
    {"aten::softsign", 1, MapSoftsign},
    {"aten::hardtanh", 1, MapClamp},
    {"aten::clamp", 1, MapClamp},
    {"aten::clip", 1, MapClamp},
    {"aten::clamp_min", 2, MapClamp},
    {"aten::clamp_max", 2, MapClamp},
    {"aten::threshold", 3, MapThreshold},
    {"aten::prelu", 2, MapPrelu},
    {"aten::_prelu_kernel", 2, MapPreluKernel},
    {"aten::glu", 1, MapGlu},
    {"aten::softmax", 2, MapSoftmax},
    {"aten::_softmax", 2, MapSoftmax},
    {"aten::special_softmax", 2, MapSoftmax},
    {"aten::log_softmax", 2, MapSoftmax},
    {"aten::_log_softmax", 2, MapSoftmax},
    {"aten::special_log_softmax", 2, MapSoftmax},
};

}  // namespace

absl::Span<const OpMapping> ActivationMappings() { return kActivationMappings; }

}  // namespace synap_internal::torchscript_import
