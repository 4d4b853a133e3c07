#include "kernels/shared/strided_copy/strided_copy.h"

#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/shared/strided_copy/strided_copy_simd.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace synap_internal {
namespace HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

template <typename T>
void TransposeScalar(const uint8_t* input, int64_t input_stride, uint8_t* output,
                     int64_t output_stride, int64_t rows, int64_t columns) {
  for (int64_t r = 0; r < rows; ++r) {
    const uint8_t* from = input + r * static_cast<int64_t>(sizeof(T));
    uint8_t* to = output + r * output_stride;
    for (int64_t c = 0; c < columns; ++c, from += input_stride, to += sizeof(T)) {
      std::memcpy(to, from, sizeof(T));
    }
  }
}

#if HWY_TARGET != HWY_SCALAR
// An N x N block in N registers of 16 bytes: log2(N) rounds of interleaving
// vector i with vector i + N/2 transpose it.
template <typename T>
HWY_INLINE void TransposeSquare(const uint8_t* HWY_RESTRICT input, int64_t input_stride,
                                uint8_t* HWY_RESTRICT output, int64_t output_stride) {
  constexpr size_t kN = 16 / sizeof(T);
  const hn::FixedTag<T, kN> d;
  using V = hn::Vec<decltype(d)>;
  V v[kN];
  for (size_t c = 0; c < kN; ++c) {
    v[c] = hn::LoadU(d, reinterpret_cast<const T*>(input + static_cast<int64_t>(c) * input_stride));
  }
  for (size_t round = 1; round < kN; round *= 2) {
    V mixed[kN];
    for (size_t i = 0; i < kN / 2; ++i) {
      mixed[2 * i] = hn::InterleaveLower(d, v[i], v[i + kN / 2]);
      mixed[2 * i + 1] = hn::InterleaveUpper(d, v[i], v[i + kN / 2]);
    }
    for (size_t i = 0; i < kN; ++i) v[i] = mixed[i];
  }
  for (size_t r = 0; r < kN; ++r) {
    hn::StoreU(v[r], d, reinterpret_cast<T*>(output + static_cast<int64_t>(r) * output_stride));
  }
}

// Two, three or four columns make a dense output: elements in turns, as the channels
// of an image or those of a channel shuffle.
template <typename T>
void Interleave(const uint8_t* input, int64_t input_stride, uint8_t* output, int64_t rows,
                int64_t columns) {
  constexpr int64_t kN = 16 / sizeof(T);
  constexpr int64_t kSize = sizeof(T);
  const hn::FixedTag<T, kN> d;
  const int64_t full_rows = rows / kN * kN;
  for (int64_t r = 0; r < full_rows; r += kN) {
    const auto column = [&](int64_t c) {
      return hn::LoadU(d, reinterpret_cast<const T*>(input + c * input_stride + r * kSize));
    };
    auto* to = reinterpret_cast<T*>(output + r * columns * kSize);
    if (columns == 2) {
      hn::StoreInterleaved2(column(0), column(1), d, to);
    } else if (columns == 3) {
      hn::StoreInterleaved3(column(0), column(1), column(2), d, to);
    } else {
      hn::StoreInterleaved4(column(0), column(1), column(2), column(3), d, to);
    }
  }
  TransposeScalar<T>(input + full_rows * kSize, input_stride, output + full_rows * columns * kSize,
                     columns * kSize, rows - full_rows, columns);
}

#endif  // HWY_TARGET != HWY_SCALAR

template <typename T>
void TransposeOf(const uint8_t* input, int64_t input_stride, uint8_t* output, int64_t output_stride,
                 int64_t rows, int64_t columns) {
#if HWY_TARGET == HWY_SCALAR
  TransposeScalar<T>(input, input_stride, output, output_stride, rows, columns);
#else
  constexpr int64_t kN = 16 / sizeof(T);
  constexpr int64_t kSize = sizeof(T);
  if (columns >= 2 && columns <= 4 && output_stride == columns * kSize) {
    return Interleave<T>(input, input_stride, output, rows, columns);
  }
  const int64_t full_rows = rows / kN * kN;
  const int64_t full_columns = columns / kN * kN;
  for (int64_t r = 0; r < full_rows; r += kN) {
    for (int64_t c = 0; c < full_columns; c += kN) {
      TransposeSquare<T>(input + c * input_stride + r * kSize, input_stride,
                         output + r * output_stride + c * kSize, output_stride);
    }
  }
  TransposeScalar<T>(input + full_columns * input_stride, input_stride,
                     output + full_columns * kSize, output_stride, full_rows,
                     columns - full_columns);
  TransposeScalar<T>(input + full_rows * kSize, input_stride, output + full_rows * output_stride,
                     output_stride, rows - full_rows, columns);
#endif
}

template <typename T>
void TransposeAll(const TransposedBlocks& blocks, const uint8_t* input, uint8_t* output) {
  for (int64_t i = 0; i < blocks.count; ++i) {
    TransposeOf<T>(input + i * blocks.input_step, blocks.input_stride,
                   output + i * blocks.output_step, blocks.output_stride, blocks.rows,
                   blocks.columns);
  }
}

void TransposeAny(size_t element_size, const TransposedBlocks& blocks, const uint8_t* input,
                  uint8_t* output) {
  switch (element_size) {
    case 1:
      return TransposeAll<uint8_t>(blocks, input, output);
    case 2:
      return TransposeAll<uint16_t>(blocks, input, output);
    case 4:
      return TransposeAll<uint32_t>(blocks, input, output);
    default:
      return TransposeAll<uint64_t>(blocks, input, output);
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace synap_internal
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace synap_internal {

HWY_EXPORT(TransposeAny);

void TransposeBlocks(size_t element_size, const TransposedBlocks& blocks, const uint8_t* input,
                     uint8_t* output) {
  HWY_DYNAMIC_DISPATCH(TransposeAny)(element_size, blocks, input, output);
}

}  // namespace synap_internal
#endif  // HWY_ONCE
