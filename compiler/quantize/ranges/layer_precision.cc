#include "compiler/quantize/ranges/layer_precision.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "base/data_type.h"
#include "base/status_macros.h"
#include "compiler/graph/layer_patterns.h"

namespace synap_internal {

bool LayerPrecisions::Uses(int bits) const {
  if (base_.bits() == bits || inputs_.bits() == bits) return true;
  const auto has_bits = [bits](const auto& entry) { return entry.second.bits() == bits; };
  if (std::any_of(own_inputs_.begin(), own_inputs_.end(), has_bits)) return true;
  const auto widens = [this](const Op* op) { return HasWideResult(*op); };
  if (bits == 16 && std::any_of(wide_results_.begin(), wide_results_.end(), widens)) return true;
  return std::any_of(layers_.begin(), layers_.end(), has_bits);
}

namespace {

// Gives the layers of gpu and cpu float32 unless they are float16.
absl::Status KeepFloat(const Metafile& metafile, const Graph& graph, LayerPrecisions& precisions) {
  std::set<const Op*> kept;
  for (const DelegateRule& rule : metafile.delegates) {
    const absl::StatusOr<std::vector<const Op*>> layers = LayersOf(graph, rule.pattern);
    if (!layers.ok()) return Annotate(layers.status(), metafile.Where(rule.location));
    for (const Op* op : *layers) {
      if (rule.keeps_float()) {
        kept.insert(op);
      } else {
        kept.erase(op);
      }
    }
  }
  for (const Op* op : kept) {
    if (IsFloat(precisions.of(*op).type)) continue;
    precisions.Set(*op, {DataType::kFloat32, QuantScheme::kNone, /*channelwise=*/false});
    precisions.SetNamed(*op);
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<LayerPrecisions> ChoosePrecisions(const Metafile& metafile, const Graph& graph) {
  const QuantizationSpec spec = metafile.quantization.value_or(QuantizationSpec{});
  const QuantizationScheme scheme = spec.EffectiveScheme();
  LayerPrecisions precisions(PrecisionOf(spec.BaseType(), scheme));
  std::vector<LayerRule> rules = spec.data_type.rules;
  std::stable_partition(rules.begin(), rules.end(),
                        [](const LayerRule& rule) { return rule.pattern == "*"; });
  for (const LayerRule& rule : rules) {
    const Precision precision = PrecisionOf(rule.type, scheme);
    if (rule.pattern == "*" || rule.pattern == "INPUTS") precisions.SetInputs(precision);
    if (rule.pattern == "INPUTS") {
      precisions.SetInputsNamed();
      continue;
    }
    absl::StatusOr<std::vector<const Op*>> layers = LayersOf(graph, rule.pattern);
    if (!layers.ok()) return Annotate(layers.status(), metafile.Where(rule.location));
    for (const Op* op : *layers) {
      precisions.Set(*op, precision);
      if (rule.pattern != "*") precisions.SetNamed(*op);
    }
  }
  RETURN_IF_ERROR(KeepFloat(metafile, graph, precisions));
  return precisions;
}

}  // namespace synap_internal
