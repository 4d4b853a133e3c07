// Files that tests export, and what they compute.
#ifndef COMPILER_EXPORT_TFLITE_EXPORTED_FILE_H_
#define COMPILER_EXPORT_TFLITE_EXPORTED_FILE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/export/tflite/export_tflite.h"
#include "compiler/graph/graph.h"
#include "compiler/import/tflite/model_generated.h"

namespace synap_internal::tflite_export {

inline constexpr ExportTfliteOptions kFallback = {.fallback_float = true};

// A graph of one input x and one output y. `body`: lines of the text form.
std::string Graph1(const std::string& input, const std::string& body);

// The message of the error that exporting a graph's text gives.
std::string ExportError(const std::string& text, const ExportTfliteOptions& options = {});

// The file of a graph's text. Views of it are valid as long as it lives.
class ExportedFile {
 public:
  explicit ExportedFile(const std::string& text, const ExportTfliteOptions& options = {});

  const std::string& bytes() const { return bytes_; }
  const tflite::Model& model() const { return *tflite::GetModel(bytes_.data()); }
  const tflite::SubGraph& graph() const { return *model().subgraphs()->Get(0); }
  const tflite::Operator& op(uint32_t index) const { return *graph().operators()->Get(index); }
  const tflite::OperatorCode& code(uint32_t index) const {
    return *model().operator_codes()->Get(op(index).opcode_index());
  }
  const tflite::Tensor& tensor(int32_t index) const {
    return *graph().tensors()->Get(static_cast<uint32_t>(index));
  }
  // Operand `i`, and output 0, of an operator.
  const tflite::Tensor& input(uint32_t op_index, uint32_t i) const {
    return tensor(op(op_index).inputs()->Get(i));
  }
  const tflite::Tensor& output(uint32_t op_index) const {
    return tensor(op(op_index).outputs()->Get(0));
  }
  // "CONV_2D", in order.
  std::vector<std::string> Operators() const;

 private:
  std::string bytes_;
};

// "INT8 0.5 -128": type, scales and zero point; the type alone without a quantizer.
std::string TypeOf(const tflite::Tensor& tensor);

// Exports, imports again and compares what the two graphs compute; `step`: how far outputs may be
// apart, those that are quantized in steps.
void ExpectSameAfterRoundTrip(const Graph& graph, float step = 0,
                              const ExportTfliteOptions& options = {});
void ExpectSameAfterRoundTrip(const std::string& text, float step = 0,
                              const ExportTfliteOptions& options = {});

}  // namespace synap_internal::tflite_export

#endif  // COMPILER_EXPORT_TFLITE_EXPORTED_FILE_H_
