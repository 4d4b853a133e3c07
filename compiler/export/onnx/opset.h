// Versions of ONNX's operators (opsets) that graphs are written in.
#ifndef COMPILER_EXPORT_ONNX_OPSET_H_
#define COMPILER_EXPORT_ONNX_OPSET_H_

#include <cstdint>

namespace synap_internal::onnx_export {

// The first that quantizes weights per channel.
inline constexpr int64_t kOldestOpset = 13;
// The first that quantizes to 16 bits.
inline constexpr int64_t kNewestOpset = 21;

// Whether QuantizeLinear and DequantizeLinear have int16.
constexpr bool QuantizesTo16Bits(int64_t opset) { return opset >= 21; }

// The IR version that belongs to it. REQUIRES: kOldestOpset to kNewestOpset.
constexpr int64_t IrVersionOf(int64_t opset) {
  if (opset < 15) return 7;
  if (opset < 19) return 8;
  return opset < 21 ? 9 : 10;
}

}  // namespace synap_internal::onnx_export

#endif  // COMPILER_EXPORT_ONNX_OPSET_H_
