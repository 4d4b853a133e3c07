#include "runtime/executor/executor.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/available_memory.h"
#include "base/check.h"
#include "base/status_macros.h"
#include "kernels/emulated_types.h"

namespace synap_internal {
namespace {

static_assert(AlignedMemory::kAlignment == kProgramAlignment);

// Memory that the machine doesn't have isn't asked for: the kernel grants more than it has, and
// sanitizers end the process.
absl::StatusOr<AlignedMemory> Allocate(size_t bytes, absl::string_view what) {
  AlignedMemory memory;
  if (IsAvailable(bytes)) memory = AlignedMemory(bytes);
  if (memory.data() == nullptr) {
    return absl::ResourceExhaustedError(
        absl::StrCat("can't allocate ", MemorySizeText(bytes), " for ", what));
  }
  return memory;
}

const void* ConstantData(const Program& program, const ProgramTensor& tensor) {
  return program.constants.data() + tensor.offset;
}

// The error names the instruction.
absl::StatusOr<Kernel> PrepareInstruction(const Program& program, size_t index, KernelPath path) {
  const Instruction& instruction = program.instructions[index];
  std::vector<TensorType> inputs, outputs;
  std::vector<const void*> constants;
  for (const int32_t input : instruction.inputs) {
    const ProgramTensor* tensor =
        input < 0 ? nullptr : &program.tensors[static_cast<size_t>(input)];
    inputs.push_back(tensor == nullptr ? TensorType{} : tensor->type);
    const bool constant = tensor != nullptr && tensor->place == Place::kConstant;
    constants.push_back(constant ? ConstantData(program, *tensor) : nullptr);
  }
  for (const int32_t output : instruction.outputs) {
    outputs.push_back(program.tensors[static_cast<size_t>(output)].type);
  }
  return Annotate(
      PrepareOp(*instruction.op, {inputs, outputs, constants, instruction.attributes, path}),
      absl::StrCat("instruction ", index, ", ", instruction.Label()));
}

}  // namespace

absl::Status CheckKernels(const Program& program) {
  for (size_t i = 0; i < program.instructions.size(); ++i) {
    RETURN_IF_ERROR(PrepareInstruction(program, i, KernelPath::kReference).status());
  }
  return absl::OkStatus();
}

Executor::Executor(Program program, const ExecutorOptions& options)
    : program_(std::move(program)),
      pool_(options.pool != nullptr ? options.pool : std::make_shared<ThreadPool>(options.threads)),
      profiling_(options.profile) {}

absl::StatusOr<std::unique_ptr<Executor>> Executor::Create(Program program,
                                                           const ExecutorOptions& options) {
  std::unique_ptr<Executor> executor(new Executor(std::move(program), options));
  RETURN_IF_ERROR(executor->Prepare(options.path));
  return executor;
}

absl::Status Executor::Prepare(KernelPath path) {
  size_t shared_bytes = 0;
  for (size_t i = 0; i < program_.instructions.size(); ++i) {
    const Instruction& instruction = program_.instructions[i];
    ASSIGN_OR_RETURN(Kernel kernel, PrepareInstruction(program_, i, path));
    scratch_stride_ = std::max(scratch_stride_, AlignedMemory::RoundUp(kernel.scratch_bytes));
    shared_bytes = std::max(shared_bytes, kernel.shared_bytes);
    steps_.push_back({std::move(kernel), std::vector<const void*>(instruction.inputs.size()),
                      std::vector<void*>(instruction.outputs.size())});
  }
  ASSIGN_OR_RETURN(arena_, Allocate(program_.arena_bytes, "the program's arena"));
  for (const ProgramTensor& tensor : program_.tensors) addresses_.push_back(FixedAddress(tensor));
  const size_t scratch_bytes = scratch_stride_ * static_cast<size_t>(pool_->threads());
  ASSIGN_OR_RETURN(scratch_, Allocate(scratch_bytes, "the kernels' scratch memory"));
  ASSIGN_OR_RETURN(shared_, Allocate(shared_bytes, "converted tensors"));
  if (profiling_) profile_.resize(steps_.size());
  BindSteps();
  return absl::OkStatus();
}

void* Executor::FixedAddress(const ProgramTensor& tensor) const {
  switch (tensor.place) {
    case Place::kArena:
      return arena_.data() + tensor.offset;
    case Place::kConstant:
      // Never written: kernels get operands as const.
      return const_cast<void*>(ConstantData(program_, tensor));
    case Place::kInput:
    case Place::kOutput:
      return nullptr;
  }
  return nullptr;
}

bool Executor::IsBound(absl::Span<const void* const> inputs,
                       absl::Span<void* const> outputs) const {
  CHECK(inputs.size() == program_.inputs.size() && outputs.size() == program_.outputs.size());
  const auto is_at = [&](int32_t tensor, const void* data) {
    return addresses_[static_cast<size_t>(tensor)] == data;
  };
  return std::equal(program_.inputs.begin(), program_.inputs.end(), inputs.begin(), is_at) &&
         std::equal(program_.outputs.begin(), program_.outputs.end(), outputs.begin(), is_at);
}

void Executor::Bind(absl::Span<const void* const> inputs, absl::Span<void* const> outputs) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    addresses_[static_cast<size_t>(program_.inputs[i])] = const_cast<void*>(inputs[i]);
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    addresses_[static_cast<size_t>(program_.outputs[i])] = outputs[i];
  }
  BindSteps();
}

void Executor::BindSteps() {
  const auto address = [&](int32_t tensor) {
    return tensor < 0 ? nullptr : addresses_[static_cast<size_t>(tensor)];
  };
  for (size_t s = 0; s < steps_.size(); ++s) {
    const Instruction& instruction = program_.instructions[s];
    std::transform(instruction.inputs.begin(), instruction.inputs.end(), steps_[s].inputs.begin(),
                   address);
    std::transform(instruction.outputs.begin(), instruction.outputs.end(),
                   steps_[s].outputs.begin(), address);
  }
}

void Executor::Run(absl::Span<const void* const> inputs, absl::Span<void* const> outputs) {
  if (!IsBound(inputs, outputs)) Bind(inputs, outputs);
  for (size_t i = 0; i < steps_.size(); ++i) RunInstruction(i);
}

void Executor::RunInstruction(size_t instruction) {
  using Clock = std::chrono::steady_clock;
  const Step& step = steps_[instruction];
  const Clock::time_point start = profiling_ ? Clock::now() : Clock::time_point();
  step.kernel.run(
      {step.inputs, step.outputs, pool_.get(), scratch_.data(), scratch_stride_, shared_.data()});
  if (profiling_) profile_[instruction] = Clock::now() - start;
  if (observer_) {
    observer_(instruction, absl::MakeConstSpan(step.outputs.data(), step.outputs.size()));
  }
}

void Executor::set_observer(ExecutionObserver observer) { observer_ = std::move(observer); }

}  // namespace synap_internal
