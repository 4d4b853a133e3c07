// The intermediate files of a conversion, for whoever wants to look into it:
//   model.onnx            the simplified model, as imported and before quantization
//   model_quantized.onnx  the same with quantizers, if this conversion chose any
//   model.sir, model_quantized.qsir   what the stages' subcommands read
//   conversion_log.txt    what --verbose prints
#ifndef COMPILER_CLI_PRESERVED_FILES_H_
#define COMPILER_CLI_PRESERVED_FILES_H_

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "base/warnings.h"

namespace synap_internal {

// Each file is written as soon as it is known, so that it is there if a later stage fails, and
// whole or not at all. Errors name the file.
class PreservedFiles {
 public:
  // An empty folder: nothing is kept. `warnings` must outlive this.
  PreservedFiles(std::string folder, Warnings& warnings)
      : folder_(std::move(folder)), warnings_(warnings) {}

  // Makes the folder and removes what an earlier conversion left of the files above.
  absl::Status Start() const;
  // `file`: the bytes of a .sir or .qsir. Becomes <stem>.<suffix> and <stem>.onnx; a warning says
  // why if the graph has no form in ONNX.
  absl::Status KeepGraph(absl::string_view stem, absl::string_view suffix,
                         const std::string& file) const;
  absl::Status KeepLog(const std::string& text) const;

 private:
  const std::string folder_;
  Warnings& warnings_;
};

}  // namespace synap_internal

#endif  // COMPILER_CLI_PRESERVED_FILES_H_
