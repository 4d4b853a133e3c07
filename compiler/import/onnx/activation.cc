// Functions of one operand, PRelu and softmax.
#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/emit/axes.h"
#include "compiler/import/emit/elementwise.h"
#include "compiler/import/emit/nhwc.h"
#include "compiler/import/emit/op_name.h"
#include "compiler/import/emit/shape.h"
#include "compiler/import/onnx/narrow_tensors.h"
#include "compiler/import/onnx/op_table.h"
#include "compiler/import/onnx/unary_functions.h"

namespace synap_internal::onnx_import {
namespace {

// The op with the same meaning, for operators without attributes.
absl::string_view UnaryOp(absl::string_view op_type) {
  for (const UnaryFunction& function : kUnaryFunctions) {
    if (function.op_type == op_type) return function.op;
  }
  return "";
}

absl::Status MapUnary(NodeContext& node) {
  node.IgnoreAttribute("consumed_inputs");  // of opset 1
  Tensor* x = node.input(0);
  const std::string& type = node.node().op_type();
  if (x->type.dtype == DataType::kInt64 && (type == "Neg" || type == "Abs")) {
    Tensor* zero = node.builder().AddScalar(node.Name(".zero"), int64_t{0});
    Emitted negative = node.Emit("sub", {zero, x}, {}, type == "Neg" ? "" : ".neg");
    return node.SetOutput(type == "Neg" ? negative : node.Emit("maximum", {x, negative}));
  }
  return node.SetOutput(node.Emit(UnaryOp(type), {x}));
}

// alpha * elu(x / alpha)
absl::Status MapCelu(NodeContext& node) {
  const float value = node.Float("alpha", 1);
  if (value == 0) return absl::InvalidArgumentError("attribute 'alpha' is 0");
  Tensor* alpha = node.Scalar(value, ".alpha");
  Emitted y = node.Emit("div", {node.input(0), alpha}, {}, ".scaled");
  y = node.Emit("elu", {y}, {}, ".elu");
  return node.SetOutput(node.Emit("mul", {y, alpha}));
}

// x * sigmoid(alpha * x)
Emitted EmitSwish(NodeContext& node, absl::string_view suffix) {
  Tensor* x = node.input(0);
  const float alpha = node.Float("alpha", 1);
  if (alpha == 1) return node.Emit("silu", {x}, {}, suffix);
  Emitted y = node.Emit("mul", {x, node.Scalar(alpha, ".alpha")}, {}, ".scaled");
  y = node.Emit("sigmoid", {y}, {}, ".sigmoid");
  return node.Emit("mul", {x, y}, {}, suffix);
}

absl::Status MapSwish(NodeContext& node) { return node.SetOutput(EmitSwish(node, "")); }

// Swish of operand 0, times operand 1.
absl::Status MapSwiGlu(NodeContext& node) {
  if (node.shape(0) != node.shape(1)) {
    return absl::InvalidArgumentError(absl::StrCat("its operands are ", node.shape(0).ToString(),
                                                   " and ", node.shape(1).ToString(),
                                                   ", expected one shape"));
  }
  return node.SetOutput(node.Emit("mul", {EmitSwish(node, ".swish"), node.input(1)}));
}

// x > alpha ? x : 0
absl::Status MapThresholdedRelu(NodeContext& node) {
  Tensor* x = node.input(0);
  Tensor* alpha = node.Scalar(node.Float("alpha", 1), ".alpha");
  Tensor* zero = node.Scalar(0, ".zero");
  Emitted above = node.Emit("greater", {x, alpha}, {}, ".above");
  return node.SetOutput(node.Emit("where", {above, x, zero}));
}

// x < -lambd ? x + bias : x > lambd ? x - bias : 0
absl::Status MapShrink(NodeContext& node) {
  Emitted x = node.Cast(node.input(0), DataType::kFloat32, ".float");
  const float lambd = node.Float("lambd", 0.5f);
  Tensor* zero = node.Scalar(0, ".zero");
  Tensor* bias = node.Scalar(node.Float("bias", 0), ".bias");
  Tensor* low = node.Scalar(-lambd, ".low");
  Tensor* high = node.Scalar(lambd, ".high");
  Emitted below = node.Emit("less", {x, low}, {}, ".below");
  Emitted above = node.Emit("greater", {x, high}, {}, ".above");
  Emitted lowered = node.Emit("sub", {x, bias}, {}, ".lowered");
  Emitted raised = node.Emit("add", {x, bias}, {}, ".raised");
  Emitted y = node.Emit("where", {above, lowered, zero}, {}, ".positive");
  y = node.Emit("where", {below, raised, y}, {}, ".both");
  return node.SetOutput(node.Cast(y, node.input(0)->type.dtype));
}

// NaN alone isn't equal to itself.
absl::Status MapIsNan(NodeContext& node) {
  Tensor* x = node.input(0);
  return node.SetOutput(node.Emit("logical_not", {node.Emit("equal", {x, x}, {}, ".number")}));
}

absl::Status MapIsInf(NodeContext& node) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  Emitted x = node.input(0);
  const bool negative = node.Int("detect_negative", 1) != 0;
  const bool positive = node.Int("detect_positive", 1) != 0;
  if (!negative && !positive) {
    return absl::InvalidArgumentError("attributes 'detect_negative' and 'detect_positive' are 0");
  }
  if (negative && positive) x = node.Emit("abs", {x}, {}, ".abs");
  Tensor* infinity = node.Scalar(positive ? kInf : -kInf, ".infinity");
  return node.SetOutput(node.Emit("equal", {x, infinity}));
}

absl::Status MapLeakyRelu(NodeContext& node) {
  node.IgnoreAttribute("consumed_inputs");
  return node.SetOutput(
      node.Emit("leaky_relu", {node.input(0)}, {{"alpha", node.Float("alpha", 0.01f)}}));
}

absl::Status MapElu(NodeContext& node) {
  node.IgnoreAttribute("consumed_inputs");
  return node.SetOutput(node.Emit("elu", {node.input(0)}, {{"alpha", node.Float("alpha", 1)}}));
}

absl::Status MapHardSigmoid(NodeContext& node) {
  node.IgnoreAttribute("consumed_inputs");
  return node.SetOutput(
      node.Emit("hard_sigmoid", {node.input(0)},
                {{"alpha", node.Float("alpha", 0.2f)}, {"beta", node.Float("beta", 0.5f)}}));
}

absl::Status MapSelu(NodeContext& node) {
  node.IgnoreAttribute("consumed_inputs");
  // Opset 1 had fewer digits.
  const bool rounded = node.opset() < 6;
  const float alpha = node.Float("alpha", rounded ? 1.6732f : 1.67326319217681884765625f);
  const float gamma = node.Float("gamma", rounded ? 1.0507f : 1.05070102214813232421875f);
  return node.SetOutput(EmitSelu(node, node.input(0), alpha, gamma, ".gamma"));
}

absl::Status MapSoftsign(NodeContext& node) {
  return node.SetOutput(EmitSoftsign(node, node.input(0), ".sum"));
}

absl::Status MapGelu(NodeContext& node) {
  ASSIGN_OR_RETURN(const std::string approximate,
                   node.Choice("approximate", "none", {"none", "tanh"}));
  return node.SetOutput(
      node.Emit("gelu", {node.input(0)}, {{"approximate", int64_t{approximate == "tanh"}}}));
}

// For bounds that aren't constant, or integers.
absl::Status MapClipByTensors(NodeContext& node) {
  Tensor* x = node.input(0);
  const absl::string_view last = IsNarrow(x->type) ? ".clipped" : "";
  Emitted y = Widened(node, x, ".wide");
  if (node.HasInput(1)) {
    y = node.Emit("maximum", {y, Widened(node, node.input(1), ".low")}, {},
                  node.HasInput(2) ? ".min" : last);
  }
  if (node.HasInput(2)) {
    y = node.Emit("minimum", {y, Widened(node, node.input(2), ".high")}, {}, last);
  }
  return node.SetOutput(node.Cast(y, x->type.dtype));
}

absl::Status MapClip(NodeContext& node) {
  node.IgnoreAttribute("consumed_inputs");
  constexpr float kInf = std::numeric_limits<float>::infinity();
  float bounds[2] = {-kInf, kInf};
  if (node.opset() < 11) {
    bounds[0] = node.Float("min", -kInf);
    bounds[1] = node.Float("max", kInf);
  } else {
    for (size_t i : {1, 2}) {
      const Tensor* bound = node.input(i);
      if (bound == nullptr) continue;
      if (!bound->is_constant() || bound->type.dtype != DataType::kFloat32) {
        return MapClipByTensors(node);
      }
      ASSIGN_OR_RETURN(bounds[i - 1], node.ConstantReal(i, i == 1 ? "min" : "max"));
    }
  }
  bounds[0] = std::min(bounds[0], bounds[1]);  // ONNX: the upper bound wins
  // Exporters write "unbounded" as the largest number too.
  constexpr float kLargest = std::numeric_limits<float>::max();
  const bool low = bounds[0] > -kLargest, high = bounds[1] < kLargest;
  if (!low && !high) return node.SetOutput(node.input(0));
  if (bounds[0] == 0 && !high) return node.SetOutput(node.Emit("relu", {node.input(0)}));
  if (bounds[0] == 0 && bounds[1] == 6) return node.SetOutput(node.Emit("relu6", {node.input(0)}));
  Attributes attributes;
  if (low) attributes["min"] = bounds[0];
  if (high) attributes["max"] = bounds[1];
  return node.SetOutput(node.Emit("clip", {node.input(0)}, std::move(attributes)));
}

// The only dimension of x that a slope varies along: 0 for a single slope, else the dimension's
// distance from the end (1 = last). Nothing if it varies along several.
std::optional<size_t> SlopeDimension(const Shape& slope) {
  std::optional<size_t> found = 0;
  for (size_t i = 0; i < slope.rank(); ++i) {
    if (slope[i] == 1) continue;
    if (*found != 0) return std::nullopt;
    found = slope.rank() - i;
  }
  return found;
}

absl::Status MapPRelu(NodeContext& node) {
  node.IgnoreAttribute("consumed_inputs");
  Tensor *x = node.input(0), *slope = node.input(1);
  const size_t rank = x->type.shape.rank();
  // Before opset 7 it had an element for each channel.
  if (node.opset() < 7 && slope->type.shape.rank() == 1 && rank > 2) {
    ASSIGN_OR_RETURN(slope, AlongChannels(node, slope, rank, ".channels"));
  }
  const std::optional<size_t> along = SlopeDimension(slope->type.shape);
  const bool channels = rank >= 3 && rank <= 4 && along == rank - 1;
  if (slope->is_constant() && (along == 0 || along == 1 || channels)) {
    const int64_t count = slope->type.shape.elements();
    ASSIGN_OR_RETURN(slope, node.Reshape(slope, {count}, ".slope"));
    if (!channels) return node.SetOutput(node.Emit("prelu", {x, slope}));
    return node.SetOutput(EmitImage(node, "prelu", {x, slope}, {}));
  }
  // max(x, 0) + slope * min(x, 0)
  Tensor* zero = node.Scalar(0, ".zero");
  Emitted positive = node.Emit("maximum", {x, zero}, {}, ".positive");
  Emitted negative = node.Emit("minimum", {x, zero}, {}, ".negative");
  negative = node.Emit("mul", {negative, slope}, {}, ".sloped");
  return node.SetOutput(node.Emit("add", {positive, negative}));
}

// 1 at the largest element along the axis, the first of equal ones, else 0.
// Before opset 13 the dimensions from the axis on count as one.
absl::Status MapHardmax(NodeContext& node) {
  const Shape shape = node.shape(0);
  const bool flattens = node.opset() < 13;
  ASSIGN_OR_RETURN(int64_t axis, ResolveAxis(node.Int("axis", flattens ? 1 : -1), shape.rank()));
  const Shape s = flattens ? Shape(MatrixDims(shape, axis)) : shape;
  Emitted x = node.input(0);
  if (flattens) {
    x = node.Reshape(x, s.dims(), ".flat");
    axis = 1;
  }
  Emitted largest = node.Emit("argmax", {x}, {{"axis", axis}}, ".largest");
  std::vector<int64_t> dims(s.rank() - static_cast<size_t>(axis), 1);
  dims[0] = s[static_cast<size_t>(axis)];
  Emitted positions = node.builder().AddRange(node.Name(".positions"), 0, dims[0]);
  positions = node.Reshape(positions, std::move(dims), ".positions");
  Emitted hit = node.Emit("equal", {largest, positions}, {}, ".hit");
  Emitted y = node.Cast(hit, DataType::kFloat32, flattens ? ".float" : "");
  return node.SetOutput(flattens ? node.Reshape(y, shape.dims()) : y);
}

// Before opset 13 the dimensions from `axis` on count as one.
absl::Status MapSoftmax(NodeContext& node) {
  Emitted x = node.input(0);
  const Shape shape = node.shape(0);
  const absl::string_view op = node.node().op_type() == "Softmax" ? "softmax" : "log_softmax";
  const bool flattens = node.opset() < 13;
  ASSIGN_OR_RETURN(const int64_t axis,
                   ResolveAxis(node.Int("axis", flattens ? 1 : -1), shape.rank()));
  const int64_t inner = shape.Product(static_cast<size_t>(axis) + 1, shape.rank());
  if (!flattens || inner == 1) return node.SetOutput(node.Emit(op, {x}, {{"axis", axis}}));
  x = node.Reshape(x, MatrixDims(shape, axis), ".flat");
  x = node.Emit(op, {x}, {{"axis", int64_t{1}}}, ".flat");
  return node.SetOutput(node.Reshape(x, shape.dims()));
}

// Experimental operators until opset 10, as converters of Core ML and CNTK wrote them. Source:
// ONNX's schemas of that time (onnx/defs/experiments).

// alpha x + beta
absl::Status MapAffine(NodeContext& node) {
  return node.SetOutput(
      node.Emit("add", {node.Scale(node.input(0), node.Float("alpha", 1), ".scaled"),
                        node.Scalar(node.Float("beta", 0), ".beta")}));
}

// alpha op(beta x)
template <OpName kOp>
absl::Status MapScaled(NodeContext& node) {
  const float alpha = node.Float("alpha", 1), beta = node.Float("beta", 1);
  const auto scaled = node.Scale(node.input(0), beta, ".scaled");
  return node.SetOutput(
      node.Scale(node.Emit(kOp, {scaled}, {}, absl::StrCat(".", absl::string_view(kOp))), alpha));
}

constexpr OpMapping kActivationMappings[] = {
    {"Affine", 1, 1, MapAffine},
    {"ParametricSoftplus", 1, 1, MapScaled<"softplus">},
    {"ScaledTanh", 1, 1, MapScaled<"tanh">},
    {"Swish", 1, 1, MapSwish},
    {"SwiGLU", 2, 2, MapSwiGlu},
    {"Celu", 1, 1, MapCelu},
    {"ThresholdedRelu", 1, 1, MapThresholdedRelu},
    {"Shrink", 1, 1, MapShrink},
    {"IsNaN", 1, 1, MapIsNan},
    {"IsInf", 1, 1, MapIsInf},
    {"LeakyRelu", 1, 1, MapLeakyRelu},
    {"Elu", 1, 1, MapElu},
    {"HardSigmoid", 1, 1, MapHardSigmoid},
    {"Selu", 1, 1, MapSelu},
    {"Softsign", 1, 1, MapSoftsign},
    {"Gelu", 1, 1, MapGelu},
    {"Clip", 1, 3, MapClip},
    {"PRelu", 2, 2, MapPRelu},
    {"Softmax", 1, 1, MapSoftmax},
    {"LogSoftmax", 1, 1, MapSoftmax},
    {"Hardmax", 1, 1, MapHardmax},
};

}  // namespace

absl::Span<const OpMapping> ActivationMappings() { return kActivationMappings; }

absl::Span<const OpMapping> UnaryMappings() {
  static const auto* const rows = [] {
    auto* all = new std::vector<OpMapping>();
    for (const UnaryFunction& function : kUnaryFunctions) {
      all->push_back({function.op_type, 1, 1, MapUnary});
    }
    return all;
  }();
  return *rows;
}

}  // namespace synap_internal::onnx_import
