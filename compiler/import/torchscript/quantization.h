// Tensors of integers with a scale and a zero point.
#ifndef COMPILER_IMPORT_TORCHSCRIPT_QUANTIZATION_H_
#define COMPILER_IMPORT_TORCHSCRIPT_QUANTIZATION_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "compiler/import/torchscript/node_context.h"

namespace synap_internal::torchscript_import {

// The real numbers that a quantized tensor stands for. Constants stay
// integers before a dequantize, which the compiler fuses.
Emitted Dequantize(NodeContext& node, Tensor* x, absl::string_view suffix);

// Integers with data type and quantizer of `type` for real numbers.
Emitted Quantize(NodeContext& node, const Emitted& x, const TensorType& type,
                 absl::string_view suffix);

}  // namespace synap_internal::torchscript_import

#endif  // COMPILER_IMPORT_TORCHSCRIPT_QUANTIZATION_H_
