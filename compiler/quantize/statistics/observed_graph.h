// Runs a graph on samples and shows every tensor to an observer.
#ifndef COMPILER_QUANTIZE_STATISTICS_OBSERVED_GRAPH_H_
#define COMPILER_QUANTIZE_STATISTICS_OBSERVED_GRAPH_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/aligned_memory.h"
#include "compiler/graph/graph.h"
#include "compiler/graph/lower.h"
#include "runtime/executor/executor.h"
#include "runtime/program/program.h"

namespace synap_internal {

// Not thread-safe.
class ObservedGraph {
 public:
  // A tensor's dense data, only there during the call.
  using Observer = absl::FunctionRef<void(const ProgramTensor& tensor, const void* data)>;

  // `threads` as ExecutorOptions::threads. ResourceExhausted naming the tensor if an output doesn't
  // fit into memory.
  static absl::StatusOr<std::unique_ptr<ObservedGraph>> Create(const Graph& graph, int threads);

  const Program& program() const { return executor_->program(); }
  // In the graph's order.
  const ProgramTensor& input(size_t i) const;
  size_t inputs() const { return program().inputs.size(); }

  // A buffer for each input, for the data of Run. ResourceExhausted naming the input.
  absl::StatusOr<std::vector<AlignedMemory>> AllocateInputs() const;

  // `data`: one buffer for each input, 64-byte aligned, dense. The observer sees every tensor that
  // an op makes, in the order of the ops.
  void Run(absl::Span<const void* const> data, Observer observer);

 private:
  ObservedGraph() = default;

  std::unique_ptr<LoweredProgram> lowered_;
  std::unique_ptr<Executor> executor_;
  std::vector<AlignedMemory> outputs_;
};

// Checks that samples of the float graph can be run in a graph made from it: InvalidArgument naming
// the input that has another type there.
absl::Status CheckSameInputs(const Graph& real, const ObservedGraph& run);

}  // namespace synap_internal

#endif  // COMPILER_QUANTIZE_STATISTICS_OBSERVED_GRAPH_H_
