// What the files of a Caffe network say of themselves.
#ifndef COMPILER_IMPORT_CAFFE_SUMMARIZE_CAFFE_H_
#define COMPILER_IMPORT_CAFFE_SUMMARIZE_CAFFE_H_

#include <string>

#include "absl/status/statusor.h"
#include "compiler/import/model_summary.h"

namespace synap_internal {

// The network in phase TEST; its outputs are the blobs that no layer reads. `weights_path` may be
// empty: then no parameters are counted. Errors as ImportCaffe's for files that can't be read.
absl::StatusOr<ModelSummary> SummarizeCaffe(const std::string& path,
                                            const std::string& weights_path);

}  // namespace synap_internal

#endif  // COMPILER_IMPORT_CAFFE_SUMMARIZE_CAFFE_H_
