#include "compiler/graph/picture_layout.h"

#include <cstddef>
#include <cstdint>

namespace synap_internal {

absl::string_view LayoutOfInput(const Shape& shape, absl::string_view layout) {
  if (shape.rank() != 4) return layout;
  const bool is_nchw = layout == "nchw";
  const size_t own = is_nchw ? 1 : 3, other = is_nchw ? 3 : 1;
  constexpr int64_t kMostChannels = 4;
  const int64_t channels = shape[other];
  const bool are_channels = channels == 1 || channels == 3 || channels == kMostChannels;
  const bool is_other = are_channels && shape[own] > kMostChannels && shape[2] > kMostChannels;
  if (!is_other) return layout;
  return is_nchw ? "nhwc" : "nchw";
}

}  // namespace synap_internal
