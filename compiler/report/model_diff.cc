#include "compiler/report/model_diff.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "compiler/report/figures.h"
#include "kernels/attributes.h"

namespace synap_internal {
namespace {

std::string TensorsText(const std::vector<TensorMetadata>& tensors) {
  return absl::StrJoin(tensors, ", ", [](std::string* out, const TensorMetadata& tensor) {
    absl::StrAppend(out, tensor.name, " ", TypeText({tensor.dtype, tensor.shape, {}}));
    if (tensor.quant.quantized()) absl::StrAppend(out, " ", QuantizerText(tensor.quant));
    if (!tensor.data_format.empty()) absl::StrAppend(out, " '", tensor.data_format, "'");
  });
}

// "61 uint8, 3 int16", the most frequent first.
std::string TypesText(const ModelReport& model) {
  std::map<std::string, int> counts;
  for (const ReportLayer& layer : model.layers) ++counts[std::string(Name(layer.output.dtype))];
  std::vector<std::pair<int, std::string>> sorted;
  for (const auto& [type, count] : counts) sorted.emplace_back(-count, type);
  std::sort(sorted.begin(), sorted.end());
  return absl::StrJoin(sorted, ", ", [](std::string* out, const auto& entry) {
    absl::StrAppend(out, -entry.first, " ", entry.second);
  });
}

int64_t Macs(const ModelReport& model) {
  int64_t macs = 0;
  for (const ReportLayer& layer : model.layers) macs += layer.macs;
  return macs;
}

uint64_t Traffic(const ModelReport& model) {
  uint64_t bytes = 0;
  for (const ReportLayer& layer : model.layers) bytes += layer.bytes_read + layer.bytes_written;
  return bytes;
}

std::string DecibelText(double db) { return absl::StrFormat("%.1f dB", db); }

std::string SqnrOf(const ModelReport& model, const std::string& output) {
  for (const OutputError& error : model.output_errors) {
    if (error.name == output) return DecibelText(error.sqnr_db);
  }
  return "unknown";
}

// Of each output that either model has figures of.
void AddErrorFacts(const ModelReport& a, const ModelReport& b, std::vector<FactPair>& facts) {
  std::set<std::string> added;
  for (const ModelReport* model : {&b, &a}) {
    for (const OutputError& error : model->output_errors) {
      if (!added.insert(error.name).second) continue;
      facts.push_back(
          {absl::StrCat("SQNR of ", error.name), SqnrOf(a, error.name), SqnrOf(b, error.name)});
    }
  }
}

std::vector<FactPair> Facts(const ModelReport& a, const ModelReport& b) {
  const auto subgraphs = [](const ModelReport& m) {
    return absl::StrCat(m.delegates.size(), " (", absl::StrJoin(m.delegates, ", "), ")");
  };
  std::vector<FactPair> facts = {
      {"network", a.name, b.name},
      {"target", a.target, b.target},
      {"subgraphs", subgraphs(a), subgraphs(b)},
      {"inputs", TensorsText(a.inputs), TensorsText(b.inputs)},
      {"outputs", TensorsText(a.outputs), TensorsText(b.outputs)},
      {"layers", absl::StrCat(a.layers.size()), absl::StrCat(b.layers.size())},
      {"types of results", TypesText(a), TypesText(b)},
      {"multiply-accumulates", Grouped(Macs(a)), Grouped(Macs(b))},
      {"estimated time", a.time_text, b.time_text},
      {"file", BytesText(a.file_bytes), BytesText(b.file_bytes)},
      {"constants", BytesText(a.constant_bytes), BytesText(b.constant_bytes)},
      {"arena", BytesText(a.arena_bytes), BytesText(b.arena_bytes)},
      {"bytes read and written", BytesText(Traffic(a)), BytesText(Traffic(b))},
  };
  AddErrorFacts(a, b, facts);
  return facts;
}

std::string MicrosecondsText(double seconds) { return absl::StrFormat("%.1f us", seconds * 1e6); }

std::string OrNone(std::string text) { return text.empty() ? "none" : text; }

// The first scale that differs, where the quantizers' texts are equal: those of channels show their
// range only.
void AddScales(const QuantParams& a, const QuantParams& b, std::vector<FactPair>& changes) {
  if (a == b || QuantizerText(a) != QuantizerText(b)) return;
  const auto [before, after] = std::mismatch(a.scales.begin(), a.scales.end(), b.scales.begin());
  changes.push_back({absl::StrCat("scale of channel ", before - a.scales.begin()),
                     FloatToString(*before), FloatToString(*after)});
}

// What differs between two layers that belong together.
std::vector<FactPair> Changes(const ReportLayer& a, const ReportLayer& b) {
  constexpr size_t kDigits = 12;  // of a digest: to tell apart, not to verify
  std::vector<FactPair> changes = {
      {"op", a.op, b.op},
      {"layer", a.kind, b.kind},
      {"engine", a.engine, b.engine},
      {"attributes", OrNone(a.attributes), OrNone(b.attributes)},
      {"result", TypeText(a.output), TypeText(b.output)},
      {"quantizer", OrNone(QuantizerText(a.output.quant)), OrNone(QuantizerText(b.output.quant))},
      {"constants", BytesText(a.constant_bytes), BytesText(b.constant_bytes)},
      {"digest of the constants", OrNone(a.constants.substr(0, kDigits)),
       OrNone(b.constants.substr(0, kDigits))},
      {"time", MicrosecondsText(a.seconds), MicrosecondsText(b.seconds)},
  };
  changes.erase(std::remove_if(changes.begin(), changes.end(),
                               [](const FactPair& change) { return !change.differs(); }),
                changes.end());
  AddScales(a.output.quant, b.output.quant, changes);
  return changes;
}

// The layers of each list of imported nodes, in their order.
std::map<std::string, std::vector<int>> LayersByName(const ModelReport& model) {
  std::map<std::string, std::vector<int>> layers;
  for (size_t i = 0; i < model.layers.size(); ++i) {
    layers[model.layers[i].Name()].push_back(static_cast<int>(i));
  }
  return layers;
}

// For each layer of `from` its partner in `to`, or -1.
std::vector<int> Partners(const ModelReport& from, const ModelReport& to) {
  std::map<std::string, std::vector<int>> candidates = LayersByName(to);
  std::map<std::string, size_t> used;
  std::vector<int> partners;
  for (const ReportLayer& layer : from.layers) {
    const std::string name = layer.Name();
    const std::vector<int>& list = candidates[name];
    const size_t next = used[name]++;
    partners.push_back(next < list.size() ? list[next] : -1);
  }
  return partners;
}

std::vector<LayerPairing> WorstLayers(const ModelReport& before, const ModelReport& after) {
  constexpr size_t kCount = 5;
  const std::vector<int> partners = Partners(after, before);
  std::vector<LayerPairing> worst;
  for (size_t i = 0; i < after.layers.size(); ++i) {
    if (after.layers[i].error) worst.push_back({partners[i], static_cast<int>(i), {}});
  }
  std::stable_sort(worst.begin(), worst.end(), [&](const LayerPairing& a, const LayerPairing& b) {
    const auto own = [&](const LayerPairing& pair) {
      return after.layers[static_cast<size_t>(pair.after)].error->own_db;
    };
    return own(a) < own(b);
  });
  worst.resize(std::min(worst.size(), kCount));
  return worst;
}

std::string NameOf(const ModelDiff& diff, const LayerPairing& pair) {
  const ReportLayer& layer = pair.after >= 0 ? diff.after.layers[static_cast<size_t>(pair.after)]
                                             : diff.before.layers[static_cast<size_t>(pair.before)];
  return absl::StrCat(layer.op, " '", layer.Name(), "'");
}

std::string Padded(absl::string_view text, size_t width) {
  return absl::StrCat(text, std::string(width > text.size() ? width - text.size() : 0, ' '));
}

void AppendFacts(const std::vector<FactPair>& facts, std::string& text) {
  size_t fact_width = 0, before_width = 0;
  for (const FactPair& fact : facts) {
    fact_width = std::max(fact_width, fact.fact.size());
    // A long list of tensors doesn't push the other column away.
    before_width = std::max(before_width, std::min<size_t>(fact.before.size(), 40));
  }
  for (const FactPair& fact : facts) {
    absl::StrAppend(&text, fact.differs() ? "* " : "  ", Padded(fact.fact, fact_width), "  ",
                    Padded(fact.before, before_width), "  ", fact.after, "\n");
  }
}

void AppendWorst(const ModelDiff& diff, std::string& text) {
  if (diff.worst.empty()) return;
  absl::StrAppend(&text, "\n  layers that lose most (SQNR in dB: of their own, accumulated)\n");
  for (const LayerPairing& pair : diff.worst) {
    std::optional<LayerError> before;
    if (pair.before >= 0) before = diff.before.layers[static_cast<size_t>(pair.before)].error;
    const LayerError after = *diff.after.layers[static_cast<size_t>(pair.after)].error;
    absl::StrAppend(
        &text, "    ",
        before ? absl::StrFormat("%.1f, %.1f", before->own_db, before->accumulated_db) : "unknown",
        absl::StrFormat(" -> %.1f, %.1f  ", after.own_db, after.accumulated_db), NameOf(diff, pair),
        "\n");
  }
}

void AppendLayer(const ModelDiff& diff, const LayerPairing& pair, std::string& text) {
  if (pair.before < 0 || pair.after < 0) {
    absl::StrAppend(&text, pair.before < 0 ? "+ " : "- ", NameOf(diff, pair), "\n");
    return;
  }
  absl::StrAppend(&text, "* ", NameOf(diff, pair), "\n");
  for (const FactPair& change : pair.changes) {
    absl::StrAppend(&text, "    ", change.fact, ": ", change.before, " -> ", change.after, "\n");
  }
}

}  // namespace

bool ModelDiff::same() const {
  return layers.empty() && std::none_of(facts.begin(), facts.end(),
                                        [](const FactPair& fact) { return fact.differs(); });
}

ModelDiff CompareModels(ModelReport before, ModelReport after) {
  ModelDiff diff;
  diff.facts = Facts(before, after);
  const std::vector<int> partners = Partners(before, after);
  std::set<int> paired;
  for (size_t i = 0; i < partners.size(); ++i) {
    LayerPairing pair{static_cast<int>(i), partners[i], {}};
    if (pair.after >= 0) {
      paired.insert(pair.after);
      pair.changes = Changes(before.layers[i], after.layers[static_cast<size_t>(pair.after)]);
      if (pair.changes.empty()) continue;
    }
    diff.layers.push_back(std::move(pair));
  }
  for (size_t i = 0; i < after.layers.size(); ++i) {
    const int layer = static_cast<int>(i);
    if (paired.count(layer) == 0) diff.layers.push_back({-1, layer, {}});
  }
  diff.worst = WorstLayers(before, after);
  diff.before = std::move(before);
  diff.after = std::move(after);
  return diff;
}

std::string TextReport(const ModelDiff& diff, int top) {
  std::string text =
      absl::StrCat("  before: ", diff.before.path, "\n  after:  ", diff.after.path, "\n\n");
  if (diff.same()) return absl::StrCat(text, "  the same network, layer by layer\n");
  AppendFacts(diff.facts, text);
  AppendWorst(diff, text);
  if (diff.layers.empty()) return absl::StrCat(text, "\n  no layer differs\n");
  absl::StrAppend(&text, "\n");
  const size_t shown =
      top == 0 ? diff.layers.size() : std::min(diff.layers.size(), static_cast<size_t>(top));
  for (size_t i = 0; i < shown; ++i) AppendLayer(diff, diff.layers[i], text);
  if (shown == diff.layers.size()) return text;
  return absl::StrCat(text, "  ... and ", diff.layers.size() - shown, " more layers that differ\n");
}

}  // namespace synap_internal
