#include "kernels/image_to_tensor/image_to_tensor.h"

#include <algorithm>
#include <cstring>

#include "base/data_type.h"
#include "base/rounding.h"

namespace synap_internal::image_to_tensor {
namespace {

struct Pixel {
  int32_t value[3] = {};  // red, green, blue; or gray
};

int32_t Component(const Plan& plan, const KernelArgs& args, int index, int64_t x, int64_t y) {
  const auto& c = plan.component[index];
  return args.input<uint8_t>(
      c.plane)[c.offset + (y >> c.shift) * c.row_stride + (x >> c.shift) * c.step];
}

int32_t Rounded(float value) {
  return static_cast<int32_t>(RoundHalfEven(std::clamp(value, 0.0f, 255.0f)));
}

// Every product and sum is exact in float32.
Pixel FromFullRange(int32_t y, int32_t u, int32_t v) {
  const auto l = static_cast<float>(y);
  const auto du = static_cast<float>(u - 128), dv = static_cast<float>(v - 128);
  return {{Rounded(l + 1.40625f * dv), Rounded(l - 0.345458984375f * du - 0.716796875f * dv),
           Rounded(l + 1.7783203125f * du)}};
}

Pixel FromLimitedRange(int32_t y, int32_t u, int32_t v) {
  const auto saturated = [](int32_t value) { return std::clamp(value >> 8, 0, 255); };
  return {{saturated(298 * y + 409 * v - 56992), saturated(298 * y - 100 * u - 208 * v + 34784),
           saturated(298 * y + 516 * u - 70688)}};
}

Pixel PixelAt(const Plan& plan, const KernelArgs& args, int64_t x, int64_t y) {
  const int32_t first = Component(plan, args, 0, x, y);
  if (plan.colours == PictureColours::kGray) return {{first}};
  const int32_t second = Component(plan, args, 1, x, y);
  const int32_t third = Component(plan, args, 2, x, y);
  if (plan.colours == PictureColours::kFullRange) return FromFullRange(first, second, third);
  if (plan.colours == PictureColours::kLimitedRange) return FromLimitedRange(first, second, third);
  return {{first, second, third}};
}

Pixel Interpolated(const Plan& plan, const KernelArgs& args, const Tap& column, const Tap& row) {
  const Pixel corner[2][2] = {
      {PixelAt(plan, args, column.first, row.first), PixelAt(plan, args, column.second, row.first)},
      {PixelAt(plan, args, column.first, row.second),
       PixelAt(plan, args, column.second, row.second)}};
  Pixel pixel;
  for (int c = 0; c < plan.channels; ++c) {
    const auto along = [&](const Pixel(&pair)[2]) {
      return pair[0].value[c] * (1024 - column.weight) + pair[1].value[c] * column.weight;
    };
    const int32_t sum = along(corner[0]) * (1024 - row.weight) + along(corner[1]) * row.weight;
    pixel.value[c] = (sum + (1 << 19)) >> 20;
  }
  return pixel;
}

}  // namespace

void Reference(const Plan& plan, const KernelArgs& args, const Region& region, int64_t begin,
               int64_t end) {
  const auto tap = plan.is_nearest() ? &NearestTap : &LinearTap;
  const size_t bytes = SizeOf(plan.out_type);
  for (int64_t y = begin; y < end; ++y) {
    const Tap row = tap(region.rows, plan.out_height, y);
    for (int64_t x = 0; x < plan.out_width; ++x) {
      const Tap column = tap(region.columns, plan.out_width, x);
      const Pixel pixel = Interpolated(plan, args, column, row);
      for (int c = 0; c < plan.channels; ++c) {
        const int from = plan.bgr ? plan.channels - 1 - c : c;
        const auto entry = static_cast<size_t>(256 * c + pixel.value[from]);
        const auto to = static_cast<size_t>((y * plan.out_width + x) * plan.channels + c);
        std::memcpy(args.output<uint8_t>(0) + to * bytes, plan.table.data() + entry * bytes, bytes);
      }
    }
  }
}

}  // namespace synap_internal::image_to_tensor
