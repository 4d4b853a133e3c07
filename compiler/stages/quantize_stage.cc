#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/file.h"
#include "base/status_macros.h"
#include "compiler/calibration/range_selection.h"
#include "compiler/lower/lower.h"
#include "compiler/metafile/stage_parts.h"
#include "compiler/package/model_info.h"
#include "compiler/package/quantization_entropy.h"
#include "compiler/quantization/layer_precision.h"
#include "compiler/quantization/quantize_graph.h"
#include "compiler/stages/samples.h"
#include "compiler/stages/stages.h"
#include "compiler/tuning/bias_correction.h"
#include "compiler/tuning/network_quality.h"

namespace synap {
namespace {

// More hardly change which layers stand out, and each takes two runs for each layer.
constexpr size_t kSamplesToChooseBy = 8;
// Means settle soon.
constexpr size_t kSamplesToCorrectBy = 32;

class QuantizeWork {
 public:
  QuantizeWork(const Graph& real, const Statistics& statistics, const Metafile& metafile,
               const QuantizeOptions& options)
      : real_(real), statistics_(statistics), metafile_(metafile), options_(options) {
    if (!metafile_.quantization.has_value()) metafile_.quantization.emplace();
  }

  absl::StatusOr<QuantizedModel> Run() {
    QuantizedModel model;
    if (spec().choose_types) {
      ASSIGN_OR_RETURN(model.choice, Choose());
      metafile_ = WithRules(metafile_, model.choice->rules);
    }
    model.graph = real_.Clone();
    ASSIGN_OR_RETURN(const LayerPrecisions precisions, ChoosePrecisions(metafile_, model.graph));
    ChooseRangesFor(precisions);
    RETURN_IF_ERROR(QuantizeGraph(ranges_, precisions, model.graph));
    if (spec().options.bias_correction != BiasCorrection::kNone) {
      RETURN_IF_ERROR(Correct(model.graph));
    }
    const DataType base = precisions.base().type;
    model.info_yaml =
        QuantizationInfo(model.graph, base, SizeOf(base) == 1 ? ranges_.bits8 : ranges_.bits16);
    if (spec().algorithm == QuantizationAlgorithm::kKlDivergence) {
      model.entropy_text = QuantizationEntropy(real_, statistics_);
    }
    return model;
  }

  static Metafile WithRules(Metafile metafile, const LayerRules& rules) {
    metafile.quantization->data_type = rules;
    metafile.quantization->choose_types = false;
    metafile.quantization->budget.reset();
    return metafile;
  }

 private:
  const QuantizationSpec& spec() const { return *metafile_.quantization; }

  void ChooseRangesFor(const LayerPrecisions& precisions) {
    const auto choose = [&](int bits, std::map<std::string, ValueRange>& ranges) {
      if (!precisions.Uses(bits) || !ranges.empty()) return;
      ranges = ChooseRanges(statistics_, spec().algorithm, spec().options, bits);
    };
    choose(8, ranges_.bits8);
    choose(16, ranges_.bits16);
  }

  // Calls `use` for the first `count` samples.
  absl::Status ForSamples(size_t count, const SampleUse& use) const {
    ASSIGN_OR_RETURN(const Dataset dataset, ChooseSamples(real_, metafile_, options_.samples));
    if (dataset.samples.empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat(metafile_.Where(spec().location),
                       ": 'data_type: auto' and 'bias_correction' need samples: name some with "
                       "--samples"));
    }
    ASSIGN_OR_RETURN(const SampleReader reader, SampleReader::Create(real_, metafile_));
    for (size_t i = 0; i < std::min(count, dataset.samples.size()); ++i) {
      ASSIGN_OR_RETURN(const std::vector<std::vector<float>> values,
                       reader.Read(dataset.samples[i]));
      RETURN_IF_ERROR(use(dataset.samples[i].name, values));
    }
    return absl::OkStatus();
  }

  absl::StatusOr<PricedNetwork> Quantized(const LayerRules& rules) {
    const Metafile metafile = WithRules(metafile_, rules);
    Graph graph = real_.Clone();
    ASSIGN_OR_RETURN(const LayerPrecisions precisions, ChoosePrecisions(metafile, graph));
    ChooseRangesFor(precisions);
    RETURN_IF_ERROR(QuantizeGraph(ranges_, precisions, graph));
    ASSIGN_OR_RETURN(Graph compiled, CompiledGraph(graph, metafile, {}));
    ASSIGN_OR_RETURN(const std::unique_ptr<LoweredProgram> lowered, LowerGraph(compiled));
    return PricedNetwork{std::move(compiled), EstimatedSeconds(lowered->program, *options_.target)};
  }

  absl::StatusOr<PrecisionChoice> Choose() {
    if (options_.target == nullptr) {
      return absl::InvalidArgumentError(
          absl::StrCat(metafile_.Where(spec().location),
                       ": 'data_type: auto' needs a target for its estimates: add --target"));
    }
    ASSIGN_OR_RETURN(std::unique_ptr<NetworkQuality> quality,
                     NetworkQuality::Create(real_, options_.threads));
    RETURN_IF_ERROR(
        ForSamples(kSamplesToChooseBy,
                   [&](const std::string& name, const std::vector<std::vector<float>>& values) {
                     return quality->AddSample(name, values);
                   }));
    absl::StatusOr<PrecisionChoice> choice = ChooseByBudget(
        real_, spec().BaseType(), *spec().budget,
        [&](const LayerRules& rules) { return Quantized(rules); }, *quality, options_.progress);
    if (choice.ok()) return choice;
    return Annotate(choice.status(), metafile_.Where(spec().budget->location));
  }

  absl::Status Correct(Graph& graph) const {
    return CorrectBiases(
        real_, [&](const SampleUse& use) { return ForSamples(kSamplesToCorrectBy, use); },
        spec().options.bias_correction, options_.threads, graph);
  }

  const Graph& real_;
  const Statistics& statistics_;
  Metafile metafile_;
  const QuantizeOptions& options_;
  RangesByBits ranges_;  // those that were needed so far
};

}  // namespace

absl::StatusOr<QuantizedModel> QuantizeStage(const Graph& graph,
                                             absl::Span<const Statistics> statistics,
                                             const Metafile& metafile,
                                             const QuantizeOptions& options) {
  if (statistics.empty()) return absl::InvalidArgumentError("quantization needs statistics");
  Statistics merged = statistics[0];
  for (const Statistics& shard : statistics.subspan(1)) RETURN_IF_ERROR(merged.Merge(shard));
  if (merged.samples().empty()) {
    return absl::InvalidArgumentError("the statistics hold no sample: the dataset is empty");
  }
  return QuantizeWork(graph, merged, metafile, options).Run();
}

std::string ExplicitMetafile(const Metafile& metafile, const PrecisionChoice& choice,
                             const std::string& folder) {
  Metafile written = QuantizeWork::WithRules(metafile, choice.rules);
  for (DatasetSpec& dataset : written.quantization->dataset) {
    const bool fixed = dataset.pattern == "random" || absl::StartsWith(dataset.pattern, "/");
    if (!fixed) dataset.pattern = JoinPath(folder, dataset.pattern);
  }
  return CanonicalText(written);
}

}  // namespace synap
