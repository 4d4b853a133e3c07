// Figures as reports print them.
#ifndef COMPILER_REPORT_FIGURES_H_
#define COMPILER_REPORT_FIGURES_H_

#include <cstdint>
#include <string>

#include "base/tensor_type.h"

namespace synap_internal {

// 12345678 -> "12,345,678". REQUIRES: value >= 0.
std::string Grouped(int64_t value);

// 1536 -> "1.5 KiB"; below 1 KiB "512 bytes".
std::string BytesText(uint64_t bytes);

// "uint8[1x112x112x16]".
std::string TypeText(const TensorType& type);

// "scale=0.5 zero_point=3"; for scales of channels also their range, since the number says little:
// "scales[16] axis=0, 0.001 to 0.02". "" without a quantizer.
std::string QuantizerText(const QuantParams& quant);

}  // namespace synap_internal

#endif  // COMPILER_REPORT_FIGURES_H_
