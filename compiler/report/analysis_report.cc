#include "compiler/report/analysis_report.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "base/fidelity.h"
#include "base/tensor_type.h"
#include "compiler/quantize/analysis/findings.h"
#include "runtime/bundle/json.h"

namespace synap_internal {
namespace {

constexpr size_t kMaxCandidates = 5;
constexpr double kStandsOut = 3;   // dB
constexpr int kShownWarnings = 3;  // of each kind

std::vector<const LayerFigures*> WorstFirst(const Analysis& analysis) {
  std::vector<const LayerFigures*> layers;
  for (const LayerFigures& layer : analysis.layers) layers.push_back(&layer);
  std::stable_sort(layers.begin(), layers.end(), [](const LayerFigures* a, const LayerFigures* b) {
    return a->own.SqnrDb() < b->own.SqnrDb();
  });
  return layers;
}

// Columns that fit a terminal next to other windows.
constexpr size_t kColumns = 120;

// `text` with its lines broken at blanks so that they fit kColumns; the rest of a line is indented
// by two more. A word that is longer stays whole: it may be copied.
std::string Wrapped(absl::string_view text) {
  std::vector<std::string> lines;
  for (absl::string_view rest : absl::StrSplit(text, '\n')) {
    const size_t indent = std::min(rest.find_first_not_of(' '), rest.size());
    std::string line(rest.substr(0, indent));
    rest.remove_prefix(indent);
    while (line.size() + rest.size() > kColumns) {
      size_t end = rest.rfind(' ', kColumns - line.size());
      if (end == 0 || end == absl::string_view::npos) end = rest.find(' ', 1);
      if (end == absl::string_view::npos) break;
      lines.push_back(absl::StrCat(line, rest.substr(0, end)));
      line = std::string(indent + 2, ' ');
      rest.remove_prefix(end + 1);
    }
    lines.push_back(absl::StrCat(line, rest));
  }
  return absl::StrJoin(lines, "\n");
}

// `text` in at most `width` columns, with "..." for its middle: layers differ at both ends.
std::string ShortenedText(absl::string_view text, size_t width) {
  if (text.size() <= width) return std::string(text);
  // Between characters: the later bytes of one begin with the bits 10.
  const auto within_character = [&](size_t i) { return (text[i] & 0xc0) == 0x80; };
  size_t tail = text.size() - (width - 3) / 2;
  while (tail < text.size() && within_character(tail)) ++tail;
  size_t head = width - 3 - (width - 3) / 2;
  while (head > 0 && within_character(head)) --head;
  return absl::StrCat(text.substr(0, head), "...", text.substr(tail));
}

// As many of `names` as fit `width` columns, at least the first: "a, b +3 more".
std::string NameList(const std::vector<std::string>& names, size_t width) {
  std::string all = absl::StrJoin(names, ", ");
  if (all.size() <= width || names.empty()) return all;
  const auto more = [&](size_t shown) {
    return shown == names.size() ? "" : absl::StrCat(" +", names.size() - shown, " more");
  };
  std::string list = ShortenedText(names[0], width - more(1).size());
  for (size_t shown = 2; shown < names.size(); ++shown) {
    std::string longer = absl::StrCat(list, ", ", names[shown - 1]);
    if (longer.size() + more(shown).size() > width) return list + more(shown - 1);
    list = std::move(longer);
  }
  return list + more(names.size() - 1);
}

std::string Quoted(const std::string& name) {
  return absl::StrCat("'", absl::StrReplaceAll(name, {{"'", "''"}}), "'");
}

std::string PercentText(const std::optional<double>& share) {
  return share.has_value() ? absl::StrFormat("%.2f", 100 * *share) : "-";
}

std::string LayerTableText(const Analysis& analysis, int top) {
  constexpr size_t kNameColumn = 73;
  std::vector<const LayerFigures*> layers = WorstFirst(analysis);
  const size_t all = layers.size();
  if (top > 0) layers.resize(std::min(all, static_cast<size_t>(top)));
  std::string text = absl::StrFormat(
      "%d of %d layers, those that lose most by themselves first (SQNR in dB, shares in %%):\n\n"
      "%7s %7s %9s %9s %7s  %-9s %-17s %s\n",
      layers.size(), all, "own", "accum.", "cosine", "saturated", "used", "type", "op", "layer");
  for (const LayerFigures* layer : layers) {
    absl::StrAppendFormat(&text, "%7.1f %7.1f %9.6f %9s %7s  %-9s %-17s %s\n", layer->own.SqnrDb(),
                          layer->accumulated.SqnrDb(), layer->accumulated.Cosine(),
                          PercentText(layer->saturated), PercentText(layer->used),
                          Name(layer->type), layer->op,
                          NameList(layer->origins, kColumns - kNameColumn));
  }
  return text;
}

std::string OutputTable(const Analysis& analysis) {
  std::string text =
      absl::StrFormat("\nOutputs:\n\n%7s %9s  %-9s %s\n", "SQNR", "cosine", "type", "output");
  for (const OutputFigures& output : analysis.outputs) {
    absl::StrAppendFormat(&text, "%7.1f %9.6f  %-9s %s\n", output.fidelity.SqnrDb(),
                          output.fidelity.Cosine(), Name(output.type),
                          ShortenedText(output.name, kColumns - 29));
  }
  return text;
}

std::string ConversionText(const Analysis& analysis) {
  if (analysis.conversions.empty()) return "";
  std::string text = "\nConversions that quantization inserted:\n\n";
  for (const auto& [op, figures] : analysis.conversions) {
    absl::StrAppendFormat(&text, "%7d %-10s %12d elements\n", figures.count, op, figures.elements);
  }
  return text;
}

std::string WarningText(const Analysis& analysis) {
  if (analysis.findings.empty()) return "";
  std::string text = "\nWarnings:\n\n";
  std::map<std::string, int> of_kind;
  for (const Finding& finding : analysis.findings) {
    if (++of_kind[finding.kind] > kShownWarnings) continue;
    absl::StrAppend(&text, "  ", finding.message, "\n");
  }
  for (const auto& [kind, count] : of_kind) {
    if (count <= kShownWarnings) continue;
    absl::StrAppend(&text, "  ... and ", count - kShownWarnings, " more layers with '", kind,
                    "'; --json has them all\n");
  }
  return text;
}

std::string CorrectionText(const Analysis& analysis) {
  const CorrectableLayers correctable = CorrectableByBiases(analysis);
  if (!correctable.recommended()) return "";
  return absl::StrFormat(
      "\nOf %d of %d convolutions and fully connected layers, a quarter or more of the own noise "
      "is "
      "the mean of channels, which goes with, in the metafile's quantization:\n\n"
      "  options: {bias_correction: fast}\n",
      correctable.layers, correctable.of);
}

std::string RoundingText(const Analysis& analysis) {
  const CorrectableLayers correctable = CorrectableByRounding(analysis);
  if (!correctable.recommended()) return "";
  return absl::StrFormat(
      "\nOf %d of %d layers with 8-bit weights, half or more of the own noise comes "
      "from rounding the weights, most of which goes with, in the metafile's quantization:\n\n"
      "  options: {rounding: adaptive}\n",
      correctable.layers, correctable.of);
}

std::string Recommendation(const Analysis& analysis, const QuantizationSpec& spec) {
  const std::vector<const LayerFigures*> candidates = CandidatesFor16Bits(analysis);
  if (candidates.empty()) return "\nNo 8-bit layer stands out.\n";
  return absl::StrCat("\nThe first layers to try with 16 bits, in the metafile's quantization:\n\n",
                      "  data_type: ", DataTypeMap(spec, candidates), "\n");
}

Json FidelityJson(const Fidelity& fidelity) {
  return {{"sqnr_db", fidelity.SqnrDb()}, {"cosine", fidelity.Cosine()}};
}

Json LayerJson(const LayerFigures& layer) {
  Json json = {{"origins", layer.origins},
               {"names", layer.names},
               {"tensor", layer.tensor},
               {"op", layer.op},
               {"type", std::string(Name(layer.type))},
               {"own", FidelityJson(layer.own)},
               {"accumulated", FidelityJson(layer.accumulated)}};
  if (layer.saturated.has_value()) json["saturated"] = *layer.saturated;
  if (layer.used.has_value()) json["used"] = *layer.used;
  if (layer.mean_noise.has_value()) json["mean_noise"] = *layer.mean_noise;
  if (layer.weight_noise.has_value()) json["weight_noise"] = *layer.weight_noise;
  return json;
}

// Counts layers in which `part` of the own noise is `worth_it` or more.
CorrectableLayers CountLayers(const Analysis& analysis, std::optional<double> LayerFigures::*part,
                              double worth_it) {
  CorrectableLayers correctable;
  for (const LayerFigures& layer : analysis.layers) {
    if (!(layer.*part).has_value()) continue;
    ++correctable.of;
    if (*(layer.*part) >= worth_it) ++correctable.layers;
  }
  return correctable;
}

}  // namespace

std::vector<const LayerFigures*> CandidatesFor16Bits(const Analysis& analysis) {
  std::vector<const LayerFigures*> layers = WorstFirst(analysis);
  const auto out = std::remove_if(layers.begin(), layers.end(), [](const LayerFigures* layer) {
    return SizeOf(layer->type) != 1 || layer->moves_values || layer->names.empty();
  });
  layers.erase(out, layers.end());
  if (layers.empty()) return layers;
  const double limit = layers[layers.size() / 2]->own.SqnrDb() - kStandsOut;
  size_t count = 0;
  while (count < std::min(layers.size(), kMaxCandidates) && layers[count]->own.SqnrDb() <= limit) {
    ++count;
  }
  layers.resize(count);
  return layers;
}

std::string DataTypeMap(const QuantizationSpec& spec,
                        const std::vector<const LayerFigures*>& layers) {
  std::vector<std::string> entries;
  std::vector<std::string> changed;
  for (const LayerFigures* layer : layers) {
    for (const std::string& name : layer->names) {
      // A node that became several layers has one type.
      if (std::find(changed.begin(), changed.end(), name) == changed.end()) changed.push_back(name);
    }
  }
  if (spec.data_type.rules.empty()) {
    entries.push_back(absl::StrCat("'*': ", Name(spec.BaseType())));
  }
  for (const LayerRule& rule : spec.data_type.rules) {
    if (std::find(changed.begin(), changed.end(), rule.pattern) != changed.end()) continue;
    entries.push_back(absl::StrCat(Quoted(rule.pattern), ": ", Name(rule.type)));
  }
  for (const std::string& name : changed) entries.push_back(absl::StrCat(Quoted(name), ": int16"));
  return absl::StrCat("{", absl::StrJoin(entries, ", "), "}");
}

CorrectableLayers CorrectableByBiases(const Analysis& analysis) {
  return CountLayers(analysis, &LayerFigures::mean_noise, 0.25);
}

CorrectableLayers CorrectableByRounding(const Analysis& analysis) {
  return CountLayers(analysis, &LayerFigures::weight_noise, 0.5);
}

std::string TextReport(const Analysis& analysis, const QuantizationSpec& spec, int top) {
  std::string text =
      absl::StrCat("Samples: ", analysis.samples, "\n\n", LayerTableText(analysis, top),
                   OutputTable(analysis), ConversionText(analysis));
  return Wrapped(absl::StrCat(text, WarningText(analysis), Recommendation(analysis, spec),
                              CorrectionText(analysis), RoundingText(analysis)));
}

std::string JsonReport(const Analysis& analysis, const QuantizationSpec& spec) {
  Json json = {{"samples", analysis.samples}};
  json["layers"] = Json::array();
  for (const LayerFigures& layer : analysis.layers) json["layers"].push_back(LayerJson(layer));
  json["outputs"] = Json::array();
  for (const OutputFigures& output : analysis.outputs) {
    Json entry = {{"name", output.name}, {"type", std::string(Name(output.type))}};
    entry.update(FidelityJson(output.fidelity));
    json["outputs"].push_back(std::move(entry));
  }
  json["conversions"] = Json::object();
  for (const auto& [op, figures] : analysis.conversions) {
    json["conversions"][op] = {{"count", figures.count}, {"elements", figures.elements}};
  }
  json["warnings"] = Json::array();
  for (const Finding& finding : analysis.findings) {
    json["warnings"].push_back(
        {{"kind", finding.kind}, {"layer", finding.layer}, {"message", finding.message}});
  }
  const std::vector<const LayerFigures*> candidates = CandidatesFor16Bits(analysis);
  json["recommended_data_type"] =
      candidates.empty() ? Json(nullptr) : Json(DataTypeMap(spec, candidates));
  json["recommended_bias_correction"] =
      CorrectableByBiases(analysis).recommended() ? Json("fast") : Json(nullptr);
  json["recommended_rounding"] =
      CorrectableByRounding(analysis).recommended() ? Json("adaptive") : Json(nullptr);
  // Names come from model files, which hold any bytes.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace synap_internal
