// Inner loop of yuv.h in vectors, with the bits of its formulas. Private to it.
#ifndef RUNTIME_VISION_YUV_ROWS_H_
#define RUNTIME_VISION_YUV_ROWS_H_

#include <cstddef>
#include <cstdint>

namespace synap_internal {

// A row of an even number of pixels: `luma`, and a pair of chroma values for two pixels each, of
// which U is the one at u_index, 0 or 1 -> RGB.
void SemiPlanarRowToRgb(const uint8_t* luma, const uint8_t* chroma, size_t width, size_t u_index,
                        uint8_t* rgb);

}  // namespace synap_internal

#endif  // RUNTIME_VISION_YUV_ROWS_H_
