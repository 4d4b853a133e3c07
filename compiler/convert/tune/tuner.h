// Tries ways to quantize a network, and measures each on samples that its calibration hasn't seen.
#ifndef COMPILER_CONVERT_TUNE_TUNER_H_
#define COMPILER_CONVERT_TUNE_TUNER_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "compiler/convert/stages/accuracy.h"
#include "compiler/convert/stages/measure_loss.h"
#include "compiler/convert/tune/candidates.h"
#include "compiler/dataset/dataset.h"
#include "compiler/graph/graph.h"
#include "compiler/import/model_files.h"
#include "compiler/metafile/metafile.h"
#include "compiler/quantize/statistics/statistics.h"
#include "compiler/target/estimate.h"
#include "compiler/target/target.h"

namespace synap_internal {

struct TunerOptions {
  ModelFiles files;
  std::vector<const Target*> targets;  // at least one; the first decides about `data_type: auto`
  // As CalibrateOptions::samples; none: the metafile's dataset.
  std::vector<std::string> samples;
  int threads = 0;     // 0: one for each processor
  std::string labels;  // of the samples, as ReadSampleLabels takes it; "": none
};

// What an artifact costs on a target.
struct TunedCost {
  LatencyEstimate latency;
  size_t bytes = 0;  // of model.synap
};

// A candidate that was tried.
struct TunedPoint {
  Candidate candidate;
  ModelLoss loss;                // of samples that calibration didn't see
  std::vector<TunedCost> costs;  // by target
  absl::Status error;            // why it can't be had; the other members are empty then
};

// Import, calibration and float results are shared by all candidates. 16 samples or more are halved
// by turns: one half calibrates, the other one measures; of fewer, each half does both, one after
// the other. With labels, all samples of the other half measure that take 1 GiB together. Memory:
// that of the measured samples (LossMeter), and of a quantization on each thread. Sets the number
// of threads of the process (synap/threads.hpp) to 1: a candidate runs on one. Not thread-safe.
class Tuner {
 public:
  // Imports, calibrates and runs the float network. Errors as those of these stages, of
  // ReadSampleLabels and of LossMeter; InvalidArgument for fewer than two samples.
  static absl::StatusOr<std::unique_ptr<Tuner>> Create(TunerOptions options, Metafile metafile);

  // How many samples measure, and calibrate at a time; whether halves do both in turns.
  size_t measured() const;
  size_t calibrating() const;
  bool takes_turns() const { return folds_.size() > 1; }

  // Tries `candidates`, the first ones first, several at the same time; begins none but the
  // first after stop() is true, which any thread calls. Returns the points in the candidates'
  // order, without those that weren't begun. `tried(points so far)` is called on any thread, one at
  // a time. A point doesn't depend on the threads, nor on the other ones.
  std::vector<TunedPoint> Run(const std::vector<Candidate>& candidates,
                              const std::function<bool()>& stop,
                              const std::function<void(size_t)>& tried);

 private:
  // Samples that calibrate, and others that measure.
  struct Fold {
    std::vector<DatasetSample> calibrating, measured;
    std::unique_ptr<LossMeter> meter;
  };
  // An imported network, and its statistics in each fold.
  struct Network {
    Graph graph;
    std::vector<Statistics> statistics;
  };

  Tuner(TunerOptions options, Metafile metafile)
      : options_(std::move(options)), metafile_(std::move(metafile)) {}
  absl::Status Prepare();
  // InvalidArgument if the float network has none of the labels: nothing could be lost.
  absl::Status CheckAccuracy() const;
  absl::StatusOr<Dataset> ReadSamples();
  absl::Status MakeFolds(const std::vector<DatasetSample>& samples);
  absl::StatusOr<Graph> ImportedGraph(bool equalized) const;
  absl::Status Calibrate(Network& network) const;
  absl::StatusOr<const Network*> NetworkOf(const Candidate& candidate);
  TunedPoint Try(const Candidate& candidate);
  absl::Status Evaluate(TunedPoint& point);

  const TunerOptions options_;
  const Metafile metafile_;
  std::optional<Labels> labels_;
  AccuracyFigures real_accuracy_;  // with labels
  std::vector<Fold> folds_;
  Network plain_, equalized_;  // the second one is empty until a candidate needs it
  std::mutex equalizing_;      // guards it until then
};

}  // namespace synap_internal

#endif  // COMPILER_CONVERT_TUNE_TUNER_H_
