#include "runtime/vision/resize_rows.h"

#include <algorithm>
#include <cstring>

#include "kernels/shared/simd/unroll.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "runtime/vision/resize_rows.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace synap_internal {
namespace HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::ScalableTag<float>;
using Ints = hn::Rebind<int32_t, Floats>;
using Bytes = hn::Rebind<uint8_t, Floats>;

// x / 255 rounded to float32, for a byte x: x * 257 / 65536 is exact, and x / 255 is that times
// 1 + 2^-16 + 2^-32 + ...; the second factor is the next float32 above 2^-16, because for powers of
// two the sum without the rest is a tie. Three instructions instead of a division.
constexpr float kUnit = 257.0f / 65536;
constexpr float kUnitRest = (1 + 0x1p-23f) / 65536;

// Bytes that a block of 16 rows is transposed by.
constexpr size_t kSquare = 16;
static_assert(kRowBlock == kSquare);

#if HWY_TARGET == HWY_SCALAR

// [kRowBlock] rows of kSquare bytes -> out[i * kRowBlock + r] = rows[r][i] / 255.
void ConvertSquare(const uint8_t* const* rows, size_t at, float* out) {
  for (size_t i = 0; i < kSquare; ++i) {
    for (size_t r = 0; r < kRowBlock; ++r) {
      const float unit = static_cast<float>(rows[r][at + i]) * kUnit;
      out[i * kRowBlock + r] = unit + unit * kUnitRest;
    }
  }
}

template <size_t kChannels>
void SumPixel(const float* in, const float* weights, size_t taps, float* out) {
  constexpr size_t kSums = 4;  // the compiler may make a vector of them
  for (size_t i = 0; i < kChannels * kRowBlock; i += kSums) {
    float sums[kSums];
    UNROLL
    for (size_t j = 0; j < kSums; ++j) sums[j] = weights[0] * in[i + j];
    for (size_t k = 1; k < taps; ++k) {
      const float* from = in + k * kChannels * kRowBlock + i;
      UNROLL
      for (size_t j = 0; j < kSums; ++j) sums[j] += weights[k] * from[j];
    }
    std::memcpy(out + i, sums, sizeof(sums));
  }
}

// [count, kRowBlock] -> rows from `at` on.
void StoreRows(const float* sums, size_t count, size_t at, float* const* rows) {
  for (size_t i = 0; i < count; ++i) {
    for (size_t r = 0; r < kRowBlock; ++r) rows[r][at + i] = sums[i * kRowBlock + r];
  }
}

#else

// kN x kN elements in kN registers of 16 bytes: log2(kN) rounds that interleave vector i with
// vector i + kN / 2 transpose them.
template <class D, size_t kN = 16 / sizeof(hn::TFromD<D>)>
HWY_INLINE void Transpose(D d, hn::Vec<D> (&v)[kN]) {
  UNROLL
  for (size_t round = 1; round < kN; round *= 2) {
    hn::Vec<D> mixed[kN];
    UNROLL
    for (size_t i = 0; i < kN / 2; ++i) {
      mixed[2 * i] = hn::InterleaveLower(d, v[i], v[i + kN / 2]);
      mixed[2 * i + 1] = hn::InterleaveUpper(d, v[i], v[i + kN / 2]);
    }
    UNROLL
    for (size_t i = 0; i < kN; ++i) v[i] = mixed[i];
  }
}

// [kRowBlock] rows of kSquare bytes -> out[i * kRowBlock + r] = rows[r][i] / 255.
void ConvertSquare(const uint8_t* const* rows, size_t at, float* out) {
  const hn::FixedTag<uint8_t, kSquare> bytes;
  hn::Vec<decltype(bytes)> v[kSquare];
  UNROLL
  for (size_t r = 0; r < kRowBlock; ++r) v[r] = hn::LoadU(bytes, rows[r] + at);
  Transpose(bytes, v);
  HWY_ALIGN uint8_t transposed[kSquare * kRowBlock];
  UNROLL
  for (size_t i = 0; i < kSquare; ++i) hn::Store(v[i], bytes, transposed + i * kRowBlock);
  const Floats d;
  const auto unit = hn::Set(d, kUnit), rest = hn::Set(d, kUnitRest);
  for (size_t i = 0; i < kSquare * kRowBlock; i += hn::Lanes(d)) {
    const auto ints = hn::PromoteTo(Ints(), hn::LoadU(Bytes(), transposed + i));
    const auto scaled = hn::Mul(hn::ConvertTo(d, ints), unit);
    hn::StoreU(hn::Add(scaled, hn::Mul(scaled, rest)), d, out + i);
  }
}

template <size_t kChannels>
HWY_INLINE void SumPixel(const float* in, const float* weights, size_t taps, float* out) {
  const hn::CappedTag<float, kRowBlock> d;
  constexpr size_t kLanes = hn::MaxLanes(d);
  // Vectors of a channel that share the weights' registers.
  constexpr size_t kVectors = kLanes < kRowBlock ? 2 : 1;
  for (size_t r = 0; r < kRowBlock; r += kVectors * kLanes) {
    hn::Vec<decltype(d)> sums[kChannels * kVectors];
    const auto term = [&](size_t k, size_t i) HWY_ATTR {
      const size_t c = i / kVectors, v = i % kVectors;
      return hn::Mul(hn::Set(d, weights[k]),
                     hn::LoadU(d, in + (k * kChannels + c) * kRowBlock + r + v * kLanes));
    };
    UNROLL
    for (size_t i = 0; i < kChannels * kVectors; ++i) sums[i] = term(0, i);
    for (size_t k = 1; k < taps; ++k) {
      UNROLL
      for (size_t i = 0; i < kChannels * kVectors; ++i) sums[i] = hn::Add(sums[i], term(k, i));
    }
    UNROLL
    for (size_t i = 0; i < kChannels * kVectors; ++i) {
      hn::StoreU(sums[i], d, out + i / kVectors * kRowBlock + r + i % kVectors * kLanes);
    }
  }
}

// [count, kRowBlock] -> rows from `at` on, and values up to a multiple of 4.
void StoreRows(const float* sums, size_t count, size_t at, float* const* rows) {
  const hn::FixedTag<float, 4> d;
  for (size_t i = 0; i < count; i += 4) {
    UNROLL
    for (size_t r = 0; r < kRowBlock; r += 4) {
      hn::Vec<decltype(d)> v[4];
      UNROLL
      for (size_t k = 0; k < 4; ++k) v[k] = hn::LoadU(d, sums + (i + k) * kRowBlock + r);
      Transpose(d, v);
      UNROLL
      for (size_t k = 0; k < 4; ++k) hn::StoreU(v[k], d, rows[r + k] + at + i);
    }
  }
}

#endif

// Bytes begin .. end of kRowBlock rows of row_bytes -> `out`, and values up to a multiple of 16.
void ConvertRows(const uint8_t* const* rows, size_t row_bytes, size_t begin, size_t end,
                 float* out) {
  size_t at = begin;
  for (; at < end && at + kSquare <= row_bytes; at += kSquare, out += kSquare * kRowBlock) {
    ConvertSquare(rows, at, out);
  }
  if (at >= end) return;
  uint8_t rest[kRowBlock * kSquare] = {};
  const uint8_t* rest_rows[kRowBlock];
  for (size_t r = 0; r < kRowBlock; ++r) {
    std::memcpy(rest + r * kSquare, rows[r] + at, row_bytes - at);
    rest_rows[r] = rest + r * kSquare;
  }
  ConvertSquare(rest_rows, 0, out);
}

template <size_t kChannels>
void SumPixels(const FilterAxis& axis, const Tile& tile, const float* in, float* sums) {
  for (size_t x = tile.out_begin; x < tile.out_end; ++x, sums += kChannels * kRowBlock) {
    const Taps& taps = axis.taps[x];
    SumPixel<kChannels>(in + (taps.first - tile.in_begin) * kChannels * kRowBlock,
                        axis.WeightsOf(taps), taps.count, sums);
  }
}

template <size_t kChannels>
void ResizeBlock(const uint8_t* const* rows, size_t row_bytes, const FilterAxis& axis,
                 const std::vector<Tile>& tiles, float* in, float* sums, float* const* out) {
  for (const Tile& tile : tiles) {
    ConvertRows(rows, row_bytes, tile.in_begin * kChannels, tile.in_end * kChannels, in);
    SumPixels<kChannels>(axis, tile, in, sums);
    StoreRows(sums, (tile.out_end - tile.out_begin) * kChannels, tile.out_begin * kChannels, out);
  }
}

void ResizeVectors(const uint8_t* const* rows, size_t row_bytes, size_t channels,
                   const FilterAxis& axis, const std::vector<Tile>& tiles, float* in, float* sums,
                   float* const* out) {
  switch (channels) {
    case 1:
      return ResizeBlock<1>(rows, row_bytes, axis, tiles, in, sums, out);
    case 2:
      return ResizeBlock<2>(rows, row_bytes, axis, tiles, in, sums, out);
    case 3:
      return ResizeBlock<3>(rows, row_bytes, axis, tiles, in, sums, out);
    default:
      return ResizeBlock<4>(rows, row_bytes, axis, tiles, in, sums, out);
  }
}

uint8_t ToByte(float value) {
  return static_cast<uint8_t>(std::clamp(value, 0.0f, 1.0f) * 255.0f + 0.5f);
}

// The bytes of kVectors vectors.
template <size_t kVectors>
HWY_INLINE void SumBlock(const float* const* rows, const float* weights, size_t taps, size_t at,
                         uint8_t* out) {
  const Floats d;
  const size_t lanes = hn::Lanes(d);
  hn::Vec<Floats> sums[kVectors];
  const auto first = hn::Set(d, weights[0]);
  UNROLL
  for (size_t v = 0; v < kVectors; ++v) {
    sums[v] = hn::Mul(first, hn::LoadU(d, rows[0] + at + v * lanes));
  }
  for (size_t k = 1; k < taps; ++k) {
    const auto weight = hn::Set(d, weights[k]);
    const float* row = rows[k] + at;
    UNROLL
    for (size_t v = 0; v < kVectors; ++v) {
      sums[v] = hn::Add(sums[v], hn::Mul(weight, hn::LoadU(d, row + v * lanes)));
    }
  }
  const auto zero = hn::Zero(d), one = hn::Set(d, 1.0f);
  const auto scale = hn::Set(d, 255.0f), half = hn::Set(d, 0.5f);
  UNROLL
  for (size_t v = 0; v < kVectors; ++v) {
    const auto unit = hn::Min(hn::Max(sums[v], zero), one);
    const auto ints = hn::ConvertTo(Ints(), hn::Add(hn::Mul(unit, scale), half));
    hn::StoreU(hn::DemoteTo(Bytes(), ints), Bytes(), out + at + v * lanes);
  }
}

void SumVectors(const float* const* rows, const float* weights, size_t taps, size_t count,
                uint8_t* out) {
  constexpr size_t kVectors = 4;
  const size_t lanes = hn::Lanes(Floats());
  size_t i = 0;
  for (; i + kVectors * lanes <= count; i += kVectors * lanes) {
    SumBlock<kVectors>(rows, weights, taps, i, out);
  }
  for (; i + lanes <= count; i += lanes) SumBlock<1>(rows, weights, taps, i, out);
  for (; i < count; ++i) {
    float sum = 0;
    for (size_t k = 0; k < taps; ++k) sum += weights[k] * rows[k][i];
    out[i] = ToByte(sum);
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace synap_internal
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace synap_internal {
namespace {

HWY_EXPORT(ResizeVectors);
HWY_EXPORT(SumVectors);

// Values of a tile, so that its inputs and sums stay in the first-level cache; a single pixel may
// need more.
constexpr size_t kTileInputs = 288;
constexpr size_t kTileSums = 192;

std::vector<Tile> MakeTiles(const FilterAxis& axis, size_t channels) {
  std::vector<Tile> tiles;
  for (size_t x = 0; x < axis.taps.size(); ++x) {
    const Taps& taps = axis.taps[x];
    const size_t end = taps.first + taps.count;
    const bool fits = !tiles.empty() && (x + 1 - tiles.back().out_begin) * channels <= kTileSums &&
                      (end - tiles.back().in_begin) * channels <= kTileInputs;
    if (!fits) tiles.push_back({x, x, taps.first, end});
    tiles.back().out_end = x + 1;
    tiles.back().in_end = end;
  }
  return tiles;
}

}  // namespace

RowResizer::RowResizer(size_t in_width, size_t channels, const FilterAxis& columns)
    : row_bytes_(in_width * channels),
      channels_(channels),
      columns_(columns),
      tiles_(MakeTiles(columns, channels)) {
  size_t inputs = 0, sums = 0;
  for (const Tile& tile : tiles_) {
    inputs = std::max(inputs, tile.in_end - tile.in_begin);
    sums = std::max(sums, tile.out_end - tile.out_begin);
  }
  in_.resize((inputs * channels + kRowBlock) * kRowBlock);
  sums_.resize((sums * channels + kRowPadding) * kRowBlock);
}

void RowResizer::Run(const uint8_t* const* rows, float* const* out) {
  HWY_DYNAMIC_DISPATCH(ResizeVectors)
  (rows, row_bytes_, channels_, columns_, tiles_, in_.data(), sums_.data(), out);
}

void SumRows(const float* const* rows, const float* weights, size_t taps, size_t count,
             uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(SumVectors)(rows, weights, taps, count, out);
}

}  // namespace synap_internal
#endif  // HWY_ONCE
