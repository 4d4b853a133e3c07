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
#include "compiler/convert/stages/accuracy.h"
#include "compiler/convert/stages/compile_stage.h"
#include "compiler/convert/stages/model_loss.h"
#include "compiler/dataset/dataset.h"
#include "compiler/dataset/samples.h"
#include "compiler/graph/graph.h"
#include "compiler/metafile/metafile.h"
#include "compiler/target/target.h"
#include "runtime/bundle/bundle.h"
#include "synap/detector.hpp"
#include "synap/network.hpp"

namespace synap_internal {

// How many samples tell a network's loss in about 0.2 s on one core of a PC: 16 of a network below
// 0.5 billion multiply-accumulates, 1 at least. A function of the graph alone, so that every
// machine says the same.
size_t SamplesToMeasure(const Graph& real);

// `count` of the samples, or all if there are fewer, spread evenly.
std::vector<DatasetSample> SpreadOver(absl::Span<const DatasetSample> samples, size_t count);

// The same for a measurement: of those after the first kSamplesToCorrectBy, by which weights may
// have been rounded, if there are so many.
std::vector<DatasetSample> ChooseMeasured(const std::vector<DatasetSample>& samples, size_t count);

// The same of samples that a calibration can leave out: at most a third of them. None of fewer than
// 16, of which a calibration needs all.
std::vector<DatasetSample> ChooseHeldOut(const std::vector<DatasetSample>& samples, size_t count);

// Measures networks that are made from the same float network. Memory: two networks, and inputs and
// float outputs of all samples. Uses the threads of the process (synap/threads.hpp); the figures'
// bits don't depend on their number. Measure may run on several threads at the same time.
class LossMeter {
 public:
  // Runs the float network on the samples. `real`: as imported; it must outlive the result. The
  // metafile's preprocessing is left out, since samples are what the network behind it reads, and
  // so is its security. InvalidArgument without samples; errors of a sample name it.
  // `labels`, if not null, have each of the samples, and outlive the result. InvalidArgument for
  // labels of another task than the network's, and for classes that it doesn't have.
  static absl::StatusOr<std::unique_ptr<LossMeter>> Create(
      const Graph& real, const Metafile& metafile, const Target& target,
      const std::vector<DatasetSample>& samples, const Labels* labels = nullptr);

  // `quantized`: made from the float network, its outputs in the same order, as QuantizeStage
  // returns it. `model`: CompileStage's result of it for the meter's target with `metafile`; one
  // that is secure or reads pictures of its own is compiled without that. `answers`, if not null,
  // gets those of the quantized network to the labels; the loss has no accuracy.
  absl::StatusOr<ModelLoss> Measure(const Graph& quantized, const Metafile& metafile,
                                    const CompiledModel& model,
                                    LabelledAnswers* answers = nullptr) const;

  // The same of a network that is compiled here.
  absl::StatusOr<ModelLoss> Measure(const Graph& quantized, const Metafile& metafile) const;

  // The float network's answers to the labels; none without labels.
  const LabelledAnswers& real_answers() const { return real_answers_; }

 private:
  using Items = std::vector<synaptics::synap::Detector::Result::Item>;
  struct Answer {
    std::vector<std::vector<float>> outputs;
    Items objects;             // of a detector, the best ones first
    std::vector<int> classes;  // of a classifier, the best ones; the best one first
  };
  struct Sample {
    std::string name;
    std::vector<Constant> inputs;  // of the imported network
    Answer real;
    int class_index = 0;                  // that the label says
    std::vector<LabelledObject> objects;  // the same, in the unit of an answer's
  };

  // An artifact that runs.
  struct Artifact {
    Bundle bundle;
    synaptics::synap::Network network;
  };

  LossMeter(const Graph& real, Metafile metafile, const Target& target, const Labels* labels)
      : real_(real), metafile_(std::move(metafile)), target_(target), labels_(labels) {}
  absl::StatusOr<CompiledModel> Compile(const Graph& graph, const Metafile& metafile) const;
  static absl::StatusOr<std::unique_ptr<Artifact>> Load(const std::string& synap);
  absl::StatusOr<Answer> Run(const Sample& sample, Artifact& artifact) const;
  absl::StatusOr<Sample> ReadSample(const SampleReader& reader, const DatasetSample& file,
                                    const synaptics::synap::Network& network) const;
  void AddAnswer(const Sample& sample, const Answer& answer, LabelledAnswers& answers) const;
  absl::StatusOr<ModelLoss> MeasureArtifact(const std::string& synap,
                                            LabelledAnswers* answers) const;
  // Whether all its values in the float network are numbers, and one isn't 0.
  bool HasSignal(size_t output) const;

  const Graph& real_;
  const Metafile metafile_;
  const Target& target_;
  const Labels* const labels_;
  std::vector<Sample> samples_;
  LabelledAnswers real_answers_;
  double real_seconds_ = 0;
  std::vector<bool> compared_;  // by output: float32 with a signal in the float network
  ModelLoss::Task task_ = ModelLoss::Task::kOther;
};

}  // namespace synap_internal

#endif  // COMPILER_CONVERT_STAGES_MEASURE_LOSS_H_
