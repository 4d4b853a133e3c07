#include "kernels/shared/linear/linear.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"

namespace synap_internal {
namespace {

std::string Describe(const TensorType& type) {
  return absl::StrCat(Name(type.dtype), " (", Name(type.quant.scheme), ")");
}

bool IsAffine8(const TensorType& type) {
  return type.dtype == DataType::kUint8 && type.quant.scheme == QuantScheme::kAsymmetricAffine;
}

bool IsAffine16(const TensorType& type) {
  return type.dtype == DataType::kInt16 && type.quant.scheme == QuantScheme::kAsymmetricAffine;
}

bool IsChannelwise8(const TensorType& type) {
  return type.dtype == DataType::kInt8 && type.quant.scheme == QuantScheme::kPerChannelSymmetric;
}

bool IsWeight16(const TensorType& type) {
  return type.dtype == DataType::kInt16 && type.quant.quantized() && type.quant.zero_point() == 0;
}

constexpr int32_t kShift = 128;  // from int8 to uint8

// For each channel the sum of |w - zero_point|.
template <typename T>
std::vector<int64_t> SumsOfMagnitudes(const T* weights, int64_t elements, int32_t zero_point,
                                      const WeightLayout& layout) {
  std::vector<int64_t> sums(static_cast<size_t>(layout.channels));
  for (const T* const end = weights + elements; weights < end;) {
    for (int64_t& sum : sums) {
      for (int64_t i = 0; i < layout.outer; ++i) sum += std::abs(*weights++ - zero_point);
    }
  }
  return sums;
}

absl::Status CheckChannels(const TensorType& w, const WeightLayout& layout) {
  const auto axis = static_cast<size_t>(w.quant.axis);
  if (static_cast<int64_t>(w.quant.scales.size()) == layout.channels &&
      w.shape.Product(axis + 1, w.shape.rank()) == layout.outer) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("w, ", w.shape.ToString(), ", is quantized along dimension ", axis,
                   ", expected that of the ", layout.channels, " output channels"));
}

// One scale for each output channel.
absl::StatusOr<std::vector<float>> WeightScales(const TensorType& w, const WeightLayout& layout) {
  if (w.quant.scheme != QuantScheme::kPerChannelSymmetric) {
    return std::vector<float>(static_cast<size_t>(layout.channels), w.quant.scale());
  }
  RETURN_IF_ERROR(CheckChannels(w, layout));
  return w.quant.scales;
}

// Replaces data.weights by a converted copy, to(value) of each value of type From.
template <typename From, typename To, typename F>
void ConvertWeights(int64_t elements, F to, LinearData& data) {
  const auto* values = static_cast<const From*>(data.weights);
  auto converted = std::make_shared<std::vector<To>>(static_cast<size_t>(elements));
  std::transform(values, values + elements, converted->begin(),
                 [to](From value) { return static_cast<To>(to(value)); });
  data.weights = converted->data();
  data.converted_weights = std::move(converted);
}

void PrepareUint8(const PrepareContext& context, const WeightLayout& layout, LinearData& data) {
  const TensorType& w = context.inputs[1];
  const auto channels = static_cast<size_t>(layout.channels);
  const int64_t elements = w.shape.elements();
  int32_t w_zero_point = w.quant.zero_point();
  data.long_sums = FindLongSum(context.inputs[0], w, data.weights, layout).has_value();
  if (IsChannelwise8(w)) {
    w_zero_point = kShift;
    ConvertWeights<int8_t, uint8_t>(
        elements, [](int8_t value) { return value + kShift; }, data);
  }
  data.w_zero_points.assign(channels, w_zero_point);
  data.bias.assign(channels, 0);
  if (!Operand(context.inputs, 2).present()) return;
  const auto* bias = static_cast<const int32_t*>(context.constants[2]);
  for (size_t c = 0; c < channels; ++c) data.bias[c] = std::clamp(bias[c], -kMaxBias, kMaxBias);
}

void PrepareInt16(const PrepareContext& context, const WeightLayout& layout, LinearData& data) {
  const TensorType& w = context.inputs[1];
  const auto channels = static_cast<size_t>(layout.channels);
  const int64_t elements = w.shape.elements();
  data.long_sums = elements / layout.channels > kMaxWideProducts;
  if (w.dtype == DataType::kInt8) {
    ConvertWeights<int8_t, int16_t>(
        elements, [](int8_t value) { return value; }, data);
  } else if (w.dtype == DataType::kUint8) {
    ConvertWeights<uint8_t, int16_t>(
        elements, [zero = w.quant.zero_point()](uint8_t value) { return value - zero; }, data);
  }
  data.wide_bias.assign(channels, 0);
  const TensorType& bias = Operand(context.inputs, 2);
  for (size_t c = 0; bias.present() && c < channels; ++c) {
    const int64_t value = bias.dtype == DataType::kInt64
                              ? static_cast<const int64_t*>(context.constants[2])[c]
                              : static_cast<const int32_t*>(context.constants[2])[c];
    data.wide_bias[c] = std::clamp(value, -kMaxWideBias, kMaxWideBias);
  }
  const std::vector<int64_t> magnitudes =
      SumsOfMagnitudes(static_cast<const int16_t*>(data.weights), elements, 0, layout);
  // |x| and, for the correction of the bias, |zero point|.
  const int64_t largest = 32768 + std::abs(int64_t{data.x_zero_point});
  data.short_sums = std::equal(magnitudes.begin(), magnitudes.end(), data.wide_bias.begin(),
                               data.wide_bias.end(), [&](int64_t magnitude, int64_t own_bias) {
                                 return largest * magnitude + std::abs(own_bias) <=
                                        std::numeric_limits<int32_t>::max();
                               });
}

absl::Status PrepareQuantized(const PrepareContext& context, const FusedActivation& activation,
                              const WeightLayout& layout, LinearData& data) {
  const QuantParams& x = context.inputs[0].quant;
  data.x_zero_point = x.zero_point();
  ASSIGN_OR_RETURN(const std::vector<float> w_scales, WeightScales(context.inputs[1], layout));
  if (data.type == DataType::kInt16) {
    PrepareInt16(context, layout, data);
  } else {
    PrepareUint8(context, layout, data);
  }
  const auto* table =
      activation.table_quantizer ? static_cast<const uint8_t*>(context.constants[3]) : nullptr;
  TensorType own = context.outputs[0];
  if (data.sum.has_value()) {
    own.quant = QuantParams::Affine(data.sum->a_scale, data.sum->a_zero_point);
  }
  ASSIGN_OR_RETURN(data.output, MakeOutputStage(activation, x.scale(), w_scales, own, table));
  return absl::OkStatus();
}

BinaryParams SumParams(const FusedSum& sum, const QuantParams& residual,
                       const QuantParams& output) {
  BinaryParams params{.function = BinaryFunction::kAdd, .clamp = sum.clamp};
  if (!output.quantized()) return params;
  params.a_scale = sum.own_scale;
  params.a_zero_point = static_cast<int32_t>(sum.own_zero_point);
  params.b_scale = residual.scale();
  params.b_zero_point = residual.zero_point();
  params.out_scale = output.scale();
  params.out_zero_point = output.zero_point();
  return params;
}

}  // namespace

const TensorType& Operand(absl::Span<const TensorType> inputs, size_t i) {
  static const TensorType* const absent = new TensorType;
  return i < inputs.size() ? inputs[i] : *absent;
}

absl::Status CheckLinearTypes(const TensorType& x, const TensorType& w, const TensorType& bias) {
  const bool floats = x.dtype == DataType::kFloat32 && w.dtype == DataType::kFloat32;
  const bool weights8 = IsAffine8(w) || IsChannelwise8(w);
  const bool affine8 = IsAffine8(x) && weights8;
  const bool affine16 = IsAffine16(x) && (weights8 || IsWeight16(w));
  const DataType expected_bias = floats ? DataType::kFloat32 : DataType::kInt32;
  const bool bias_fits = !bias.present() || bias.dtype == expected_bias ||
                         (affine16 && bias.dtype == DataType::kInt64);
  if ((floats || affine8 || affine16) && bias_fits) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("x is ", Describe(x), ", w is ", Describe(w),
                   bias.present() ? absl::StrCat(", bias is ", Describe(bias)) : "",
                   "; expected float32 all, or uint8 (asymmetric_affine) x, w likewise or int8 "
                   "(perchannel_symmetric_affine), and an int32 bias, or int16 x, w likewise with "
                   "zero point 0 or of 8 bits, and an int32 or int64 bias"));
}

DataType LinearOutputType(const TensorType& x, const TensorType& residual) {
  return x.dtype == DataType::kUint8 && residual.dtype == DataType::kInt16 ? DataType::kInt16
                                                                           : x.dtype;
}

absl::Status CheckBiasShape(const TensorType& bias, int64_t channels) {
  if (!bias.present() || bias.shape == Shape{channels}) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("the bias is [", bias.shape.ToString(), "], expected [", channels, "]"));
}

QuantParams BiasQuantizer(const QuantParams& x, const QuantParams& w) {
  constexpr QuantScheme kFixed = QuantScheme::kDynamicFixedPoint;
  if (x.scheme == kFixed && w.scheme == kFixed) {
    return QuantParams::FixedPoint(x.fractional_length + w.fractional_length);
  }
  std::vector<float> scales = w.scales;
  for (float& scale : scales) scale *= x.scale();
  return w.scheme == QuantScheme::kPerChannelSymmetric
             ? QuantParams::PerChannel(std::move(scales), 0)
             : QuantParams::Affine(scales[0], 0);
}

absl::Status CheckBiasQuantizer(const TensorType& x, const TensorType& w, const TensorType& bias) {
  if (!bias.present() || !bias.quant.quantized() || !x.quant.quantized()) return absl::OkStatus();
  const auto refuse = [&](absl::string_view expected) {
    return absl::InvalidArgumentError(absl::StrCat("the bias's quantizer is ",
                                                   bias.quant.ToString(), ", expected ", expected,
                                                   " (that of x times that of w), zero point 0"));
  };
  const std::vector<float>& scales = bias.quant.scales;
  if (scales.size() != w.quant.scales.size()) {
    return refuse(absl::StrCat(w.quant.scales.size(), " scales"));
  }
  for (size_t c = 0; c < scales.size(); ++c) {
    const double expected =
        static_cast<double>(x.quant.scale()) * static_cast<double>(w.quant.scales[c]);
    if (bias.quant.zero_point() != 0 || std::abs(scales[c] - expected) > 1e-5 * expected) {
      return refuse(absl::StrCat("scale ", FloatToString(static_cast<float>(expected))));
    }
  }
  return absl::OkStatus();
}

int64_t SumsOf(absl::Span<const TensorType> inputs, absl::Span<const TensorType> outputs) {
  return Operand(inputs, kResidual).present() ? outputs[0].shape.elements() : 0;
}

int64_t SaturatingProduct(int64_t a, int64_t b) {
  int64_t product = 0;
  const bool overflow = __builtin_mul_overflow(a, b, &product);
  return overflow ? std::numeric_limits<int64_t>::max() : product;
}

absl::optional<LongSum> FindLongSum(const TensorType& x, const TensorType& w, const void* weights,
                                    const WeightLayout& layout) {
  const int64_t elements = w.shape.elements();
  const int64_t largest_x = std::max(x.quant.zero_point(), 255 - x.quant.zero_point());
  if (elements / layout.channels * 255 * largest_x <= kMaxBias) return absl::nullopt;
  const std::vector<int64_t> sums =
      w.dtype == DataType::kInt8
          ? SumsOfMagnitudes(static_cast<const int8_t*>(weights), elements, 0, layout)
          : SumsOfMagnitudes(static_cast<const uint8_t*>(weights), elements, w.quant.zero_point(),
                             layout);
  const auto largest = std::max_element(sums.begin(), sums.end());
  if (*largest * largest_x <= kMaxBias) return absl::nullopt;
  return LongSum{largest - sums.begin(), *largest * largest_x};
}

absl::StatusOr<LinearData> PrepareLinear(const PrepareContext& context,
                                         const FusedActivation& activation, const FusedSum& sum,
                                         const WeightLayout& layout) {
  static constexpr absl::string_view kNames[] = {"x", "w", "bias", "table"};
  for (size_t i = 1; i < std::min(context.inputs.size(), kResidual); ++i) {
    if (context.inputs[i].present() && context.constants[i] == nullptr) {
      return absl::UnimplementedError(absl::StrCat("operand ", kNames[i], " is not constant"));
    }
  }
  const TensorType& x = context.inputs[0];
  const TensorType& output = context.outputs[0];
  LinearData data;
  data.weights = context.constants[1];
  const bool affine = IsAffine8(output) || IsAffine16(output);
  const bool widens =
      IsAffine8(x) && output.dtype == DataType::kInt16 && !activation.table_quantizer;
  const TensorType& residual = Operand(context.inputs, kResidual);
  if ((x.dtype != output.dtype && !widens) || (x.quant.quantized() && !affine) ||
      (residual.present() && residual.dtype != output.dtype)) {
    return absl::UnimplementedError(
        absl::StrCat("no kernel from ", Describe(x),
                     residual.present() ? absl::StrCat(" and a residual ", Describe(residual)) : "",
                     activation.table_quantizer ? " with a table" : "", " to ", Describe(output)));
  }
  data.type = x.dtype;
  data.out_type = output.dtype;
  if (residual.present()) data.sum = SumParams(sum, residual.quant, output.quant);
  if (data.quantized()) {
    RETURN_IF_ERROR(PrepareQuantized(context, activation, layout, data));
    return data;
  }
  data.clamp = activation.clamp;
  if (!activation.function.empty()) {
    ASSIGN_OR_RETURN(data.activation_params,
                     FloatUnary(activation.function, activation.function_attributes));
    data.activation = unary::FindRun(data.activation_params.function);
  }
  data.float_bias.assign(static_cast<size_t>(layout.channels), 0);
  if (Operand(context.inputs, 2).present()) {
    const auto* bias = static_cast<const float*>(context.constants[2]);
    std::copy(bias, bias + layout.channels, data.float_bias.begin());
  }
  return data;
}

}  // namespace synap_internal
