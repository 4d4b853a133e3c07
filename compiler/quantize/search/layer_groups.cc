#include "compiler/quantize/search/layer_groups.h"

#include <algorithm>
#include <map>

#include "kernels/op_def.h"

namespace synap_internal {
namespace {

bool Quantizes(const Op& op) {
  return op.output()->type.dtype == DataType::kFloat32 && !op.origins.empty() &&
         op.def->quant_rule != QuantRule::kNotQuantized;
}

// Whether the values of operand 0 are all that the op is about.
bool Follows(const Op& op) {
  return op.def->quant_rule == QuantRule::kSameAsInput || op.def->is_function();
}

// Names that mean something else in a data_type, or could.
bool IsPlain(const std::string& name) {
  const bool followers = name.size() >= 3 && name.compare(name.size() - 3, 3, "...") == 0;
  return !followers && name != "*" && name != "INPUTS";
}

}  // namespace

std::vector<LayerGroup> GroupLayers(const Graph& real) {
  std::vector<LayerGroup> groups;
  std::map<const Op*, size_t> group_of;
  std::map<std::string, size_t> group_named;
  for (const Op& op : real.ops()) {
    if (!Quantizes(op) || !IsPlain(op.origins[0])) continue;
    const Op* producer =
        op.inputs.empty() || op.inputs[0] == nullptr ? nullptr : op.inputs[0]->producer;
    // Ops of one imported node have one name, hence one type.
    const auto named = group_named.find(op.origins[0]);
    const auto followed = Follows(op) ? group_of.find(producer) : group_of.end();
    size_t group = groups.size();
    if (named != group_named.end()) {
      group = named->second;
    } else if (followed != group_of.end()) {
      group = followed->second;
    } else {
      groups.emplace_back();
    }
    if (named == group_named.end()) groups[group].layers.push_back(op.origins[0]);
    group_named.emplace(op.origins[0], group);
    group_of[&op] = group;
  }
  return groups;
}

std::map<std::string, size_t> GroupsByLayer(const std::vector<LayerGroup>& groups) {
  std::map<std::string, size_t> named;
  for (size_t i = 0; i < groups.size(); ++i) {
    for (const std::string& layer : groups[i].layers) named[layer] = i;
  }
  return named;
}

}  // namespace synap_internal
