#include "kernels/image_to_tensor/image_to_tensor.h"

#include <algorithm>
#include <cstring>

#include "base/data_type.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/image_to_tensor/image_to_tensor_simd.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace synap_internal {
namespace image_to_tensor {
namespace HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

using Ints = hn::ScalableTag<int32_t>;
using Floats = hn::ScalableTag<float>;
using Bytes = hn::Rebind<uint8_t, Ints>;
using Vec = hn::Vec<Ints>;

// Bytes of three components of a row of pixels.
struct Row {
  uint8_t* component[3];
};

HWY_INLINE Vec LoadBytes(const uint8_t* p) { return hn::PromoteTo(Ints(), hn::LoadU(Bytes(), p)); }

// Saturates.
HWY_INLINE void StoreBytes(Vec v, uint8_t* p) { hn::StoreU(hn::DemoteTo(Bytes(), v), Bytes(), p); }

// Y, U, V -> red, green, blue, in place. Nothing is rounded before the last step, so that the order
// of the operations is free.
void ConvertFullRange(const Row& row, int64_t n) {
  const Floats d;
  const auto bias = hn::Set(Ints(), 128);
  for (int64_t x = 0; x < n; x += static_cast<int64_t>(hn::Lanes(d))) {
    const auto y = hn::ConvertTo(d, LoadBytes(row.component[0] + x));
    const auto u = hn::ConvertTo(d, hn::Sub(LoadBytes(row.component[1] + x), bias));
    const auto v = hn::ConvertTo(d, hn::Sub(LoadBytes(row.component[2] + x), bias));
    const auto r = hn::Add(y, hn::Mul(hn::Set(d, 1.40625f), v));
    const auto g = hn::Sub(hn::Sub(y, hn::Mul(hn::Set(d, 0.345458984375f), u)),
                           hn::Mul(hn::Set(d, 0.716796875f), v));
    const auto b = hn::Add(y, hn::Mul(hn::Set(d, 1.7783203125f), u));
    StoreBytes(hn::NearestInt(r), row.component[0] + x);
    StoreBytes(hn::NearestInt(g), row.component[1] + x);
    StoreBytes(hn::NearestInt(b), row.component[2] + x);
  }
}

void ConvertLimitedRange(const Row& row, int64_t n) {
  const Ints d;
  const auto times = [&](Vec v, int32_t factor) { return hn::Mul(v, hn::Set(d, factor)); };
  for (int64_t x = 0; x < n; x += static_cast<int64_t>(hn::Lanes(d))) {
    const auto y = times(LoadBytes(row.component[0] + x), 298);
    const auto u = LoadBytes(row.component[1] + x);
    const auto v = LoadBytes(row.component[2] + x);
    const auto r = hn::Add(hn::Add(y, times(v, 409)), hn::Set(d, -56992));
    const auto g = hn::Add(hn::Sub(hn::Sub(y, times(u, 100)), times(v, 208)), hn::Set(d, 34784));
    const auto b = hn::Add(hn::Add(y, times(u, 516)), hn::Set(d, -70688));
    StoreBytes(hn::ShiftRight<8>(r), row.component[0] + x);
    StoreBytes(hn::ShiftRight<8>(g), row.component[1] + x);
    StoreBytes(hn::ShiftRight<8>(b), row.component[2] + x);
  }
}

void ConvertColours(const Plan& plan, const Row& row, int64_t n) {
  if (plan.colours == PictureColours::kFullRange) ConvertFullRange(row, n);
  if (plan.colours == PictureColours::kLimitedRange) ConvertLimitedRange(row, n);
}

HWY_INLINE const uint8_t* Source(const Plan& plan, const KernelArgs& args, int component,
                                 int64_t y) {
  const Component& c = plan.component[component];
  return args.input<uint8_t>(c.plane) + c.offset + (y >> c.shift) * c.row_stride;
}

// Components of the pixels that the taps name, without interpolation.
void ReadNearest(const Plan& plan, const KernelArgs& args, const Tap* columns, int64_t y,
                 const Row& to) {
  for (int i = 0; i < plan.channels; ++i) {
    const uint8_t* HWY_RESTRICT from = Source(plan, args, i, y);
    const Component& c = plan.component[i];
    uint8_t* HWY_RESTRICT out = to.component[i];
    for (int64_t x = 0; x < plan.out_width; ++x) {
      out[x] = from[(columns[x].first >> c.shift) * c.step];
    }
  }
}

// One of `step` interleaved components of n pixels.
template <int kStep>
HWY_INLINE void Deinterleave(const uint8_t* HWY_RESTRICT from, uint8_t* HWY_RESTRICT to,
                             int64_t n) {
  for (int64_t x = 0; x < n; ++x) to[x] = from[x * kStep];
}

void Double(const uint8_t* HWY_RESTRICT from, int64_t begin, uint8_t* HWY_RESTRICT to, int64_t n) {
  for (int64_t x = 0; x < n; ++x) to[x] = from[(begin + x) >> 1];
}

// Components of n adjacent pixels from column `begin` on.
void ReadAdjacent(const Plan& plan, const KernelArgs& args, int64_t begin, int64_t y, int64_t n,
                  const Row& to) {
  for (int i = 0; i < plan.channels; ++i) {
    const uint8_t* from = Source(plan, args, i, y);
    const Component& c = plan.component[i];
    if (c.shift == 1) {
      Double(from, begin, to.component[i], n);
    } else if (c.step == 1) {
      std::memcpy(to.component[i], from + begin, static_cast<size_t>(n));
    } else if (c.step == 3) {
      Deinterleave<3>(from + begin * 3, to.component[i], n);
    } else {
      Deinterleave<4>(from + begin * 4, to.component[i], n);
    }
  }
}

// out = upper * (1024 - weight) + lower * weight.
void BlendRows(const uint8_t* upper, const uint8_t* lower, int32_t weight, int32_t* out,
               int64_t n) {
  const Ints d;
  const auto first = hn::Set(d, 1024 - weight), second = hn::Set(d, weight);
  for (int64_t x = 0; x < n; x += static_cast<int64_t>(hn::Lanes(d))) {
    const auto sum =
        hn::Add(hn::Mul(LoadBytes(upper + x), first), hn::Mul(LoadBytes(lower + x), second));
    hn::StoreU(sum, d, out + x);
  }
}

// `blended` begins at column `begin` of the picture.
void BlendColumns(const int32_t* HWY_RESTRICT blended, int64_t begin, const Tap* columns,
                  uint8_t* HWY_RESTRICT out, int64_t n) {
  for (int64_t x = 0; x < n; ++x) {
    const Tap& tap = columns[x];
    const int32_t sum =
        blended[tap.first - begin] * (1024 - tap.weight) + blended[tap.second - begin] * tap.weight;
    out[x] = static_cast<uint8_t>((sum + (1 << 19)) >> 20);
  }
}

// Writes the rows' bytes, in the order of the output's channels, as the table says.
template <typename T>
void LookUp(const Plan& plan, const uint8_t* const* channel, T* HWY_RESTRICT out) {
  const T* HWY_RESTRICT table = reinterpret_cast<const T*>(plan.table.data());
  if (plan.channels == 1) {
    for (int64_t x = 0; x < plan.out_width; ++x) out[x] = table[channel[0][x]];
    return;
  }
  for (int64_t x = 0; x < plan.out_width; ++x, out += 3) {
    out[0] = table[channel[0][x]];
    out[1] = table[256 + channel[1][x]];
    out[2] = table[512 + channel[2][x]];
  }
}

void Interleave(const uint8_t* const* channel, uint8_t* HWY_RESTRICT out, int64_t n) {
  const hn::ScalableTag<uint8_t> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t x = 0;
  for (; x + lanes <= n; x += lanes) {
    hn::StoreInterleaved3(hn::LoadU(d, channel[0] + x), hn::LoadU(d, channel[1] + x),
                          hn::LoadU(d, channel[2] + x), d, out + 3 * x);
  }
  for (; x < n; ++x) {
    for (int c = 0; c < 3; ++c) out[3 * x + c] = channel[c][x];
  }
}

void StoreRow(const Plan& plan, const Row& row, uint8_t* out) {
  const uint8_t* channel[3] = {row.component[0], row.component[1], row.component[2]};
  if (plan.bgr && plan.channels == 3) std::swap(channel[0], channel[2]);
  switch (SizeOf(plan.out_type)) {
    case 1:
      if (!plan.is_copy) return LookUp(plan, channel, out);
      if (plan.channels == 3) return Interleave(channel, out, plan.out_width);
      std::memcpy(out, channel[0], static_cast<size_t>(plan.out_width));
      return;
    case 2:
      return LookUp(plan, channel, reinterpret_cast<uint16_t*>(out));
    default:
      return LookUp(plan, channel, reinterpret_cast<uint32_t*>(out));
  }
}

// The memory of a worker.
struct Scratch {
  Scratch(const Plan& plan, uint8_t* memory) {
    const auto take = [&](int64_t bytes) {
      uint8_t* const taken = memory;
      memory += bytes;
      return taken;
    };
    for (uint8_t*& row : out.component) row = take(PaddedRow(plan.out_width));
    if (plan.is_nearest()) return;
    for (Row& source : sources) {
      for (uint8_t*& row : source.component) row = take(PaddedRow(plan.width));
    }
    blended = reinterpret_cast<int32_t*>(take(4 * PaddedRow(plan.width)));
  }

  Row out;
  Row sources[2];  // two rows of the picture
  int32_t* blended = nullptr;
};

void InterpolateRow(const Plan& plan, const KernelArgs& args, const Region& region,
                    const Tap* columns, const Tap& row, const Scratch& scratch) {
  const Extent& extent = region.columns;
  const int64_t y[2] = {row.first, row.second};
  const bool is_between = row.weight != 0;
  for (int i = 0; i <= (is_between ? 1 : 0); ++i) {
    ReadAdjacent(plan, args, extent.begin, y[i], extent.size, scratch.sources[i]);
    ConvertColours(plan, scratch.sources[i], extent.size);
  }
  for (int c = 0; c < plan.channels; ++c) {
    const uint8_t* upper = scratch.sources[0].component[c];
    const uint8_t* lower = is_between ? scratch.sources[1].component[c] : upper;
    BlendRows(upper, lower, row.weight, scratch.blended, extent.size);
    BlendColumns(scratch.blended, extent.begin, columns, scratch.out.component[c], plan.out_width);
  }
}

void Rows(const Plan& plan, const KernelArgs& args, const Region& region, const Tap* columns,
          int64_t begin, int64_t end, uint8_t* memory) {
  const Scratch scratch(plan, memory);
  const int64_t row_bytes =
      plan.out_width * plan.channels * static_cast<int64_t>(SizeOf(plan.out_type));
  for (int64_t y = begin; y < end; ++y) {
    if (plan.is_nearest()) {
      const Tap row = NearestTap(region.rows, plan.out_height, y);
      ReadNearest(plan, args, columns, row.first, scratch.out);
      ConvertColours(plan, scratch.out, plan.out_width);
    } else {
      const Tap row = LinearTap(region.rows, plan.out_height, y);
      InterpolateRow(plan, args, region, columns, row, scratch);
    }
    StoreRow(plan, scratch.out, args.output<uint8_t>(0) + y * row_bytes);
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace image_to_tensor
}  // namespace synap_internal
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace synap_internal::image_to_tensor {

HWY_EXPORT(Rows);

void FastRows(const Plan& plan, const KernelArgs& args, const Region& region, const Tap* columns,
              int64_t begin, int64_t end, uint8_t* scratch) {
  HWY_DYNAMIC_DISPATCH(Rows)(plan, args, region, columns, begin, end, scratch);
}

// As Scratch takes it: the output's rows, two rows of the picture and a row of int32.
size_t ScratchBytes(const Plan& plan) {
  const int64_t out = 3 * PaddedRow(plan.out_width);
  const int64_t picture = plan.is_nearest() ? 0 : (2 * 3 + 4) * PaddedRow(plan.width);
  return static_cast<size_t>(out + picture);
}

}  // namespace synap_internal::image_to_tensor
#endif  // HWY_ONCE
