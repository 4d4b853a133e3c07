#include "kernels/resize/resize.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "base/rounding.h"

namespace synap_internal {

void RunResizeNearestReference(const ResizePlan& plan, const KernelArgs& args) {
  const int64_t pixel = plan.channels * plan.element_size;
  const uint8_t* x = args.input<uint8_t>(0);
  uint8_t* output = args.output<uint8_t>(0);
  for (int64_t n = 0; n < plan.batch; ++n) {
    for (const int64_t iy : plan.y.first) {
      for (const int64_t ix : plan.x.first) {
        std::memcpy(output, x + ((n * plan.in_height + iy) * plan.in_width + ix) * pixel,
                    static_cast<size_t>(pixel));
        output += pixel;
      }
    }
  }
}

template <typename T>
void RunResizeLinearReference(const ResizePlan& plan, const KernelArgs& args) {
  T* output = args.output<T>(0);
  for (int64_t n = 0; n < plan.batch; ++n) {
    const auto pixel = [&](int64_t iy, int64_t ix) {
      return args.input<T>(0) + ((n * plan.in_height + iy) * plan.in_width + ix) * plan.channels;
    };
    for (size_t oy = 0; oy < plan.y.first.size(); ++oy) {
      for (size_t ox = 0; ox < plan.x.first.size(); ++ox) {
        const T* p00 = pixel(plan.y.first[oy], plan.x.first[ox]);
        const T* p01 = pixel(plan.y.first[oy], plan.x.second[ox]);
        const T* p10 = pixel(plan.y.second[oy], plan.x.first[ox]);
        const T* p11 = pixel(plan.y.second[oy], plan.x.second[ox]);
        const float fy = plan.y.fraction[oy], fx = plan.x.fraction[ox];
        for (int64_t c = 0; c < plan.channels; ++c) {
          float sum = std::fma((1 - fy) * (1 - fx), static_cast<float>(p00[c]), 0.0f);
          sum = std::fma((1 - fy) * fx, static_cast<float>(p01[c]), sum);
          sum = std::fma(fy * (1 - fx), static_cast<float>(p10[c]), sum);
          sum = std::fma(fy * fx, static_cast<float>(p11[c]), sum);
          if constexpr (std::is_same_v<T, uint8_t>) {
            sum = std::clamp(RoundHalfEven(sum), 0.0f, 255.0f);
          }
          *output++ = static_cast<T>(sum);
        }
      }
    }
  }
}

template void RunResizeLinearReference<float>(const ResizePlan& plan, const KernelArgs& args);
template void RunResizeLinearReference<uint8_t>(const ResizePlan& plan, const KernelArgs& args);

}  // namespace synap_internal
