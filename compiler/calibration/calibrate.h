// Runs the float graph over samples and records what its tensors do.
#ifndef COMPILER_CALIBRATION_CALIBRATE_H_
#define COMPILER_CALIBRATION_CALIBRATE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/aligned_memory.h"
#include "base/thread_pool.h"
#include "compiler/calibration/statistics.h"
#include "compiler/ir/graph.h"
#include "compiler/lower/lower.h"
#include "runtime/executor/executor.h"

namespace synap {

// Observes all float32 tensors of a graph, inputs included. Memory does not
// grow with the number of samples, their ranges aside (8 bytes for each tensor). Not thread-safe.
class Calibrator {
 public:
  // `threads` as ExecutorOptions::threads; it doesn't change the statistics.
  static absl::StatusOr<std::unique_ptr<Calibrator>> Create(const Graph& graph, int threads);

  // `inputs`: one vector for each graph input, dense, in the input's shape.
  // InvalidArgument naming sample and tensor if a value is not finite.
  absl::Status AddSample(const std::string& name, const std::vector<std::vector<float>>& inputs);

  const Statistics& statistics() const { return statistics_; }

  // About what another calibrator of this network would take: not the kernels' scratch, nor
  // histograms.
  uint64_t bytes() const;

  // A tensor of the statistics that needs no look, as its values are all those of others.
  struct Derived {
    int tensor;
    std::vector<int> sources;
  };

 private:
  explicit Calibrator(int threads) : pool_(threads) {}
  // REQUIRES: there is a value. The histogram is empty if one is not finite.
  Observation Observe(absl::Span<const float> values);

  std::unique_ptr<LoweredProgram> lowered_;
  std::unique_ptr<Executor> executor_;
  ThreadPool pool_;
  Statistics statistics_;
  // Index into the statistics' tensors, by program tensor; -1: not looked at.
  std::vector<int> observed_;
  std::vector<Derived> derived_;
  std::vector<AlignedMemory> inputs_, outputs_;  // of the program
};

}  // namespace synap

#endif  // COMPILER_CALIBRATION_CALIBRATE_H_
