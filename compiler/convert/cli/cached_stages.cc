#include "compiler/convert/cli/cached_stages.h"

#include <cstdio>
#include <memory>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/digest.h"
#include "base/file.h"
#include "base/status_macros.h"
#include "compiler/convert/cli/program_identity.h"
#include "compiler/convert/stages/calibrate_stage.h"
#include "compiler/convert/stages/graph_to_quantize.h"
#include "compiler/convert/stages/import_stage.h"
#include "compiler/convert/tune/advise.h"
#include "compiler/dataset/dataset.h"
#include "compiler/dataset/samples.h"
#include "compiler/graph/text.h"
#include "synap/threads.hpp"

namespace synap_internal {
namespace {

// Paths and digests of the samples' files; a path as a whole, since warnings name it.
absl::Status AddFiles(const std::vector<DatasetSample>& samples, std::vector<std::string>& key) {
  for (const DatasetSample& sample : samples) {
    for (const std::string& file : sample.files) {
      if (file.empty()) continue;
      ASSIGN_OR_RETURN(std::string digest, DigestOfFile(file));
      key.push_back(file);
      key.push_back(std::move(digest));
    }
  }
  return absl::OkStatus();
}

// Both statistics, as one result of a stage.
std::string SerializeApart(const ApartStatistics& statistics) {
  const std::string others = statistics.others.Serialize();
  return absl::StrCat(others.size(), "\n", others, statistics.apart.Serialize());
}

absl::StatusOr<ApartStatistics> ParseApart(absl::string_view text) {
  size_t size = 0;
  const size_t line = text.find('\n');
  if (line == absl::string_view::npos || !absl::SimpleAtoi(text.substr(0, line), &size) ||
      size > text.size() - line - 1) {
    return absl::DataLossError("not two statistics, expected the size of the first one");
  }
  ApartStatistics statistics;
  ASSIGN_OR_RETURN(statistics.others, Statistics::Parse(text.substr(line + 1, size)));
  ASSIGN_OR_RETURN(statistics.apart, Statistics::Parse(text.substr(line + 1 + size)));
  return statistics;
}

}  // namespace

CachedStages::CachedStages(const Metafile& metafile, CachedStagesOptions options,
                           ProgressLine& progress, Warnings& warnings)
    : import_(ImportPart(metafile)),
      calibrate_(CalibratePart(metafile)),
      quantize_(QuantizePart(metafile)),
      whole_(WholePart(metafile)),
      options_(std::move(options)),
      places_(metafile.path),
      progress_(progress),
      warnings_(warnings) {
  const bool must_encrypt = metafile.security.secure && options_.encryption == nullptr;
  if (options_.cache.empty() || options_.cache_bytes == 0 || must_encrypt) return;
  absl::StatusOr<std::string> program = ProgramIdentity();
  if (program.ok()) {
    cache_.emplace(options_.cache, *std::move(program), options_.cache_bytes, options_.encryption);
  } else {
    Log(absl::StrCat("can't cache: ", program.status().message()));
  }
}

void CachedStages::Log(absl::string_view text) {
  absl::StrAppend(&log_, text, "\n");
  if (options_.verbose) std::printf("%s\n", std::string(text).c_str());
}

absl::StatusOr<Graph> CachedStages::Parse(const std::string& file) {
  auto owner = std::make_shared<const std::string>(file);
  return DeserializeGraph(*owner, owner);
}

// The result from the cache, or computed and put there. A cache that can't be
// written is no reason to fail: the result is what counts.
absl::StatusOr<std::string> CachedStages::Cached(
    absl::string_view stage, const std::vector<std::string>& key,
    const std::function<absl::StatusOr<std::string>()>& compute) {
  if (!cache_.has_value()) return compute();
  const std::string file = cache_->FileOf(stage, key);
  if (absl::StatusOr<StageResult> known = cache_->Read(file); known.ok()) {
    Log(absl::StrCat(stage, ": from the cache"));
    for (const Warning& warning : known->warnings) warnings_.Add(places_.Attach(warning));
    return std::move(known->content);
  }
  const size_t warnings_before = warnings_.all().size();
  StageResult result;
  ASSIGN_OR_RETURN(result.content, compute());
  Log(absl::StrCat(stage, ": done, ", result.content.size(), " bytes"));
  for (size_t i = warnings_before; i < warnings_.all().size(); ++i) {
    result.warnings.push_back(places_.Detach(warnings_.all()[i]));
  }
  if (absl::Status written = cache_->Write(file, result); !written.ok()) {
    Log(absl::StrCat("can't cache: ", written.message()));
  }
  return std::move(result.content);
}

// Digests of all inputs of the imported graph.
absl::StatusOr<std::vector<std::string>> CachedStages::ImportKey() const {
  const ModelFiles& files = options_.files;
  // The path as a whole: warnings name it.
  std::vector<std::string> key = {files.model, import_.text};
  const Metafile& calibrate = calibrate_.metafile;
  if (calibrate.quantized()) key.emplace_back(Name(calibrate.quantization->mode));
  ASSIGN_OR_RETURN(std::vector<std::string> inputs, DataFiles(files));
  inputs.insert(inputs.begin(), files.model);
  if (!files.weights.empty()) inputs.push_back(files.weights);
  for (const std::string& input : inputs) {
    ASSIGN_OR_RETURN(std::string digest, DigestOfFile(input));
    key.push_back(std::move(digest));
  }
  ASSIGN_OR_RETURN(std::string reader, ForeignReader(files));
  key.push_back(std::move(reader));
  return key;
}

absl::StatusOr<std::string> CachedStages::ImportedGraph() {
  const PassOptions& passes = options_.passes;
  const auto import = [&]() -> absl::StatusOr<std::string> {
    ASSIGN_OR_RETURN(Graph graph, ImportStage(options_.files, import_.metafile, passes, warnings_));
    if (calibrate_.metafile.quantized()) {
      ASSIGN_OR_RETURN(graph,
                       Annotate(GraphToQuantize(std::move(graph), calibrate_.metafile, passes),
                                options_.files.model));
    }
    return SerializeGraph(std::move(graph));
  };
  // Options that show passes need them to run.
  if (passes.inspects()) {
    ASSIGN_OR_RETURN(std::string graph, import());
    Log(absl::StrCat("import: done, ", graph.size(), " bytes"));
    return graph;
  }
  if (!cache_.has_value()) return import();
  const absl::StatusOr<std::vector<std::string>> key = ImportKey();
  // A file that can't be read: importing says it better.
  return key.ok() ? Cached("import", *key, import) : import();
}

absl::StatusOr<CalibratedNetwork> CachedStages::Calibrated(const std::string& sir) {
  CalibratedNetwork network;
  ASSIGN_OR_RETURN(network.graph, Parse(sir));
  ASSIGN_OR_RETURN(Dataset dataset, CalibrationSamples(network.graph, calibrate_.metafile, {}));
  network.samples = std::move(dataset.samples);
  network.held_out = ChooseHeldOut(network.samples, SamplesToMeasure(network.graph));
  const auto calibrate = [&]() -> absl::StatusOr<std::string> {
    CalibrateOptions options;
    options.threads = options_.threads;
    options.progress = [&](int done, int total) { progress_.Show("Quantizing...", done, total); };
    for (const DatasetSample& sample : network.held_out) options.apart.insert(sample.name);
    ASSIGN_OR_RETURN(const ApartStatistics statistics,
                     CalibrateApart(network.graph, calibrate_.metafile, options, warnings_));
    return SerializeApart(statistics);
  };
  network.key = {std::string(Statistics::kFormat), Digest(sir), calibrate_.text};
  RETURN_IF_ERROR(AddFiles(network.samples, network.key));
  ASSIGN_OR_RETURN(const std::string text, Cached("calibrate", network.key, calibrate));
  ASSIGN_OR_RETURN(ApartStatistics statistics, ParseApart(text));
  network.statistics = statistics.others;
  RETURN_IF_ERROR(network.statistics.Merge(std::move(statistics.apart)));
  network.without_held_out = std::move(statistics.others);
  return network;
}

absl::StatusOr<QuantizedModel> CachedStages::Quantized(const CalibratedNetwork& network) {
  QuantizeOptions options;
  options.samples = network.samples;
  options.target = options_.target;
  options.threads = options_.threads;
  options.progress = [&](int done, int total) { progress_.Show("Choosing...", done, total); };
  options.rounding_progress = [&](int done, int total) {
    progress_.Show("Rounding...", done, total);
  };
  return QuantizeStage(network.graph, {&network.statistics, 1}, quantize_.metafile, options,
                       warnings_);
}

absl::StatusOr<std::vector<PricedMeasure>> CachedStages::Priced(const CalibratedNetwork& network,
                                                                const QuantizedModel& model) const {
  return PriceMeasures(network.graph, network.statistics, quantize_.metafile, model,
                       *options_.target);
}

absl::StatusOr<ModelLoss> CachedStages::MeasuredLoss(const CalibratedNetwork& network,
                                                     const Graph& quantized,
                                                     const CompiledModel& model,
                                                     const std::vector<DatasetSample>& samples,
                                                     bool held_out) {
  const Metafile& metafile = whole_.metafile;
  ASSIGN_OR_RETURN(const std::unique_ptr<LossMeter> meter,
                   LossMeter::Create(network.graph, metafile, *options_.target, samples));
  const Statistics& statistics = held_out ? network.without_held_out : network.statistics;
  ModelLoss loss;
  if (held_out) {
    Warnings repeated;
    QuantizeOptions options;
    options.threads = options_.threads;
    ASSIGN_OR_RETURN(
        const QuantizedModel without,
        QuantizeStage(network.graph, {&statistics, 1}, quantize_.metafile, options, repeated));
    ASSIGN_OR_RETURN(loss, meter->Measure(without.graph, metafile));
  } else {
    ASSIGN_OR_RETURN(loss, meter->Measure(quantized, metafile, model));
  }
  loss.held_out = held_out;
  if (LossComplaint(loss).empty()) return loss;
  ASSIGN_OR_RETURN(loss.advice, AdviseTypes(network.graph, statistics, metafile, *options_.target,
                                            *meter, loss));
  return loss;
}

absl::StatusOr<ModelLoss> CachedStages::Loss(const CalibratedNetwork& network,
                                             const Graph& quantized, const CompiledModel& model) {
  const bool held_out = !network.held_out.empty() && !whole_.metafile.quantization->needs_samples();
  const std::vector<DatasetSample> samples =
      held_out ? network.held_out
               : ChooseMeasured(network.samples, SamplesToMeasure(network.graph));
  const auto measure = [&]() -> absl::StatusOr<std::string> {
    progress_.Show("Measuring...");
    synaptics::synap::set_thread_count(options_.threads);
    ASSIGN_OR_RETURN(const ModelLoss loss,
                     MeasuredLoss(network, quantized, model, samples, held_out));
    return SerializeLoss(loss);
  };
  // The artifact and its estimates hold what the target's file says.
  std::vector<std::string> key = network.key;
  key.insert(key.end(), {model.synap, model.info_text, whole_.text});
  ASSIGN_OR_RETURN(const std::string text, Cached("measure", key, measure));
  return ParseLoss(text);
}

}  // namespace synap_internal
