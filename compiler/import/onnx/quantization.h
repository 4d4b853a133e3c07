// Quantizers of ONNX operators: a scale and a zero point, given as operands.
#ifndef COMPILER_IMPORT_ONNX_QUANTIZATION_H_
#define COMPILER_IMPORT_ONNX_QUANTIZATION_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "compiler/import/onnx/node_context.h"

namespace synap_internal::onnx_import {

// real = scale * (q - zero point), for the tensor or by index along `axis`.
struct Quantizer {
  DataType dtype = DataType::kUint8;  // of the zero point; kInt64 for int32
  std::vector<float> scales;
  std::vector<int64_t> zero_points;  // as many
  int64_t axis = 0;

  bool per_tensor() const { return scales.size() == 1; }
};

// Reads operands `scale` and `zero_point` (if there), which have to be constant.
// `axis`: which dimension of the data several scales count along.
absl::StatusOr<Quantizer> ReadQuantizer(NodeContext& node, size_t scale, size_t zero_point,
                                        int64_t axis = 0);

// Steps of 1, and the zero points of operand `zero_point`, or 0.
absl::StatusOr<Quantizer> ReadZeroPoints(NodeContext& node, size_t zero_point, int64_t axis);

// The real numbers that x's integers stand for, in a tensor named
// node.Name(suffix). Constants of 8 bits stay integers before a dequantize, which
// the compiler fuses; constants without such a form (32 bits, channels with zero points
// of their own that int8 can't hold) becomes float32 here.
Emitted Dequantize(NodeContext& node, Tensor* x, const Quantizer& quantizer,
                   const std::string& suffix);

// Integers for the real numbers x, in a tensor named node.Name(suffix).
Emitted Quantize(NodeContext& node, Tensor* x, const Quantizer& quantizer,
                 const std::string& suffix);

}  // namespace synap_internal::onnx_import

#endif  // COMPILER_IMPORT_ONNX_QUANTIZATION_H_
