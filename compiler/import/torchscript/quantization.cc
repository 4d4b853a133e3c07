// quantize_per_tensor, dequantize, and the modules of torch.ao.nn.quantized, as float ops
// between conversions, which the compiler fuses into one quantized op where it has one.
#include <limits>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/emit/axes.h"
#include "compiler/import/torchscript/layers.h"
#include "compiler/import/torchscript/op_table.h"
#include "compiler/import/torchscript/scalar_type.h"
#include "compiler/import/torchscript/tensor_data.h"

namespace synap_internal::torchscript_import {
namespace {

using Dims = std::vector<int64_t>;

// Scale and zero point at argument `at`, for tensors of `dtype`.
absl::StatusOr<TensorType> ReadQuantizer(const NodeContext& node, size_t at, DataType dtype) {
  ASSIGN_OR_RETURN(const float scale, node.GetReal(at));
  ASSIGN_OR_RETURN(const int64_t zero_point, node.GetInt(at + 1));
  constexpr int64_t kMin = std::numeric_limits<int8_t>::min();
  constexpr int64_t kMax = std::numeric_limits<uint8_t>::max();
  if (zero_point < kMin || zero_point > kMax) {
    return absl::InvalidArgumentError(absl::StrCat("its zero point is ", zero_point));
  }
  TensorType type{dtype, Shape(), QuantParams::Affine(scale, static_cast<int32_t>(zero_point))};
  RETURN_IF_ERROR(Annotate(type.quant.Validate(dtype, type.shape), "its quantizer"));
  return type;
}

// x, which may be real already, named Name(".<i>") if it isn't.
Emitted RealNumbers(NodeContext& node, Tensor* x, size_t i) {
  return x->type.quant.quantized() ? node.Dequantize(x, absl::StrCat(".", i)) : x;
}

// The real numbers of argument i.
Emitted DequantizedOperand(NodeContext& node, size_t i) {
  ASSIGN_OR_RETURN(Tensor * x, node.GetTensor(i));
  return RealNumbers(node, x, i);
}

// `y` with the quantizer at argument `at`, as quint8.
absl::Status SetQuantized(NodeContext& node, const Emitted& y, size_t at) {
  ASSIGN_OR_RETURN(const TensorType type, ReadQuantizer(node, at, DataType::kUint8));
  return node.SetOutput(node.Quantize(y, type, ""));
}

Emitted WithRelu(NodeContext& node, const Emitted& y) {
  return absl::StrContains(node.kind(), "_relu") ? node.Emit("relu", {y}, {}, ".relu") : y;
}

absl::Status MapQuantize(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, node.GetTensor(0));
  ASSIGN_OR_RETURN(const int64_t number, node.GetInt(3));
  ASSIGN_OR_RETURN(const DataType dtype, FlowDataType(number));
  if (dtype != DataType::kUint8 && dtype != DataType::kInt8) {
    return absl::UnimplementedError("it quantizes to other types than quint8 and qint8");
  }
  ASSIGN_OR_RETURN(const TensorType type, ReadQuantizer(node, 1, dtype));
  return node.SetOutput(node.Quantize(x, type, ""));
}

absl::Status MapDequantize(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, node.GetTensor(0));
  if (!x->type.quant.quantized()) return node.SetOutput(x);
  return node.SetOutput(node.Dequantize(x, ""));
}

struct LayerWeights {
  const torchscript::PackedWeights* packed = nullptr;
  Tensor* w = nullptr;
  Tensor* bias = nullptr;
};

Emitted AddQuantizedConstant(NodeContext& node, const torchscript::Tensor& proto,
                             absl::string_view suffix) {
  // The owner keeps the constants of the file alive.
  ASSIGN_OR_RETURN(TensorData data, ReadTensor(proto, node.state().owner, node.builder()));
  return node.builder().graph().AddConstant(node.Name(suffix), std::move(data.type),
                                            std::move(data.constant));
}

// The weights that argument 1 packs.
absl::StatusOr<LayerWeights> ReadWeights(NodeContext& node) {
  LayerWeights weights;
  ASSIGN_OR_RETURN(weights.packed, node.GetPacked(1));
  const torchscript::PackedWeights& packed = *weights.packed;
  ASSIGN_OR_RETURN(weights.w, AddQuantizedConstant(node, packed.weight(), ".weights.q"));
  if (!weights.w->type.quant.quantized()) {
    return absl::InvalidArgumentError("its weights are not quantized");
  }
  ASSIGN_OR_RETURN(weights.w, node.Dequantize(weights.w, ".weights"));
  if (packed.has_bias()) {
    ASSIGN_OR_RETURN(weights.bias, AddQuantizedConstant(node, packed.bias(), ".bias"));
  }
  return weights;
}

// (x, packed, scale, zero point)
absl::Status MapQuantizedConvolution(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, DequantizedOperand(node, 0));
  ASSIGN_OR_RETURN(const LayerWeights weights, ReadWeights(node));
  const torchscript::PackedWeights& packed = *weights.packed;
  ConvolutionParameters p;
  p.stride = Dims(packed.stride().begin(), packed.stride().end());
  p.padding = Dims(packed.padding().begin(), packed.padding().end());
  p.dilation = Dims(packed.dilation().begin(), packed.dilation().end());
  p.output_padding = Dims(packed.output_padding().begin(), packed.output_padding().end());
  p.groups = packed.groups();
  p.transposed = packed.transposed();
  const Emitted y = EmitConvolution(node, x, weights.w, weights.bias, p);
  return SetQuantized(node, WithRelu(node, y), 2);
}

// x times the weights of argument 1, in real numbers, with the bias and the ReLU of the operator.
Emitted RealLinear(NodeContext& node, const Emitted& x) {
  ASSIGN_OR_RETURN(const LayerWeights weights, ReadWeights(node));
  return WithRelu(node, EmitLinear(node, x, weights.w, weights.bias, ".real"));
}

// (x, packed, scale, zero point)
absl::Status MapQuantizedLinear(NodeContext& node) {
  return SetQuantized(node, RealLinear(node, DequantizedOperand(node, 0)), 2);
}

// (x, packed, reduce_range): PyTorch finds a range for x anew each time; here x stays real, and
// the weights are what their integers stand for.
absl::Status MapDynamicLinear(NodeContext& node) {
  return node.SetOutput(RealLinear(node, node.GetTensor(0)));
}

// (a, b, scale, zero point)
absl::Status MapQuantizedBinary(NodeContext& node) {
  const char* op = absl::StartsWith(node.kind(), "quantized::add") ? "add" : "mul";
  const Emitted y =
      node.Emit(op, {DequantizedOperand(node, 0), DequantizedOperand(node, 1)}, {}, ".real");
  return SetQuantized(node, WithRelu(node, y), 2);
}

// (tensors, dim, scale, zero point)
absl::Status MapQuantizedCat(NodeContext& node) {
  ASSIGN_OR_RETURN(const std::vector<Tensor*> parts, node.GetTensors(0));
  if (parts.empty()) return absl::InvalidArgumentError("its list of tensors is empty");
  ASSIGN_OR_RETURN(const int64_t axis, node.GetAxis(1, parts[0]->type.shape.rank()));
  std::vector<Emitted> real;
  for (Tensor* part : parts) real.push_back(RealNumbers(node, part, real.size()));
  const Emitted y = node.Emit("concat", real, {{"axis", axis}}, ".real");
  return SetQuantized(node, WithRelu(node, y), 2);
}

// (x, scale, zero point)
absl::Status MapActivation(NodeContext& node) {
  const char* op = absl::EndsWith(node.kind(), "hardswish") ? "hard_swish" : "sigmoid";
  return SetQuantized(node, node.Emit(op, {DequantizedOperand(node, 0)}, {}, ".real"), 1);
}

// (x, alpha, inplace, scale, zero point)
absl::Status MapLeakyRelu(NodeContext& node) {
  const Emitted x = DequantizedOperand(node, 0);
  ASSIGN_OR_RETURN(const float alpha, node.GetReal(1));
  return SetQuantized(node, node.Emit("leaky_relu", {x}, {{"alpha", alpha}}, ".real"), 3);
}

constexpr char kPackedWeights[] =
    "constant weights, with zero points of 0 where each channel has its own scale";

constexpr OpMapping kQuantizationMappings[] = {
    {"aten::quantize_per_tensor", 4, MapQuantize, Quantized::kOwn, "to quint8 and qint8"},
    {"aten::dequantize", 1, MapDequantize, Quantized::kOwn},
    {"quantized::conv2d", 4, MapQuantizedConvolution, Quantized::kOwn, kPackedWeights},
    {"quantized::conv2d_relu", 4, MapQuantizedConvolution, Quantized::kOwn, kPackedWeights},
    {"quantized::conv_transpose2d", 4, MapQuantizedConvolution, Quantized::kOwn, kPackedWeights},
    {"quantized::linear", 4, MapQuantizedLinear, Quantized::kOwn, kPackedWeights},
    {"quantized::linear_relu", 4, MapQuantizedLinear, Quantized::kOwn, kPackedWeights},
    {"quantized::linear_dynamic", 2, MapDynamicLinear, kPackedWeights},
    {"quantized::linear_relu_dynamic", 2, MapDynamicLinear, kPackedWeights},
    {"quantized::add", 4, MapQuantizedBinary, Quantized::kOwn},
    {"quantized::add_relu", 4, MapQuantizedBinary, Quantized::kOwn},
    {"quantized::mul", 4, MapQuantizedBinary, Quantized::kOwn},
    {"quantized::mul_relu", 4, MapQuantizedBinary, Quantized::kOwn},
    {"quantized::cat", 4, MapQuantizedCat, Quantized::kOwn},
    {"quantized::cat_relu", 4, MapQuantizedCat, Quantized::kOwn},
    {"quantized::hardswish", 3, MapActivation, Quantized::kOwn},
    {"quantized::sigmoid", 3, MapActivation, Quantized::kOwn},
    {"quantized::leaky_relu", 5, MapLeakyRelu, Quantized::kOwn},
};

}  // namespace

absl::Span<const OpMapping> QuantizationMappings() { return kQuantizationMappings; }

}  // namespace synap_internal::torchscript_import
