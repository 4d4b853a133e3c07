// Convolutions and products of matrices.
#include "kernels/shared/linear/linear.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/axes.h"
#include "base/status_macros.h"
#include "compiler/export/tflite/file_type.h"
#include "compiler/export/tflite/op_table.h"
#include "compiler/export/tflite/window_padding.h"
#include "kernels/registry.h"

namespace synap_internal::tflite_export {
namespace {

using tflite::Activation;
using tflite::BuiltinOperator;
using Dims = std::vector<int64_t>;

constexpr size_t kWeights = 1, kBias = 2, kTable = 3;

// Weights in the arithmetic: of 8 bits beside integers.
TensorType WeightType(const OpContext& context) {
  TensorType type = BorderType(context.op().inputs[kWeights]->type);
  if (!context.integers()) return {DataType::kFloat32, type.shape, {}};
  const bool is_unsigned = context.arithmetic() == DataType::kUint8;
  return AsBytes(type, is_unsigned ? DataType::kUint8 : DataType::kInt8);
}

Value Weights(OpContext& context) {
  return context.values().As(context.op().inputs[kWeights], WeightType(context));
}

// Constant weights with their dimensions in another order, of which the dimension of scales is
// `axis`.
absl::StatusOr<Value> PermutedWeights(OpContext& context, const Dims& perm, int32_t axis) {
  const Tensor& w = *context.op().inputs[kWeights];
  TensorType type = WeightType(context);
  Op transpose;
  transpose.def = FindOp("transpose");
  transpose.attributes["perm"] = perm;
  Dims dims;
  for (const int64_t i : perm) dims.push_back(w.type.shape[static_cast<size_t>(i)]);
  const Shape shape(dims);
  const TensorType plain = {type.dtype, type.shape, {}};
  ASSIGN_OR_RETURN(const Constant values, context.values().ConstantAs(w, type));
  ASSIGN_OR_RETURN(Constant permuted,
                   EvaluateFunction(transpose, {{plain, values}}, {type.dtype, shape, {}}));
  if (type.quant.scheme == QuantScheme::kPerChannelSymmetric) type.quant.axis = axis;
  type.shape = shape;
  return context.AddConstant("/weights", std::move(type), std::move(permuted));
}

// Zeros, for kernels that want a bias where the op has none.
Value ZeroBias(OpContext& context, DataType dtype) {
  const Tensor& w = *context.op().inputs[kWeights];
  const auto axis = static_cast<size_t>(context.op().def->weight_channels);
  TensorType type = {dtype, Shape({w.type.shape[axis]}), {}};
  if (context.integers()) {
    type.quant = BiasQuantizer(context.InputType(0).quant, WeightType(context).quant);
  }
  const std::vector<uint8_t> zeros(static_cast<size_t>(type.bytes()), 0);
  return context.AddConstant("/bias", type, Constant::Own(zeros));
}

// The bias's type: beside 16 bits it has 64.
DataType BiasType(const OpContext& context) {
  if (!context.integers()) return DataType::kFloat32;
  return context.arithmetic() == DataType::kInt16 ? DataType::kInt64 : DataType::kInt32;
}

// `wanted`: by kernels of real numbers, too. Those of integers all want one.
void AddBias(OpContext& context, OpContext::Values& inputs, bool wanted = false) {
  const DataType dtype = BiasType(context);
  if (!context.has(kBias)) {
    if (wanted || context.integers()) inputs.push_back(ZeroBias(context, dtype));
    return;
  }
  const Tensor* bias = context.op().inputs[kBias];
  const TensorType type = BorderType(bias->type);
  inputs.push_back(context.values().As(
      bias, {dtype, type.shape, context.integers() ? type.quant : QuantParams()}));
}

absl::Status CheckNoEpilogue(const OpContext& context) {
  if (!context.has(kTable) && !context.has(kResidual) &&
      context.op().attributes.count("activation") == 0) {
    return absl::OkStatus();
  }
  return absl::UnimplementedError(
      "it has the epilogue of a compiled network, expected a graph from before the compilation");
}

Window WindowOf(OpContext& context) {
  Window window = Window::Read(context.attributes());
  window.rows.taps = context.shape(kWeights)[1];
  window.columns.taps = context.shape(kWeights)[2];
  return window;
}

// Output channel o of so many groups reads input channel o / multiplier only.
absl::Status WriteDepthwise(OpContext& context, Value weights, int64_t multiplier) {
  const Window window = WindowOf(context);
  const PaddedImage x = Pad(context, window, PadWith::kZero);
  OpContext::Values inputs = {x.image, weights};
  AddBias(context, inputs);
  context.OutputClamped(BuiltinOperator::DEPTHWISE_CONV_2D, inputs,
                        MakeActivated([=](FileBuilder& builder, Activation activation) {
                          return tflite::CreateDepthwiseConv2DOptions(
                              builder, x.padding, static_cast<int32_t>(window.columns.stride),
                              static_cast<int32_t>(window.rows.stride),
                              static_cast<int32_t>(multiplier), activation,
                              static_cast<int32_t>(window.columns.dilation),
                              static_cast<int32_t>(window.rows.dilation));
                        }));
  return absl::OkStatus();
}

absl::Status WriteDepthwiseConv2d(OpContext& context) {
  RETURN_IF_ERROR(CheckNoEpilogue(context));
  return WriteDepthwise(context, Weights(context), 1);
}

absl::Status WriteConv2d(OpContext& context) {
  RETURN_IF_ERROR(CheckNoEpilogue(context));
  const int64_t groups = context.attributes().Int("groups", 1);
  const int64_t channels = context.shape(0)[3], outputs = context.output_shape()[3];
  if (groups > 1 && groups == channels && context.op().inputs[kWeights]->is_constant()) {
    ASSIGN_OR_RETURN(const Value w, PermutedWeights(context, {3, 1, 2, 0}, 3));
    return WriteDepthwise(context, w, outputs / groups);
  }
  const Window window = WindowOf(context);
  const PaddedImage x = Pad(context, window, PadWith::kZero);
  OpContext::Values inputs = {x.image, Weights(context)};
  AddBias(context, inputs, /*wanted=*/true);
  context.OutputClamped(BuiltinOperator::CONV_2D, inputs,
                        MakeActivated([=](FileBuilder& builder, Activation activation) {
                          return tflite::CreateConv2DOptions(
                              builder, x.padding, static_cast<int32_t>(window.columns.stride),
                              static_cast<int32_t>(window.rows.stride), activation,
                              static_cast<int32_t>(window.columns.dilation),
                              static_cast<int32_t>(window.rows.dilation));
                        }));
  return absl::OkStatus();
}

// The output of TRANSPOSE_CONV along one axis: all of it with SAME padding, or without padding
// from which the first `crop` elements are cut.
struct SpreadAxis {
  bool is_same = false;
  int64_t extent = 0, crop = 0;
};

SpreadAxis SpreadOf(const WindowAxis& axis, int64_t input, int64_t output) {
  // The window of the convolution whose transpose it is, over the output.
  return {IsSame(axis, output, input), axis.pad_begin + output, axis.pad_begin};
}

absl::Status WriteConvTranspose2d(OpContext& context) {
  RETURN_IF_ERROR(CheckNoEpilogue(context));
  const Window window = WindowOf(context);
  const int64_t groups = context.attributes().Int("groups", 1);
  context.attributes().Ints("output_padding", 2, {0, 0});  // the output's shape says it
  if (groups != 1 || window.rows.dilation != 1 || window.columns.dilation != 1) {
    return absl::UnimplementedError(absl::StrCat("it has ", groups, " groups and dilations of ",
                                                 window.rows.dilation, " and ",
                                                 window.columns.dilation, ", expected 1 of each"));
  }
  const Shape &x = context.shape(0), &y = context.output_shape();
  const SpreadAxis rows = SpreadOf(window.rows, x[1], y[1]);
  const SpreadAxis columns = SpreadOf(window.columns, x[2], y[2]);
  const bool same = rows.is_same && columns.is_same;
  const bool cropped = !same && (rows.crop > 0 || columns.crop > 0);
  const Shape made = cropped ? Shape({y[0], rows.extent, columns.extent, y[3]}) : Shape(y.dims());
  const Value image = context.Input(0), weights = Weights(context);
  OpContext::Values inputs = {context.Ints("/shape", made.dims()), weights, image};
  AddBias(context, inputs);
  const auto options = MakeActivated([=](FileBuilder& builder, Activation activation) {
    return tflite::CreateTransposeConvOptions(builder,
                                              same ? tflite::Padding::SAME : tflite::Padding::VALID,
                                              static_cast<int32_t>(window.columns.stride),
                                              static_cast<int32_t>(window.rows.stride), activation);
  });
  if (!cropped) {
    context.OutputClamped(BuiltinOperator::TRANSPOSE_CONV, inputs, options);
    return absl::OkStatus();
  }
  TensorType whole = context.OutputType();
  whole.shape = made;
  Value value =
      context.Emit(BuiltinOperator::TRANSPOSE_CONV, inputs, whole, options(Activation::NONE));
  const Dims begin = {0, rows.crop, columns.crop, 0};
  value = context.Slice(value, begin, y);
  context.OutputClampOf(value);
  return absl::OkStatus();
}

absl::Status WriteFullyConnected(OpContext& context) {
  RETURN_IF_ERROR(CheckNoEpilogue(context));
  const Shape &x = context.shape(0), &y = context.output_shape();
  const bool keeps_dims = x.rank() != 2;
  Value rows = context.Input(0);
  if (x.rank() < 2) rows = context.Reshape(rows, Shape({1, x.elements()}));
  OpContext::Values inputs = {rows, Weights(context)};
  AddBias(context, inputs);
  if (inputs.size() == kBias) inputs.push_back(kAbsent);
  const auto options = MakeActivated([=](FileBuilder& builder, Activation activation) {
    return tflite::CreateFullyConnectedOptions(builder, activation, tflite::WeightsFormat::DEFAULT,
                                               keeps_dims);
  });
  if (x.rank() >= 2) {
    context.OutputClamped(BuiltinOperator::FULLY_CONNECTED, inputs, options);
    return absl::OkStatus();
  }
  TensorType row = context.OutputType();
  row.shape = Shape({1, y.elements()});
  const Value made =
      context.Emit(BuiltinOperator::FULLY_CONNECTED, inputs, row, options(Activation::NONE));
  context.OutputClampOf(context.Reshape(made, y));
  return absl::OkStatus();
}

absl::Status WriteMatmul(OpContext& context) {
  const Value a = context.Input(0), b = context.Input(1);
  if (context.attributes().Int("normalize", 0) == 0) {
    context.Output(BuiltinOperator::BATCH_MATMUL, {a, b});
    return absl::OkStatus();
  }
  const Value products =
      context.EmitReal(BuiltinOperator::BATCH_MATMUL, {a, b}, context.output_shape());
  Dims dims = context.shape(0).dims();
  dims.back() = 1;
  const Value weights = context.EmitReal(BuiltinOperator::SUM, {a, context.Ints("/axes", {-1})},
                                         Shape(dims), KeepDims(true));
  context.Output(BuiltinOperator::DIV, {products, weights});
  return absl::OkStatus();
}

absl::Status WeightsError(const std::string& found, absl::string_view expected) {
  return absl::UnimplementedError(absl::StrCat("its weights are ", found, ", expected ", expected));
}

// What weights allow: int8 that is symmetric beside int8 and int16, uint8 beside uint8.
absl::StatusOr<Integers> IntegersOfWeights(const Op& op) {
  const Tensor& w = *op.inputs[kWeights];
  const QuantParams& quant = w.type.quant;
  if (!w.is_constant()) return WeightsError("computed and quantized", "constants, or float32");
  if (quant.scheme == QuantScheme::kPerChannelSymmetric) return kSignedBytes | kWords;
  if (!IsByte(w.type.dtype)) {
    return WeightsError(std::string(Name(w.type.dtype)), "int8 with zero point 0, or uint8");
  }
  const int32_t symmetric = w.type.dtype == DataType::kInt8 ? 0 : 128;
  if (quant.zero_point() == symmetric) return kAllIntegers;
  const bool has_words =
      op.inputs[0]->type.dtype == DataType::kInt16 || op.output()->type.dtype == DataType::kInt16;
  if (!has_words) return kUnsignedBytes;
  return WeightsError(absl::StrCat(Name(w.type.dtype), " with zero point ", quant.zero_point(),
                                   " beside int16 values"),
                      "int8 with zero point 0");
}

// A product divided by sums of its weights has no kernel.
absl::StatusOr<Integers> IntegersOfMatmul(const Op& op) {
  const bool divides = AttributeReader(op.attributes).Int("normalize", 0) != 0;
  return divides ? kNoIntegers : static_cast<Integers>(kSignedBytes | kWords);
}

constexpr OpMapping kLinearMappings[] = {
    {.op = "conv2d", .write = WriteConv2d, .integers = kAllIntegers, .restrict = IntegersOfWeights},
    {.op = "depthwise_conv2d",
     .write = WriteDepthwiseConv2d,
     .integers = kAllIntegers,
     .restrict = IntegersOfWeights},
    {.op = "conv_transpose2d",
     .write = WriteConvTranspose2d,
     .integers = kAllIntegers,
     .restrict = IntegersOfWeights},
    {.op = "fully_connected",
     .write = WriteFullyConnected,
     .integers = kAllIntegers,
     .restrict = IntegersOfWeights},
    {.op = "matmul",
     .write = WriteMatmul,
     .integers = kSignedBytes | kWords,
     .restrict = IntegersOfMatmul},
};

}  // namespace

absl::Span<const OpMapping> LinearMappings() { return kLinearMappings; }

}  // namespace synap_internal::tflite_export
