// Versions of TensorFlow Lite operators, by which a runtime tells whether it has a kernel.
#ifndef COMPILER_EXPORT_TFLITE_OPERATOR_VERSION_H_
#define COMPILER_EXPORT_TFLITE_OPERATOR_VERSION_H_

#include <cstdint>
#include <vector>

#include "base/tensor_type.h"
#include "compiler/import/tflite/model_generated.h"

namespace synap_internal::tflite_export {

// Types of an operator's operands (absent ones: kInvalid) and outputs, as the file has them.
struct OperatorTypes {
  std::vector<TensorType> inputs;
  std::vector<TensorType> outputs;
};

// The first version of the operator that takes these types. Options count where they matter: a
// clamp after TRANSPOSE_CONV, FULLY_CONNECTED of any rank and RESIZE of half pixels are taken to be
// used.
int32_t VersionOf(tflite::BuiltinOperator code, const OperatorTypes& types);

}  // namespace synap_internal::tflite_export

#endif  // COMPILER_EXPORT_TFLITE_OPERATOR_VERSION_H_
