// Measures what a quantized model loses against its float network, on samples at its outputs.
#ifndef COMPILER_CONVERT_STAGES_MEASURE_LOSS_H_
#define COMPILER_CONVERT_STAGES_MEASURE_LOSS_H_

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "compiler/convert/stages/compile_stage.h"
#include "compiler/dataset/dataset.h"
#include "compiler/graph/graph.h"
#include "compiler/metafile/metafile.h"
#include "compiler/target/target.h"
#include "runtime/bundle/bundle.h"
#include "synap/detector.hpp"
#include "synap/network.hpp"

namespace synap_internal {

struct OutputLoss {
  std::string name;
  double sqnr_db = 0;  // of all its values in all samples (base/fidelity.h)
};

// Answers of the float network, and those of them that the quantized one gives, too.
struct KeptAnswers {
  int of_float = 0;
  int kept = 0;
};

struct ModelLoss {
  // What the outputs' formats say that an answer is.
  enum class Task { kOther, kDetection, kClassification };

  size_t samples = 0;
  std::vector<OutputLoss> outputs;
  Task task = Task::kOther;
  // Of a detector: objects with a score of at least 0.3 and, kept, an object of the same class with
  // at least 0.25 that overlaps it by more than half (intersection over union). Of a classifier:
  // the samples, and those with the same best class.
  KeptAnswers answers;
  // What would lose less, for LossComplaint (compiler/convert/tune/advise.h); "" if nothing is
  // known.
  std::string advice;

  // Null without an output that can be compared.
  const OutputLoss* worst() const;
};

// How many samples tell a network's loss in about 0.2 s on one core of a PC: 16 of a network below
// 0.5 billion multiply-accumulates, 1 at least. A function of the graph alone, so that every
// machine says the same.
size_t SamplesToMeasure(const Graph& real);

// `count` of the samples, or all if there are fewer, spread evenly.
std::vector<DatasetSample> SpreadOver(absl::Span<const DatasetSample> samples, size_t count);

// The same for a measurement: of those after the first kSamplesToCorrectBy, by which weights may
// have been rounded, if there are so many.
std::vector<DatasetSample> ChooseMeasured(const std::vector<DatasetSample>& samples, size_t count);

// Measures networks that are made from the same float network. Memory: two networks, and inputs and
// float outputs of all samples. Uses the threads of the process (synap/threads.hpp); the figures'
// bits don't depend on their number. Measure may run on several threads at the same time.
class LossMeter {
 public:
  // Runs the float network on the samples. `real`: as imported; it must outlive the result. The
  // metafile's preprocessing is left out, since samples are what the network behind it reads, and
  // so is its security. InvalidArgument without samples; errors of a sample name it.
  static absl::StatusOr<std::unique_ptr<LossMeter>> Create(
      const Graph& real, const Metafile& metafile, const Target& target,
      const std::vector<DatasetSample>& samples);

  // `quantized`: made from the float network, its outputs in the same order, as QuantizeStage
  // returns it. `model`: CompileStage's result of it for the meter's target with `metafile`; one
  // that is secure or reads pictures of its own is compiled without that.
  absl::StatusOr<ModelLoss> Measure(const Graph& quantized, const Metafile& metafile,
                                    const CompiledModel& model) const;

 private:
  using Items = std::vector<synaptics::synap::Detector::Result::Item>;
  struct Answer {
    std::vector<std::vector<float>> outputs;
    Items objects;        // of a detector
    int best_class = -1;  // of a classifier
  };
  struct Sample {
    std::string name;
    std::vector<Constant> inputs;  // of the imported network
    Answer real;
  };

  // An artifact that runs.
  struct Artifact {
    Bundle bundle;
    synaptics::synap::Network network;
  };

  LossMeter(const Graph& real, Metafile metafile, const Target& target)
      : real_(real), metafile_(std::move(metafile)), target_(target) {}
  absl::StatusOr<CompiledModel> Compile(const Graph& graph, const Metafile& metafile) const;
  static absl::StatusOr<std::unique_ptr<Artifact>> Load(const std::string& synap);
  absl::StatusOr<Answer> Run(const Sample& sample, Artifact& artifact) const;
  // Whether all its values in the float network are numbers, and one isn't 0.
  bool HasSignal(size_t output) const;

  const Graph& real_;
  const Metafile metafile_;
  const Target& target_;
  std::vector<Sample> samples_;
  std::vector<bool> compared_;  // by output: float32 with a signal in the float network
  ModelLoss::Task task_ = ModelLoss::Task::kOther;
};

// Larger where less is lost: the answers kept, then the worst output's SQNR.
using LossQuality = std::pair<int, double>;
LossQuality QualityOf(const ModelLoss& loss);

// The line's part about the loss: "keeps 39 of 80 detections, SQNR 6.8 dB", "the same best class in
// 8 of 8 samples, SQNR 31.2 dB", "SQNR 31.2 dB"; of the worst output.
std::string LossText(const ModelLoss& loss);

// A section of model_info.txt: LossText of each output.
std::string LossTable(const ModelLoss& loss);

// Why the loss deserves a warning; "" if it doesn't: fewer than 9 of 10 answers are kept or, where
// the answers aren't known, an output has less than 10 dB. Ends with the advice.
std::string LossComplaint(const ModelLoss& loss);

// One line of text, for a cache.
std::string SerializeLoss(const ModelLoss& loss);
absl::StatusOr<ModelLoss> ParseLoss(const std::string& text);

}  // namespace synap_internal

#endif  // COMPILER_CONVERT_STAGES_MEASURE_LOSS_H_
