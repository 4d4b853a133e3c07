#include "kernels/shared/requantize.h"

#include <cmath>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "kernels/unary/unary.h"

namespace synap_internal {

float RequantizeMultiplier(float scale_a, float scale_b, float output_scale) {
  return static_cast<float>(static_cast<double>(scale_a) * static_cast<double>(scale_b) /
                            static_cast<double>(output_scale));
}

FusedActivation FusedActivation::Read(AttributeReader& reader) {
  FusedActivation activation;
  activation.clamp.min = reader.Float("min", activation.clamp.min);
  activation.clamp.max = reader.Float("max", activation.clamp.max);
  activation.table_scale = reader.Float("table_scale", 0);
  activation.table_quantizer = activation.table_scale != 0;
  activation.table_zero_point = reader.Int("table_zero_point", 0);
  activation.function = reader.String("activation", "");
  activation.function_attributes = reader.Prefixed("activation_");
  return activation;
}

absl::Status FusedActivation::Check(const TensorType& x, const TensorType& table) const {
  if (!(clamp.min <= clamp.max)) {
    return absl::InvalidArgumentError(absl::StrCat("the clamp [", FloatToString(clamp.min), ", ",
                                                   FloatToString(clamp.max),
                                                   "] is empty, expected min <= max"));
  }
  if (!function.empty()) {
    RETURN_IF_ERROR(FloatUnary(function, function_attributes).status());
    if (x.dtype != DataType::kFloat32) {
      return absl::InvalidArgumentError(
          absl::StrCat("activation ", function, " needs float32 inputs, found ", Name(x.dtype)));
    }
  } else if (!function_attributes.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("attribute 'activation_", function_attributes.begin()->first,
                     "' is given without an activation, expected attribute 'activation'"));
  }
  if (table.present() != table_quantizer) {
    return absl::InvalidArgumentError(
        table_quantizer ? "attribute 'table_scale' is given without operand table, expected both"
                        : "operand table is given without attribute 'table_scale', expected both");
  }
  if (!table.present()) return absl::OkStatus();
  if (table.dtype != DataType::kUint8 || table.shape != Shape{256}) {
    return absl::InvalidArgumentError(absl::StrCat("operand table is ", Name(table.dtype), "[",
                                                   table.shape.ToString(),
                                                   "], expected uint8[256]"));
  }
  if (x.dtype != DataType::kUint8) {
    return absl::InvalidArgumentError(
        absl::StrCat("operand table needs uint8 inputs, found ", Name(x.dtype)));
  }
  if (!std::isfinite(table_scale) || table_scale <= 0 || table_zero_point < 0 ||
      table_zero_point > 255) {
    return absl::InvalidArgumentError(absl::StrCat(
        "table_scale ", FloatToString(table_scale), ", table_zero_point ", table_zero_point,
        " is no quantizer of uint8: expected a positive scale and a zero point in 0..255"));
  }
  return absl::OkStatus();
}

QuantizedClamp QuantizeClamp(const Clamp& clamp, float scale, int32_t zero_point, DataType type) {
  const IntegerRange range = RangeOf(type);
  const auto min = static_cast<int32_t>(range.min);
  const auto max = static_cast<int32_t>(range.max);
  return {QuantizeValue(clamp.min, scale, zero_point, min, max),
          QuantizeValue(clamp.max, scale, zero_point, min, max)};
}

absl::StatusOr<OutputStage> MakeOutputStage(const FusedActivation& activation, float x_scale,
                                            absl::Span<const float> weight_scales,
                                            const TensorType& output, const uint8_t* table) {
  const bool has_table = activation.table_quantizer;
  const float scale = has_table ? activation.table_scale : output.quant.scale();
  OutputStage stage;
  stage.zero_point =
      has_table ? static_cast<int32_t>(activation.table_zero_point) : output.quant.zero_point();
  stage.table = has_table ? table : nullptr;
  const QuantizedClamp bounds =
      QuantizeClamp(activation.clamp, scale, stage.zero_point, output.dtype);
  stage.min = bounds.min;
  stage.max = bounds.max;
  for (const float weight_scale : weight_scales) {
    const float multiplier = RequantizeMultiplier(x_scale, weight_scale, scale);
    if (!std::isfinite(multiplier)) {
      return absl::InvalidArgumentError(absl::StrCat("the scales ", FloatToString(x_scale), " * ",
                                                     FloatToString(weight_scale), " / ",
                                                     FloatToString(scale), " overflow a float"));
    }
    stage.multipliers.push_back(multiplier);
  }
  return stage;
}

}  // namespace synap_internal
