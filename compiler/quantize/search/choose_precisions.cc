#include "compiler/quantize/search/choose_precisions.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "base/data_type.h"
#include "base/status_macros.h"
#include "compiler/quantize/search/layer_groups.h"
#include "compiler/quantize/search/noise_sources.h"
#include "compiler/quantize/search/precision_plan.h"

namespace synap_internal {
namespace {

constexpr DataType kWide = DataType::kInt16;
// Parts of the budget for which there are plans, and how often a plan is made again because the
// target takes more time for it.
constexpr double kBudgetParts[] = {0.5, 0.75, 1};
constexpr int kMostTries = 6;
constexpr double kMargin = 0.01;
// Groups whose noise is measured in the network of 8 bits, too.
constexpr size_t kMostCorrected = 12;
// Of the progress: the noise takes most of the time.
constexpr int kProgressParts = 100, kNoiseParts = 70;

class PrecisionSearch {
 public:
  PrecisionSearch(const Graph& real, DataType base, const PrecisionBudget& budget,
                  const QuantizeByRules& quantize, const SearchSamples& samples, int threads,
                  const std::function<void(int, int)>& progress)
      : real_(real),
        groups_(GroupLayers(real)),
        base_(base),
        budget_(budget),
        quantize_(quantize),
        samples_(samples),
        threads_(threads),
        progress_(progress) {}

  absl::StatusOr<PrecisionChoice> Run() {
    const WideGroups none(groups_.size());
    ASSIGN_OR_RETURN(narrow_, quantize_(RulesFor({none})));
    RETURN_IF_ERROR(CheckUnit());
    ASSIGN_OR_RETURN(const PricedNetwork wide, quantize_(RulesFor({none, false, true})));
    choice_.latency_of_16_bits = Latency(wide);
    ASSIGN_OR_RETURN(choice_.sqnr_of_16_bits, Sqnr(samples_.chosen_by, wide));
    RETURN_IF_ERROR(AddPoint({none}, narrow_));
    if (!Meets(points_[0].sqnr_db)) {
      RETURN_IF_ERROR(ModelNetwork(wide));
      RETURN_IF_ERROR(budget_.latency.has_value() ? SpendTime() : MeetDemand());
    }
    FillCurve();
    choice_.rules_of_8_bits = RulesFor({none});
    RETURN_IF_ERROR(Validate());
    choice_.rules = RulesFor(points_[choice_.chosen].types);
    return std::move(choice_);
  }

 private:
  struct Types {
    WideGroups groups;
    bool inputs = false;      // have 16 bits
    bool everything = false;  // has
  };

  struct Point {
    Types types;
    double latency;
    double sqnr_db;
    std::string worst;
  };

  LayerRules RulesFor(const Types& types) const {
    LayerRules rules;
    rules.per_layer = true;
    rules.rules.push_back({"*", types.everything ? kWide : base_, {}});
    if (types.everything) return rules;
    if (types.inputs) rules.rules.push_back({"INPUTS", kWide, {}});
    for (size_t i = 0; i < groups_.size(); ++i) {
      if (!types.groups[i]) continue;
      for (const std::string& layer : groups_[i].layers) rules.rules.push_back({layer, kWide, {}});
    }
    return rules;
  }

  bool HasUnit() const { return std::isfinite(narrow_.seconds) && narrow_.seconds > 0; }

  absl::Status CheckUnit() const {
    if (!budget_.latency.has_value() || HasUnit()) return absl::OkStatus();
    return absl::InvalidArgumentError(absl::StrFormat(
        "'quantization.budget.latency' is a multiple of the time in %s, whose estimate is %g s, "
        "expected a time above 0; give the target's file its prices under 'latency', or write "
        "'budget: {sqnr_db: 30}', say",
        Name(base_), narrow_.seconds));
  }

  // As a multiple of the network's in 8 bits; 1 if that has no time to speak of.
  double Latency(const PricedNetwork& network) const {
    return HasUnit() ? network.seconds / narrow_.seconds : 1;
  }

  static absl::StatusOr<double> Sqnr(const NetworkQuality& quality, const PricedNetwork& network) {
    ASSIGN_OR_RETURN(const auto outputs, quality.Measure(network.graph));
    return WorstSqnrDb(outputs);
  }

  absl::Status AddPoint(const Types& types, const PricedNetwork& network) {
    ASSIGN_OR_RETURN(const auto outputs, samples_.chosen_by.Measure(network.graph));
    if (points_.empty()) {
      for (const OutputNoise& output : outputs) narrow_noise_.push_back(output.share);
    }
    points_.push_back({types, Latency(network), WorstSqnrDb(outputs), DescribeWorst(outputs)});
    // The network in 8 bits comes before the noises.
    if (points_.size() > 1) ShowProgress(kNoiseParts + static_cast<int>(points_.size()));
    return absl::OkStatus();
  }

  bool Meets(double sqnr_db) const {
    return budget_.sqnr_db.has_value() && sqnr_db >= *budget_.sqnr_db;
  }

  absl::Status ModelNetwork(const PricedNetwork& wide) {
    for (size_t i = 0; i < groups_.size(); ++i) {
      model_.seconds.push_back(SecondsOf(wide, i) - SecondsOf(narrow_, i));
    }
    FindCrossings();
    // Every second group in 16 bits: most conversions that there can be.
    for (const size_t parity : {0, 1}) {
      WideGroups alternating(groups_.size());
      for (size_t i = parity; i < groups_.size(); i += 2) alternating[i] = true;
      RETURN_IF_ERROR(Quantize({alternating}).status());
    }
    PriceOtherCrossings();
    ASSIGN_OR_RETURN(model_.sources,
                     MeasureNoiseSources(
                         real_, narrow_.graph, groups_, samples_.chosen_by, threads_,
                         [&](double part) { ShowProgress(static_cast<int>(part * kNoiseParts)); }));
    return absl::OkStatus();
  }

  // Of the layers of a group.
  double SecondsOf(const PricedNetwork& network, size_t group) const {
    double seconds = 0;
    for (const std::string& layer : groups_[group].layers) {
      const auto found = network.layers.find(layer);
      if (found != network.layers.end()) seconds += found->second;
    }
    return seconds;
  }

  void FindCrossings() {
    const std::map<std::string, size_t> group_named = GroupsByLayer(groups_);
    for (const Op& op : real_.ops()) {
      const auto producer = group_named.find(op.LayerName());
      if (producer == group_named.end()) continue;
      std::set<size_t> readers;
      for (const Op* reader : op.output()->users) {
        const auto found = group_named.find(reader->LayerName());
        if (found != group_named.end()) readers.insert(found->second);
      }
      readers.erase(producer->second);
      if (readers.empty()) continue;
      Crossing& crossing = model_.crossings.emplace_back();
      crossing.groups = {producer->second};
      crossing.groups.insert(crossing.groups.end(), readers.begin(), readers.end());
      elements_.push_back(static_cast<double>(op.output()->type.shape.elements()));
    }
    is_priced_.resize(model_.crossings.size());
  }

  // Learns what the conversions in a network take: they are part of the layer before them.
  void PriceCrossings(const WideGroups& wide, const PricedNetwork& network) {
    std::map<size_t, std::vector<size_t>> crossed;  // by producer
    std::map<size_t, double> elements;
    for (size_t i = 0; i < model_.crossings.size(); ++i) {
      const std::vector<size_t>& groups = model_.crossings[i].groups;
      const bool converts = std::any_of(groups.begin(), groups.end(), [&](size_t group) {
        return wide[group] != wide[groups[0]];
      });
      if (!converts) continue;
      crossed[groups[0]].push_back(i);
      elements[groups[0]] += elements_[i];
    }
    for (const auto& [group, crossings] : crossed) {
      const double plain = SecondsOf(narrow_, group) + (wide[group] ? model_.seconds[group] : 0);
      const double seconds = std::max(0.0, SecondsOf(network, group) - plain);
      for (const size_t i : crossings) {
        is_priced_[i] = true;
        model_.crossings[i].seconds = seconds * elements_[i] / std::max(elements[group], 1.0);
      }
    }
  }

  // By their elements, as those that were seen.
  void PriceOtherCrossings() {
    double seconds = 0, elements = 0;
    for (size_t i = 0; i < is_priced_.size(); ++i) {
      if (!is_priced_[i]) continue;
      seconds += model_.crossings[i].seconds;
      elements += elements_[i];
    }
    for (size_t i = 0; i < is_priced_.size() && elements > 0; ++i) {
      if (!is_priced_[i]) model_.crossings[i].seconds = seconds / elements * elements_[i];
    }
  }

  absl::StatusOr<PricedNetwork> Quantize(const Types& types) {
    ASSIGN_OR_RETURN(PricedNetwork network, quantize_(RulesFor(types)));
    if (!types.inputs) PriceCrossings(types.groups, network);
    return network;
  }

  // Errors of one layer aren't all independent of the others': the groups that remove most noise by
  // themselves are measured.
  absl::Status CorrectLargest() {
    const size_t outputs = narrow_noise_.size();
    // An output that is an input in 8 bits isn't measured there.
    const bool same =
        std::all_of(model_.sources.begin(), model_.sources.end(),
                    [&](const NoiseSource& source) { return source.shares.size() == outputs; });
    if (!same) return absl::OkStatus();
    std::vector<std::vector<double>> own(groups_.size(), std::vector<double>(outputs));
    for (const NoiseSource& source : model_.sources) {
      if (source.groups.size() > 1) continue;
      for (size_t o = 0; o < outputs; ++o) own[source.groups[0]][o] += source.shares[o];
    }
    std::vector<std::pair<double, size_t>> order;
    for (size_t i = 0; i < groups_.size(); ++i) {
      double part = 0;  // of the noise of the output where it is the largest
      for (size_t o = 0; o < outputs; ++o) {
        if (narrow_noise_[o] > 0) part = std::max(part, own[i][o] / narrow_noise_[o]);
      }
      if (part > 0) order.push_back({-part, i});
    }
    std::sort(order.begin(), order.end());
    order.resize(std::min(order.size(), kMostCorrected));
    for (const auto& [part, group] : order) {
      WideGroups alone(groups_.size());
      alone[group] = true;
      ASSIGN_OR_RETURN(const PricedNetwork network, Quantize({alone}));
      ASSIGN_OR_RETURN(const auto noise, samples_.chosen_by.Measure(network.graph));
      if (noise.size() != outputs) continue;
      NoiseSource& correction = model_.sources.emplace_back();
      correction.groups = {group};
      for (size_t o = 0; o < outputs; ++o) {
        correction.shares.push_back(narrow_noise_[o] - noise[o].share - own[group][o]);
      }
    }
    return absl::OkStatus();
  }

  bool IsMeasured(const WideGroups& groups) const {
    return std::any_of(points_.begin(), points_.end(),
                       [&](const Point& point) { return point.types.groups == groups; });
  }

  absl::Status SpendTime() {
    const double seconds = (*budget_.latency - 1) * narrow_.seconds;
    for (const bool corrected : {false, true}) {
      if (corrected) RETURN_IF_ERROR(CorrectLargest());
      for (const double part : kBudgetParts) RETURN_IF_ERROR(SpendUpTo(part * seconds, &PlanUp));
      RETURN_IF_ERROR(SpendUpTo(seconds, &PlanDown));
    }
    return absl::OkStatus();
  }

  // Measures a plan that takes at most `seconds` more. What didn't fit has taught its price.
  absl::Status SpendUpTo(double seconds, WideGroups (*plan)(const PrecisionModel&, double)) {
    double planned = seconds;
    for (int i = 0; i < kMostTries; ++i) {
      const WideGroups groups = plan(model_, planned);
      if (IsMeasured(groups)) break;
      ASSIGN_OR_RETURN(const PricedNetwork network, Quantize({groups}));
      const double spent = network.seconds - narrow_.seconds;
      if (spent <= seconds) return AddPoint({groups}, network);
      planned =
          seconds - kMargin * i * seconds - std::max(0.0, spent - ExtraSeconds(model_, groups));
    }
    return absl::OkStatus();
  }

  absl::Status Measure(const Types& types) {
    ASSIGN_OR_RETURN(const PricedNetwork network, Quantize(types));
    return AddPoint(types, network);
  }

  absl::Status MeetDemand() {
    const WideGroups all(groups_.size(), true);
    bool inputs = false;
    RETURN_IF_ERROR(Measure({all}));
    // Applications see the inputs' type, so that it changes only if no layers' types meet the
    // demand.
    if (!Meets(points_.back().sqnr_db)) {
      if (!Meets(choice_.sqnr_of_16_bits)) return UnreachableBudgetError();
      inputs = true;
      RETURN_IF_ERROR(Measure({WideGroups(groups_.size()), inputs}));
      if (Meets(points_.back().sqnr_db)) return absl::OkStatus();
      RETURN_IF_ERROR(Measure({all, inputs}));
      if (!Meets(points_.back().sqnr_db)) return Measure({all, inputs, /*everything=*/true});
    }
    std::vector<WideGroups> steps = WideningSteps(model_);
    steps.push_back(all);
    size_t first = 0, last = steps.size() - 1;  // which meets it
    while (first < last) {
      const size_t middle = first + (last - first) / 2;
      RETURN_IF_ERROR(Measure({steps[middle], inputs}));
      if (Meets(points_.back().sqnr_db)) {
        last = middle;
      } else {
        first = middle + 1;
      }
    }
    const WideGroups other = PlanForNoise(model_, PlannedNoise(model_, steps[last]));
    const bool is_faster = ExtraSeconds(model_, other) < ExtraSeconds(model_, steps[last]);
    return is_faster && !IsMeasured(other) ? Measure({other, inputs}) : absl::OkStatus();
  }

  absl::Status UnreachableBudgetError() const {
    const auto best =
        std::max_element(points_.begin(), points_.end(),
                         [](const Point& a, const Point& b) { return a.sqnr_db < b.sqnr_db; });
    return absl::InvalidArgumentError(absl::StrFormat(
        "'quantization.budget.sqnr_db' is %g, but at most %.1f dB were reached: with 16 bits for "
        "all %d groups of layers the worst output has %.1f dB, with 16 bits everywhere %.1f dB. %s",
        *budget_.sqnr_db, std::max(best->sqnr_db, choice_.sqnr_of_16_bits), groups_.size(),
        points_.back().sqnr_db, choice_.sqnr_of_16_bits, points_.back().worst));
  }

  // Of the points, by latency, and which of them is chosen.
  void FillCurve() {
    std::stable_sort(points_.begin() + 1, points_.end(), [](const Point& a, const Point& b) {
      return std::make_tuple(a.latency, CountWide(a)) < std::make_tuple(b.latency, CountWide(b));
    });
    for (size_t i = 0; i < points_.size(); ++i) {
      const Point& point = points_[i];
      choice_.curve.push_back(
          {CountWide(point), point.latency, point.sqnr_db, Description(point.types), point.worst});
      const Point& best = points_[choice_.chosen];
      const bool is_better = budget_.sqnr_db.has_value()
                                 ? Meets(point.sqnr_db) && !Meets(best.sqnr_db)
                                 : point.sqnr_db > best.sqnr_db;
      if (is_better) choice_.chosen = i;
    }
  }

  static size_t CountWide(const Point& point) {
    const WideGroups& groups = point.types.groups;
    return static_cast<size_t>(std::count(groups.begin(), groups.end(), true));
  }

  std::string Description(const Types& types) const {
    constexpr size_t kShown = 3;
    if (types.everything) return "everything";
    std::vector<std::string> names;
    if (types.inputs) names.emplace_back("INPUTS");
    for (size_t i = 0; i < groups_.size(); ++i) {
      if (types.groups[i]) names.push_back(groups_[i].name());
    }
    if (names.empty()) return "(none)";
    if (names.size() <= kShown + 1) return absl::StrJoin(names, ", ");
    const size_t others = names.size() - kShown;
    names.resize(kShown);
    return absl::StrCat(absl::StrJoin(names, ", "), " and ", others, " others");
  }

  // Takes the best point that isn't worse than 8 bits on other samples. A demand stays met on those
  // that it was asked for.
  absl::Status Validate() {
    if (samples_.validated_by == nullptr || choice_.chosen == 0) return absl::OkStatus();
    const NetworkQuality& others = *samples_.validated_by;
    ASSIGN_OR_RETURN(const double narrow, Sqnr(others, narrow_));
    std::vector<size_t> order = {choice_.chosen};
    if (budget_.latency.has_value()) order = BetterThan8Bits();
    for (const size_t i : order) {
      ASSIGN_OR_RETURN(const PricedNetwork network, quantize_(RulesFor(points_[i].types)));
      ASSIGN_OR_RETURN(const double found, Sqnr(others, network));
      if (found < narrow && budget_.latency.has_value()) continue;
      choice_.validation =
          absl::StrFormat("On %d other samples, the worst output has %.1f dB, in 8 bits %.1f dB.",
                          others.samples(), found, narrow);
      choice_.chosen = i;
      return absl::OkStatus();
    }
    choice_.Take8Bits(absl::StrFormat(
        "'data_type: auto' keeps 8 bits: what is better on the samples that it was chosen by (%.1f "
        "dB instead of %.1f dB) is worse than the %.1f dB of 8 bits on %d others; add samples to "
        "the dataset",
        choice_.curve[choice_.chosen].sqnr_db, choice_.curve[0].sqnr_db, narrow, others.samples()));
    return absl::OkStatus();
  }

  // Of the points, the best one first.
  std::vector<size_t> BetterThan8Bits() const {
    std::vector<size_t> order;
    for (size_t i = 1; i < points_.size(); ++i) {
      if (points_[i].sqnr_db > points_[0].sqnr_db) order.push_back(i);
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return points_[a].sqnr_db > points_[b].sqnr_db; });
    return order;
  }

  void ShowProgress(int parts) const {
    if (progress_) progress_(std::min(parts, kProgressParts), kProgressParts);
  }

  const Graph& real_;
  const std::vector<LayerGroup> groups_;
  const DataType base_;
  const PrecisionBudget& budget_;
  const QuantizeByRules& quantize_;
  const SearchSamples& samples_;
  const int threads_;
  const std::function<void(int, int)>& progress_;
  PricedNetwork narrow_;
  PrecisionModel model_;
  std::vector<double> narrow_noise_;  // by output
  std::vector<double> elements_;      // by crossing
  std::vector<bool> is_priced_;
  std::vector<Point> points_;
  PrecisionChoice choice_;
};

}  // namespace

absl::StatusOr<PrecisionChoice> ChooseByBudget(
    const Graph& real, DataType base, const PrecisionBudget& budget,
    const QuantizeByRules& quantize, const SearchSamples& samples, int threads,
    const std::function<void(int done, int total)>& progress) {
  return PrecisionSearch(real, base, budget, quantize, samples, threads, progress).Run();
}

void PrecisionChoice::Take8Bits(std::string why) {
  note = std::move(why);
  rules = rules_of_8_bits;
  chosen = 0;
  validation.clear();
}

std::string CurveText(const PrecisionChoice& choice) {
  std::string text =
      "Groups of layers in 16 bits, estimated latency as a multiple of the 8-bit network's, SQNR "
      "of the worst output (dB):\n\n";
  for (size_t i = 0; i < choice.curve.size(); ++i) {
    const CurvePoint& point = choice.curve[i];
    absl::StrAppendFormat(&text, "%s %4d %8.3f %8.1f  %s\n", i == choice.chosen ? "->" : "  ",
                          point.layers, point.latency, point.sqnr_db, point.wide);
  }
  absl::StrAppendFormat(&text, "    all %8.3f %8.1f\n", choice.latency_of_16_bits,
                        choice.sqnr_of_16_bits);
  std::vector<std::string> sentences = {choice.curve[choice.chosen].worst, choice.validation};
  sentences.erase(std::remove(sentences.begin(), sentences.end(), ""), sentences.end());
  if (!sentences.empty()) absl::StrAppend(&text, "\n", absl::StrJoin(sentences, " "), "\n");
  return text;
}

}  // namespace synap_internal
