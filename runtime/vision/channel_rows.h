// Reordering and conversion of a row's channels, in vectors.
#ifndef RUNTIME_VISION_CHANNEL_ROWS_H_
#define RUNTIME_VISION_CHANNEL_ROWS_H_

#include <cstddef>
#include <cstdint>

namespace synap_internal {

// Pixels of 3 or 4 channels with the first and the third exchanged. `out` may be `pixels`.
void SwapRedAndBlueOfRow(const uint8_t* pixels, size_t count, size_t channels, uint8_t* out);

// planes[c][i] = channel c of pixel i, for 1 to 4 channels.
void SplitRow(const uint8_t* pixels, size_t count, size_t channels, uint8_t* const* planes);

// The reverse of SplitRow.
void JoinRow(const uint8_t* const* planes, size_t count, size_t channels, uint8_t* pixels);

// Converts `count` pixels of `from` channels to `to` channels.
//   gray to colour  red, green and blue are the gray
//   colour to gray  (19595 R + 38470 G + 7471 B + 32768) >> 16, the luma of BT.601 and JPEG
//   without alpha   the alpha is dropped, as most training code does: transparent pixels show the
//                   colour that is stored for them and aren't blended with a background
//   with alpha      255
// Red is the first channel, blue if `is_bgr`. REQUIRES: from and to differ and are 1, 3 or 4.
void ConvertChannelsOfRow(const uint8_t* pixels, size_t count, size_t from, size_t to, bool is_bgr,
                          uint8_t* out);

}  // namespace synap_internal

#endif  // RUNTIME_VISION_CHANNEL_ROWS_H_
