// EXIF orientation: the rotation and mirroring that make a stored image upright.
#ifndef RUNTIME_VISION_ORIENTATION_H_
#define RUNTIME_VISION_ORIENTATION_H_

#include <cstdint>

#include "absl/types/span.h"
#include "runtime/vision/image.h"

namespace synap_internal {

// The orientation, 1 to 8, in the EXIF data of an image (a TIFF header and the first directory: the
// bytes after "Exif\0\0" in a JPEG, the whole chunk eXIf in a PNG). 1 if there is none, or if the
// EXIF data is damaged, since the pixels are still usable.
int ExifOrientation(absl::Span<const uint8_t> tiff);

// The upright image. `orientation` is the side to which the first row and the first column of the
// stored image belong: 1 top and left (unchanged), 2 top and right (mirrored), 3 bottom and right
// (turned by 180 degrees), 4 bottom and left (upside down), 5 left and top (transposed),
// 6 right and top (turned clockwise), 7 right and bottom, 8 left and bottom (turned
// counterclockwise). 5 to 8 swap width and height. REQUIRES: 1 to 8.
Image Upright(Image stored, int orientation);

}  // namespace synap_internal

#endif  // RUNTIME_VISION_ORIENTATION_H_
