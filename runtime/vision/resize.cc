#include "runtime/vision/resize.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <vector>

#include "absl/types/span.h"
#include "base/check.h"
#include "base/status_macros.h"
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

FilterAxis MakeAxis(int in_size, int out_size) {
  const bool grows = out_size > in_size;
  const double in_per_out = static_cast<double>(in_size) / out_size;
  // Distances are measured in the pixels of the coarser side.
  const double unit = grows ? 1 : in_per_out;
  FilterAxis axis;
  axis.taps.reserve(static_cast<size_t>(out_size));
  std::vector<double> weights;
  for (int out = 0; out < out_size; ++out) {
    const double center = (out + 0.5) * in_per_out;
    const int begin = static_cast<int>(std::floor(center - kRadius * unit + 0.5));
    const int end = static_cast<int>(std::floor(center + kRadius * unit - 0.5)) + 1;
    const int first = std::clamp(begin, 0, in_size - 1);
    const int last = std::clamp(end - 1, 0, in_size - 1);
    weights.assign(static_cast<size_t>(last - first) + 1, 0);
    double total = 0;
    for (int in = begin; in < end; ++in) {
      const double distance = (in + 0.5 - center) / unit;
      const double weight = grows ? CatmullRom(distance) : Mitchell(distance);
      weights[std::clamp(in, 0, in_size - 1) - first] += weight;
      total += weight;
    }
    axis.taps.push_back({static_cast<size_t>(first), weights.size(), axis.weights.size()});
    for (const double weight : weights) axis.weights.push_back(static_cast<float>(weight / total));
  }
  return axis;
}

// The latest rows, resized horizontally, in whole blocks: at least as many as one output row needs.
class RowWindow {
 public:
  RowWindow(ImageRows& image, const ResizePlan& plan, const FilterAxis& columns, size_t window)
      : image_(image),
        resizer_(static_cast<size_t>(plan.source_width), static_cast<size_t>(image.channels()),
                 columns),
        stride_(columns.taps.size() * image.channels() + kRowPadding),
        // The last row of a window may begin a block, the first one may end one.
        slots_((window - 1 + kRowBlock + kRowBlock - 1) / kRowBlock * kRowBlock),
        left_(plan.source_height),
        values_(stride_ * slots_) {}

  // Reads up to row y. REQUIRES: y lies inside of the source.
  absl::Status ReadTo(size_t y) {
    while (y >= next_) RETURN_IF_ERROR(AddBlock());
    return absl::OkStatus();
  }

  // [out_width, channels] of a row that was read. REQUIRES: it belongs to the latest window.
  const float* Row(size_t y) const { return values_.data() + y % slots_ * stride_; }

 private:
  // The last block repeats the last row.
  absl::Status AddBlock() {
    const uint8_t* rows[kRowBlock];
    float* out[kRowBlock];
    const size_t count = std::min(kRowBlock, static_cast<size_t>(left_));
    RETURN_IF_ERROR(image_.Read(absl::MakeSpan(rows, count)));
    left_ -= static_cast<int>(count);
    std::fill(rows + count, rows + kRowBlock, rows[count - 1]);
    for (size_t i = 0; i < kRowBlock; ++i) {
      out[i] = values_.data() + (next_ + i) % slots_ * stride_;
    }
    resizer_.Run(rows, out);
    next_ += kRowBlock;
    return absl::OkStatus();
  }

  ImageRows& image_;
  RowResizer resizer_;
  const size_t stride_;  // of values_, in values
  const size_t slots_;   // rows of values_
  int left_;             // rows of the source that weren't read yet
  std::vector<float> values_;
  size_t next_ = 0;  // the first row of the next block
};

}  // namespace

absl::Status ResizeRows(ImageRows& image, const ResizePlan& plan, RowFunction emit) {
  CHECK(plan.source_width > 0 && plan.source_width <= image.width());
  CHECK(plan.source_height > 0 && plan.source_height <= image.height());
  CHECK(image.channels() >= 1 && image.channels() <= 4);
  const FilterAxis columns = MakeAxis(plan.source_width, plan.width);
  const FilterAxis rows = MakeAxis(plan.source_height, plan.height);
  size_t window = 0;
  for (const Taps& taps : rows.taps) window = std::max(window, taps.count);
  RowWindow input(image, plan, columns, window);
  std::vector<const float*> in(window);
  std::vector<uint8_t> out(static_cast<size_t>(plan.width) * image.channels());
  for (int y = 0; y < plan.height; ++y) {
    const Taps& taps = rows.taps[static_cast<size_t>(y)];
    RETURN_IF_ERROR(input.ReadTo(taps.first + taps.count - 1));
    for (size_t i = 0; i < taps.count; ++i) in[i] = input.Row(taps.first + i);
    SumRows(in.data(), rows.WeightsOf(taps), taps.count, out.size(), out.data());
    emit(y, out.data());
  }
  return absl::OkStatus();
}

Image Resize(const ImageView& image, int width, int height) {
  Image result = MakeImage(width, height, image.channels);
  ViewRows rows(image);
  const absl::Status status = ResizeRows(
      rows, {image.width, image.height, width, height},
      [&](int y, const uint8_t* row) { std::memcpy(result.row(y), row, result.row_bytes()); });
  CHECK(status.ok());  // pixels in memory can't be damaged
  return result;
}

}  // namespace synap_internal
