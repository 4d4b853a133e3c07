#include "compiler/package/quantization_entropy.h"

#include <algorithm>
#include <map>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "compiler/calibration/histogram.h"

namespace synap {
namespace {

class Writer {
 public:
  explicit Writer(const Statistics& statistics) {
    for (size_t i = 0; i < statistics.tensors().size(); ++i) {
      observed_[statistics.tensors()[i]] = &statistics.histograms()[i];
    }
  }

  void AddOutput(absl::string_view layer, size_t output, const Tensor& tensor) {
    const auto found = observed_.find(tensor.name);
    if (found != observed_.end()) Add(layer, absl::StrCat("out", output), *found->second);
  }

  void AddWeights(absl::string_view layer, const Op& op) {
    for (size_t i = 0; i < op.inputs.size(); ++i) {
      const Tensor* operand = op.inputs[i];
      const OperandRole role = RoleOf(op, i);
      if (role != OperandRole::kWeight || operand == nullptr || !operand->is_constant()) continue;
      if (operand->type.dtype != DataType::kFloat32) continue;
      const absl::Span<const float> values = operand->values<float>();
      if (values.empty()) continue;
      const auto [min, max] = std::minmax_element(values.begin(), values.end());
      Add(layer, "weight", Histogram::Of(values, {*min, *max}));
    }
  }

  std::string Take() { return std::move(text_); }

 private:
  void Add(absl::string_view layer, absl::string_view what, const Histogram& histogram) {
    absl::StrAppendFormat(&text_, "@%s:%s, %.6f\n", absl::Utf8SafeCEscape(layer), what,
                          NormalizedEntropy(histogram));
  }

  std::map<std::string, const Histogram*> observed_;
  std::string text_;
};

}  // namespace

std::string QuantizationEntropy(const Graph& graph, const Statistics& statistics) {
  Writer writer(statistics);
  for (const Tensor* input : graph.inputs) writer.AddOutput(input->name, 0, *input);
  for (const Op& op : graph.ops()) {
    // Nothing new; and those that were put before a layer have its name.
    if (MovesData(op)) continue;
    const std::string& layer = op.LayerName();
    for (size_t i = 0; i < op.outputs.size(); ++i) writer.AddOutput(layer, i, *op.outputs[i]);
    writer.AddWeights(layer, op);
  }
  return writer.Take();
}

}  // namespace synap
