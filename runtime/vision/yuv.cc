#include "runtime/vision/yuv.h"

#include "base/check.h"
#include "runtime/vision/yuv_rows.h"

namespace synap_internal {

size_t SemiPlanarBytes(int width, int height) {
  if (width <= 0 || height <= 0 || width % 2 != 0 || height % 2 != 0) return 0;
  const size_t luma = static_cast<size_t>(width) * static_cast<size_t>(height);
  return luma + luma / 2;
}

SemiPlanarRows::SemiPlanarRows(absl::Span<const uint8_t> bytes, int width, int height,
                               ChromaOrder order)
    : ImageRows(width, height, 3), bytes_(bytes), order_(order) {
  CHECK(!bytes.empty() && bytes.size() == SemiPlanarBytes(width, height));
}

absl::Status SemiPlanarRows::ReadNext(absl::Span<const uint8_t*> rows) {
  if (pixels_.size() < rows.size() * row_bytes()) pixels_.resize(rows.size() * row_bytes());
  const auto luma_width = static_cast<size_t>(width());
  const uint8_t* const chroma = bytes_.data() + luma_width * height();
  uint8_t* to = pixels_.data();
  for (const uint8_t*& row : rows) {
    SemiPlanarRowToRgb(bytes_.data() + luma_width * y_, chroma + luma_width * (y_ / 2), luma_width,
                       order_ == ChromaOrder::kUv ? 0 : 1, to);
    ++y_;
    row = to;
    to += row_bytes();
  }
  return absl::OkStatus();
}

ImageView SemiPlanarLuma(absl::Span<const uint8_t> bytes, int width, int height) {
  CHECK(!bytes.empty() && bytes.size() == SemiPlanarBytes(width, height));
  return ImageView(width, height, 1, bytes.data());
}

}  // namespace synap_internal
