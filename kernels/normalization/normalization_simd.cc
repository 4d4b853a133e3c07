#include "kernels/normalization/normalization.h"

#include <algorithm>
#include <cstdint>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/normalization/normalization_simd.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/shared/simd/rounding-inl.h"
#include "kernels/shared/simd/virtual_lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace synap_internal {
namespace HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

const hn::ScalableTag<float> d;
using V = hn::Vec<decltype(d)>;

int64_t LaneCount() { return static_cast<int64_t>(hn::Lanes(d)); }

// Rows of at most one block of lanes, kRows of them together so that their chains overlap: their
// sums, or the sums of squared distances from `mean`.
template <int64_t kRows, bool kSquares>
HWY_INLINE void SumRows(const float* x, int64_t stride, int64_t n, const float* mean, float* sums) {
  const LaneTag dl;
  constexpr auto kPart = static_cast<int64_t>(hn::MaxLanes(LaneTag()));
  constexpr auto kLanes = static_cast<int64_t>(kVirtualLanes);
  constexpr int64_t kParts = kLanes / kPart;
  LaneVec acc[kRows][kParts], centers[kRows];
  for (int64_t r = 0; r < kRows; ++r) {
    centers[r] = hn::Set(dl, kSquares ? mean[r] : 0);
    for (LaneVec& part : acc[r]) part = hn::Zero(dl);
  }
  const int64_t whole = n / kLanes * kLanes;
  for (int64_t k = 0; k < whole; k += kLanes) {
    for (int64_t r = 0; r < kRows; ++r) {
      for (int64_t p = 0; p < kParts; ++p) {
        const LaneVec v = hn::LoadU(dl, x + r * stride + k + p * kPart);
        if constexpr (kSquares) {
          acc[r][p] = SumOfSquaresOp()(acc[r][p], hn::Sub(v, centers[r]));
        } else {
          acc[r][p] = SumOp()(acc[r][p], v);
        }
      }
    }
  }
  for (int64_t r = 0; r < kRows; ++r) {
    VirtualLanes lanes;
    for (int64_t p = 0; p < kParts; ++p) hn::StoreU(acc[r][p], dl, lanes.data() + p * kPart);
    for (int64_t k = whole; k < n; ++k) {
      float& lane = lanes[static_cast<size_t>(k - whole)];
      const float v = x[r * stride + k];
      lane = kSquares ? LaneSumOfSquares(lane, v - mean[r]) : LaneSum(lane, v);
    }
    sums[r] = FoldLanes(lanes, LaneSum);
  }
}

template <int64_t kRows, bool kSquares>
HWY_INLINE void SumLongRows(const float* x, int64_t n, const float* mean, float* sums) {
  constexpr int64_t kBlock = kChain * static_cast<int64_t>(kVirtualLanes);
  SumRows<kRows, kSquares>(x, n, std::min(n, kBlock), mean, sums);
  for (int64_t begin = kBlock; begin < n; begin += kBlock) {
    float more[kRows];
    SumRows<kRows, kSquares>(x + begin, n, std::min(n - begin, kBlock), mean, more);
    for (int64_t r = 0; r < kRows; ++r) sums[r] = LaneSum(sums[r], more[r]);
  }
}

template <int64_t kRows>
void MomentsOfRows(const float* x, const normalization::Params& params, float* mean,
                   float* inverse) {
  const int64_t n = params.length;
  std::fill(mean, mean + kRows, 0.0f);
  if (params.center) {
    SumLongRows<kRows, false>(x, n, mean, mean);
    for (int64_t r = 0; r < kRows; ++r) mean[r] /= static_cast<float>(n);
  }
  SumLongRows<kRows, true>(x, n, mean, inverse);
  for (int64_t r = 0; r < kRows; ++r) inverse[r] = InverseDeviation(params, inverse[r]);
}

void Moments(const float* x, int64_t rows, const normalization::Params& params, float* mean,
             float* inverse) {
  int64_t r = 0;
  for (; r + 4 <= rows; r += 4) {
    MomentsOfRows<4>(x + r * params.length, params, mean + r, inverse + r);
  }
  for (; r < rows; ++r) MomentsOfRows<1>(x + r * params.length, params, mean + r, inverse + r);
}

struct Limits {
  explicit Limits(const Clamp& clamp) : min(hn::Set(d, clamp.min)), max(hn::Set(d, clamp.max)) {}
  V min, max;
};

HWY_INLINE V FinishLanes(V normalized, V scale, V bias, const Limits& limits) {
  return ClampFloat(FusedMulAdd(d, normalized, scale, bias), limits.min, limits.max);
}

template <bool kScales, bool kBiases>
void FinishRow(const float* x, int64_t n, float mean, float inverse, const float* scale,
               const float* bias, const Clamp& clamp, float* y) {
  const int64_t lanes = LaneCount();
  const Limits limits(clamp);
  const V mean_v = hn::Set(d, mean), inverse_v = hn::Set(d, inverse);
  V scale_v = hn::Set(d, scale[0]), bias_v = hn::Set(d, bias[0]);
  int64_t k = 0;
  for (; k + lanes <= n; k += lanes) {
    if constexpr (kScales) scale_v = hn::LoadU(d, scale + k);
    if constexpr (kBiases) bias_v = hn::LoadU(d, bias + k);
    const V normalized = hn::Mul(hn::Sub(hn::LoadU(d, x + k), mean_v), inverse_v);
    hn::StoreU(FinishLanes(normalized, scale_v, bias_v, limits), d, y + k);
  }
  for (; k < n; ++k) {
    y[k] = normalization::Finish((x[k] - mean) * inverse, scale[kScales ? k : 0],
                                 bias[kBiases ? k : 0], clamp);
  }
}

void Finish(const float* x, int64_t n, float mean, float inverse, const float* scale,
            const float* bias, const normalization::Params& params, float* y) {
  const bool scales = params.scale.is_vector(), biases = params.bias.is_vector();
  const auto run = scales ? (biases ? &FinishRow<true, true> : &FinishRow<true, false>)
                          : (biases ? &FinishRow<false, true> : &FinishRow<false, false>);
  run(x, n, mean, inverse, scale, bias, params.clamp, y);
}

// kVectors vectors of columns together, so that their chains overlap.
template <int64_t kVectors, bool kSquares>
HWY_INLINE void AddChains(const float* x, int64_t steps, int64_t width, const float* mean,
                          float* sums) {
  const int64_t lanes = LaneCount();
  V acc[kVectors], centers[kVectors];
  for (int64_t v = 0; v < kVectors; ++v) {
    acc[v] = hn::LoadU(d, sums + v * lanes);
    centers[v] = kSquares ? hn::LoadU(d, mean + v * lanes) : hn::Zero(d);
  }
  for (int64_t k = 0; k < steps; ++k) {
    for (int64_t v = 0; v < kVectors; ++v) {
      const V value = hn::LoadU(d, x + k * width + v * lanes);
      if constexpr (kSquares) {
        const V centered = hn::Sub(value, centers[v]);
        acc[v] = FusedMulAdd(d, centered, centered, acc[v]);
      } else {
        acc[v] = hn::Add(acc[v], value);
      }
    }
  }
  for (int64_t v = 0; v < kVectors; ++v) hn::StoreU(acc[v], d, sums + v * lanes);
}

template <bool kSquares>
HWY_INLINE void AddColumns(const float* x, int64_t steps, int64_t width, const float* mean,
                           float* sums) {
  const int64_t lanes = LaneCount();
  int64_t c = 0;
  for (; c + 4 * lanes <= width; c += 4 * lanes) {
    AddChains<4, kSquares>(x + c, steps, width, mean + c, sums + c);
  }
  for (; c + 2 * lanes <= width; c += 2 * lanes) {
    AddChains<2, kSquares>(x + c, steps, width, mean + c, sums + c);
  }
  for (; c + lanes <= width; c += lanes) {
    AddChains<1, kSquares>(x + c, steps, width, mean + c, sums + c);
  }
  for (; c < width; ++c) {
    for (int64_t k = 0; k < steps; ++k) {
      const float value = x[k * width + c];
      sums[c] = kSquares ? LaneSumOfSquares(sums[c], value - mean[c]) : LaneSum(sums[c], value);
    }
  }
}

void Add(const float* x, int64_t steps, int64_t width, const float* mean, float* sums) {
  AddColumns<false>(x, steps, width, mean, sums);
}

void AddSquares(const float* x, int64_t steps, int64_t width, const float* mean, float* sums) {
  AddColumns<true>(x, steps, width, mean, sums);
}

void FinishSteps(const float* x, int64_t steps, int64_t width, const float* mean,
                 const float* inverse, const float* scale, const float* bias,
                 const normalization::Params& params, float* y) {
  const int64_t lanes = LaneCount();
  const Limits limits(params.clamp);
  int64_t c = 0;
  for (; c + lanes <= width; c += lanes) {
    const V mean_v = hn::LoadU(d, mean + c), inverse_v = hn::LoadU(d, inverse + c);
    const V scale_v = hn::LoadU(d, scale + c), bias_v = hn::LoadU(d, bias + c);
    for (int64_t at = c; at < steps * width; at += width) {
      const V normalized = hn::Mul(hn::Sub(hn::LoadU(d, x + at), mean_v), inverse_v);
      hn::StoreU(FinishLanes(normalized, scale_v, bias_v, limits), d, y + at);
    }
  }
  for (; c < width; ++c) {
    for (int64_t at = c; at < steps * width; at += width) {
      y[at] =
          normalization::Finish((x[at] - mean[c]) * inverse[c], scale[c], bias[c], params.clamp);
    }
  }
}

normalization::VectorLoops Loops() { return {&Moments, &Finish, &Add, &AddSquares, &FinishSteps}; }

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace synap_internal
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace synap_internal::normalization {

HWY_EXPORT(Loops);

VectorLoops FindVectorLoops() { return HWY_DYNAMIC_DISPATCH(Loops)(); }

}  // namespace synap_internal::normalization
#endif  // HWY_ONCE
