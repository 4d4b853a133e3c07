// Executor: runs a program on the kernels.
#ifndef RUNTIME_EXECUTOR_EXECUTOR_H_
#define RUNTIME_EXECUTOR_EXECUTOR_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/aligned_memory.h"
#include "base/thread_pool.h"
#include "kernels/op_def.h"
#include "runtime/program/program.h"

namespace synap_internal {

struct ExecutorOptions {
  int threads = 1;  // 0: one for each processor
  KernelPath path = KernelPath::kFast;
  bool profile = false;  // measure each instruction
  // Threads that are shared with other executors, which may run at the same time; `threads` is
  // ignored then. Null: the executor creates its own threads.
  std::shared_ptr<ThreadPool> pool;
};

// Called after each instruction of a run, in order, with the data of its outputs.
using ExecutionObserver =
    std::function<void(size_t instruction, absl::Span<const void* const> outputs)>;

// Checks that each instruction has a kernel, without running the program. The error names the
// instruction and is that of Executor::Create. REQUIRES: `program` has passed CheckProgram.
// Allocates no arena, and only one kernel's converted constants at a time.
absl::Status CheckKernels(const Program& program);

// A program that is ready to run: its kernels are prepared, its arena and scratch
// memory allocated. The bits of the outputs depend only on the program and the
// inputs, not on the options.
// Not thread-safe; different executors may run at the same time.
class Executor {
 public:
  // REQUIRES: `program` has passed CheckProgram; the memory of its `constants`
  // outlives the executor. Errors name the instruction; ResourceExhausted if the
  // arena can't be allocated.
  static absl::StatusOr<std::unique_ptr<Executor>> Create(Program program,
                                                          const ExecutorOptions& options);
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  const Program& program() const { return program_; }

  // `inputs` and `outputs`: one buffer for each of program().inputs/outputs, in
  // that order, of at least its size and at least 64-byte aligned; they don't
  // overlap. An input that no instruction reads may be null. Can't fail, allocates nothing. Quicker
  // if the buffers are those of the last run.
  void Run(absl::Span<const void* const> inputs, absl::Span<void* const> outputs);

  // Sets the observer of later runs, for calibration and debugging; null removes it.
  void set_observer(ExecutionObserver observer);

  // Times of the last run, one for each instruction; empty without options.profile.
  const std::vector<std::chrono::nanoseconds>& profile() const { return profile_; }

 private:
  struct Step {
    Kernel kernel;
    std::vector<const void*> inputs;
    std::vector<void*> outputs;
  };

  Executor(Program program, const ExecutorOptions& options);
  absl::Status Prepare(KernelPath path);
  // Null for tensors in the caller's buffers.
  void* FixedAddress(const ProgramTensor& tensor) const;
  // Whether the last run had these buffers.
  bool IsBound(absl::Span<const void* const> inputs, absl::Span<void* const> outputs) const;
  void Bind(absl::Span<const void* const> inputs, absl::Span<void* const> outputs);
  void BindSteps();
  void RunInstruction(size_t instruction);

  const Program program_;
  const std::shared_ptr<ThreadPool> pool_;
  const bool profiling_;
  AlignedMemory arena_;
  AlignedMemory scratch_;
  AlignedMemory shared_;
  size_t scratch_stride_ = 0;
  std::vector<void*> addresses_;  // by tensor
  std::vector<Step> steps_;       // by instruction
  ExecutionObserver observer_;
  std::vector<std::chrono::nanoseconds> profile_;
};

}  // namespace synap_internal

#endif  // RUNTIME_EXECUTOR_EXECUTOR_H_
