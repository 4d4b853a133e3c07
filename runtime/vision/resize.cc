#include "runtime/vision/resize.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/check.h"

namespace synap_internal {
namespace {

constexpr double kRadius = 2;

// Both filters are polynomials of |x| with |x| < 2; computed in double, where they are exact enough
// that the float32 weights don't depend on how they are factored.
double CatmullRom(double x) {
  x = std::abs(x);
  if (x < 1) return 1 - x * x * (2.5 - 1.5 * x);
  if (x < 2) return 2 - x * (4 + x * (0.5 * x - 2.5));
  return 0;
}

double Mitchell(double x) {
  x = std::abs(x);
  if (x < 1) return (16 + x * x * (21 * x - 36)) / 18;
  if (x < 2) return (32 + x * (-60 + x * (36 - 7 * x))) / 18;
  return 0;
}

// The weights of one output pixel: input pixels first, first + 1, ..., which lie inside of the
// image; those beyond an edge are added to the edge's.
struct Taps {
  int first = 0;
  std::vector<float> weights;
};

// `out_size` Taps of an axis.
std::vector<Taps> MakeTaps(int in_size, int out_size) {
  const bool grows = out_size > in_size;
  const double in_per_out = static_cast<double>(in_size) / out_size;
  // Distances are measured in the pixels of the coarser side.
  const double unit = grows ? 1 : in_per_out;
  std::vector<Taps> axis(out_size);
  for (int out = 0; out < out_size; ++out) {
    const double center = (out + 0.5) * in_per_out;
    const int begin = static_cast<int>(std::floor(center - kRadius * unit + 0.5));
    const int end = static_cast<int>(std::floor(center + kRadius * unit - 0.5)) + 1;
    Taps& taps = axis[out];
    taps.first = std::clamp(begin, 0, in_size - 1);
    std::vector<double> weights(std::clamp(end - 1, 0, in_size - 1) - taps.first + 1);
    double total = 0;
    for (int in = begin; in < end; ++in) {
      const double distance = (in + 0.5 - center) / unit;
      const double weight = grows ? CatmullRom(distance) : Mitchell(distance);
      weights[std::clamp(in, 0, in_size - 1) - taps.first] += weight;
      total += weight;
    }
    for (const double weight : weights) taps.weights.push_back(static_cast<float>(weight / total));
  }
  return axis;
}

// One input row, values 0..1 -> `out`, [out_width, kChannels].
template <int kChannels>
void ResizeRow(const float* row, const std::vector<Taps>& axis, float* out) {
  for (const Taps& taps : axis) {
    const float* in = row + static_cast<size_t>(taps.first) * kChannels;
    float sums[kChannels] = {};
    for (const float weight : taps.weights) {
      for (int c = 0; c < kChannels; ++c) sums[c] += weight * in[c];
      in += kChannels;
    }
    for (int c = 0; c < kChannels; ++c) *out++ = sums[c];
  }
}

void ResizeRow(const float* row, int channels, const std::vector<Taps>& axis, float* out) {
  switch (channels) {
    case 1:
      return ResizeRow<1>(row, axis, out);
    case 2:
      return ResizeRow<2>(row, axis, out);
    case 3:
      return ResizeRow<3>(row, axis, out);
    default:
      return ResizeRow<4>(row, axis, out);
  }
}

uint8_t ToByte(float value) {
  return static_cast<uint8_t>(std::clamp(value, 0.0f, 1.0f) * 255.0f + 0.5f);
}

// The latest rows, resized horizontally: as many as one output row needs.
class RowWindow {
 public:
  RowWindow(const Image& image, const std::vector<Taps>& columns, size_t rows)
      : image_(image),
        columns_(columns),
        row_values_(columns.size() * image.channels),
        unit_row_(image.row_bytes()),
        values_(row_values_ * rows),
        held_(rows, -1) {}

  // [out_width, channels] of input row `y`. REQUIRES: rows are asked for in windows that only move
  // downwards.
  const float* Row(int y) {
    const size_t slot = static_cast<size_t>(y) % held_.size();
    float* row = values_.data() + slot * row_values_;
    if (held_[slot] != y) {
      held_[slot] = y;
      const uint8_t* bytes = image_.row(y);
      for (size_t x = 0; x < unit_row_.size(); ++x) {
        unit_row_[x] = static_cast<float>(bytes[x]) / 255.0f;
      }
      ResizeRow(unit_row_.data(), image_.channels, columns_, row);
    }
    return row;
  }
  size_t row_values() const { return row_values_; }

 private:
  const Image& image_;
  const std::vector<Taps>& columns_;
  const size_t row_values_;
  std::vector<float> unit_row_;  // the input row as 0..1
  std::vector<float> values_;
  std::vector<int> held_;  // the row in each slot
};

}  // namespace

Image Resize(const Image& image, int width, int height) {
  CHECK(image.width > 0 && image.height > 0);
  CHECK(image.channels >= 1 && image.channels <= 4);
  const std::vector<Taps> columns = MakeTaps(image.width, width);
  const std::vector<Taps> rows = MakeTaps(image.height, height);
  size_t window = 0;
  for (const Taps& taps : rows) window = std::max(window, taps.weights.size());
  RowWindow input(image, columns, window);
  Image result = MakeImage(width, height, image.channels);
  std::vector<float> sums(input.row_values());
  for (int y = 0; y < height; ++y) {
    std::fill(sums.begin(), sums.end(), 0.0f);
    for (size_t i = 0; i < rows[y].weights.size(); ++i) {
      const float weight = rows[y].weights[i];
      const float* in = input.Row(rows[y].first + static_cast<int>(i));
      for (size_t x = 0; x < sums.size(); ++x) sums[x] += weight * in[x];
    }
    uint8_t* out = result.row(y);
    for (size_t x = 0; x < sums.size(); ++x) out[x] = ToByte(sums[x]);
  }
  return result;
}

}  // namespace synap_internal
