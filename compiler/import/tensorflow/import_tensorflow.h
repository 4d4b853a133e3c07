// Reads a frozen TensorFlow graph (.pb) into the IR.
//
// Every type and shape of the result is known, what depends on constants only is
// computed, and what the outputs don't need is gone. Tensors bear their nodes'
// names ("split:1" for outputs other than the first); an op's origin is its
// node's name. The layout is NHWC; images of nodes whose data_format is NCHW are
// transposed around them.
//
// Floating point types become float32, integers int64 (inputs and outputs are
// int32; inputs of uint8, which are images, float32). What chooses between training and inference
// is decided for inference: of Switch and Merge only the branch taken is imported, dropout that
// drops nothing is gone, and FakeQuant is the identity.
#ifndef COMPILER_IMPORT_TENSORFLOW_IMPORT_TENSORFLOW_H_
#define COMPILER_IMPORT_TENSORFLOW_IMPORT_TENSORFLOW_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "compiler/import/framework.h"
#include "compiler/import/import_options.h"
#include "compiler/import/imported_model.h"
#include "compiler/import/model_files.h"
#include "compiler/import/model_summary.h"

namespace synap_internal {

// The graph in a file. The options must name its inputs and outputs. Placeholders
// beside the inputs that say whether this is training (bool) or what dropout
// keeps (a number) are taken as inference needs them, with a warning. Errors
// begin with the file's path (see Framework::import).
absl::StatusOr<ImportedModel> ImportTensorflow(const ModelFiles& files,
                                               const ImportOptions& options);

// The same for a graph in memory. Its name is `name`.
absl::StatusOr<ImportedModel> ImportTensorflowBytes(absl::string_view bytes, absl::string_view name,
                                                    const ImportOptions& options);

// Contents of a graph: inputs are the placeholders, outputs the nodes that no other reads. Errors
// begin with the file's path.
absl::StatusOr<ModelSummary> SummarizeTensorflow(const ModelFiles& files);

extern const Framework kTensorflowFramework;

}  // namespace synap_internal

#endif  // COMPILER_IMPORT_TENSORFLOW_IMPORT_TENSORFLOW_H_
