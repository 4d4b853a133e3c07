#include "runtime/verify/bundle_run.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/available_memory.h"
#include "base/status_macros.h"
#include "base/thread_pool.h"
#include "runtime/bundle/narrow_inputs.h"
#include "runtime/bundle/programs.h"

namespace synap_internal {
namespace {

absl::StatusOr<AlignedMemory> MemoryFor(const TensorMetadata& tensor) {
  AlignedMemory memory(SizeOfData(tensor));
  if (memory.data() != nullptr) return memory;
  return absl::ResourceExhaustedError(
      absl::StrCat("can't allocate ", SizeOfData(tensor), " bytes for '", tensor.name, "'"));
}

}  // namespace

absl::StatusOr<std::unique_ptr<BundleRun>> BundleRun::Create(const Bundle& bundle,
                                                             const ExecutorOptions& options) {
  std::unique_ptr<BundleRun> run(new BundleRun(bundle));
  RETURN_IF_ERROR(run->Prepare(options));
  RETURN_IF_ERROR(run->Allocate());
  return run;
}

absl::Status BundleRun::Prepare(const ExecutorOptions& options) {
  ASSIGN_OR_RETURN(std::vector<Program> programs, ReadPrograms(bundle_));
  inputs_ = InputMetadata(bundle_);
  for (const BundleEdge& edge : bundle_.outputs) {
    outputs_.push_back(&OutputMetadata(bundle_, edge));
  }
  RETURN_IF_ERROR(CheckMemory(programs));
  narrow_inputs_ = NarrowInputs(bundle_, programs);
  ExecutorOptions shared = options;
  if (shared.pool == nullptr) shared.pool = std::make_shared<ThreadPool>(options.threads);
  for (size_t s = 0; s < programs.size(); ++s) {
    absl::StatusOr<std::unique_ptr<Executor>> executor =
        Executor::Create(std::move(programs[s]), shared);
    if (!executor.ok()) return Annotate(executor.status(), bundle_.subgraphs[s].model_name);
    executors_.push_back(*std::move(executor));
  }
  for (const int s : bundle_.execution_order) {
    const Program& program = executors_[static_cast<size_t>(s)]->program();
    for (const Instruction& instruction : program.instructions) {
      layers_.push_back({&program, &instruction});
    }
  }
  return absl::OkStatus();
}

// A few kilobytes can declare thousands of tensors of gigabytes.
absl::Status BundleRun::CheckMemory(absl::Span<const Program> programs) const {
  uint64_t bytes = 0;
  for (const Program& program : programs) bytes += program.arena_bytes;
  for (const TensorMetadata* input : inputs_) bytes += SizeOfData(*input);
  for (const BundleSubgraph& subgraph : bundle_.subgraphs) {
    for (const TensorMetadata& output : subgraph.metadata.outputs) bytes += SizeOfData(output);
  }
  if (bytes > kMaxNetworkBytes) {
    return absl::ResourceExhaustedError(absl::StrCat("its inputs, outputs and arenas need ",
                                                     MemorySizeText(bytes), ", expected at most ",
                                                     MemorySizeText(kMaxNetworkBytes)));
  }
  if (IsAvailable(bytes)) return absl::OkStatus();
  return absl::ResourceExhaustedError(
      absl::StrCat("its inputs, outputs and arenas need ", MemorySizeText(bytes), ", but only ",
                   MemorySizeText(static_cast<uint64_t>(AvailableMemory())), " are available"));
}

absl::Status BundleRun::Allocate() {
  for (const TensorMetadata* input : inputs_) {
    ASSIGN_OR_RETURN(AlignedMemory memory, MemoryFor(*input));
    input_data_.push_back(std::move(memory));
  }
  for (const BundleSubgraph& subgraph : bundle_.subgraphs) {
    std::vector<AlignedMemory>& values = values_.emplace_back();
    for (const TensorMetadata& output : subgraph.metadata.outputs) {
      ASSIGN_OR_RETURN(AlignedMemory memory, MemoryFor(output));
      values.push_back(std::move(memory));
    }
  }
  return absl::OkStatus();
}

std::vector<const Executor*> BundleRun::executors() const {
  std::vector<const Executor*> executors;
  for (const int s : bundle_.execution_order) {
    executors.push_back(executors_[static_cast<size_t>(s)].get());
  }
  return executors;
}

const uint8_t* BundleRun::Source(const BundleEdge& edge) const {
  const auto index = static_cast<size_t>(edge.index);
  if (edge.subgraph == -1) return input_data_[index].data();
  return values_[static_cast<size_t>(edge.subgraph)][index].data();
}

absl::Status BundleRun::Run(absl::Span<const absl::Span<const uint8_t>> inputs, Observer observer) {
  if (inputs.size() != inputs_.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("found ", inputs.size(), " inputs, expected ", inputs_.size()));
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].size() != SizeOfData(*inputs_[i])) {
      return absl::InvalidArgumentError(
          absl::StrCat("input '", inputs_[i]->name, "' has ", inputs[i].size(), " bytes, expected ",
                       SizeOfData(*inputs_[i]), " (", Name(inputs_[i]->dtype), " ",
                       inputs_[i]->shape.ToString(), ")"));
    }
    std::copy(inputs[i].begin(), inputs[i].end(), input_data_[i].data());
    if (!narrow_inputs_[i]) continue;
    const auto* values = reinterpret_cast<const int64_t*>(input_data_[i].data());
    RETURN_IF_ERROR(CheckNarrow(inputs_[i]->name, {values, inputs[i].size() / sizeof(int64_t)}));
  }
  size_t first_layer = 0;
  for (const int s : bundle_.execution_order) {
    const auto subgraph = static_cast<size_t>(s);
    std::vector<const void*> sources;
    for (const BundleEdge& edge : bundle_.subgraphs[subgraph].inputs) {
      sources.push_back(Source(edge));
    }
    std::vector<void*> destinations;
    for (const AlignedMemory& value : values_[subgraph]) destinations.push_back(value.data());
    Executor& executor = *executors_[subgraph];
    executor.set_observer([&](size_t instruction, absl::Span<const void* const> outputs) {
      observer(first_layer + instruction, outputs);
    });
    executor.Run(sources, destinations);
    executor.set_observer(nullptr);
    first_layer += executor.program().instructions.size();
  }
  return absl::OkStatus();
}

absl::Status BundleRun::Run(absl::Span<const absl::Span<const uint8_t>> inputs) {
  return Run(inputs, [](size_t, absl::Span<const void* const>) {});
}

absl::Span<const uint8_t> BundleRun::output(size_t i) const {
  return {Source(bundle_.outputs[i]), SizeOfData(*outputs_[i])};
}

}  // namespace synap_internal
