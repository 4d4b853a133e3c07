// Operators over integers, as float operators between conversions, which the compiler fuses into
// one quantized op where it has one.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/emit/axes.h"
#include "compiler/import/emit/op_name.h"
#include "compiler/import/onnx/op_table.h"
#include "compiler/import/onnx/quantization.h"

namespace synap_internal::onnx_import {
namespace {

// The node as a float operator, which doesn't have the attributes of the quantized one.
Emitted EmitReal(NodeContext& node, absl::string_view op_type, OpInputs operands) {
  constexpr absl::string_view kOwn[] = {"channels_last", "opset"};
  for (const absl::string_view own : kOwn) node.IgnoreAttribute(own);
  return EmitAs(node, op_type, std::move(operands), kOwn);
}

// Operand i, followed by its scale and zero point, in real numbers.
Emitted RealOperand(NodeContext& node, size_t i, int64_t axis = 0) {
  ASSIGN_OR_RETURN(const Quantizer quantizer, ReadQuantizer(node, i + 1, i + 2, axis));
  return Dequantize(node, node.input(i), quantizer, absl::StrCat(".", i));
}

absl::Status SetQuantized(NodeContext& node, const Emitted& real, size_t scale) {
  RETURN_IF_ERROR(real.status());
  ASSIGN_OR_RETURN(const Quantizer quantizer, ReadQuantizer(node, scale, scale + 1));
  return node.SetOutput(Quantize(node, *real, quantizer, ""));
}

// The bias at `bias` counts in steps of x scale * w scale, whose operands stand
// at `x` and `w`.
Emitted RealBias(NodeContext& node, size_t bias, size_t x, size_t w) {
  ASSIGN_OR_RETURN(const Quantizer xq, ReadQuantizer(node, x + 1, x + 2));
  ASSIGN_OR_RETURN(Quantizer quantizer, ReadQuantizer(node, w + 1, w + 2));
  if (!xq.per_tensor()) {
    return absl::UnimplementedError(
        absl::StrCat("its operand ", x, " has ", xq.scales.size(), " scales"));
  }
  for (float& scale : quantizer.scales) scale *= xq.scales[0];
  std::fill(quantizer.zero_points.begin(), quantizer.zero_points.end(), 0);
  quantizer.axis = static_cast<int64_t>(node.shape(bias).rank()) - 1;
  return Dequantize(node, node.input(bias), quantizer, ".bias");
}

absl::Status MapQLinearConv(NodeContext& node) {
  std::vector<Emitted> operands = {RealOperand(node, 0), RealOperand(node, 3)};
  if (node.HasInput(8)) operands.push_back(RealBias(node, 8, 0, 3));
  return SetQuantized(node, EmitReal(node, "Conv", operands), 6);
}

absl::Status MapQLinearMatMul(NodeContext& node) {
  const auto last = static_cast<int64_t>(node.shape(3).rank()) - 1;
  return SetQuantized(
      node, EmitReal(node, "MatMul", {RealOperand(node, 0), RealOperand(node, 3, last)}), 6);
}

// Without an output scale it gives floats.
absl::Status MapQGemm(NodeContext& node) {
  const int64_t columns = node.Int("transB", 0) != 0 ? 0 : 1;
  std::vector<Emitted> operands = {RealOperand(node, 0), RealOperand(node, 3, columns)};
  if (node.HasInput(6)) {
    // alpha is part of the bias' steps.
    const float alpha = node.Float("alpha", 1);
    if (alpha != 1) {
      return absl::UnimplementedError(
          absl::StrCat("attribute 'alpha' is ", alpha, " beside a bias"));
    }
    operands.push_back(RealBias(node, 6, 0, 3));
  }
  const auto real = EmitReal(node, "Gemm", operands);
  return node.HasInput(7) ? SetQuantized(node, real, 7) : node.SetOutput(real);
}

template <OpName kOpType>
absl::Status MapQLinearBinary(NodeContext& node) {
  return SetQuantized(node, EmitReal(node, kOpType, {RealOperand(node, 0), RealOperand(node, 3)}),
                      6);
}

template <OpName kOpType>
absl::Status MapQLinearUnary(NodeContext& node) {
  if (node.Int("channels_last", 0) != 0) {
    return absl::UnimplementedError("attribute 'channels_last' is 1");
  }
  return SetQuantized(node, EmitReal(node, kOpType, {RealOperand(node, 0)}), 3);
}

// Softmax of another opset than the model's may flatten where that doesn't.
absl::Status MapQLinearSoftmax(NodeContext& node) {
  constexpr int kNoLongerFlattens = 13;
  const int64_t opset = node.Int("opset", node.opset());
  if ((opset < kNoLongerFlattens) != (node.opset() < kNoLongerFlattens)) {
    return absl::UnimplementedError(
        absl::StrCat("attribute 'opset' is ", opset, ", but the model's opset is ", node.opset()));
  }
  return MapQLinearUnary<"Softmax">(node);
}

// Operands: the output's scale and zero point, then three for each input.
absl::Status MapQLinearConcat(NodeContext& node) {
  const std::vector<Tensor*>& inputs = node.inputs();
  const bool gaps = std::find(inputs.begin(), inputs.end(), nullptr) != inputs.end();
  if (inputs.size() % 3 != 2 || gaps) {
    return absl::InvalidArgumentError(
        absl::StrCat("has ", inputs.size(), " operands, expected 2 and 3 for each input"));
  }
  std::vector<Tensor*> operands;
  for (size_t i = 2; i < inputs.size(); i += 3) {
    ASSIGN_OR_RETURN(operands.emplace_back(), RealOperand(node, i));
  }
  return SetQuantized(node, EmitReal(node, "Concat", std::move(operands)), 0);
}

// An operand that counts in steps of 1. Outputs of DynamicQuantizeLinear are real already.
Emitted CountedOperand(NodeContext& node, size_t i, size_t zero_point, int64_t axis = 0) {
  Tensor* x = node.input(i);
  if (x->type.dtype == DataType::kFloat32) return x;
  ASSIGN_OR_RETURN(const Quantizer quantizer, ReadZeroPoints(node, zero_point, axis));
  return Dequantize(node, x, quantizer, absl::StrCat(".", i));
}

absl::Status MapConvInteger(NodeContext& node) {
  return node.SetOutput(
      EmitReal(node, "Conv", {CountedOperand(node, 0, 2), CountedOperand(node, 1, 3)}));
}

absl::Status MapMatMulInteger(NodeContext& node) {
  const auto last = static_cast<int64_t>(node.shape(1).rank()) - 1;
  return node.SetOutput(
      EmitReal(node, "MatMul", {CountedOperand(node, 0, 2), CountedOperand(node, 1, 3, last)}));
}

// Whole numbers saturated to uint8.
Emitted Bytes(NodeContext& node, const Emitted& steps, absl::string_view suffix) {
  const auto clipped = node.Emit("clip", {steps}, {{"min", 0.0f}, {"max", 255.0f}}, ".clipped");
  return node.Cast(clipped, DataType::kUint8, suffix);
}

// The formula of ONNX: the range of x and 0 in 255 steps.
absl::Status SetDynamicQuantizer(NodeContext& node) {
  Tensor* x = node.input(0);
  Tensor* zero = node.Scalar(0, ".zero");
  const Attributes all = {{"axes", AxesFrom(0, x->type.shape.rank())}, {"keep_dims", int64_t{0}}};
  const auto low =
      node.Emit("minimum", {node.Emit("reduce_min", {x}, all, ".least"), zero}, {}, ".low");
  const auto high =
      node.Emit("maximum", {node.Emit("reduce_max", {x}, all, ".most"), zero}, {}, ".high");
  const auto scale =
      node.Emit("div", {node.Emit("sub", {high, low}, {}, ".range"), node.Scalar(255, ".steps")},
                {}, ".scale");
  const auto below = node.Emit(
      "round",
      {node.Emit("div", {node.Emit("sub", {zero, low}, {}, ".below"), scale}, {}, ".steps_below")},
      {}, ".rounded_below");
  const auto zero_point = Bytes(node, below, ".zero_point");
  const auto steps =
      node.Emit("round", {node.Emit("div", {x, scale}, {}, ".scaled")}, {}, ".rounded");
  const auto moved = node.Emit(
      "add", {steps, node.Cast(zero_point, DataType::kFloat32, ".zero_point_float")}, {}, ".moved");
  RETURN_IF_ERROR(node.SetOutput(Bytes(node, moved, "")));
  RETURN_IF_ERROR(node.SetOutput(1, scale));
  return node.SetOutput(2, zero_point);
}

// A range found for each input has no quantizer that a compiler could know: unless they leave the
// network, the values stay real, in steps of 1, and their readers compute with floats.
absl::Status MapDynamicQuantizeLinear(NodeContext& node) {
  for (const std::string& output : node.node().output()) {
    if (node.state().outputs.contains(output)) return SetDynamicQuantizer(node);
  }
  RETURN_IF_ERROR(node.SetOutput(node.Reshape(node.input(0), node.shape(0).dims())));
  RETURN_IF_ERROR(node.SetOutput(1, node.Scalar(1, ".scale")));
  return node.SetOutput(2, node.Values(Shape(), std::vector<uint8_t>{0}, ".zero_point"));
}

constexpr char kZeroPoints[] = "constant zero points, one of each but for weights; uint8 and int8";
constexpr char kQuantizers[] =
    "constant scales and zero points, one of each but for weights; uint8, int8 and int16";

constexpr OpMapping kQlinearMappings[] = {
    {"ConvInteger", 2, 4, MapConvInteger,
     "[N,C,L], [N,C,H,W] and [N,C,D,H,W]; constant zero points, one of each but for weights; uint8 "
     "and int8"},
    {"DynamicQuantizeLinear", 1, 1, MapDynamicQuantizeLinear},
    {"MatMulInteger", 2, 4, MapMatMulInteger, kZeroPoints},
    {"QLinearConv", 8, 9, MapQLinearConv,
     "[N,C,L], [N,C,H,W] and [N,C,D,H,W]; constant scales and zero points, one of each but for "
     "weights; uint8, int8 and int16"},
    {"QLinearMatMul", 8, 8, MapQLinearMatMul, kQuantizers},
};

constexpr OpMapping kContributedQLinearMappings[] = {
    {"QGemm", 6, 9, MapQGemm,
     "constant scales and zero points, one of each but for weights; 'alpha' of 1 beside a bias"},
    {"QLinearAdd", 7, 8, MapQLinearBinary<"Add">, kQuantizers},
    {"QLinearAveragePool", 4, 5, MapQLinearUnary<"AveragePool">,
     "[N,C,L], [N,C,H,W] and [N,C,D,H,W]; constant scales and zero points, one of each; "
     "'channels_last' of 0"},
    {"QLinearConcat", 5, kAnyCount, MapQLinearConcat, kQuantizers},
    {"QLinearGlobalAveragePool", 4, 5, MapQLinearUnary<"GlobalAveragePool">,
     "[N,C,L] and [N,C,H,W]; constant scales and zero points, one of each; 'channels_last' of 0"},
    {"QLinearLeakyRelu", 4, 5, MapQLinearUnary<"LeakyRelu">, kQuantizers},
    {"QLinearMul", 7, 8, MapQLinearBinary<"Mul">, kQuantizers},
    {"QLinearSigmoid", 4, 5, MapQLinearUnary<"Sigmoid">, kQuantizers},
    {"QLinearSoftmax", 4, 5, MapQLinearSoftmax,
     "constant scales and zero points, one of each; 'opset' that of the model"},
};

}  // namespace

absl::Span<const OpMapping> QLinearMappings() { return kQlinearMappings; }
absl::Span<const OpMapping> ContributedQLinearMappings() { return kContributedQLinearMappings; }

}  // namespace synap_internal::onnx_import
