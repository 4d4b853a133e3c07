// Ordered accumulation: samples that run at the same time add to common sums in their turns, the
// samples' order.
#ifndef COMPILER_QUANTIZE_ANALYSIS_SAMPLE_TURNS_H_
#define COMPILER_QUANTIZE_ANALYSIS_SAMPLE_TURNS_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/functional/function_ref.h"

namespace synap_internal {

// Each sample makes the same steps. A step waits until the sample before has made the same one, so
// that sums which one step adds to get their terms in the samples' order, and the same bits, as if
// the samples ran one after the other; other steps of other samples run meanwhile. A sample waits
// forever if one before it never gets its turn.
class SampleTurns {
 public:
  explicit SampleTurns(size_t samples) : made_(samples) {}

  // The steps of a sample, made on one thread.
  class Turn {
   public:
    Turn(SampleTurns& turns, size_t sample)
        : before_(sample == 0 ? nullptr : &turns.made_[sample - 1]), made_(turns.made_[sample]) {}
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    // The next sample waits for nothing more of this one, even if it has failed; but then those
    // before are done, too: the next one knows of them only by this one.
    ~Turn() {
      WaitFor(UINT32_MAX);
      Publish(UINT32_MAX);
    }

    void Step(absl::FunctionRef<void()> add) {
      WaitFor(steps_ + 1);
      add();
      Publish(++steps_);
    }

   private:
    // Until the sample before has made so many steps.
    void WaitFor(uint32_t steps) const {
      if (before_ == nullptr) return;
      for (uint32_t made = *before_; made < steps; made = *before_) before_->wait(made);
    }
    void Publish(uint32_t steps) {
      made_ = steps;
      made_.notify_all();
    }

    const std::atomic<uint32_t>* const before_;  // null: the first sample
    std::atomic<uint32_t>& made_;
    uint32_t steps_ = 0;
  };

 private:
  std::vector<std::atomic<uint32_t>> made_;  // by sample: the number of steps
};

}  // namespace synap_internal

#endif  // COMPILER_QUANTIZE_ANALYSIS_SAMPLE_TURNS_H_
