// Import of model files of every framework.
#ifndef COMPILER_CONVERT_STAGES_IMPORT_STAGE_H_
#define COMPILER_CONVERT_STAGES_IMPORT_STAGE_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/warnings.h"
#include "compiler/graph/graph.h"
#include "compiler/graph/passes/pipeline.h"
#include "compiler/import/model_files.h"
#include "compiler/import/model_summary.h"
#include "compiler/metafile/metafile.h"

namespace synap_internal {

// Runs the program that reads models of this framework, so that not every stage has to. Does
// nothing for frameworks without one. Errors name the file.
absl::Status ReadModule(ModelFiles& files);

// Contents of that program, part of the import's cache key; empty for frameworks without one.
// Errors: it isn't installed.
absl::StatusOr<std::string> ForeignReader(const ModelFiles& files);

// The files that importing reads beside those of `files`, such as an ONNX model's external data.
// Sorted; they needn't exist. Errors name the file.
absl::StatusOr<std::vector<std::string>> DataFiles(const ModelFiles& files);

// Model file of any framework (compiler/import/frameworks.h) -> the imported graph (.sir): float,
// or quantized if the model is. The framework follows from the suffix. Warns about what is left
// out, and notes batches of the metafile that the model doesn't take, or takes at once.
// InvalidArgument for an output of another shape than the metafile's; errors name the file.
absl::StatusOr<Graph> ImportStage(const ModelFiles& files, const Metafile& metafile,
                                  const PassOptions& passes, Warnings& warnings);

// Summary of a model file, whether or not it can be imported. Errors name the file.
absl::StatusOr<ModelSummary> SummarizeModel(const ModelFiles& files);

}  // namespace synap_internal

#endif  // COMPILER_CONVERT_STAGES_IMPORT_STAGE_H_
