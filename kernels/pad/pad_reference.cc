#include "kernels/pad/pad.h"

#include <cstring>

namespace synap {

void RunPadReference(const PadPlan& plan, const KernelArgs& args) {
  const int64_t elements = plan.OutputElements(0, plan.map.size());
  for (int64_t i = 0; i < elements; ++i) {
    int64_t position = i;
    int64_t source = 0;
    bool constant = false;
    for (size_t d = plan.map.size(); d-- > 0;) {
      const int64_t extent = static_cast<int64_t>(plan.map[d].size());
      const int64_t index = plan.map[d][static_cast<size_t>(position % extent)];
      position /= extent;
      constant = constant || index < 0;
      source += index * plan.input_strides[d];
    }
    const uint8_t* from =
        constant ? plan.value.data() : args.input<uint8_t>(0) + source * plan.element_size;
    std::memcpy(args.output<uint8_t>(0) + i * plan.element_size, from,
                static_cast<size_t>(plan.element_size));
  }
}

}  // namespace synap
