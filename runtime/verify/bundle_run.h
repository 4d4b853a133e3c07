// Runs a bundle and shows the results of every layer to an observer.
#ifndef RUNTIME_VERIFY_BUNDLE_RUN_H_
#define RUNTIME_VERIFY_BUNDLE_RUN_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/aligned_memory.h"
#include "runtime/bundle/bundle.h"
#include "runtime/executor/executor.h"
#include "runtime/program/program.h"

namespace synap_internal {

// A bundle that is ready to run, with memory for its inputs and outputs. Layers, that is, the
// instructions of all subgraphs in the order in which they run, are numbered from 0.
// Not thread-safe.
class BundleRun {
 public:
  // The data of a layer's outputs, only there during the call.
  using Observer = absl::FunctionRef<void(size_t layer, absl::Span<const void* const> outputs)>;
  struct Layer {
    const Program* program;
    const Instruction* instruction;

    // Of output `i`.
    const ProgramTensor& output(size_t i) const {
      return program->tensors[static_cast<size_t>(instruction->outputs[i])];
    }
  };

  // `bundle` must outlive the result. All subgraphs share the threads. Errors are those of
  // ReadPrograms and Executor::Create; ResourceExhausted if the memory isn't available.
  static absl::StatusOr<std::unique_ptr<BundleRun>> Create(const Bundle& bundle,
                                                           const ExecutorOptions& options);

  // In the order in which they run.
  const std::vector<Layer>& layers() const { return layers_; }
  // In the order of the bundle, described by the model.json of the subgraph that reads or makes it.
  const std::vector<const TensorMetadata*>& inputs() const { return inputs_; }
  const std::vector<const TensorMetadata*>& outputs() const { return outputs_; }

  // `inputs`: the dense values of each input, in its type. InvalidArgument naming the input if one
  // has another size, or 64-bit integers that the NPU doesn't hold.
  absl::Status Run(absl::Span<const absl::Span<const uint8_t>> inputs, Observer observer);
  absl::Status Run(absl::Span<const absl::Span<const uint8_t>> inputs);

  // Those of the subgraphs, in the order in which they run.
  std::vector<const Executor*> executors() const;

  // Dense values of output `i` after the last run.
  absl::Span<const uint8_t> output(size_t i) const;

 private:
  explicit BundleRun(const Bundle& bundle) : bundle_(bundle) {}
  absl::Status Prepare(const ExecutorOptions& options);
  absl::Status CheckMemory(absl::Span<const Program> programs) const;
  absl::Status Allocate();
  const uint8_t* Source(const BundleEdge& edge) const;

  const Bundle& bundle_;
  std::vector<std::unique_ptr<Executor>> executors_;  // by subgraph
  std::vector<Layer> layers_;
  std::vector<const TensorMetadata*> inputs_, outputs_;
  std::vector<bool> narrow_inputs_;  // NarrowInputs
  std::vector<AlignedMemory> input_data_;
  std::vector<std::vector<AlignedMemory>> values_;  // [subgraph][output]
};

}  // namespace synap_internal

#endif  // RUNTIME_VERIFY_BUNDLE_RUN_H_
