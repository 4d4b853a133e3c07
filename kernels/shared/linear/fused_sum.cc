#include "kernels/shared/linear/fused_sum.h"

#include <cmath>

#include "absl/strings/str_cat.h"
#include "base/data_type.h"
#include "base/status_macros.h"

namespace synap_internal {
namespace {

bool IsUnbounded(const Clamp& clamp) {
  return clamp.min == Clamp().min && clamp.max == Clamp().max;
}

absl::Status CheckResidual(const TensorType& output, const TensorType& residual) {
  const bool quantized = residual.quant.scheme == QuantScheme::kAsymmetricAffine;
  const bool fits = output.dtype == DataType::kFloat32 || quantized;
  if (residual.dtype == output.dtype && residual.shape == output.shape && fits) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "the residual is ", Name(residual.dtype), "[", residual.shape.ToString(), "] (",
      Name(residual.quant.scheme), "), expected ", Name(output.dtype), "[", output.shape.ToString(),
      "]", output.dtype == DataType::kFloat32 ? "" : " with a quantizer per tensor"));
}

}  // namespace

FusedSum FusedSum::Read(AttributeReader& reader) {
  FusedSum sum;
  sum.own_scale = reader.Float("own_scale", sum.own_scale);
  sum.own_zero_point = reader.Int("own_zero_point", 0);
  sum.clamp.min = reader.Float("sum_min", sum.clamp.min);
  sum.clamp.max = reader.Float("sum_max", sum.clamp.max);
  return sum;
}

absl::Status FusedSum::Check(const TensorType& output, const TensorType& residual) const {
  if (!residual.present()) {
    if (own_scale == 0 && own_zero_point == 0 && IsUnbounded(clamp)) return absl::OkStatus();
    return absl::InvalidArgumentError(
        "attribute own_scale, own_zero_point, sum_min or sum_max is given, but there is no "
        "residual; "
        "expected the operand");
  }
  RETURN_IF_ERROR(CheckResidual(output, residual));
  if (!(clamp.min <= clamp.max)) {
    return absl::InvalidArgumentError(absl::StrCat("the sum's clamp [", FloatToString(clamp.min),
                                                   ", ", FloatToString(clamp.max),
                                                   "] is empty, expected sum_min <= sum_max"));
  }
  if (output.dtype == DataType::kFloat32) {
    if (own_scale == 0 && own_zero_point == 0) return absl::OkStatus();
    return absl::InvalidArgumentError(
        "attribute own_scale or own_zero_point is given for float32, expected an integer type");
  }
  const IntegerRange range = RangeOf(output.dtype);
  if (std::isfinite(own_scale) && own_scale > 0 && own_zero_point >= range.min &&
      own_zero_point <= range.max) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("own_scale ", FloatToString(own_scale), ", own_zero_point ", own_zero_point,
                   " is no quantizer of ", Name(output.dtype),
                   ": expected a positive scale and a zero point in ", range.min, "..", range.max));
}

}  // namespace synap_internal
