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

// Normalization of an input's pixels: (pixel - mean) / scale, for each channel or for all.
struct StatedPixels {
  std::vector<float> means, scales;  // none: the file doesn't say
  bool rgb = false;                  // the file says that red comes first
};

// Facts that a model file states beside the network, as its makers wrote them.
struct FileMetadata {
  std::string producer;                           // "pytorch 1.9"; "": it doesn't say
  std::map<std::string, std::string> properties;  // by key: "task" -> "detect"
  std::map<std::string, std::string> texts;       // files inside of it, by name
  std::vector<StatedPixels> inputs;               // of its first inputs
  std::string labels;                             // the name of the text with the classes
};

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
  FileMetadata metadata;
};

// An entry of inputs or outputs: "data float32[1x3x?x?]"; `type` in lower case. "[...]" if nothing
// is known of the shape.
std::string InputOutputText(absl::string_view name, absl::string_view type,
                            const std::optional<OpenShape>& shape);

}  // namespace synap_internal

#endif  // COMPILER_IMPORT_MODEL_SUMMARY_H_
