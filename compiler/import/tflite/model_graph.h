// Inputs and outputs of a TensorFlow Lite model, as FindModelPart needs them.
#ifndef COMPILER_IMPORT_TFLITE_MODEL_GRAPH_H_
#define COMPILER_IMPORT_TFLITE_MODEL_GRAPH_H_

#include <string>
#include <vector>

#include "compiler/import/import_options.h"
#include "compiler/import/input_shape.h"
#include "compiler/import/model_part.h"
#include "compiler/import/tflite/model_file.h"

namespace synap_internal::tflite_import {

// Values are the file's tensors and then what its states become; nodes are its operators. If
// `options` name no outputs, unknown custom operators at the model's end are cut off, so that it
// ends at what they read; a sentence for each is added to `warnings`.
ModelGraph ModelGraphOf(const Model& model, const ImportOptions& options,
                        std::vector<std::string>& warnings);

// The shape of a tensor, open where it or its signature is.
OpenShape ShapeOf(const tflite::Tensor& tensor);

}  // namespace synap_internal::tflite_import

#endif  // COMPILER_IMPORT_TFLITE_MODEL_GRAPH_H_
