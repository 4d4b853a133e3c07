// Runs the float graph over samples and records what its tensors do.
#ifndef COMPILER_CALIBRATION_CALIBRATE_H_
#define COMPILER_CALIBRATION_CALIBRATE_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/aligned_memory.h"
#include "base/thread_pool.h"
#include "compiler/calibration/softmax_rows.h"
#include "compiler/calibration/statistics.h"
#include "compiler/ir/graph.h"
#include "compiler/lower/lower.h"
#include "runtime/executor/executor.h"

namespace synap_internal {

// Observes all float32 tensors of a graph, inputs included; of masks what the softmax behind them
// tells from -inf (softmax_rows.h). Memory does not
// grow with the number of samples, their ranges aside (8 bytes for each tensor). Not thread-safe.
class Calibrator {
 public:
  // `threads` as ExecutorOptions::threads; it doesn't change the statistics. ResourceExhausted
  // naming the tensor if an input or output doesn't fit into memory.
  static absl::StatusOr<std::unique_ptr<Calibrator>> Create(const Graph& graph, int threads);

  // Where the next sample's values go: one span of bytes for each graph input, dense, in the
  // input's shape and of its type, 64-byte aligned.
  // The same memory for all samples: where some run at the same time, what each takes for itself
  // makes the most that is taken depend on which of them meet.
  std::vector<absl::Span<uint8_t>> inputs() const;

  // Runs the sample that the inputs hold. InvalidArgument naming sample and tensor if a value is
  // not finite, unless it is the -inf of a mask.
  absl::Status AddSample(const std::string& name);

  const Statistics& statistics() const { return statistics_; }
  // The same when nothing more is added.
  Statistics TakeStatistics() { return std::move(statistics_); }

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
  std::map<size_t, SoftmaxRows> masked_;         // by index into the statistics' tensors
  std::vector<AlignedMemory> inputs_, outputs_;  // of the program
};

}  // namespace synap_internal

#endif  // COMPILER_CALIBRATION_CALIBRATE_H_
