#include "compiler/quantize/statistics/observed_graph.h"

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace synap_internal {
namespace {

absl::StatusOr<std::vector<AlignedMemory>> Allocate(const Program& program,
                                                    const std::vector<int32_t>& tensors) {
  std::vector<AlignedMemory> memory;
  for (const int32_t index : tensors) {
    const ProgramTensor& tensor = program.tensors[static_cast<size_t>(index)];
    const auto bytes = static_cast<uint64_t>(tensor.type.bytes());
    memory.emplace_back(bytes);
    if (memory.back().data() != nullptr) continue;
    return absl::ResourceExhaustedError(
        absl::StrCat("can't allocate ", bytes, " bytes for tensor '", tensor.name, "'"));
  }
  return memory;
}

}  // namespace

absl::StatusOr<std::unique_ptr<ObservedGraph>> ObservedGraph::Create(const Graph& graph,
                                                                     int threads) {
  std::unique_ptr<ObservedGraph> observed(new ObservedGraph);
  ASSIGN_OR_RETURN(observed->lowered_, LowerGraph(graph));
  const Program& program = observed->lowered_->program;
  ASSIGN_OR_RETURN(observed->executor_, Executor::Create(program, {.threads = threads}));
  ASSIGN_OR_RETURN(observed->outputs_, Allocate(program, program.outputs));
  return observed;
}

const ProgramTensor& ObservedGraph::input(size_t i) const {
  return program().tensors[static_cast<size_t>(program().inputs[i])];
}

absl::StatusOr<std::vector<AlignedMemory>> ObservedGraph::AllocateInputs() const {
  return Allocate(program(), program().inputs);
}

void ObservedGraph::Run(absl::Span<const void* const> data, Observer observer) {
  std::vector<void*> outputs;
  for (const AlignedMemory& memory : outputs_) outputs.push_back(memory.data());
  executor_->set_observer([&](size_t step, absl::Span<const void* const> results) {
    const Instruction& instruction = program().instructions[step];
    for (size_t o = 0; o < results.size(); ++o) {
      observer(program().tensors[static_cast<size_t>(instruction.outputs[o])], results[o]);
    }
  });
  executor_->Run(data, outputs);
  executor_->set_observer(nullptr);
}

absl::Status CheckSameInputs(const Graph& real, const ObservedGraph& run) {
  for (size_t i = 0; i < run.inputs(); ++i) {
    const DataType wanted = run.input(i).type.dtype, given = real.inputs[i]->type.dtype;
    if (wanted == given) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "input '", real.inputs[i]->name, "' is ", Name(given), " in the float network and ",
        Name(wanted),
        " in the quantized one, expected one type; quantize this float network again"));
  }
  return absl::OkStatus();
}

}  // namespace synap_internal
