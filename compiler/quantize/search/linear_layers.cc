#include "compiler/quantize/search/linear_layers.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "compiler/quantize/analysis/probe_graphs.h"
#include "kernels/shared/linear/linear.h"

namespace synap_internal {

std::vector<LinearLayer> FindLinearLayers(const Graph& real, Graph& quantized) {
  std::vector<LinearLayer> layers;
  std::map<const Op*, int> depths;
  for (Op& op : quantized.ops()) {
    int& depth = depths[&op];
    for (const Tensor* operand : op.inputs) {
      const bool flows = operand != nullptr && operand->producer != nullptr;
      if (flows) depth = std::max(depth, depths[operand->producer]);
    }
    const Tensor* output = real.FindTensor(op.output()->name);
    const Op* original = output == nullptr ? nullptr : output->producer;
    if (original == nullptr || original->def != op.def || !HasByteWeights(op)) continue;
    if (!op.inputs[0]->type.quant.quantized()) continue;
    if (op.Is(LinearForm::kTransposed)) continue;  // has no patches (layer_patches.h)
    const Tensor &x = *original->inputs[0], &w = *original->inputs[1];
    if (!w.is_constant() || w.type.dtype != DataType::kFloat32 || x.is_constant()) continue;
    if (x.type.shape.elements() == 0) continue;
    layers.push_back({&op, original, ++depth});
  }
  return layers;
}

std::vector<std::vector<LinearLayer>> ByDepth(const std::vector<LinearLayer>& layers) {
  std::vector<std::vector<LinearLayer>> steps;
  for (const LinearLayer& layer : layers) {
    const auto depth = static_cast<size_t>(layer.depth);
    if (steps.size() < depth) steps.resize(depth);
    steps[depth - 1].push_back(layer);
  }
  return steps;
}

void AddToBias(Graph& graph, Op& op, const std::vector<double>& missing) {
  const QuantParams quant = BiasQuantizer(op.inputs[0]->type.quant, op.inputs[1]->type.quant);
  const Tensor* bias = op.input(2);
  const bool wide = op.inputs[0]->type.dtype == DataType::kInt16;
  const TensorType type = bias != nullptr ? bias->type
                                          : TensorType{wide ? DataType::kInt64 : DataType::kInt32,
                                                       {static_cast<int64_t>(missing.size())},
                                                       quant};
  const auto corrected = [&](size_t c, double value, double largest) {
    const double scale = type.quant.scales[c % type.quant.scales.size()];
    const double steps = std::nearbyint(missing[c] / scale);
    return std::isfinite(steps) ? std::clamp(value + steps, -largest, largest) : value;
  };
  Constant constant;
  if (type.dtype == DataType::kInt64) {
    std::vector<int64_t> values(missing.size(), 0);
    for (size_t c = 0; c < values.size(); ++c) {
      const int64_t old = bias == nullptr ? 0 : bias->values<int64_t>()[c];
      values[c] = static_cast<int64_t>(corrected(c, static_cast<double>(old), kMaxWideBias));
    }
    constant = Constant::Own(std::move(values));
  } else {
    std::vector<int32_t> values(missing.size(), 0);
    for (size_t c = 0; c < values.size(); ++c) {
      const int32_t old = bias == nullptr ? 0 : bias->values<int32_t>()[c];
      values[c] = static_cast<int32_t>(corrected(c, old, kMaxBias));
    }
    constant = Constant::Own(std::move(values));
  }
  const std::string name = bias != nullptr ? bias->name : absl::StrCat(op.output()->name, ".bias");
  graph.SetInput(&op, 2, graph.AddConstant(name, type, std::move(constant)));
}

}  // namespace synap_internal
