// Reads an ONNX model into the IR.
//
// Every type and shape of the result is known, what depends on constants only is
// computed, and what the outputs don't need is gone. Image ops are NHWC between
// a transpose [0, 2, 3, 1] and a transpose [0, 3, 1, 2]; the tensors that have
// ONNX's layout bear ONNX's names, the others that name and ".nhwc". An op's
// origin is its node's name or, if that is empty, its node's first output.
//
// float16, bfloat16 and double become float32, int32 and uint64 become int64
// (inputs and outputs of the model keep int32). Any opset (model_file.h). Control flow and
// recurrent networks are unrolled, a NonMaxSuppression at the end is cut off (detection_head.h);
// docs/onnx.md tells what is left out.
#ifndef COMPILER_IMPORT_ONNX_IMPORT_ONNX_H_
#define COMPILER_IMPORT_ONNX_IMPORT_ONNX_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "compiler/graph/graph.h"
#include "compiler/import/framework.h"
#include "compiler/import/import_options.h"
#include "compiler/import/imported_model.h"
#include "compiler/import/model_files.h"
#include "compiler/import/model_summary.h"

namespace synap_internal {

// The model in a file, with external data in files beside it. Weights that need
// no conversion stay where the parser or the mapped file has them; the graph
// keeps those alive. Errors begin with the file's path (see Framework::import). Warns about a model
// that is newer than what is known here.
absl::StatusOr<ImportedModel> ImportOnnx(const ModelFiles& files, const ImportOptions& options);

// The same for a model in memory, which may not refer to external data. The
// graph's name is the model's, or `name` if it has none.
absl::StatusOr<Graph> ImportOnnxBytes(absl::string_view bytes, absl::string_view name,
                                      const ImportOptions& options);

// Contents of a model in memory, also of one that can't be imported; inputs are those without an
// initializer.
absl::StatusOr<ModelSummary> SummarizeOnnxBytes(absl::string_view bytes);
// The same for a file. Errors as ImportOnnx's.
absl::StatusOr<ModelSummary> SummarizeOnnx(const ModelFiles& files);

extern const Framework kOnnxFramework;

}  // namespace synap_internal

#endif  // COMPILER_IMPORT_ONNX_IMPORT_ONNX_H_
