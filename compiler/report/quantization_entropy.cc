#include "compiler/report/quantization_entropy.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "compiler/quantize/analysis/predicted_noise.h"
#include "compiler/quantize/analysis/probe_graphs.h"
#include "compiler/quantize/analysis/tensor_pairs.h"

namespace synap_internal {
namespace {

class Writer {
 public:
  explicit Writer(std::vector<PredictedNoise> layers) : layers_(std::move(layers)) {}

  void AddInput(const Tensor& input, const PredictedNoise& predicted) {
    Add(input.name, "out0", NoiseShare(predicted.noise, predicted));
  }

  void AddOp(const Op& op) {
    const std::string& layer = op.LayerName();
    for (size_t i = 0; i < op.outputs.size(); ++i) {
      if (op.outputs[i]->type.dtype != DataType::kFloat32) continue;
      const PredictedNoise* predicted = LayerOf(op, *op.outputs[i]);
      const double share = predicted == nullptr ? 0 : NoiseShare(predicted->noise, *predicted);
      Add(layer, absl::StrCat("out", i), share);
    }
    if (!HasWeights(op)) return;
    const PredictedNoise* predicted = LayerOf(op, *op.output());
    Add(layer, "weight", predicted == nullptr ? 0 : NoiseShare(predicted->weights, *predicted));
  }

  std::string Take() { return std::move(text_); }

 private:
  static bool HasWeights(const Op& op) {
    for (size_t i = 0; i < op.inputs.size(); ++i) {
      const Tensor* operand = op.inputs[i];
      if (RoleOf(op, i) != OperandRole::kWeight || operand == nullptr) continue;
      if (operand->is_float_constant() && operand->type.shape.elements() > 0) return true;
    }
    return false;
  }

  // The layer that makes `output`, or that the op went into; null if nothing is lost there.
  const PredictedNoise* LayerOf(const Op& op, const Tensor& output) const {
    for (const PredictedNoise& predicted : layers_) {
      if (predicted.layer.real == &output) return &predicted;
    }
    for (const PredictedNoise& predicted : layers_) {
      if (MovesData(*predicted.layer.op)) continue;  // put before the layer, with its name
      const std::vector<std::string>& origins = predicted.layer.op->origins;
      const bool inside =
          !op.origins.empty() &&
          std::all_of(op.origins.begin(), op.origins.end(), [&](const std::string& origin) {
            return std::find(origins.begin(), origins.end(), origin) != origins.end();
          });
      if (inside) return &predicted;
    }
    return nullptr;
  }

  void Add(absl::string_view layer, absl::string_view what, double share) {
    absl::StrAppendFormat(&text_, "@%s:%s, %.6f\n", absl::Utf8SafeCEscape(layer), what, share);
  }

  const std::vector<PredictedNoise> layers_;
  std::string text_;
};

}  // namespace

std::string QuantizationEntropy(const Graph& real, const Graph& compiled,
                                const Statistics& statistics) {
  const TensorPairs pairs(real, compiled);
  Writer writer(PredictNoise(LossyLayers(compiled, pairs), pairs, statistics));
  for (size_t i = 0; i < real.inputs.size(); ++i) {
    if (real.inputs[i]->type.dtype != DataType::kFloat32) continue;
    writer.AddInput(*real.inputs[i],
                    PredictInputNoise(compiled.inputs[i]->type, *real.inputs[i], statistics));
  }
  for (const Op& op : real.ops()) {
    // Nothing new; and those that were put before a layer have its name.
    if (!MovesData(op)) writer.AddOp(op);
  }
  return writer.Take();
}

}  // namespace synap_internal
