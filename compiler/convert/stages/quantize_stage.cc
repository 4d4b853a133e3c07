#include "compiler/convert/stages/quantize_stage.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/file.h"
#include "base/status_macros.h"
#include "compiler/convert/checks/dataset_checks.h"
#include "compiler/convert/stages/check_target.h"
#include "compiler/convert/stages/compile_stage.h"
#include "compiler/convert/stages/graph_to_quantize.h"
#include "compiler/dataset/dataset.h"
#include "compiler/dataset/samples.h"
#include "compiler/graph/lower.h"
#include "compiler/graph/passes/unsigned_bytes.h"
#include "compiler/metafile/stage_parts.h"
#include "compiler/quantize/ranges/layer_precision.h"
#include "compiler/quantize/ranges/masked_ranges.h"
#include "compiler/quantize/ranges/narrowed_ranges.h"
#include "compiler/quantize/ranges/own_quantizers.h"
#include "compiler/quantize/ranges/padded_ranges.h"
#include "compiler/quantize/ranges/precision_policy.h"
#include "compiler/quantize/ranges/quantize_graph.h"
#include "compiler/quantize/ranges/range_selection.h"
#include "compiler/quantize/ranges/shared_ranges.h"
#include "compiler/quantize/search/adaptive_rounding.h"
#include "compiler/quantize/search/bias_correction.h"
#include "compiler/quantize/search/network_quality.h"
#include "compiler/quantize/statistics/observe_samples.h"
#include "compiler/report/model_info.h"
#include "compiler/report/policy_report.h"
#include "compiler/report/quantization_entropy.h"
#include "compiler/target/delegates/delegate_network.h"

namespace synap_internal {
namespace {

// As many others validate the choice.
constexpr size_t kSamplesToChooseBy = 8;

class QuantizeWork {
 public:
  QuantizeWork(const Graph& real, const Statistics& statistics, const Metafile& metafile,
               const QuantizeOptions& options, Warnings& warnings)
      : real_(real),
        statistics_(statistics),
        metafile_(metafile),
        options_(options),
        warnings_(warnings) {
    if (!metafile_.quantization.has_value()) metafile_.quantization.emplace();
  }

  absl::StatusOr<QuantizedModel> Run() {
    QuantizedModel model;
    const bool has_time_budget = spec().choose_types && spec().budget->latency.has_value();
    if (spec().choose_types) {
      ASSIGN_OR_RETURN(model.choice, Choose());
      metafile_ = WithRules(metafile_, model.choice->rules);
    }
    ASSIGN_OR_RETURN(Built built, Finish());
    if (has_time_budget) RETURN_IF_ERROR(KeepRounded8Bits(*model.choice, built));
    if (model.choice.has_value() && !model.choice->note.empty()) {
      warnings_.Add({metafile_.PlaceOf(spec().location), model.choice->note, Severity::kNote});
    }
    model.graph = std::move(built.graph);
    warnings_.AddAll(built.warnings.all());
    NoteOwnQuantizers();
    model.measures = std::move(built.measures);
    const DataType base = built.base;
    model.info_yaml = absl::StrCat(
        QuantizationInfo(model.graph, base, SizeOf(base) == 1 ? ranges_.bits8 : ranges_.bits16),
        PolicyYaml(model.measures));
    if (spec().algorithm == QuantizationAlgorithm::kKlDivergence) {
      ASSIGN_OR_RETURN(const Graph compiled, Compiled(model.graph, Kinds()));
      model.entropy_text = QuantizationEntropy(real_, compiled, statistics_);
    }
    model.ranges = std::move(ranges_);
    return model;
  }

  absl::StatusOr<std::vector<PricedMeasure>> Price(const QuantizedModel& model,
                                                   const Target& target) {
    ranges_ = model.ranges;
    if (model.choice.has_value()) metafile_ = WithRules(metafile_, model.choice->rules);
    std::vector<PricedMeasure> priced;
    for (const PrecisionMeasure& measure : model.measures) priced.push_back({measure, 1});
    if (std::none_of(priced.begin(), priced.end(), ChangesTime)) return priced;
    // Not that of the model, whose weights may have been rounded by samples since.
    ASSIGN_OR_RETURN(const Built built, Build(metafile_, Kinds()));
    ASSIGN_OR_RETURN(const double seconds, Seconds(built.graph, Kinds(), target));
    for (PricedMeasure& one : priced) {
      if (!ChangesTime(one)) continue;
      ASSIGN_OR_RETURN(const double without, SecondsWithout(one.measure.kind, built.graph, target));
      one.latency = seconds / without;
    }
    return priced;
  }

  static Metafile WithRules(Metafile metafile, const LayerRules& rules) {
    metafile.quantization->data_type = rules;
    metafile.quantization->choose_types = false;
    metafile.quantization->budget.reset();
    return metafile;
  }

 private:
  using KindSet = std::set<MeasureKind>;
  using Ranges = std::map<std::string, ValueRange>;

  struct Built {
    Graph graph;
    DataType base;
    std::vector<PrecisionMeasure> measures;
    Warnings warnings;
  };

  const QuantizationSpec& spec() const { return *metafile_.quantization; }

  // As for compiling: what the model brings is taken as it is.
  KindSet Kinds() const { return IsQuantized(real_) ? KindSet{} : metafile_.optimize; }

  void NoteOwnQuantizers() {
    const LayerCounts layers = CountLayers(real_);
    if (layers.own == 0) return;
    warnings_.Add({metafile_.PlaceOf(spec().location),
                   absl::StrCat(layers.own, " of ", layers.own + layers.real,
                                " layers come quantized and keep their quantizers, 'quantization' "
                                "decides about the others; 'mode: full' would give all of them "
                                "new ones"),
                   Severity::kNote});
  }

  // A copy of the network to quantize. If its own int8 meets uint8, it becomes that before it would
  // be converted.
  absl::StatusOr<Graph> Unfinished(DataType base) const {
    Graph graph = real_.Clone();
    if (base == DataType::kUint8 && IsQuantized(graph)) {
      RETURN_IF_ERROR(UnsignedBytes(graph).status());
    }
    return graph;
  }

  // The ranges that the algorithm chooses for layers of `bits`, computed when first needed. 8 bits
  // are of one type, that of the base.
  const Ranges& RangesFor(int bits) {
    Ranges& ranges = bits == 8 ? ranges_.bits8 : ranges_.bits16;
    if (ranges.empty()) {
      const Precision precision = bits == 8
                                      ? PrecisionOf(spec().BaseType(), spec().EffectiveScheme())
                                      : PrecisionOf(DataType::kInt16);
      ranges = MaskedRanges(real_, ChooseRanges(statistics_, spec().algorithm, spec().options,
                                                precision, options_.threads));
      ranges = PaddedRanges(real_, bits, std::move(ranges));
    }
    return ranges;
  }

  std::vector<bool> RealOutputs() const {
    std::vector<bool> real;
    for (size_t i = 0; i < real_.outputs.size(); ++i) real.push_back(metafile_.DequantizeOutput(i));
    return real;
  }

  // The network quantized as `metafile` says and the precision policy's measures of `kinds`.
  absl::StatusOr<Built> Build(const Metafile& metafile, const KindSet& kinds) {
    Built built;
    ASSIGN_OR_RETURN(built.graph, Unfinished(metafile.quantization->BaseType()));
    ASSIGN_OR_RETURN(LayerPrecisions precisions, ChoosePrecisions(metafile, built.graph));
    built.base = precisions.base().type;
    if (precisions.Uses(8) || precisions.Uses(16)) {
      const PolicyEvidence evidence{built.graph, statistics_,
                                    RangesFor(precisions.Uses(8) ? 8 : 16), RealOutputs(),
                                    kinds.count(MeasureKind::kFloatEnds) > 0};
      ASSIGN_OR_RETURN(built.measures, ApplyPrecisionPolicy(evidence, kinds, precisions));
      WarnOfLostParts(evidence, precisions, built.warnings);
    }
    RangesByBits chosen;
    ASSIGN_OR_RETURN(chosen.bits8, PolicyRanges(8, precisions, kinds, built));
    ASSIGN_OR_RETURN(chosen.bits16, PolicyRanges(16, precisions, kinds, built));
    RETURN_IF_ERROR(QuantizeGraph(chosen, precisions, built.graph, built.warnings));
    return built;
  }

  // The network that the metafile asks for, with what samples change in its weights and biases.
  absl::StatusOr<Built> Finish() {
    ASSIGN_OR_RETURN(Built built, Build(metafile_, Kinds()));
    if (Kinds().count(MeasureKind::kFloatEnds) > 0) {
      RETURN_IF_ERROR(AddFloatEnds(built.graph, built.measures));
    }
    if (RoundsBySamples()) {
      RETURN_IF_ERROR(Adapt(built));
    } else if (CorrectsBiases()) {
      RETURN_IF_ERROR(Correct(built.graph));
    }
    return built;
  }

  bool RoundsBySamples() const { return spec().options.rounding != Rounding::kBalanced; }
  bool CorrectsBiases() const { return spec().options.bias_correction != BiasCorrection::kNone; }

  // The types were chosen before samples changed weights and biases. What that gains in 8 bits may
  // be more than what 16 bits gain; the 8 bits are taken then. `built`: with the chosen types.
  absl::Status KeepRounded8Bits(PrecisionChoice& choice, Built& built) {
    const bool changed = RoundsBySamples() || CorrectsBiases();
    if (!changed || choice.chosen == 0 || validated_by_ == nullptr) return absl::OkStatus();
    const Metafile chosen = std::exchange(metafile_, WithRules(metafile_, choice.rules_of_8_bits));
    ASSIGN_OR_RETURN(Built narrow, Finish());
    ASSIGN_OR_RETURN(const double sqnr_of_8_bits, ValidSqnrDb(narrow.graph));
    ASSIGN_OR_RETURN(const double sqnr_of_chosen, ValidSqnrDb(built.graph));
    if (sqnr_of_8_bits <= sqnr_of_chosen) {
      metafile_ = chosen;
      return absl::OkStatus();
    }
    choice.Take8Bits(absl::StrFormat(
        "'data_type: auto' keeps 8 bits: with weights and biases that samples change they have "
        "%.1f dB on %d samples that types weren't chosen by, the chosen types %.1f dB",
        sqnr_of_8_bits, validated_by_->samples(), sqnr_of_chosen));
    built = std::move(narrow);
    return absl::OkStatus();
  }

  absl::StatusOr<double> ValidSqnrDb(const Graph& quantized) const {
    ASSIGN_OR_RETURN(const Graph compiled,
                     CompiledGraphFor(*options_.target, quantized, metafile_, {}));
    ASSIGN_OR_RETURN(const std::vector<OutputNoise> noise, validated_by_->Measure(compiled));
    return WorstSqnrDb(noise);
  }

  // A model's own quantizers are its own matter.
  void WarnOfLostParts(const PolicyEvidence& evidence, const LayerPrecisions& precisions,
                       Warnings& warnings) const {
    if (IsQuantized(real_)) return;
    for (const LostParts& lost : FindLostParts(evidence, precisions)) {
      warnings.Add(AtNode("layer", lost.layer), lost.sentence);
    }
  }

  absl::StatusOr<Ranges> PolicyRanges(int bits, const LayerPrecisions& precisions,
                                      const KindSet& kinds, Built& built) {
    if (!precisions.Uses(bits)) return Ranges{};
    Ranges ranges = RangesFor(bits);
    const auto take = [&](MeasureKind kind, Ranges changed) {
      PrecisionMeasure measure = ChangedRanges(built.graph, kind, ranges, changed);
      if (bits == 8 && !measure.layers.empty()) built.measures.push_back(std::move(measure));
      ranges = std::move(changed);
    };
    if (kinds.count(MeasureKind::kSharedRanges) > 0) {
      take(MeasureKind::kSharedRanges, SharedRanges(built.graph, precisions, bits, ranges));
    }
    if (kinds.count(MeasureKind::kNarrowedRanges) > 0) {
      ASSIGN_OR_RETURN(Ranges narrowed, NarrowedRanges(built.graph, precisions, bits, ranges));
      take(MeasureKind::kNarrowedRanges, std::move(narrowed));
    }
    return ranges;
  }

  Metafile WithEnds(const KindSet& kinds) const {
    Metafile metafile = metafile_;
    metafile.optimize = kinds;
    return metafile;
  }

  // The compiled form of `quantized`, with float32 ends if `kinds` has any.
  absl::StatusOr<Graph> Compiled(const Graph& quantized, const KindSet& kinds) const {
    return CompiledGraph(quantized, WithEnds(kinds), {});
  }

  absl::StatusOr<double> Seconds(const Graph& quantized, const KindSet& kinds,
                                 const Target& target) const {
    ASSIGN_OR_RETURN(const Graph compiled,
                     CompiledGraphFor(target, quantized, WithEnds(kinds), {}));
    ASSIGN_OR_RETURN(const std::unique_ptr<LoweredProgram> lowered, LowerGraph(compiled));
    return EstimateLatency(lowered->program, target).seconds;
  }

  // The network's time without the measure of one kind. `quantized`: with all.
  absl::StatusOr<double> SecondsWithout(MeasureKind kind, const Graph& quantized,
                                        const Target& target) {
    KindSet others = Kinds();
    others.erase(kind);
    // Which is a matter of compiling alone.
    if (kind == MeasureKind::kFloatEnds) return Seconds(quantized, others, target);
    ASSIGN_OR_RETURN(const Built built, Build(metafile_, others));
    return Seconds(built.graph, others, target);
  }

  // Other numbers in the same layers take the same time.
  static bool ChangesTime(const PricedMeasure& priced) {
    const MeasureKind kind = priced.measure.kind;
    return kind != MeasureKind::kChannelScales && kind != MeasureKind::kNarrowedRanges;
  }

  // Adds the measure of the outputs that compiling leaves in float32.
  absl::Status AddFloatEnds(const Graph& quantized, std::vector<PrecisionMeasure>& measures) const {
    ASSIGN_OR_RETURN(const Graph compiled, Compiled(quantized, Kinds()));
    PrecisionMeasure ends{MeasureKind::kFloatEnds, {}};
    for (size_t i = 0; i < compiled.outputs.size(); ++i) {
      const Op* producer = compiled.outputs[i]->producer;
      const bool bytes = SizeOf(quantized.outputs[i]->type.dtype) == 1;
      if (bytes && metafile_.DequantizeOutput(i) && producer != nullptr &&
          !producer->Is(TypeConversion::kDequantize)) {
        ends.layers.push_back(compiled.outputs[i]->name);
      }
    }
    if (!ends.layers.empty()) measures.push_back(std::move(ends));
    return absl::OkStatus();
  }

  // The first `count` samples, or all if there are fewer.
  absl::StatusOr<std::vector<DatasetSample>> FirstSamples(size_t count) const {
    if (options_.samples.empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat(metafile_.Where(spec().location),
                       ": 'data_type: auto', 'bias_correction', 'rounding' and 'effort: best' need "
                       "samples: name some with --samples (in a build file: "
                       "quantize_runs_samples = True)"));
    }
    const auto end = static_cast<std::ptrdiff_t>(std::min(count, options_.samples.size()));
    return std::vector<DatasetSample>(options_.samples.begin(), options_.samples.begin() + end);
  }

  absl::Status ForSamples(const std::vector<DatasetSample>& samples, const SampleUse& use) const {
    ASSIGN_OR_RETURN(const SampleReader reader, SampleReader::Create(real_, metafile_));
    for (const DatasetSample& sample : samples) {
      ASSIGN_OR_RETURN(const std::vector<Constant> values, reader.Read(sample));
      RETURN_IF_ERROR(use(sample.name, values));
    }
    return absl::OkStatus();
  }

  absl::StatusOr<PricedNetwork> Quantized(const LayerRules& rules) {
    const Metafile metafile = WithRules(metafile_, rules);
    ASSIGN_OR_RETURN(const Built built, Build(metafile, Kinds()));
    ASSIGN_OR_RETURN(Graph compiled, CompiledGraphFor(*options_.target, built.graph, metafile, {}));
    ASSIGN_OR_RETURN(const DelegatedNetwork delegated,
                     DelegateNetwork(compiled, built.graph, metafile, *options_.target));
    PricedNetwork priced{std::move(compiled)};
    ASSIGN_OR_RETURN(const LatencyEstimate latency,
                     EstimateNetwork(delegated.network, *options_.target, &priced.layers));
    priced.seconds = latency.seconds;
    return priced;
  }

  absl::StatusOr<std::unique_ptr<NetworkQuality>> QualityOn(
      const std::vector<DatasetSample>& samples, size_t kept_bytes) const {
    ASSIGN_OR_RETURN(std::unique_ptr<NetworkQuality> quality,
                     NetworkQuality::Create(real_, options_.threads, kept_bytes));
    RETURN_IF_ERROR(
        ForSamples(samples, [&](const std::string& name, const std::vector<Constant>& values) {
          return quality->AddSample(name, values);
        }));
    return quality;
  }

  absl::StatusOr<PrecisionChoice> Choose() {
    if (options_.target == nullptr) {
      return absl::InvalidArgumentError(
          absl::StrCat(metafile_.Where(spec().location),
                       ": 'data_type: auto' needs a target for its estimates: add --target (in a "
                       "build file: precision_target)"));
    }
    RETURN_IF_ERROR(CheckTarget(metafile_, *options_.target));
    ASSIGN_OR_RETURN(const std::vector<DatasetSample> samples,
                     FirstSamples(2 * kSamplesToChooseBy));
    const auto middle =
        samples.begin() + static_cast<std::ptrdiff_t>(std::min(samples.size(), kSamplesToChooseBy));
    ASSIGN_OR_RETURN(const auto chosen_by,
                     QualityOn({samples.begin(), middle}, NetworkQuality::kKeptBytes));
    if (middle != samples.end()) {
      ASSIGN_OR_RETURN(validated_by_, QualityOn({middle, samples.end()}, /*kept_bytes=*/0));
    }
    absl::StatusOr<PrecisionChoice> choice = ChooseByBudget(
        real_, spec().BaseType(), *spec().budget,
        [&](const LayerRules& rules) { return Quantized(rules); },
        {*chosen_by, validated_by_.get()}, options_.threads, options_.progress);
    if (choice.ok()) return choice;
    return Annotate(choice.status(), metafile_.Where(spec().budget->location));
  }

  absl::Status Adapt(Built& built) const {
    ASSIGN_OR_RETURN(const std::vector<DatasetSample> samples, FirstSamples(kSamplesToCorrectBy));
    RoundingOptions rounding;
    rounding.rounding = spec().options.rounding;
    rounding.samples = static_cast<int>(samples.size());
    rounding.correct_biases = spec().options.bias_correction != BiasCorrection::kNone;
    rounding.threads = options_.threads;
    rounding.progress = options_.rounding_progress;
    ASSIGN_OR_RETURN(const int layers,
                     AdaptRounding(
                         real_, [&](const SampleUse& use) { return ForSamples(samples, use); },
                         rounding, built.graph));
    if (layers == 0) {
      built.warnings.Add(
          absl::StrCat("'rounding: ", Name(spec().options.rounding),
                       "' changes nothing: no layer has 8-bit weights of its own that are "
                       "quantized here"));
    }
    return absl::OkStatus();
  }

  absl::Status Correct(Graph& graph) const {
    ASSIGN_OR_RETURN(const std::vector<DatasetSample> samples, FirstSamples(kSamplesToCorrectBy));
    return CorrectBiases(
        real_, [&](const SampleUse& use) { return ForSamples(samples, use); },
        spec().options.bias_correction, options_.threads, graph);
  }

  const Graph& real_;
  const Statistics& statistics_;
  Metafile metafile_;
  const QuantizeOptions& options_;
  Warnings& warnings_;
  RangesByBits ranges_;                           // those that were needed so far
  std::unique_ptr<NetworkQuality> validated_by_;  // of types; null if there are too few samples
};

// InvalidArgument unless the statistics have the histograms that the metafile's algorithm, or
// without one the precision policy, reads: those of a calibration with another algorithm may not.
absl::Status CheckHistograms(const Graph& graph, const Metafile& metafile,
                             const Statistics& statistics) {
  const bool all = metafile.quantization.has_value() && metafile.quantization->reads_histograms();
  const std::set<std::string> some = all ? std::set<std::string>{} : HistogramsOfPolicy(graph);
  for (size_t i = 0; i < statistics.tensors().size(); ++i) {
    const std::string& tensor = statistics.tensors()[i];
    if (!statistics.histograms()[i].empty() || !(all || some.count(tensor) > 0)) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        all ? metafile.Where(metafile.quantization->location) : metafile.path,
        ": the statistics have no histogram of tensor '", tensor, "', expected one",
        all ? absl::StrCat(" for 'algorithm: ", Name(metafile.quantization->algorithm), "'") : "",
        "; calibrate again with this metafile"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<QuantizedModel> QuantizeStage(const Graph& imported,
                                             absl::Span<const Statistics> statistics,
                                             const Metafile& metafile,
                                             const QuantizeOptions& options, Warnings& warnings) {
  if (statistics.empty()) {
    return absl::InvalidArgumentError(
        "no statistics are given, expected one file at least; run the calibration first");
  }
  Statistics merged = statistics[0];
  for (const Statistics& shard : statistics.subspan(1)) RETURN_IF_ERROR(merged.Merge(shard));
  if (merged.samples().empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(metafile.path,
                     ": the statistics hold no samples, expected one at least; add files to "
                     "'quantization.dataset' and calibrate again"));
  }
  if (AllSamplesEqual(merged)) {
    warnings.Add(absl::StrCat("all ", merged.samples().size(),
                              " samples are equal and show no more than one would: replace them by "
                              "different ones"));
  }
  ASSIGN_OR_RETURN(const Graph graph,
                   Annotate(GraphToQuantize(imported.Clone(), metafile, {}), imported.name));
  RETURN_IF_ERROR(CheckHistograms(graph, metafile, merged));
  return QuantizeWork(graph, merged, metafile, options, warnings).Run();
}

absl::StatusOr<std::vector<PricedMeasure>> PriceMeasures(const Graph& imported,
                                                         const Statistics& statistics,
                                                         const Metafile& metafile,
                                                         const QuantizedModel& model,
                                                         const Target& target) {
  ASSIGN_OR_RETURN(const Graph graph,
                   Annotate(GraphToQuantize(imported.Clone(), metafile, {}), imported.name));
  const QuantizeOptions options;
  Warnings repeated;
  return QuantizeWork(graph, statistics, metafile, options, repeated).Price(model, target);
}

Metafile MovedMetafile(Metafile metafile, const std::string& folder) {
  if (metafile.quantization.has_value()) {
    for (DatasetSpec& dataset : metafile.quantization->dataset) {
      const bool fixed = dataset.pattern == "random" || absl::StartsWith(dataset.pattern, "/");
      if (!fixed) dataset.pattern = JoinPath(folder, dataset.pattern);
    }
  }
  MoveSecurity(folder, metafile.security);
  return metafile;
}

std::string ExplicitMetafile(const Metafile& metafile, const PrecisionChoice& choice,
                             const std::string& folder) {
  return CanonicalText(MovedMetafile(QuantizeWork::WithRules(metafile, choice.rules), folder));
}

}  // namespace synap_internal
