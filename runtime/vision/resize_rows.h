// Inner loops of Resize in vectors, with the bits of their scalar formulas.
#ifndef RUNTIME_VISION_RESIZE_ROWS_H_
#define RUNTIME_VISION_RESIZE_ROWS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace synap_internal {

// The weights of one output pixel: input pixels first, first + 1, ..., which lie inside of the
// image; those beyond an edge are added to the edge's.
struct Taps {
  int first = 0;
  std::vector<float> weights;
};

// Values after the end of a row that the functions read (of any content) and write.
inline constexpr size_t kRowPadding = 4;

// out[i] = bytes[i] / 255, for `count` bytes.
void ConvertToUnit(const uint8_t* bytes, size_t count, float* out);

// One input row [in_width, channels] -> `out`, [axis.size(), channels]: each value is the sum of
// weight * in over the pixels of its taps, in their order. Both have kRowPadding values more.
void ResizeRow(const float* row, int channels, const std::vector<Taps>& axis, float* out);

// out[i] = the sum of weights[k] * rows[k][i] over k, in their order, clamped to 0..1 and scaled to
// a byte with rounding half up. rows: as many as weights, of `count` values.
void SumRows(const float* const* rows, const std::vector<float>& weights, size_t count,
             uint8_t* out);

}  // namespace synap_internal

#endif  // RUNTIME_VISION_RESIZE_ROWS_H_
