// Intermediate files of a conversion, kept for inspection by --preserve:
//   model.onnx            the simplified model, as imported and before quantization
//   model_quantized.onnx  the same with quantizers, if this conversion chose any
//   model.sir, model_quantized.qsir   the graphs, as the stages' subcommands read them
//   conversion_log.txt    the lines that --verbose prints
//   passes.txt            the graph after each pass, with --debug
//   tensors/              all tensors of a run, with --cpu-profiling (recorded_tensors.h)
#ifndef COMPILER_CONVERT_CLI_PRESERVED_FILES_H_
#define COMPILER_CONVERT_CLI_PRESERVED_FILES_H_

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "base/warnings.h"

namespace synap_internal {

// Writes each file as soon as its content is known, so that it exists if a later stage fails, and
// atomically. Errors name the file.
class PreservedFiles {
 public:
  // An empty folder: nothing is kept. `warnings` must outlive this.
  PreservedFiles(std::string folder, Warnings& warnings)
      : folder_(std::move(folder)), warnings_(warnings) {}

  // Creates the folder and removes the files above that an earlier conversion wrote.
  absl::Status Start() const;
  // `file`: the bytes of a .sir or .qsir. Becomes <stem>.<suffix> and <stem>.onnx; a warning says
  // why if the graph has no form in ONNX.
  absl::Status KeepGraph(absl::string_view stem, absl::string_view suffix,
                         const std::string& file) const;
  absl::Status KeepLog(const std::string& text) const;
  // The graph after each pass, of `synap convert --debug`.
  absl::Status KeepPasses(const std::string& text) const;
  // The folder for the tensors of a run, which their writer creates; "" if nothing is kept.
  std::string TensorsFolder() const;

 private:
  const std::string folder_;
  Warnings& warnings_;
};

}  // namespace synap_internal

#endif  // COMPILER_CONVERT_CLI_PRESERVED_FILES_H_
