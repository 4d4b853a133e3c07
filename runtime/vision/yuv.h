// Conversion of semi-planar YUV images (nv12, nv21) to RGB and gray.
#ifndef RUNTIME_VISION_YUV_H_
#define RUNTIME_VISION_YUV_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "runtime/vision/image.h"
#include "runtime/vision/image_rows.h"

namespace synap_internal {

// Order of the two chroma values.
enum class ChromaOrder { kUv, kVu };  // nv12, nv21

// Bytes of an image: the luma plane [height, width], then the chroma plane
// [height / 2, width / 2, 2]. 0 for odd or negative sizes, which have no such planes.
size_t SemiPlanarBytes(int width, int height);

// RGB of full-range BT.601, as the NPU's own preprocessing computes it. With U' = U - 128 and
// V' = V - 128, rounded half to even and saturated:
//   R = Y + 1.40625 V'
//   G = Y - 0.345458984375 U' - 0.716796875 V'
//   B = Y + 1.7783203125 U'
// A pixel has the chroma of its 2x2 block, without interpolation. Rows are converted while they are
// read.
class SemiPlanarRows final : public ImageRows {
 public:
  // `bytes` outlive the rows. REQUIRES: bytes.size() == SemiPlanarBytes(width, height) > 0.
  SemiPlanarRows(absl::Span<const uint8_t> bytes, int width, int height, ChromaOrder order);

 private:
  absl::Status ReadNext(absl::Span<const uint8_t*> rows) override;

  const absl::Span<const uint8_t> bytes_;
  const ChromaOrder order_;
  size_t y_ = 0;                 // of the next row
  std::vector<uint8_t> pixels_;  // of the rows of the latest call
};

// The luma plane as a gray image. REQUIRES: as above.
ImageView SemiPlanarLuma(absl::Span<const uint8_t> bytes, int width, int height);

}  // namespace synap_internal

#endif  // RUNTIME_VISION_YUV_H_
