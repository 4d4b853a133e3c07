// Sliding window of convolutions and poolings: its attributes, limits and output
// size.
#ifndef KERNELS_SHARED_WINDOW_H_
#define KERNELS_SHARED_WINDOW_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "kernels/attributes.h"

namespace synap_internal {

// One of the two dimensions of a window, in elements of the input.
struct WindowAxis {
  int64_t taps = 1;  // the kernel's extent
  int64_t stride = 1;
  int64_t dilation = 1;
  int64_t pad_begin = 0;
  int64_t pad_end = 0;

  // Extent from the first to the last tap: (taps - 1) * dilation + 1.
  int64_t reach() const { return (taps - 1) * dilation + 1; }
  // Input position of tap t of output position o. A tap in the padding is outside of [0, input).
  int64_t Position(int64_t o, int64_t t) const { return o * stride - pad_begin + t * dilation; }
};

// Strides, dilations and pads beyond this are refused, so that products with a
// tensor's extents never overflow int64_t.
inline constexpr int64_t kMaxWindow = int64_t{1} << 20;

struct Window {
  WindowAxis rows;
  WindowAxis columns;

  // Reads strides[2], dilations[2] (rows, columns) and pads[4] (top, left,
  // bottom, right). reader.Finish() and the checks below return the errors.
  static Window Read(AttributeReader& reader);

  // InvalidArgument unless strides and dilations are in 1..kMaxWindow.
  absl::Status CheckSteps() const;
  // InvalidArgument unless pads are in 0..kMaxWindow.
  absl::Status CheckPads() const;
};

// Number of output positions of a window over `input` elements: those where the
// whole window lies inside of the padded input. With `ceil_mode` a last window
// may extend beyond the end, if it starts inside of the input or its leading
// padding. InvalidArgument if there is no position. REQUIRES: the checks above
// passed.
absl::StatusOr<int64_t> OutputExtent(const WindowAxis& axis, int64_t input, bool ceil_mode = false);

}  // namespace synap_internal

#endif  // KERNELS_SHARED_WINDOW_H_
