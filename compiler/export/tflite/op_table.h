// Table of the mappings from ops to operators of TensorFlow Lite.
#ifndef COMPILER_EXPORT_TFLITE_OP_TABLE_H_
#define COMPILER_EXPORT_TFLITE_OP_TABLE_H_

#include <cstddef>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "compiler/export/tflite/op_context.h"

namespace synap_internal::tflite_export {

struct OpMapping {
  absl::string_view op;  // of kernels/
  // Writes the operators and makes the output. Errors are those of the attributes, and
  // Unimplemented for options that TensorFlow Lite doesn't have.
  absl::Status (*write)(OpContext& context);
  // What its operators take beside real numbers; ops that convert types take any.
  Integers integers = kNoIntegers;
  // Which of these they take for the op's attributes, operands and weights; null: all. The error is
  // why none would do.
  absl::StatusOr<Integers> (*restrict)(const Op& op) = nullptr;
  // The widest integers without a quantizer that they take, in bits.
  size_t plain_bits = 64;
  // Chooses the types of what it reads and writes by itself.
  bool converts = false;
};

// By family, each in the file of its name.
absl::Span<const OpMapping> ConversionMappings();
absl::Span<const OpMapping> ElementwiseMappings();
absl::Span<const OpMapping> FunctionMappings();
absl::Span<const OpMapping> ImageMappings();
absl::Span<const OpMapping> IndexingMappings();
absl::Span<const OpMapping> LinearMappings();
absl::Span<const OpMapping> ReductionMappings();
absl::Span<const OpMapping> ShapeMappings();

// Null for an op without a mapping: a network with such an op can't be exported.
const OpMapping* FindMapping(absl::string_view op);

}  // namespace synap_internal::tflite_export

#endif  // COMPILER_EXPORT_TFLITE_OP_TABLE_H_
