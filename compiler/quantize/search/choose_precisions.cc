#include "compiler/quantize/search/choose_precisions.h"

#include <cmath>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/data_type.h"
#include "base/status_macros.h"
#include "compiler/quantize/search/layer_groups.h"

namespace synap_internal {
namespace {

constexpr DataType kWide = DataType::kInt16;

double Total(const std::vector<OutputNoise>& outputs) {
  return std::accumulate(outputs.begin(), outputs.end(), 0.0,
                         [](double sum, const OutputNoise& output) { return sum + output.share; });
}

class PrecisionSearch {
 public:
  PrecisionSearch(const Graph& real, DataType base, const PrecisionBudget& budget,
                  const QuantizeByRules& quantize, NetworkQuality& quality,
                  const std::function<void(int, int)>& progress)
      : groups_(GroupLayers(real)),
        base_(base),
        budget_(budget),
        quantize_(quantize),
        quality_(quality),
        progress_(progress) {}

  absl::StatusOr<PrecisionChoice> Run() {
    ASSIGN_OR_RETURN(const PricedNetwork narrow, quantize_(Rules(base_, {}, {})));
    narrow_seconds_ = narrow.seconds;
    RETURN_IF_ERROR(CheckUnit());
    RETURN_IF_ERROR(AddPoint(narrow, 1));
    ASSIGN_OR_RETURN(const std::vector<LayerTrial> trials, Trials());
    RETURN_IF_ERROR(WidenInputsIfNeeded());
    RETURN_IF_ERROR(RaisePrecisions(OrderOfGain(trials)));
    RETURN_IF_ERROR(WidenEverythingIfNeeded());
    if (budget_.sqnr_db.has_value() && !IsGoodEnough()) return UnreachableBudgetError();
    choice_.chosen =
        budget_.sqnr_db.has_value() ? choice_.curve.size() - 1 : BestPoint(choice_.curve);
    taken_.resize(choice_.curve[choice_.chosen].layers);
    choice_.rules = widens_everything_ ? Rules(kWide, {}, {}) : Rules(base_, taken_, kWide);
    return std::move(choice_);
  }

 private:
  // `type` for all, `other` for the layers of some groups.
  LayerRules Rules(DataType type, const std::vector<size_t>& groups, DataType other) const {
    LayerRules rules;
    rules.per_layer = true;
    rules.rules.push_back({"*", type, {}});
    if (widens_inputs_) rules.rules.push_back({"INPUTS", kWide, {}});
    for (const size_t group : groups) {
      for (const std::string& layer : groups_[group].layers) {
        rules.rules.push_back({layer, other, {}});
      }
    }
    return rules;
  }

  bool HasUnit() const { return std::isfinite(narrow_seconds_) && narrow_seconds_ > 0; }

  absl::Status CheckUnit() const {
    if (!budget_.latency.has_value() || HasUnit()) return absl::OkStatus();
    return absl::InvalidArgumentError(absl::StrFormat(
        "'quantization.budget.latency' is a multiple of the time in %s, whose estimate is %g s, "
        "expected a time above 0; give the target's file its prices under 'latency', or write "
        "'budget: {sqnr_db: 30}', say",
        Name(base_), narrow_seconds_));
  }

  // As a multiple of the network's in 8 bits; 1 if that has no time to speak of.
  double Latency(const PricedNetwork& network) const {
    return HasUnit() ? network.seconds / narrow_seconds_ : 1;
  }

  // With the groups taken so far.
  absl::Status AddPoint(const PricedNetwork& network, double latency) {
    ASSIGN_OR_RETURN(const std::vector<OutputNoise> outputs, quality_.Measure(network.graph));
    choice_.curve.push_back({taken_.size(), latency, WorstSqnrDb(outputs)});
    choice_.worst.push_back(DescribeWorst(outputs));
    return absl::OkStatus();
  }

  // The noise that each group adds to a network of 16 bits, which has little noise of its own: one
  // group's noise can't hide that of another.
  absl::StatusOr<std::vector<LayerTrial>> Trials() {
    ASSIGN_OR_RETURN(const PricedNetwork wide, quantize_(Rules(kWide, {}, {})));
    ASSIGN_OR_RETURN(const std::vector<OutputNoise> wide_outputs, quality_.Measure(wide.graph));
    choice_.sqnr_of_16_bits = WorstSqnrDb(wide_outputs);
    choice_.latency_of_16_bits = Latency(wide);
    std::vector<LayerTrial> trials;
    if (IsGoodEnough()) return trials;  // with 8 bits: none will be taken
    for (size_t i = 0; i < groups_.size(); ++i) {
      ASSIGN_OR_RETURN(const PricedNetwork alone, quantize_(Rules(kWide, {i}, base_)));
      ASSIGN_OR_RETURN(const std::vector<OutputNoise> outputs, quality_.Measure(alone.graph));
      ASSIGN_OR_RETURN(const PricedNetwork changed, quantize_(Rules(base_, {i}, kWide)));
      trials.push_back({groups_[i].name(), Total(outputs) - Total(wide_outputs),
                        changed.seconds - narrow_seconds_});
      ShowProgress(kTrialParts * (i + 1));
    }
    return trials;
  }

  // Whether the demand can be met, but isn't yet.
  bool MustImprove() const {
    return budget_.sqnr_db.has_value() && !IsGoodEnough() &&
           choice_.sqnr_of_16_bits >= *budget_.sqnr_db;
  }

  // Applications see the inputs' type, so that it changes only if no layers' types meet the demand.
  absl::Status WidenInputsIfNeeded() {
    if (!MustImprove()) return absl::OkStatus();
    std::vector<size_t> all(groups_.size());
    std::iota(all.begin(), all.end(), size_t{0});
    ASSIGN_OR_RETURN(const PricedNetwork layers, quantize_(Rules(base_, all, kWide)));
    ASSIGN_OR_RETURN(const std::vector<OutputNoise> outputs, quality_.Measure(layers.graph));
    if (WorstSqnrDb(outputs) >= *budget_.sqnr_db) return absl::OkStatus();
    widens_inputs_ = true;
    return AddStep(Rules(base_, {}, {}), "INPUTS");
  }

  // What the trials showed no noise of may add some in 8 bits nevertheless.
  absl::Status WidenEverythingIfNeeded() {
    if (!MustImprove()) return absl::OkStatus();
    widens_everything_ = true;
    return AddStep(Rules(kWide, {}, {}), "all others");
  }

  // A point of the curve that takes no further group.
  absl::Status AddStep(const LayerRules& rules, absl::string_view name) {
    ASSIGN_OR_RETURN(const PricedNetwork network, quantize_(rules));
    choice_.added.emplace_back(name);
    return AddPoint(network, Latency(network));
  }

  absl::Status RaisePrecisions(const std::vector<size_t>& order) {
    size_t steps = 0;
    for (const size_t group : order) {
      if (IsGoodEnough()) break;
      ShowProgress(kTrialParts * groups_.size() + steps++);
      taken_.push_back(group);
      ASSIGN_OR_RETURN(const PricedNetwork network, quantize_(Rules(base_, taken_, kWide)));
      const double latency = Latency(network);
      if (budget_.latency.has_value() && latency > *budget_.latency) {
        taken_.pop_back();
        continue;
      }
      RETURN_IF_ERROR(AddPoint(network, latency));
      choice_.added.push_back(groups_[group].name());
    }
    return absl::OkStatus();
  }

  // Of the trials of all groups and, at most, as many steps up, which often end before.
  void ShowProgress(size_t parts) const {
    if (progress_) {
      progress_(static_cast<int>(parts), static_cast<int>((kTrialParts + 1) * groups_.size()));
    }
  }

  // Whether the last step reaches the quality that is asked for.
  bool IsGoodEnough() const {
    return budget_.sqnr_db.has_value() && choice_.curve.back().sqnr_db >= *budget_.sqnr_db;
  }

  absl::Status UnreachableBudgetError() const {
    return absl::InvalidArgumentError(absl::StrFormat(
        "'quantization.budget.sqnr_db' is %g, but with 16 bits for all %d groups of layers that "
        "add noise the worst output has %.1f dB, with 16 bits everywhere %.1f dB. %s",
        *budget_.sqnr_db, taken_.size(), choice_.curve.back().sqnr_db, choice_.sqnr_of_16_bits,
        choice_.worst.back()));
  }

  // A trial quantizes two networks and measures one of them, a step one and measures it.
  static constexpr size_t kTrialParts = 2;

  const std::vector<LayerGroup> groups_;
  const DataType base_;
  const PrecisionBudget& budget_;
  const QuantizeByRules& quantize_;
  NetworkQuality& quality_;
  const std::function<void(int, int)>& progress_;
  double narrow_seconds_ = 0;
  std::vector<size_t> taken_;
  bool widens_inputs_ = false;
  bool widens_everything_ = false;
  PrecisionChoice choice_;
};

}  // namespace

absl::StatusOr<PrecisionChoice> ChooseByBudget(
    const Graph& real, DataType base, const PrecisionBudget& budget,
    const QuantizeByRules& quantize, NetworkQuality& quality,
    const std::function<void(int done, int total)>& progress) {
  return PrecisionSearch(real, base, budget, quantize, quality, progress).Run();
}

std::string CurveText(const PrecisionChoice& choice) {
  std::string text =
      "Groups of layers in 16 bits, estimated latency as a multiple of the 8-bit network's, SQNR "
      "of the worst output (dB):\n\n";
  for (size_t i = 0; i < choice.curve.size(); ++i) {
    const CurvePoint& point = choice.curve[i];
    absl::StrAppendFormat(&text, "%s %4d %8.3f %8.1f  %s\n", i == choice.chosen ? "->" : "  ",
                          point.layers, point.latency, point.sqnr_db,
                          i == 0 ? "(none)" : absl::StrCat("+ ", choice.added[i - 1]));
  }
  absl::StrAppendFormat(&text, "    all %8.3f %8.1f\n", choice.latency_of_16_bits,
                        choice.sqnr_of_16_bits);
  const std::string& worst = choice.worst[choice.chosen];
  if (!worst.empty()) absl::StrAppend(&text, "\n", worst, "\n");
  return text;
}

}  // namespace synap_internal
