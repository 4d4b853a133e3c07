// Decoder of BMP (Windows bitmaps). Private to image.h.
#ifndef RUNTIME_VISION_BMP_H_
#define RUNTIME_VISION_BMP_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "runtime/vision/image.h"

namespace synap_internal {

// Decodes uncompressed pixels of 1, 4 and 8 bits with a palette, and of 16, 24 and 32 bits, rows
// from the bottom or the top, to RGB; to RGBA where the header has a mask for alpha. Channels of
// fewer or more than 8 bits are scaled to 0..255 and rounded to nearest. Memory is allocated only
// for pixels that the file contains. InvalidArgument, without the image's name, for run-length and
// embedded JPEG or PNG compression, palettes without a pixel's colour, and truncated files.
absl::StatusOr<Image> DecodeBmp(absl::Span<const uint8_t> bytes);

}  // namespace synap_internal

#endif  // RUNTIME_VISION_BMP_H_
