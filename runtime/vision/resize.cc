#include "runtime/vision/resize.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/check.h"
#include "runtime/vision/resize_rows.h"

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

// The latest rows, resized horizontally: as many as one output row needs.
class RowWindow {
 public:
  RowWindow(const ImageView& image, const std::vector<Taps>& columns, size_t rows)
      : image_(image),
        columns_(columns),
        stride_(columns.size() * image.channels + kRowPadding),
        unit_row_(image.row_bytes() + kRowPadding),
        values_(stride_ * rows),
        held_(rows, -1) {}

  // [out_width, channels] of input row `y`. REQUIRES: rows are asked for in windows that only move
  // downwards.
  const float* Row(int y) {
    const size_t slot = static_cast<size_t>(y) % held_.size();
    float* row = values_.data() + slot * stride_;
    if (held_[slot] != y) {
      held_[slot] = y;
      ConvertToUnit(image_.row(y), image_.row_bytes(), unit_row_.data());
      ResizeRow(unit_row_.data(), image_.channels, columns_, row);
    }
    return row;
  }

 private:
  const ImageView image_;
  const std::vector<Taps>& columns_;
  const size_t stride_;          // of values_, in values
  std::vector<float> unit_row_;  // the input row as 0..1
  std::vector<float> values_;
  std::vector<int> held_;  // the row in each slot
};

}  // namespace

Image Resize(const ImageView& image, int width, int height) {
  CHECK(image.width > 0 && image.height > 0);
  CHECK(image.channels >= 1 && image.channels <= 4);
  const std::vector<Taps> columns = MakeTaps(image.width, width);
  const std::vector<Taps> rows = MakeTaps(image.height, height);
  size_t window = 0;
  for (const Taps& taps : rows) window = std::max(window, taps.weights.size());
  RowWindow input(image, columns, window);
  Image result = MakeImage(width, height, image.channels);
  std::vector<const float*> in(window);
  for (int y = 0; y < height; ++y) {
    const Taps& taps = rows[y];
    for (size_t i = 0; i < taps.weights.size(); ++i) {
      in[i] = input.Row(taps.first + static_cast<int>(i));
    }
    SumRows(in.data(), taps.weights, result.row_bytes(), result.row(y));
  }
  return result;
}

}  // namespace synap_internal
