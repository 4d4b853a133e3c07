// Metadata of a TensorFlow Lite file, and the texts after its network.
#ifndef COMPILER_IMPORT_TFLITE_METADATA_H_
#define COMPILER_IMPORT_TFLITE_METADATA_H_

#include "absl/strings/string_view.h"
#include "compiler/import/model_summary.h"
#include "compiler/import/tflite/model_file.h"

namespace synap_internal::tflite_import {

// `file`: the bytes that `model` is a view of. What is damaged is left out.
FileMetadata ReadMetadata(const Model& model, absl::string_view file);

}  // namespace synap_internal::tflite_import

#endif  // COMPILER_IMPORT_TFLITE_METADATA_H_
