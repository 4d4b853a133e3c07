#include "kernels/gather/gather.h"

namespace synap_internal {

void RunGatherReference(const GatherPlan& plan, const KernelArgs& args) {
  const uint8_t* x = args.input<uint8_t>(0);
  uint8_t* output = args.output<uint8_t>(0);
  for (int64_t o = 0; o < plan.outer; ++o) {
    for (int64_t i = 0; i < plan.count; ++i) {
      const int64_t position = plan.Position(args.inputs[1], i);
      for (int64_t byte = 0; byte < plan.run; ++byte) {
        *output++ = x[(o * plan.extent + position) * plan.run + byte];
      }
    }
  }
}

}  // namespace synap_internal
