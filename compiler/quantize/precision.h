// Precision of a layer: data type and quantization scheme.
#ifndef COMPILER_QUANTIZE_PRECISION_H_
#define COMPILER_QUANTIZE_PRECISION_H_

#include "base/data_type.h"
#include "base/quant_params.h"
#include "compiler/metafile/metafile.h"

namespace synap_internal {

// How the tensors of a layer are quantized.
struct Precision {
  DataType type = DataType::kUint8;  // uint8, int8, int16, float16 or float32
  // Of activations, and of weights per tensor; kNone for floats.
  QuantScheme scheme = QuantScheme::kAsymmetricAffine;
  bool channelwise = false;  // weights are int8 with a scale for each output channel

  // Of the type: 8, 16 or 32.
  int bits() const { return 8 * static_cast<int>(SizeOf(type)); }
};

// The precision of a type with a scheme; 16 bits have a scheme of their own.
Precision PrecisionOf(DataType type, QuantizationScheme scheme = QuantizationScheme::kDefault);

}  // namespace synap_internal

#endif  // COMPILER_QUANTIZE_PRECISION_H_
