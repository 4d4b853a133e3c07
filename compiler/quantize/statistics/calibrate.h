// Collects the statistics of a float graph's tensors over samples.
#ifndef COMPILER_QUANTIZE_STATISTICS_CALIBRATE_H_
#define COMPILER_QUANTIZE_STATISTICS_CALIBRATE_H_

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/aligned_memory.h"
#include "base/thread_pool.h"
#include "compiler/graph/graph.h"
#include "compiler/quantize/statistics/observed_graph.h"
#include "compiler/quantize/statistics/softmax_rows.h"
#include "compiler/quantize/statistics/statistics.h"
#include "runtime/program/program.h"

namespace synap_internal {

// Observes all float32 tensors of a graph, inputs included; of masks, only the values that the
// softmax after them doesn't treat like -inf (softmax_rows.h). Memory does not grow with the number
// of samples, their ranges aside (8 bytes for each tensor). Not thread-safe.
class Calibrator {
 public:
  // `threads` as ExecutorOptions::threads; it doesn't change the statistics. `counted`: the names
  // of tensors that histograms are counted of, beside the ranges of all; those that aren't observed
  // are ignored. ResourceExhausted naming the tensor if an input or output doesn't fit into memory.
  static absl::StatusOr<std::unique_ptr<Calibrator>> Create(const Graph& graph, int threads,
                                                            const std::set<std::string>& counted);
  // Counts histograms of all tensors, which takes a third of the time.
  static absl::StatusOr<std::unique_ptr<Calibrator>> Create(const Graph& graph, int threads);

  // Buffers for the next sample's values: one span of bytes for each graph input, dense, in the
  // input's shape and of its type, 64-byte aligned. They are reused, so that peak memory doesn't
  // depend on which samples overlap.
  std::vector<absl::Span<uint8_t>> inputs() const;

  // Runs the sample that the inputs hold. InvalidArgument naming sample and tensor if a value is
  // not finite, unless it is the -inf of a mask.
  absl::Status AddSample(const std::string& name);

  const Statistics& statistics() const { return statistics_; }
  // The same, moved out; samples after it begin new ones.
  Statistics TakeStatistics() {
    Statistics taken = std::move(statistics_);
    statistics_ = Statistics(taken.tensors());
    return taken;
  }

  // Estimated memory of another calibrator of this network, without the kernels' scratch and
  // without histograms.
  uint64_t bytes() const;

  // A tensor of the statistics whose values are exactly those of others, so that it isn't observed.
  struct Derived {
    int tensor;
    std::vector<int> sources;
  };

 private:
  explicit Calibrator(int threads) : pool_(threads) {}
  static absl::StatusOr<std::unique_ptr<Calibrator>> CreateCounting(
      const Graph& graph, int threads, const std::set<std::string>* counted);
  // Marks the tensors to count: those of `counted`, of which null means all, and the sources of
  // derived ones among them.
  void ChooseCounted(const std::set<std::string>* counted);
  // REQUIRES: there is a value. The histogram is empty unless `counts`, and if a value is not
  // finite.
  Observation Observe(absl::Span<const float> values, bool counts);

  const Program& program() const { return run_->program(); }
  // Adds a tensor's observation to those of the current sample, if it is observed.
  void ObserveTensor(const ProgramTensor& tensor, const void* data,
                     std::vector<Observation>& observations);

  std::unique_ptr<ObservedGraph> run_;
  ThreadPool pool_;
  Statistics statistics_;
  // Index into the statistics' tensors, by program tensor; -1: not observed.
  std::vector<int> observed_;
  std::vector<Derived> derived_;
  std::vector<bool> counted_;             // by index into the statistics' tensors
  std::map<size_t, SoftmaxRows> masked_;  // by index into the statistics' tensors
  std::vector<AlignedMemory> inputs_;
};

}  // namespace synap_internal

#endif  // COMPILER_QUANTIZE_STATISTICS_CALIBRATE_H_
