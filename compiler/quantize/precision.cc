#include "compiler/quantize/precision.h"

namespace synap_internal {

Precision PrecisionOf(DataType type, QuantizationScheme scheme) {
  switch (type) {
    case DataType::kFloat16:
      return {type, QuantScheme::kNone, false};
    case DataType::kInt16:
      return {type, QuantScheme::kDynamicFixedPoint, false};
    default:
      if (scheme == QuantizationScheme::kDynamicFixedPoint) {
        return {type, QuantScheme::kDynamicFixedPoint, false};
      }
      return {type, QuantScheme::kAsymmetricAffine,
              scheme == QuantizationScheme::kPerchannelSymmetricAffine};
  }
}

}  // namespace synap_internal
