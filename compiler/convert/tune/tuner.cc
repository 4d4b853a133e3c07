#include "compiler/convert/tune/tuner.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <mutex>
#include <optional>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "base/thread_pool.h"
#include "base/warnings.h"
#include "compiler/convert/stages/calibrate_stage.h"
#include "compiler/convert/stages/compile_stage.h"
#include "compiler/convert/stages/graph_to_quantize.h"
#include "compiler/convert/stages/import_stage.h"
#include "compiler/convert/stages/quantize_stage.h"
#include "compiler/convert/tune/labels.h"
#include "compiler/dataset/samples.h"
#include "compiler/metafile/stage_parts.h"
#include "runtime/vision/info_file.h"
#include "synap/threads.hpp"

namespace synap_internal {
namespace {

constexpr size_t kEnoughToHalve = 16;
constexpr size_t kLeastMeasured = 8;
constexpr uint64_t kMostLabelledBytes = uint64_t{1} << 30;

// The noise of both, as a part of the signal.
double JoinedSqnrDb(double a, double b) {
  return -10 * std::log10((std::pow(10, -a / 10) + std::pow(10, -b / 10)) / 2);
}

void Join(const ModelLoss& next, ModelLoss& loss) {
  if (loss.samples == 0) {
    loss = next;
    return;
  }
  loss.samples += next.samples;
  loss.answers.of_float += next.answers.of_float;
  loss.answers.kept += next.answers.kept;
  std::vector<OutputLoss> outputs;
  for (OutputLoss& output : loss.outputs) {
    const auto same = std::find_if(next.outputs.begin(), next.outputs.end(),
                                   [&](const OutputLoss& o) { return o.name == output.name; });
    if (same != next.outputs.end()) {
      output.sqnr_db = JoinedSqnrDb(output.sqnr_db, same->sqnr_db);
    }
    outputs.push_back(output);
  }
  for (const OutputLoss& output : next.outputs) {
    const bool is_known = std::any_of(outputs.begin(), outputs.end(),
                                      [&](const OutputLoss& o) { return o.name == output.name; });
    if (!is_known) outputs.push_back(output);
  }
  loss.outputs = std::move(outputs);
}

// How many samples take kMostLabelledBytes, inputs and float outputs together.
size_t LabelledSamplesThatFit(const Graph& graph) {
  uint64_t bytes = 1;
  for (const Tensor* input : graph.inputs) bytes += static_cast<uint64_t>(input->type.bytes());
  for (const Tensor* output : graph.outputs) {
    bytes += sizeof(float) * static_cast<uint64_t>(output->type.shape.elements());
  }
  return static_cast<size_t>(kMostLabelledBytes / bytes);
}

// The class names of a model; none if nothing has them.
absl::StatusOr<std::vector<std::string>> ClassNames(const std::string& model) {
  const std::string path = FindInfoFile(model);
  if (path.empty()) return std::vector<std::string>();
  return ReadLabels(path);
}

// The metafile for a calibration whose statistics serve every algorithm.
Metafile WithHistograms(Metafile metafile) {
  if (!metafile.quantization.has_value()) metafile.quantization.emplace();
  metafile.quantization->algorithm = QuantizationAlgorithm::kAuto;
  return metafile;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Tuner>> Tuner::Create(TunerOptions options, Metafile metafile) {
  // A limit of samples is not for halves of them.
  if (metafile.quantization.has_value()) {
    metafile.quantization->effort = Effort::kStandard;
    metafile.quantization->last_sample.clear();
  }
  std::unique_ptr<Tuner> tuner(new Tuner(std::move(options), std::move(metafile)));
  RETURN_IF_ERROR(tuner->Prepare());
  return tuner;
}

absl::Status Tuner::Prepare() {
  synaptics::synap::set_thread_count(options_.threads);
  ASSIGN_OR_RETURN(plain_.graph, ImportedGraph(/*equalized=*/false));
  ASSIGN_OR_RETURN(const Dataset dataset, ReadSamples());
  RETURN_IF_ERROR(MakeFolds(dataset.samples));
  LabelledAnswers answers;
  for (Fold& fold : folds_) {
    ASSIGN_OR_RETURN(fold.meter,
                     LossMeter::Create(plain_.graph, metafile_, *options_.targets[0], fold.measured,
                                       labels_.has_value() ? &*labels_ : nullptr));
    answers.Add(fold.meter->real_answers());
  }
  real_accuracy_ = answers.Score();
  if (labels_.has_value()) RETURN_IF_ERROR(CheckAccuracy());
  return Calibrate(plain_);
}

absl::Status Tuner::CheckAccuracy() const {
  if (real_accuracy_.first > 0 || real_accuracy_.second > 0) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(options_.labels, ": the float network is right in none of ", measured(),
                   " measured samples, expected some; check the classes' numbers"));
}

absl::StatusOr<Dataset> Tuner::ReadSamples() {
  ASSIGN_OR_RETURN(Dataset dataset, ChooseSamples(plain_.graph, metafile_, options_.samples));
  if (options_.labels.empty()) return dataset;
  ASSIGN_OR_RETURN(const std::vector<std::string> names, ClassNames(options_.files.model));
  ASSIGN_OR_RETURN(labels_, ReadSampleLabels(options_.labels, dataset.samples, names));
  return dataset;
}

absl::StatusOr<Graph> Tuner::ImportedGraph(bool equalized) const {
  Metafile metafile = metafile_;
  if (equalized) metafile = WithCandidate(std::move(metafile), {.equalize = true});
  Warnings repeated;  // a conversion says them
  ASSIGN_OR_RETURN(Graph graph,
                   ImportStage(options_.files, ImportPart(metafile).metafile, {}, repeated));
  return GraphToQuantize(std::move(graph), metafile, {});
}

absl::Status Tuner::MakeFolds(const std::vector<DatasetSample>& samples) {
  std::vector<DatasetSample> halves[2];
  for (size_t i = 0; i < samples.size(); ++i) halves[i % 2].push_back(samples[i]);
  if (halves[1].empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        options_.files.model, ": found ", samples.size(),
        " samples to choose by, expected 2 at least, to calibrate by some and measure by others"));
  }
  const size_t most =
      std::max(kLeastMeasured, labels_.has_value() ? LabelledSamplesThatFit(plain_.graph)
                                                   : 2 * SamplesToMeasure(plain_.graph));
  const size_t folds = samples.size() >= kEnoughToHalve ? 1 : 2;
  for (size_t i = 0; i < folds; ++i) {
    Fold& fold = folds_.emplace_back();
    fold.calibrating = halves[i];
    fold.measured = SpreadOver(halves[1 - i], most);
  }
  return absl::OkStatus();
}

absl::Status Tuner::Calibrate(Network& network) const {
  std::vector<Statistics> statistics;
  for (const Fold& fold : folds_) {
    CalibrateOptions options;
    options.dataset = fold.calibrating;
    options.threads = options_.threads;
    Warnings repeated;
    ASSIGN_OR_RETURN(statistics.emplace_back(),
                     CalibrateStage(network.graph, WithHistograms(metafile_), options, repeated));
  }
  network.statistics = std::move(statistics);
  return absl::OkStatus();
}

size_t Tuner::measured() const {
  size_t count = 0;
  for (const Fold& fold : folds_) count += fold.measured.size();
  return count;
}

size_t Tuner::calibrating() const { return folds_[0].calibrating.size(); }

std::vector<TunedPoint> Tuner::Run(const std::vector<Candidate>& candidates,
                                   const std::function<bool()>& stop,
                                   const std::function<void(size_t)>& tried) {
  // A candidate runs on one thread, in networks that are loaded from now on.
  synaptics::synap::set_thread_count(1);
  std::vector<std::optional<TunedPoint>> points(candidates.size());
  std::atomic<size_t> next{0};
  std::mutex mutex;
  size_t count = 0;
  ThreadPool pool(options_.threads);
  pool.ParallelFor(pool.threads(), [&](int64_t, int) {
    for (size_t i = next++; i < candidates.size() && (i == 0 || !stop()); i = next++) {
      points[i] = Try(candidates[i]);
      const std::lock_guard<std::mutex> lock(mutex);
      tried(++count);
    }
  });
  std::vector<TunedPoint> found;
  for (std::optional<TunedPoint>& point : points) {
    if (point.has_value()) found.push_back(*std::move(point));
  }
  return found;
}

absl::StatusOr<const Tuner::Network*> Tuner::NetworkOf(const Candidate& candidate) {
  if (!candidate.equalize) return &plain_;
  const std::lock_guard<std::mutex> lock(equalizing_);
  if (equalized_.statistics.empty()) {
    ASSIGN_OR_RETURN(equalized_.graph, ImportedGraph(/*equalized=*/true));
    RETURN_IF_ERROR(Calibrate(equalized_));
  }
  return &equalized_;
}

TunedPoint Tuner::Try(const Candidate& candidate) {
  TunedPoint point;
  point.candidate = candidate;
  point.error = Evaluate(point);
  return point;
}

absl::Status Tuner::Evaluate(TunedPoint& point) {
  const Metafile metafile = WithCandidate(metafile_, point.candidate);
  ASSIGN_OR_RETURN(const Network* const network, NetworkOf(point.candidate));
  Warnings repeated;
  LabelledAnswers answers;
  for (size_t i = 0; i < folds_.size(); ++i) {
    QuantizeOptions options;
    options.samples = folds_[i].calibrating;
    options.target = options_.targets[0];
    ASSIGN_OR_RETURN(const QuantizedModel quantized,
                     QuantizeStage(network->graph, {&network->statistics[i], 1},
                                   QuantizePart(metafile).metafile, options, repeated));
    const auto compile = [&](const Target& target) {
      return CompileStage(quantized.graph, CompilePart(metafile).metafile, target, {}, repeated);
    };
    ASSIGN_OR_RETURN(const CompiledModel first, compile(*options_.targets[0]));
    ASSIGN_OR_RETURN(const ModelLoss loss,
                     folds_[i].meter->Measure(quantized.graph, metafile, first,
                                              labels_.has_value() ? &answers : nullptr));
    Join(loss, point.loss);
    if (i > 0) continue;
    point.costs.push_back({first.latency, first.synap.size()});
    for (size_t t = 1; t < options_.targets.size(); ++t) {
      ASSIGN_OR_RETURN(const CompiledModel model, compile(*options_.targets[t]));
      point.costs.push_back({model.latency, model.synap.size()});
    }
  }
  if (labels_.has_value()) point.loss.accuracy = AccuracyLoss{real_accuracy_, answers.Score()};
  return absl::OkStatus();
}

}  // namespace synap_internal
