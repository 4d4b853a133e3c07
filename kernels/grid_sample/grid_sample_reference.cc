#include "kernels/grid_sample/grid_sample.h"

#include <algorithm>
#include <cmath>

#include "base/rounding.h"

namespace synap_internal::grid_sample {
namespace {

// At most 4 pixels of a row or column; index -1: outside.
struct Taps {
  int count = 0;
  int64_t index[4] = {};
  float weight[4] = {};
};

// Mirrors a position at `low` and `high` until it lies between them.
float Reflected(float p, float low, float high) {
  const float span = high - low;
  if (span <= 0) return 0;
  const float distance = std::fmod(std::fabs(p - low), 2 * span);
  return low + (distance <= span ? distance : 2 * span - distance);
}

// Moves a position into the image; with padding "zeros" it may stay outside.
float IntoImage(const Plan& plan, int64_t extent, float p) {
  const float last = static_cast<float>(extent - 1);
  if (plan.padding == Padding::kZeros) return p;
  if (plan.padding == Padding::kReflection) {
    p = plan.align_corners ? Reflected(p, 0, last) : Reflected(p, -0.5f, last + 0.5f);
  }
  return std::clamp(p, 0.0f, last);
}

int64_t PixelAt(int64_t extent, float p) {
  const auto index = static_cast<int64_t>(p);
  return index >= 0 && index < extent ? index : -1;
}

float CubicWeight(float x) {
  constexpr float kA = -0.75f;
  x = std::fabs(x);
  if (x <= 1) return ((kA + 2) * x - (kA + 3)) * x * x + 1;
  return ((kA * x - 5 * kA) * x + 8 * kA) * x - 4 * kA;
}

// Clamps positions far outside: the result is the same, and their index can't overflow.
float Bounded(const Plan& plan, int64_t extent, float p) {
  if (plan.padding == Padding::kReflection) {
    // The mirrored image repeats itself.
    const auto period =
        static_cast<float>(std::max<int64_t>(1, 2 * (plan.align_corners ? extent - 1 : extent)));
    return std::fmod(p, period);
  }
  return std::clamp(p, -4.0f, static_cast<float>(extent) + 3);
}

Taps TapsAt(const Plan& plan, int64_t extent, float g) {
  const auto size = static_cast<float>(extent);
  if (std::isnan(g)) g = -1;
  g = std::clamp(g, -1e9f, 1e9f);
  float p = plan.align_corners ? (g + 1) / 2 * (size - 1) : ((g + 1) * size - 1) / 2;
  p = Bounded(plan, extent, p);
  if (plan.mode == Mode::kNearest) {
    return {1, {PixelAt(extent, RoundHalfEven(IntoImage(plan, extent, p)))}, {1}};
  }
  if (plan.mode == Mode::kBilinear) {
    p = IntoImage(plan, extent, p);
    const float floor = std::floor(p), fraction = p - floor;
    return {2, {PixelAt(extent, floor), PixelAt(extent, floor + 1)}, {1 - fraction, fraction}};
  }
  Taps taps{4};
  const float floor = std::floor(p), fraction = p - floor;
  for (int i = 0; i < 4; ++i) {
    const float distance = static_cast<float>(i - 1);
    taps.index[i] = PixelAt(extent, RoundHalfEven(IntoImage(plan, extent, floor + distance)));
    taps.weight[i] = CubicWeight(fraction - distance);
  }
  return taps;
}

}  // namespace

void Reference(const Plan& plan, const KernelArgs& args, int64_t begin, int64_t end) {
  for (int64_t pixel = begin; pixel < end; ++pixel) {
    const float* at = args.input<float>(1) + 2 * pixel;
    const Taps columns = TapsAt(plan, plan.width, at[0]), rows = TapsAt(plan, plan.height, at[1]);
    const float* image =
        args.input<float>(0) + pixel / plan.image_pixels * plan.height * plan.width * plan.channels;
    float* out = args.output<float>(0) + pixel * plan.channels;
    std::fill(out, out + plan.channels, 0.0f);
    for (int r = 0; r < rows.count; ++r) {
      for (int c = 0; c < columns.count; ++c) {
        if (rows.index[r] < 0 || columns.index[c] < 0) continue;
        const float weight = rows.weight[r] * columns.weight[c];
        const float* x = image + (rows.index[r] * plan.width + columns.index[c]) * plan.channels;
        for (int64_t k = 0; k < plan.channels; ++k) out[k] = std::fma(weight, x[k], out[k]);
      }
    }
  }
}

}  // namespace synap_internal::grid_sample
