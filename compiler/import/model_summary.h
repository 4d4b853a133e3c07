// Contents of a model file, also of one that can't be imported.
#ifndef COMPILER_IMPORT_MODEL_SUMMARY_H_
#define COMPILER_IMPORT_MODEL_SUMMARY_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "compiler/import/input_shape.h"

namespace synap_internal {

struct ModelSummary {
  struct Operator {
    int count = 0;
    bool supported = true;
  };

  void Count(const std::string& name, bool supported) {
    Operator& op = operators[name];
    ++op.count;
    op.supported = supported;
  }

  // Counts a constant tensor; the sums stop at the largest int64.
  void AddParameters(const std::vector<int64_t>& dims, int64_t bytes);

  std::string framework;  // "ONNX, opset 12, IR 6, made by pytorch 1.9"
  // "data float32[1x3x640x640]" in the model's own layout, "?" for unknown dimensions.
  std::vector<std::string> inputs, outputs;
  std::map<std::string, Operator> operators;  // by the framework's names
  int64_t parameters = 0;                     // elements of the constant tensors
  int64_t parameter_bytes = 0;
};

// An entry of inputs or outputs: "data float32[1x3x?x?]"; `type` in lower case. "[...]" if nothing
// is known of the shape.
std::string BorderText(absl::string_view name, absl::string_view type,
                       const std::optional<OpenShape>& shape);

}  // namespace synap_internal

#endif  // COMPILER_IMPORT_MODEL_SUMMARY_H_
