#include "compiler/quantize/search/layer_patches.h"

#include <algorithm>

#include "kernels/attributes.h"

namespace synap_internal {

PatchLayout PatchLayout::Of(const Op& op) {
  PatchLayout layout;
  const Shape &x = op.inputs[0]->type.shape, &w = op.inputs[1]->type.shape;
  const Shape& out = op.output()->type.shape;
  layout.positions = out.elements() / out.back();
  if (op.Is(LinearForm::kDense)) {
    layout.x = Shape{1, 1, layout.positions, x.back()};
    layout.out_width = layout.positions;
    layout.inputs = w[1];
    layout.outputs = w[0];
    return layout;
  }
  layout.x = x;
  layout.out_height = out[1];
  layout.out_width = out[2];
  AttributeReader reader(op.attributes);
  layout.window = Window::Read(reader);
  layout.window.rows.taps = w[1];
  layout.window.columns.taps = w[2];
  layout.depthwise = op.Is(LinearForm::kDepthwise);
  layout.groups = layout.depthwise ? x[3] : reader.Int("groups", 1);
  layout.inputs = w.elements() / (layout.depthwise ? w[3] : w[0]);
  layout.outputs = out[3] / layout.groups;
  return layout;
}

std::vector<int64_t> ChoosePositions(int64_t positions, int64_t wanted, int64_t sample) {
  std::vector<int64_t> chosen;
  if (positions <= wanted) {
    for (int64_t i = 0; i < positions; ++i) chosen.push_back(i);
    return chosen;
  }
  // Multiples of the golden ratio, modulo 1 and in 32 bits, spread as evenly as any sequence can.
  constexpr uint64_t kGolden = 0x9E3779B97F4A7C15;
  for (int64_t i = 0; i < wanted; ++i) {
    const uint64_t part = static_cast<uint64_t>(sample * wanted + i) * kGolden >> 32;
    chosen.push_back(static_cast<int64_t>(part * static_cast<uint64_t>(positions) >> 32));
  }
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

void CopyPatches(const PatchLayout& layout, absl::Span<const float> x,
                 absl::Span<const int64_t> positions, int64_t row, Matrices& patches) {
  const WindowAxis &rows = layout.window.rows, &columns = layout.window.columns;
  const int64_t height = layout.x[1], width = layout.x[2], channels = layout.x[3];
  const int64_t depth = channels / layout.groups;  // channels of a patch
  for (const int64_t position : positions) {
    const int64_t q = position % layout.out_width;
    const int64_t r = position / layout.out_width % layout.out_height;
    const int64_t image = position / layout.out_width / layout.out_height;
    for (int64_t tap = 0; tap < rows.taps * columns.taps; ++tap) {
      const int64_t y = rows.Position(r, tap / columns.taps);
      const int64_t z = columns.Position(q, tap % columns.taps);
      if (y < 0 || y >= height || z < 0 || z >= width) continue;  // patches begin as zeros
      const float* pixel = x.data() + ((image * height + y) * width + z) * channels;
      for (int64_t g = 0; g < layout.groups; ++g) {
        std::copy_n(pixel + g * depth, depth, patches.row(g, row).begin() + tap * depth);
      }
    }
    ++row;
  }
}

}  // namespace synap_internal
