#include "compiler/quantize/search/patch_means.h"

#include <algorithm>
#include <cstddef>
#include <type_traits>

namespace synap_internal {

PatchMeans::PatchMeans(const PatchLayout& layout)
    : layout_(layout), sums_(static_cast<size_t>(layout.groups * layout.inputs)) {}

std::vector<int64_t> PatchMeans::TapsOfRow(int64_t y) const {
  const WindowAxis& rows = layout_.window.rows;
  std::vector<int64_t> taps;
  for (int64_t tap = 0; tap < rows.taps; ++tap) {
    const int64_t offset = y - rows.Position(0, tap);  // of the first output row's tap
    const bool read = offset >= 0 && offset % rows.stride == 0;
    if (read && offset / rows.stride < layout_.out_height) taps.push_back(tap);
  }
  return taps;
}

std::vector<double> PatchMeans::ColumnSums(const float* row) const {
  const WindowAxis& columns = layout_.window.columns;
  const int64_t width = layout_.x[2], channels = layout_.x[3];
  std::vector<double> sums(static_cast<size_t>(columns.taps * channels));
  // The sums of the channels [c, c + kCount) stay in registers from pixel to pixel.
  const auto add = [&](int64_t tap, int64_t c, auto count) {
    constexpr int64_t kCount = decltype(count)::value;
    double block[kCount] = {};
    for (int64_t q = 0; q < layout_.out_width; ++q) {
      const int64_t z = columns.Position(q, tap);
      if (z < 0 || z >= width) continue;
      const float* pixel = row + z * channels + c;
#pragma GCC unroll 8
      for (int64_t i = 0; i < kCount; ++i) block[i] += static_cast<double>(pixel[i]);
    }
    std::copy_n(block, kCount, sums.begin() + tap * channels + c);
  };
  for (int64_t tap = 0; tap < columns.taps; ++tap) {
    int64_t c = 0;
    for (; c + 8 <= channels; c += 8) add(tap, c, std::integral_constant<int64_t, 8>());
    for (; c < channels; ++c) add(tap, c, std::integral_constant<int64_t, 1>());
  }
  return sums;
}

void PatchMeans::Add(absl::Span<const float> x) {
  const int64_t height = layout_.x[1], row_size = layout_.x[2] * layout_.x[3];
  for (int64_t row = 0; row < layout_.x[0] * height; ++row) {
    const std::vector<int64_t> taps = TapsOfRow(row % height);
    if (taps.empty()) continue;
    const std::vector<double> sums = ColumnSums(x.data() + row * row_size);
    for (const int64_t tap : taps) {
      double* to = sums_.data() + tap * static_cast<int64_t>(sums.size());
      for (size_t i = 0; i < sums.size(); ++i) to[i] += sums[i];
    }
  }
  ++samples_;
}

std::vector<double> PatchMeans::Means() const {
  const auto positions = static_cast<double>(std::max<int64_t>(1, samples_ * layout_.positions));
  const int64_t channels = layout_.x[3], depth = channels / layout_.groups;
  std::vector<double> means(sums_.size());
  for (int64_t g = 0; g < layout_.groups; ++g) {
    for (int64_t i = 0; i < layout_.inputs; ++i) {
      const int64_t sum = i / depth * channels + g * depth + i % depth;
      means[static_cast<size_t>(g * layout_.inputs + i)] =
          sums_[static_cast<size_t>(sum)] / positions;
    }
  }
  return means;
}

}  // namespace synap_internal
