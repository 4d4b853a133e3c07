#include "base/quant_params.h"

#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"

namespace synap_internal {

QuantParams QuantParams::Affine(float scale, int32_t zero_point) {
  QuantParams params;
  params.scheme = QuantScheme::kAsymmetricAffine;
  params.scales = {scale};
  params.zero_points = {zero_point};
  return params;
}

QuantParams QuantParams::FixedPoint(int32_t fractional_length) {
  QuantParams params;
  params.scheme = QuantScheme::kDynamicFixedPoint;
  params.fractional_length = fractional_length;
  params.scales = {std::ldexp(1.0f, -fractional_length)};
  return params;
}

QuantParams QuantParams::PerChannel(std::vector<float> scales, int32_t axis) {
  QuantParams params;
  params.scheme = QuantScheme::kPerChannelSymmetric;
  params.scales = std::move(scales);
  params.axis = axis;
  return params;
}

namespace {

absl::Status ValidateCounts(const QuantParams& params, const Shape& shape) {
  size_t expected = 1;
  if (params.scheme == QuantScheme::kPerChannelSymmetric) {
    if (params.axis < 0 || static_cast<size_t>(params.axis) >= shape.rank()) {
      return absl::InvalidArgumentError(
          absl::StrCat("quantization axis ", params.axis, " is outside of shape ", shape.ToString(),
                       ", expected one of its ", shape.rank(), " dimensions"));
    }
    expected = static_cast<size_t>(shape[static_cast<size_t>(params.axis)]);
    if (expected == 0) {
      return absl::InvalidArgumentError(absl::StrCat("quantization axis ", params.axis,
                                                     " of shape ", shape.ToString(),
                                                     " has no channels, expected one or more"));
    }
  }
  if (params.scales.size() != expected) {
    return absl::InvalidArgumentError(
        absl::StrCat("quantization has ", params.scales.size(), " scales, expected ", expected));
  }
  const bool affine = params.scheme == QuantScheme::kAsymmetricAffine;
  if (params.zero_points.size() != (affine ? 1u : 0u)) {
    return absl::InvalidArgumentError(absl::StrCat("quantization has ", params.zero_points.size(),
                                                   " zero points, expected ", affine ? 1 : 0));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status QuantParams::Validate(DataType type, const Shape& shape) const {
  if (!quantized()) return absl::OkStatus();
  if (IsFloat(type) || type == DataType::kInvalid || type == DataType::kBool) {
    return absl::InvalidArgumentError(
        absl::StrCat("data type ", Name(type), " can't be quantized, expected an integer type"));
  }
  if (absl::Status counts = ValidateCounts(*this, shape); !counts.ok()) return counts;
  for (float s : scales) {
    if (!std::isfinite(s) || s <= 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("quantization scale ", s, " is not a positive number"));
    }
  }
  const IntegerRange range = RangeOf(type);
  for (int32_t z : zero_points) {
    if (z < range.min || z > range.max) {
      return absl::InvalidArgumentError(absl::StrCat("zero point ", z, " is outside the range of ",
                                                     Name(type), ", expected ", range.min, " to ",
                                                     range.max));
    }
  }
  if (scheme == QuantScheme::kDynamicFixedPoint &&
      scales[0] != std::ldexp(1.0f, -fractional_length)) {
    return absl::InvalidArgumentError(
        absl::StrCat("scale ", scales[0], " doesn't match the fractional length ",
                     fractional_length, ", expected 2^-", fractional_length));
  }
  return absl::OkStatus();
}

std::string QuantParams::ToString() const {
  switch (scheme) {
    case QuantScheme::kNone:
      return "";
    case QuantScheme::kAsymmetricAffine:
      return absl::StrCat("scale=", scale(), " zero_point=", zero_point());
    case QuantScheme::kDynamicFixedPoint:
      return absl::StrCat("fl=", fractional_length);
    case QuantScheme::kPerChannelSymmetric:
      return absl::StrCat("scales[", scales.size(), "] axis=", axis);
  }
  return "";
}

}  // namespace synap_internal
