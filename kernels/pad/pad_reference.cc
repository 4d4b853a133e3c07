#include "kernels/pad/pad.h"

#include <cstring>

namespace synap_internal {

int64_t PadPlan::Source(size_t d, int64_t index) const {
  const int64_t inside = index - begins[d];
  if (inside >= 0 && inside < input[d]) return inside;
  if (mode == PadMode::kConstant) return -1;
  if (mode == PadMode::kEdge) return inside < 0 ? 0 : input[d] - 1;
  return inside < 0 ? -inside : 2 * (input[d] - 1) - inside;
}

void RunPadReference(const PadPlan& plan, const KernelArgs& args) {
  const int64_t elements = plan.output.elements();
  for (int64_t i = 0; i < elements; ++i) {
    int64_t position = i;
    int64_t source = 0;
    bool constant = false;
    for (size_t d = plan.output.rank(); d-- > 0;) {
      const int64_t index = plan.Source(d, position % plan.output[d]);
      position /= plan.output[d];
      constant = constant || index < 0;
      source += index * plan.input_strides[d];
    }
    const uint8_t* from =
        constant ? plan.value.data() : args.input<uint8_t>(0) + source * plan.element_size;
    std::memcpy(args.output<uint8_t>(0) + i * plan.element_size, from,
                static_cast<size_t>(plan.element_size));
  }
}

}  // namespace synap_internal
