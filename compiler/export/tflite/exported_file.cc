#include "compiler/export/tflite/exported_file.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "compiler/graph/text.h"
#include "compiler/import/evaluate_graph.h"
#include "compiler/import/import_options.h"
#include "compiler/import/tflite/import_tflite.h"
#include "compiler/testing/input_numbers.h"
#include "gtest/gtest.h"
#include "kernels/attributes.h"

namespace synap_internal::tflite_export {
namespace {

// Numbers for the graph's inputs, each of which `names` has; it may have some that no layer reads.
std::vector<std::vector<float>> InputsOf(const Graph& graph, const Graph& names) {
  std::vector<std::vector<float>> inputs;
  for (const Tensor* input : graph.inputs) {
    EXPECT_NE(names.FindTensor(input->name), nullptr) << input->name;
    inputs.push_back(InputNumbers(input->type));
  }
  return inputs;
}

}  // namespace

std::string Graph1(const std::string& input, const std::string& body) {
  return absl::StrCat("graph \"g\" layout=\"nhwc\" {\n    input %x: ", input, "\n", body,
                      "    output %y\n}\n");
}

std::string ExportError(const std::string& text, const ExportTfliteOptions& options) {
  const auto graph = ParseGraph(text);
  EXPECT_TRUE(graph.ok()) << graph.status();
  if (!graph.ok()) return "";
  return std::string(ExportTflite(*graph, options).status().message());
}

ExportedFile::ExportedFile(const std::string& text, const ExportTfliteOptions& options) {
  const auto graph = ParseGraph(text);
  EXPECT_TRUE(graph.ok()) << graph.status();
  if (!graph.ok()) return;
  const auto bytes = ExportTflite(*graph, options);
  EXPECT_TRUE(bytes.ok()) << bytes.status();
  if (bytes.ok()) bytes_ = *bytes;
}

std::vector<std::string> ExportedFile::Operators() const {
  std::vector<std::string> names;
  for (uint32_t i = 0; i < graph().operators()->size(); ++i) {
    names.emplace_back(tflite::EnumNameBuiltinOperator(code(i).builtin_code()));
  }
  return names;
}

std::string TypeOf(const tflite::Tensor& tensor) {
  std::string text = tflite::EnumNameTensorType(tensor.type());
  const auto* quant = tensor.quantization();
  if (quant == nullptr || quant->scale() == nullptr || quant->scale()->size() == 0) return text;
  for (const float scale : *quant->scale()) text += " " + FloatToString(scale);
  return text + " " + std::to_string(quant->zero_point()->Get(0));
}

void ExpectSameAfterRoundTrip(const Graph& graph, float step, const ExportTfliteOptions& options) {
  const auto bytes = ExportTflite(graph, options);
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  const auto imported = ImportTfliteBytes(*bytes, "again", {});
  ASSERT_TRUE(imported.ok()) << imported.status();
  ASSERT_EQ(imported->graph.outputs.size(), graph.outputs.size());
  const auto expected = EvaluateGraph(graph, InputsOf(graph, graph));
  const auto found = EvaluateGraph(imported->graph, InputsOf(imported->graph, graph));
  ASSERT_TRUE(expected.ok()) << expected.status();
  ASSERT_TRUE(found.ok()) << found.status();
  for (size_t i = 0; i < expected->size(); ++i) {
    EXPECT_EQ(imported->graph.outputs[i]->type.shape, graph.outputs[i]->type.shape);
    ASSERT_EQ((*found)[i].size(), (*expected)[i].size());
    const float relative = step == 0 ? 2e-6f : 1e-4f;
    for (size_t k = 0; k < (*found)[i].size(); ++k) {
      const float value = (*expected)[i][k], other = (*found)[i][k];
      if (value == other || (std::isnan(value) && std::isnan(other))) continue;
      const float tolerance = std::max(step, std::abs(value) * relative + 1e-6f);
      ASSERT_NEAR(other, value, tolerance) << "element " << k << " of output " << i;
    }
  }
}

void ExpectSameAfterRoundTrip(const std::string& text, float step,
                              const ExportTfliteOptions& options) {
  SCOPED_TRACE(text);
  const auto graph = ParseGraph(text);
  ASSERT_TRUE(graph.ok()) << graph.status();
  ExpectSameAfterRoundTrip(*graph, step, options);
}

}  // namespace synap_internal::tflite_export
