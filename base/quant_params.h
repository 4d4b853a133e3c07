// Quantizer of a tensor: the mapping of its integers to real numbers.
#ifndef BASE_QUANT_PARAMS_H_
#define BASE_QUANT_PARAMS_H_

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "base/data_type.h"
#include "base/shape.h"

namespace synap_internal {

// The numeric values are stored in programs and never change.
enum class QuantScheme : uint8_t {
  kNone = 0,                 // float, or plain integers
  kAsymmetricAffine = 1,     // real = scale * (q - zero_point), per tensor
  kDynamicFixedPoint = 2,    // real = q * 2^-fractional_length, per tensor
  kPerChannelSymmetric = 3,  // real = scale[c] * q, c counts along `axis` (weights)
};

// Indexed by QuantScheme; the metafile, model.json, text graphs and reports use these names.
inline constexpr absl::string_view kQuantSchemeNames[] = {
    "none", "asymmetric_affine", "dynamic_fixed_point", "perchannel_symmetric_affine"};

// "invalid" for values that aren't a scheme.
constexpr absl::string_view Name(QuantScheme scheme) {
  const auto index = static_cast<size_t>(scheme);
  return index < std::size(kQuantSchemeNames) ? kQuantSchemeNames[index] : "invalid";
}

// A value type. Only the members that belong to the scheme are used:
//   kAsymmetricAffine:    scales and zero_points have one element
//   kDynamicFixedPoint:   fractional_length; scales has the one element
//                         2^-fractional_length, so that kernels read one form
//   kPerChannelSymmetric: scales has Shape[axis] elements, zero points are 0
struct QuantParams {
  QuantScheme scheme = QuantScheme::kNone;
  std::vector<float> scales;
  std::vector<int32_t> zero_points;
  int32_t fractional_length = 0;
  int32_t axis = 0;

  static QuantParams Affine(float scale, int32_t zero_point);
  static QuantParams FixedPoint(int32_t fractional_length);
  static QuantParams PerChannel(std::vector<float> scales, int32_t axis);

  bool quantized() const { return scheme != QuantScheme::kNone; }
  // REQUIRES: quantized() and per tensor.
  float scale() const { return scales[0]; }
  int32_t zero_point() const { return zero_points.empty() ? 0 : zero_points[0]; }

  // Checks the lengths above, that scales are finite and positive, and that
  // zero points are representable in `type`.
  absl::Status Validate(DataType type, const Shape& shape) const;

  // "scale=0.5 zero_point=3", "fl=7", "scales[16] axis=0"; "" for kNone.
  std::string ToString() const;

  friend bool operator==(const QuantParams& a, const QuantParams& b) {
    return a.scheme == b.scheme && a.scales == b.scales && a.zero_points == b.zero_points &&
           a.fractional_length == b.fractional_length && a.axis == b.axis;
  }
  friend bool operator!=(const QuantParams& a, const QuantParams& b) { return !(a == b); }
};

}  // namespace synap_internal

#endif  // BASE_QUANT_PARAMS_H_
