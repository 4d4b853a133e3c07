// Reads a TensorFlow Lite model into the IR.
//
// Every type and shape of the result is known, what depends on constants only is
// computed, and what the outputs don't need is gone. Tensors bear the file's
// names; an op's origin is its operator's first output. The layout is NHWC, as
// in the file.
//
// A quantized model stays what it is: tensors have the file's quantizers, and
// nothing is left to calibrate. int8 tensors with one quantizer become uint8
// with a zero point that is larger by 128; inputs and outputs of the network
// stay int8, next to conversions. float16, bfloat16 and double become float32,
// int32 becomes int64 (inputs and outputs of either are int32), sparse weights
// become dense, and 8-bit weights beside float activations become float32. The graph's anchors are
// those of a TFLite_Detection_PostProcess after the imported part of the file.
#ifndef COMPILER_IMPORT_TFLITE_IMPORT_TFLITE_H_
#define COMPILER_IMPORT_TFLITE_IMPORT_TFLITE_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "compiler/import/framework.h"
#include "compiler/import/import_options.h"
#include "compiler/import/imported_model.h"
#include "compiler/import/model_files.h"
#include "compiler/import/model_summary.h"

namespace synap_internal {

// The model in a file. Weights that need no conversion stay in the mapped file,
// which the graph keeps alive. Errors begin with the file's path (see Framework::import).
absl::StatusOr<ImportedModel> ImportTflite(const ModelFiles& files, const ImportOptions& options);

// The same for a model in memory, which is copied. The graph's name is `name`.
absl::StatusOr<ImportedModel> ImportTfliteBytes(absl::string_view bytes, absl::string_view name,
                                                const ImportOptions& options);

// Contents of a model, also of one that can't be imported. Errors begin with the file's path.
absl::StatusOr<ModelSummary> SummarizeTflite(const ModelFiles& files);

extern const Framework kTfliteFramework;

}  // namespace synap_internal

#endif  // COMPILER_IMPORT_TFLITE_IMPORT_TFLITE_H_
