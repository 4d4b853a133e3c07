#include "compiler/report/budget.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "base/tensor_type.h"
#include "compiler/report/figures.h"

namespace synap_internal {
namespace {

constexpr size_t kShownLayers = 10;
constexpr double kHighestLimit = 1e9;  // of times (11 days) and memory (a TiB)

// A limit that somebody set, and the model's figure.
struct Check {
  absl::string_view name;    // as the option and the rule's attribute: "max_latency_ms"
  absl::string_view figure;  // "latency"
  absl::string_view unit;
  double limit = 0;
  double found = 0;
  bool at_most = true;
  // Lists the layers that a user may change.
  std::string (*layers)(const ModelReport& model) = nullptr;

  bool kept() const { return at_most ? found <= limit : found >= limit; }
};

// `value` with the fewest digits, 6 or more, that keep its order relative to `other`: a figure that
// exceeds its limit never prints as the limit.
std::string NumberText(double value, double other) {
  const auto order = [&](double number) { return (number > other) - (number < other); };
  for (int digits = 6;; ++digits) {
    std::string text = absl::StrFormat("%.*g", digits, value);
    double rounded = 0;
    const bool kept = absl::SimpleAtod(text, &rounded) && order(rounded) == order(value);
    if (kept || digits == std::numeric_limits<double>::max_digits10) return text;
  }
}

// A limit as it was written.
std::string NumberText(double limit) { return NumberText(limit, limit); }

bool OnCpu(const ModelReport& model, const ReportLayer& layer) {
  return absl::StartsWith(model.delegates[static_cast<size_t>(layer.subgraph)], "cpu");
}

// Layers with a cost above 0, the highest first, at most kShownLayers.
template <typename Cost>
std::vector<const ReportLayer*> Costliest(const ModelReport& model, Cost cost) {
  std::vector<const ReportLayer*> layers;
  for (const ReportLayer& layer : model.layers) {
    if (cost(layer) > 0) layers.push_back(&layer);
  }
  std::stable_sort(layers.begin(), layers.end(),
                   [&](const ReportLayer* a, const ReportLayer* b) { return cost(*a) > cost(*b); });
  layers.resize(std::min(layers.size(), kShownLayers));
  return layers;
}

double Percent(double part, double whole) { return whole > 0 ? 100 * part / whole : 0; }

std::string SlowestLayers(const ModelReport& model) {
  std::string text = absl::StrFormat("Layers that take longest:\n\n%10s %6s  %-8s %-10s %s\n", "ms",
                                     "% of all", "engine", "type", "layer");
  for (const ReportLayer* layer :
       Costliest(model, [](const ReportLayer& layer) { return layer.seconds; })) {
    absl::StrAppendFormat(&text, "%10.4f %8.1f  %-8s %-10s %s\n", 1000 * layer->seconds,
                          Percent(layer->seconds, model.seconds), layer->engine,
                          Name(layer->output.dtype), layer->Name());
  }
  return text;
}

std::string LayersWithMostMemory(const ModelReport& model) {
  std::string text =
      absl::StrFormat("Layers with most of the arena in use while they run:\n\n%12s  %-28s %s\n",
                      "in use", "result", "layer");
  for (const ReportLayer* layer :
       Costliest(model, [](const ReportLayer& layer) { return layer.live_bytes; })) {
    absl::StrAppendFormat(&text, "%12s  %-28s %s\n", BytesText(layer->live_bytes),
                          TypeText(layer->output), layer->Name());
  }
  return text;
}

std::string LayersOnCpu(const ModelReport& model) {
  std::string text =
      absl::StrFormat("Layers on the CPU:\n\n%16s  %-16s %s\n", "MACs", "op", "layer: reason");
  for (const ReportLayer* layer : Costliest(model, [&](const ReportLayer& layer) {
         return OnCpu(model, layer) ? layer.macs : int64_t{0};
       })) {
    absl::StrAppendFormat(&text, "%16s  %-16s %s: %s\n", Grouped(layer->macs), layer->op,
                          layer->Name(), layer->reason);
  }
  return text;
}

std::string LayersThatLoseMost(const ModelReport& model) {
  std::string text = absl::StrFormat("Outputs:\n\n%8s  %s\n", "SQNR, dB", "output");
  for (const OutputError& output : model.output_errors) {
    absl::StrAppendFormat(&text, "%8.1f  %s\n", output.sqnr_db, output.name);
  }
  absl::StrAppendFormat(&text, "\nLayers that lose most by themselves:\n\n%8s %8s  %-10s %s\n",
                        "own", "accum.", "type", "layer");
  const auto loss = [](const ReportLayer& layer) {
    return layer.error.has_value() ? std::max(200 - layer.error->own_db, 0.0) : 0;
  };
  for (const ReportLayer* layer : Costliest(model, loss)) {
    absl::StrAppendFormat(&text, "%8.1f %8.1f  %-10s %s\n", layer->error->own_db,
                          layer->error->accumulated_db, Name(layer->output.dtype), layer->Name());
  }
  return text;
}

double CpuMacsPercent(const ModelReport& model) {
  double cpu = 0, all = 0;
  for (const ReportLayer& layer : model.layers) {
    all += static_cast<double>(layer.macs);
    if (OnCpu(model, layer)) cpu += static_cast<double>(layer.macs);
  }
  return Percent(cpu, all);
}

absl::Status CheckLimit(const Check& check, double highest) {
  if (check.limit >= 0 && check.limit <= highest) return absl::OkStatus();  // not so a NaN
  return absl::InvalidArgumentError(absl::StrCat(check.name, " is ", NumberText(check.limit),
                                                 ", expected a number from 0 to ", highest));
}

absl::StatusOr<double> WorstSqnrDb(const ModelReport& model) {
  if (model.output_errors.empty()) {
    return absl::InvalidArgumentError(
        "min_sqnr_db needs the error of an output that a quantized layer makes, and there is none; "
        "give it an analysis of the same quantized network (synap analyze --json)");
  }
  double worst = std::numeric_limits<double>::infinity();
  for (const OutputError& output : model.output_errors) worst = std::min(worst, output.sqnr_db);
  return worst;
}

absl::StatusOr<std::vector<Check>> Checks(const ModelReport& model, const Budget& budget) {
  std::vector<Check> checks;
  if (budget.max_latency_ms.has_value()) {
    if (model.time_text == "unknown") {
      return absl::InvalidArgumentError(
          "max_latency_ms needs the times of a target, and the model's one is unknown here; name "
          "the target's file with --target");
    }
    checks.push_back({"max_latency_ms", "latency", "ms", *budget.max_latency_ms,
                      1000 * model.seconds, true, SlowestLayers});
    RETURN_IF_ERROR(CheckLimit(checks.back(), kHighestLimit));
  }
  if (budget.max_arena_kb.has_value()) {
    checks.push_back({"max_arena_kb", "arena", "KiB", *budget.max_arena_kb,
                      static_cast<double>(model.arena_bytes) / 1024, true, LayersWithMostMemory});
    RETURN_IF_ERROR(CheckLimit(checks.back(), kHighestLimit));
  }
  if (budget.max_cpu_macs_percent.has_value()) {
    checks.push_back({"max_cpu_macs_percent", "work on the CPU", "% of the MACs",
                      *budget.max_cpu_macs_percent, CpuMacsPercent(model), true, LayersOnCpu});
    RETURN_IF_ERROR(CheckLimit(checks.back(), 100));
  }
  if (budget.min_sqnr_db.has_value()) {
    checks.push_back({"min_sqnr_db", "SQNR of the worst output", "dB", *budget.min_sqnr_db, 0,
                      false, LayersThatLoseMost});
    RETURN_IF_ERROR(CheckLimit(checks.back(), 200));
    ASSIGN_OR_RETURN(checks.back().found, WorstSqnrDb(model));
  }
  return checks;
}

}  // namespace

absl::StatusOr<BudgetVerdict> CheckBudget(const ModelReport& model, const Budget& budget) {
  ASSIGN_OR_RETURN(const std::vector<Check> checks, Checks(model, budget));
  if (checks.empty()) {
    return absl::InvalidArgumentError(
        "nothing to check, expected one of max_latency_ms, max_arena_kb, max_cpu_macs_percent and "
        "min_sqnr_db");
  }
  BudgetVerdict verdict;
  verdict.text = absl::StrFormat("  %-24s %12s %12s\n", "", "budget", "model");
  std::string tables;
  for (const Check& check : checks) {
    absl::StrAppendFormat(&verdict.text, "%c %-24s %12s %12s %s\n", check.kept() ? ' ' : '*',
                          check.figure, NumberText(check.limit),
                          NumberText(check.found, check.limit), check.unit);
    if (check.kept()) continue;
    absl::StrAppend(&tables, "\n", check.layers(model));
    verdict.exceeded.push_back(absl::StrCat(check.figure, " is ",
                                            NumberText(check.found, check.limit), " ", check.unit,
                                            ", expected at ", check.at_most ? "most " : "least ",
                                            NumberText(check.limit), " ", check.unit));
  }
  absl::StrAppend(&verdict.text, tables);
  return verdict;
}

}  // namespace synap_internal
