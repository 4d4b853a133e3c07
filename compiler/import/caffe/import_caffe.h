// Reads a Caffe 1.0 network (.prototxt) and its weights (.caffemodel) into the IR.
//
// Every type and shape of the result is known, what depends on constants only is
// computed, and what the outputs don't need is gone: layers of other phases than
// TEST, those that read data (their tops are the inputs), and those that only
// training and testing need. Image ops are NHWC between a transpose [0, 2, 3, 1]
// and a transpose [0, 3, 1, 2]. The tensor that a blob is at the end bears its
// name; an op's origin is its layer's name. The batch is 1, whatever the network
// was tested with.
//
// Layers of today's generation and of the two before (V1, V0). Of forks only
// Permute is known.
#ifndef COMPILER_IMPORT_CAFFE_IMPORT_CAFFE_H_
#define COMPILER_IMPORT_CAFFE_IMPORT_CAFFE_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "compiler/import/framework.h"
#include "compiler/import/import_options.h"
#include "compiler/import/imported_model.h"
#include "compiler/import/model_files.h"
#include "compiler/import/model_summary.h"

namespace synap_internal {

// The network in two files. Errors begin with the path of the file that they are about (see
// Framework::import).
absl::StatusOr<ImportedModel> ImportCaffe(const ModelFiles& files, const ImportOptions& options);

// The same for files in memory. The graph's name is the network's, or `name` if
// it has none.
absl::StatusOr<ImportedModel> ImportCaffeBytes(absl::string_view text, absl::string_view weights,
                                               absl::string_view name,
                                               const ImportOptions& options);

// Contents of a network in phase TEST; its outputs are the blobs that no layer reads.
// Without a file of weights no parameters are counted. Errors as ImportCaffe's.
absl::StatusOr<ModelSummary> SummarizeCaffe(const ModelFiles& files);

extern const Framework kCaffeFramework;

}  // namespace synap_internal

#endif  // COMPILER_IMPORT_CAFFE_IMPORT_CAFFE_H_
