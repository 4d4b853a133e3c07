// Runs a test with each of Highway's targets.
#ifndef KERNELS_SHARED_SIMD_ON_EVERY_TARGET_H_
#define KERNELS_SHARED_SIMD_ON_EVERY_TARGET_H_

#include <cstdint>

#include "gtest/gtest.h"
#include "hwy/targets.h"

namespace synap_internal {

// Calls test() with every target that was compiled and that this processor has:
// HWY_DYNAMIC_DISPATCH inside of it calls that target's function. Not thread-safe.
template <typename Test>
void OnEveryTarget(Test test) {
  for (const int64_t target : hwy::SupportedAndGeneratedTargets()) {
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    test();
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

}  // namespace synap_internal

#endif  // KERNELS_SHARED_SIMD_ON_EVERY_TARGET_H_
