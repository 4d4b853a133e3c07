// Inner loops of Resize in vectors, with the bits of their scalar formulas.
#ifndef RUNTIME_VISION_RESIZE_ROWS_H_
#define RUNTIME_VISION_RESIZE_ROWS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace synap_internal {

// The weights of one output pixel: of the input pixels first, first + 1, ..., which lie inside of
// the image; those beyond an edge are added to the edge's.
struct Taps {
  size_t first = 0;
  size_t count = 0;
  size_t weights = 0;  // index in FilterAxis::weights
};

// A tile's output pixels and the input pixels of their taps, both as [begin, end).
struct Tile {
  size_t out_begin = 0;
  size_t out_end = 0;
  size_t in_begin = 0;
  size_t in_end = 0;
};

struct FilterAxis {
  std::vector<Taps> taps;  // of each output pixel
  std::vector<float> weights;

  const float* WeightsOf(const Taps& of) const { return weights.data() + of.weights; }
};

// Rows are resized horizontally in blocks, one row in each lane of a vector.
inline constexpr size_t kRowBlock = 16;

// Values after the end of an output row that RowResizer writes.
inline constexpr size_t kRowPadding = 4;

// Resizes rows of bytes horizontally. Not thread-safe.
class RowResizer {
 public:
  // in_width: of the input rows, in pixels. channels: 1 to 4. `columns` outlives this object.
  RowResizer(size_t in_width, size_t channels, const FilterAxis& columns);

  // [in_width, channels] of kRowBlock input rows, which may be the same, to the rows `out` of
  // [columns.taps.size(), channels] and kRowPadding values more. Each value is the sum of
  // weight * byte / 255 over the pixels of its taps, in their order.
  void Run(const uint8_t* const* rows, float* const* out);

 private:
  const size_t row_bytes_;
  const size_t channels_;
  const FilterAxis& columns_;
  std::vector<Tile> tiles_;
  std::vector<float> in_;    // [pixels of a tile, channels, kRowBlock] as 0..1
  std::vector<float> sums_;  // [output pixels of a tile, channels, kRowBlock]
};

// out[i] = the sum of weights[k] * rows[k][i] over k, in their order, clamped to 0..1 and scaled to
// a byte with rounding half up. rows: taps of them, of `count` values.
void SumRows(const float* const* rows, const float* weights, size_t taps, size_t count,
             uint8_t* out);

}  // namespace synap_internal

#endif  // RUNTIME_VISION_RESIZE_ROWS_H_
