// TensorFlow Lite's operators and the functions that map them, in a file for each kind
// (activation.cc, ...).
#ifndef COMPILER_IMPORT_TFLITE_OP_TABLE_H_
#define COMPILER_IMPORT_TFLITE_OP_TABLE_H_

#include <cstddef>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "compiler/import/operator_table.h"
#include "compiler/import/tflite/operator_context.h"

namespace synap_internal::tflite_import {

using OpMapping = OperatorRow<OperatorContext, tflite::BuiltinOperator>;
using CustomMapping = OperatorRow<OperatorContext>;  // by custom_code

// The limits of operators that end in an activation.
inline constexpr char kFusedActivations[] =
    "the fused activations RELU, RELU6, RELU_N1_TO_1 and TANH";

const OperatorTable<OpMapping>& Operators();
const OperatorTable<CustomMapping>& CustomOperators();

// What either table has for an operator.
class Mapping {
 public:
  explicit Mapping(const tflite::OperatorCode& code);

  bool supported() const { return builtin_ != nullptr || custom_ != nullptr; }
  // The rest REQUIRES supported().
  size_t required() const { return builtin_ != nullptr ? builtin_->required : custom_->required; }
  size_t max() const { return builtin_ != nullptr ? builtin_->max : custom_->max; }
  absl::Status Map(OperatorContext& op) const {
    return builtin_ != nullptr ? builtin_->Map(op) : custom_->Map(op);
  }

 private:
  const OpMapping* builtin_ = nullptr;
  const CustomMapping* custom_ = nullptr;
};

// Rows of each kind, in the file of its name.
using Mappings = absl::Span<const OpMapping>;
Mappings ActivationMappings();
Mappings ControlFlowMappings();
Mappings ConversionMappings();
Mappings ConvolutionMappings();
Mappings ElementwiseMappings();
Mappings ImageMappings();
Mappings IndexingMappings();
Mappings MatmulMappings();
Mappings RecurrentMappings();
Mappings ReductionMappings();
Mappings ShapeMappings();
Mappings SliceMappings();

absl::Span<const CustomMapping> MediapipeMappings();

}  // namespace synap_internal::tflite_import

#endif  // COMPILER_IMPORT_TFLITE_OP_TABLE_H_
