#include "compiler/quantization/layer_precision.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "base/data_type.h"
#include "base/nearest_name.h"
#include "base/status_macros.h"

namespace synap_internal {
namespace {

constexpr absl::string_view kFollowers = "...";

// "12" is a name of "Conv_12".
bool HasName(absl::string_view origin, absl::string_view name) {
  if (origin == name) return true;
  return absl::EndsWith(origin, name) && origin.size() > name.size() + 1 &&
         origin.find('_') == origin.size() - name.size() - 1;
}

std::vector<const Op*> LayersNamed(const Graph& graph, absl::string_view name) {
  std::vector<const Op*> exact, stripped;
  for (const Op& op : graph.ops()) {
    for (const std::string& origin : op.origins) {
      if (!HasName(origin, name)) continue;
      (origin == name ? exact : stripped).push_back(&op);
      break;
    }
  }
  return exact.empty() ? stripped : exact;
}

std::vector<const Op*> Followers(const std::vector<const Op*>& layers) {
  const std::set<const Op*> excluded(layers.begin(), layers.end());
  std::set<const Op*> seen;
  std::vector<const Op*> found, next = layers;
  while (!next.empty()) {
    const Op* op = next.back();
    next.pop_back();
    for (const Tensor* output : op->outputs) {
      for (const Op* user : output->users) {
        if (!seen.insert(user).second) continue;
        next.push_back(user);
        if (excluded.count(user) == 0) found.push_back(user);
      }
    }
  }
  return found;
}

absl::StatusOr<std::vector<const Op*>> SelectedBy(const Metafile& metafile, const Graph& graph,
                                                  const LayerRule& rule) {
  absl::string_view name = rule.pattern;
  const bool followers = absl::ConsumeSuffix(&name, kFollowers);
  std::vector<const Op*> layers = LayersNamed(graph, name);
  if (layers.empty()) {
    std::vector<std::string> known;
    for (const Op& op : graph.ops()) {
      known.insert(known.end(), op.origins.begin(), op.origins.end());
    }
    return absl::NotFoundError(absl::StrCat(metafile.Where(rule.location),
                                            ": the model has no layer '", name, "'",
                                            DidYouMean(name, known)));
  }
  if (followers) layers = Followers(layers);
  if (!layers.empty()) return layers;
  return absl::InvalidArgumentError(absl::StrCat(metafile.Where(rule.location), ": rule '",
                                                 rule.pattern,
                                                 "' selects no layer: none comes after '", name,
                                                 "'; remove the rule, or name an earlier layer"));
}

}  // namespace

bool LayerPrecisions::Uses(int bits) const {
  if (base_.bits() == bits || inputs_.bits() == bits) return true;
  return std::any_of(layers_.begin(), layers_.end(),
                     [bits](const auto& layer) { return layer.second.bits() == bits; });
}

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
    if (rule.pattern == "INPUTS") continue;
    std::vector<const Op*> layers;
    if (rule.pattern == "*") {
      for (const Op& op : graph.ops()) layers.push_back(&op);
    } else {
      ASSIGN_OR_RETURN(layers, SelectedBy(metafile, graph, rule));
      for (const Op* op : layers) precisions.SetNamed(*op);
    }
    for (const Op* op : layers) precisions.Set(*op, precision);
  }
  return precisions;
}

}  // namespace synap_internal
