#include "compiler/report/inspect.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "compiler/report/figures.h"
#include "compiler/target/narrow_integers.h"
#include "compiler/target/placement.h"
#include "runtime/bundle/json.h"

namespace synap_internal {
namespace {

// Names in model files are bytes, not necessarily UTF-8.
std::string Dump(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

// Of milliseconds.
Json Interval(const LatencyEstimate& estimate) {
  return Json::array({1e3 * estimate.low, 1e3 * estimate.high});
}

// By count, the most frequent first, then by name.
template <typename T>
std::vector<std::pair<std::string, T>> MostFrequentFirst(const std::map<std::string, T>& counts) {
  std::vector<std::pair<std::string, T>> sorted(counts.begin(), counts.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.second.count > b.second.count; });
  return sorted;
}

void AppendTensors(absl::string_view title, const std::vector<std::string>& tensors,
                   std::string* text) {
  for (const std::string& tensor : tensors) {
    absl::StrAppendFormat(text, "%-12s %s\n", title, tensor);
    title = "";
  }
}

void AppendOperators(const ModelSummary& model, std::string* text) {
  absl::StrAppend(text, "\noperators of the file\n");
  for (const auto& [name, op] : MostFrequentFirst(model.operators)) {
    absl::StrAppendFormat(text, "%8d  %s%s\n", op.count, name,
                          op.supported ? "" : "   (not supported)");
  }
}

void AppendLayers(const CompiledSummary& compiled, const Target& target, std::string* text) {
  absl::StrAppendFormat(text, "\nlayers on %s, with 8 bits\n%8s  %-20s %20s  %-6s  %s\n",
                        target.name, "count", "layer", "MACs", "engine",
                        "name in profiles; reason for the engine");
  int count = 0;
  for (const LayerGroup& layer : compiled.layers) {
    count += layer.count;
    absl::StrAppendFormat(text, "%8d  %-20s %20s  %-6s  %s; %s\n", layer.count, layer.op,
                          layer.macs > 0 ? Grouped(layer.macs) : "-", layer.engine,
                          layer.layer_type, layer.reason);
  }
  absl::StrAppendFormat(text, "%8d  %-20s %20s\n\n", count, "in all", Grouped(compiled.macs));
  absl::StrAppendFormat(text, "%s parameters; estimated %s with 8 bits, %s with 16\n",
                        Grouped(compiled.parameters), PrintMilliseconds(compiled.with_8_bits),
                        PrintMilliseconds(compiled.with_16_bits));
}

// The op's placement if its float values had 8 bits.
Placement PlaceWith8Bits(const Op& op, const std::set<const Tensor*>& narrow,
                         const Target& target) {
  const auto narrowed = [](std::vector<TensorType> types) {
    for (TensorType& type : types) {
      if (IsFloat(type.dtype)) type.dtype = DataType::kUint8;
    }
    return types;
  };
  return PlaceLayer(target, FactsOf(*op.def, narrowed(HeldInputs(op, narrow)),
                                    narrowed(HeldOutputs(op, narrow)), op.attributes));
}

// Adds the op to its group.
void CountOp(const Op& op, int64_t macs, const Placement& placement,
             std::vector<LayerGroup>& groups) {
  LayerGroup group = {std::string(op.def->name), LayerTypeOf(*op.def), EngineText(placement),
                      placement.reason};
  const auto same = std::find_if(groups.begin(), groups.end(), [&](const LayerGroup& other) {
    return other.op == group.op && other.engine == group.engine && other.reason == group.reason;
  });
  LayerGroup& counted = same == groups.end() ? groups.emplace_back(std::move(group)) : *same;
  ++counted.count;
  counted.macs += macs;
}

}  // namespace

CompiledSummary Summarize(const Graph& compiled, const Target& target) {
  CompiledSummary summary;
  const std::set<const Tensor*> narrow = NarrowIntegers(compiled);
  for (const Op& op : compiled.ops()) {
    const OpCost cost =
        op.def->cost == nullptr ? OpCost{} : op.def->cost(InputTypes(op), OutputTypes(op));
    CountOp(op, cost.macs, PlaceWith8Bits(op, narrow, target), summary.layers);
    summary.macs += cost.macs;
  }
  summary.with_8_bits = EstimateLatency(compiled, DataType::kUint8, target);
  summary.with_16_bits = EstimateLatency(compiled, DataType::kInt16, target);
  std::sort(summary.layers.begin(), summary.layers.end(),
            [](const LayerGroup& a, const LayerGroup& b) {
              return std::tie(b.count, a.op, a.engine) < std::tie(a.count, b.op, b.engine);
            });
  for (const Tensor& tensor : compiled.tensors()) {
    if (tensor.is_constant()) summary.parameters += tensor.type.shape.elements();
  }
  return summary;
}

std::string TextReport(const Inspection& inspection) {
  const ModelSummary& model = inspection.model;
  std::string text = absl::StrFormat("%-12s %s\n%-12s %s\n", "model", inspection.path, "framework",
                                     model.framework);
  absl::StrAppendFormat(&text, "%-12s %s in %s bytes\n", "parameters", Grouped(model.parameters),
                        Grouped(model.parameter_bytes));
  AppendTensors("inputs", model.inputs, &text);
  AppendTensors("outputs", model.outputs, &text);
  AppendOperators(model, &text);
  if (inspection.compiled.has_value()) {
    AppendLayers(*inspection.compiled, *inspection.target, &text);
  }
  for (size_t i = 0; i < inspection.notes.size(); ++i) {
    absl::StrAppend(&text, i == 0 ? "\n" : "", inspection.notes[i], "\n");
  }
  return text;
}

std::string JsonReport(const Inspection& inspection) {
  const ModelSummary& model = inspection.model;
  Json operators = Json::array();
  for (const auto& [name, op] : MostFrequentFirst(model.operators)) {
    operators.push_back({{"name", name}, {"count", op.count}, {"supported", op.supported}});
  }
  Json json = {{"model", inspection.path},         {"framework", model.framework},
               {"parameters", model.parameters},   {"parameter_bytes", model.parameter_bytes},
               {"inputs", model.inputs},           {"outputs", model.outputs},
               {"operators", std::move(operators)}};
  json["target"] = std::string(inspection.target->name);
  if (!inspection.compiled.has_value()) {
    json["error"] = std::string(inspection.import.message());
    return Dump(json);
  }
  const CompiledSummary& compiled = *inspection.compiled;
  Json layers = Json::array();
  for (const LayerGroup& layer : compiled.layers) {
    layers.push_back({{"op", layer.op},
                      {"count", layer.count},
                      {"macs", layer.macs},
                      {"engine", layer.engine},
                      {"name", layer.layer_type},
                      {"reason", layer.reason}});
  }
  json["layers"] = std::move(layers);
  json["macs"] = compiled.macs;
  json["compiled_parameters"] = compiled.parameters;
  json["estimated_ms"] = {{"8_bits", 1e3 * compiled.with_8_bits.seconds},
                          {"16_bits", 1e3 * compiled.with_16_bits.seconds}};
  json["estimated_ms_interval"] = {{"8_bits", Interval(compiled.with_8_bits)},
                                   {"16_bits", Interval(compiled.with_16_bits)}};
  json["notes"] = inspection.notes;
  return Dump(json);
}

}  // namespace synap_internal
