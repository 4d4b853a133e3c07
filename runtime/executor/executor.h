// Runs programs.
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
#include "runtime/executor/waves.h"
#include "runtime/program/program.h"

namespace synap {

struct ExecutorOptions {
  int threads = 1;  // 0: one for each processor
  KernelPath path = KernelPath::kFast;
  bool profile = false;  // measure each instruction
  // With several threads, small instructions that don't depend on each other run side by side
  // where that looks faster, and the arena is larger. Not while a profile is taken.
  bool parallel_branches = false;
  // The threads, shared with other executors, which don't run at the same time; then `threads`
  // doesn't count. Null: threads of its own.
  std::shared_ptr<ThreadPool> pool;
};

// Called after each instruction of a run with its outputs' data, in order.
using ExecutionObserver =
    std::function<void(size_t instruction, absl::Span<const void* const> outputs)>;

// Whether there is a kernel for each instruction, for those that make programs and don't run them:
// the error, which names the instruction, is that of Executor::Create. `program` has passed
// CheckProgram. Allocates no arena, and what one kernel makes of its constants at a time.
absl::Status CheckKernels(const Program& program);

// One program, ready to run: kernels prepared, arena and scratch allocated. The
// outputs' bits depend on the program and the inputs only, not on the options.
// Not thread-safe; different executors may run at the same time.
class Executor {
 public:
  // `program` has passed CheckProgram; what its `constants` refer to must
  // outlive the executor. The error names the instruction; ResourceExhausted
  // if there isn't memory enough for the arena.
  static absl::StatusOr<std::unique_ptr<Executor>> Create(Program program,
                                                          const ExecutorOptions& options);
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  const Program& program() const { return program_; }

  // `inputs` and `outputs`: one buffer for each of program().inputs/outputs, in
  // that order, of at least its size and at least 64-byte aligned; they don't
  // overlap. Can't fail, allocates nothing.
  void Run(absl::Span<const void* const> inputs, absl::Span<void* const> outputs);

  // For calibration and debugging; null ends it. REQUIRES: options.parallel_branches is false.
  void set_observer(ExecutionObserver observer);

  // Of the last run, one for each instruction; empty without options.profile.
  const std::vector<std::chrono::nanoseconds>& profile() const { return profile_; }

 private:
  struct Step {
    Kernel kernel;
    std::vector<const void*> inputs;
    std::vector<void*> outputs;
  };

  Executor(Program program, const ExecutorOptions& options);
  absl::Status Prepare(KernelPath path);
  // What runs when: sets waves_ and memory_.
  void Plan();
  // Null for tensors in the caller's buffers.
  void* FixedAddress(size_t tensor) const;
  void Bind(absl::Span<const void* const> inputs, absl::Span<void* const> outputs);
  void RunInstruction(size_t instruction);
  // Each on one thread.
  void RunSideBySide(const Wave& wave);

  const Program program_;
  const std::shared_ptr<ThreadPool> pool_;
  ThreadPool one_thread_{1};
  const bool profiling_;
  const bool parallel_branches_;
  std::vector<Wave> waves_;
  WaveMemory memory_;
  AlignedMemory arena_;
  AlignedMemory scratch_;
  AlignedMemory shared_;
  size_t scratch_stride_ = 0;
  std::vector<void*> addresses_;  // by tensor
  std::vector<Step> steps_;       // by instruction
  ExecutionObserver observer_;
  std::vector<std::chrono::nanoseconds> profile_;
};

}  // namespace synap

#endif  // RUNTIME_EXECUTOR_EXECUTOR_H_
