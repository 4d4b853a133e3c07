// Inner loops of channel_order.h in vectors. Private to it.
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

// ConvertChannels for `count` pixels of `from` channels. REQUIRES: from and to differ and are 1, 3
// or 4.
void ConvertChannelsOfRow(const uint8_t* pixels, size_t count, size_t from, size_t to, bool is_bgr,
                          uint8_t* out);

}  // namespace synap_internal

#endif  // RUNTIME_VISION_CHANNEL_ROWS_H_
