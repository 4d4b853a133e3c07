// Sliding window of a convolution or pooling.
#ifndef COMPILER_IMPORT_EMIT_WINDOW_H_
#define COMPILER_IMPORT_EMIT_WINDOW_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/shape.h"
#include "kernels/attributes.h"

namespace synap_internal {

// The product of such a value and a dimension stays far below 2^63.
inline constexpr int64_t kMaxWindowValue = int64_t{1} << 20;

// One number for each spatial dimension: height and width over images. The numbers come from a file
// as they are; arithmetic on them can't overflow after Check.
struct Window {
  std::vector<int64_t> kernel;
  std::vector<int64_t> strides;
  std::vector<int64_t> dilations = {1, 1};
  std::vector<int64_t> pads = {0, 0, 0, 0};  // all begins (top, left), then all ends

  // InvalidArgument for a kernel, stride or dilation outside of 1 to kMaxWindowValue.
  absl::Status Check() const;
  // The elements from the first to the last that the window reads along spatial dimension i.
  int64_t Reach(size_t i) const { return (kernel[i] - 1) * dilations[i] + 1; }
  // The pads at both ends of spatial dimension i together.
  int64_t PadsOf(size_t i) const { return pads[i] + pads[i + kernel.size()]; }
  // The places of the window along spatial dimension i of `extent` elements; 0 if it reaches
  // farther than the dimension and its pads. REQUIRES: a window that Check accepts.
  int64_t Places(size_t i, int64_t extent) const;
  // Strides, dilations and pads: the attributes of conv2d and its relatives.
  Attributes ToAttributes() const;
  // The same and the kernel: the attributes of max_pool2d and avg_pool2d.
  Attributes ToPoolAttributes() const;
};

// InvalidArgument unless there are `count` values, each from `min` to `max`. `what` names them in
// the error: "attribute 'pads'".
absl::Status CheckWindowValues(absl::string_view what, const std::vector<int64_t>& values,
                               size_t count, int64_t min, int64_t max = kMaxWindowValue);

// The pads of a file that has one number for both ends of a dimension.
std::vector<int64_t> SymmetricPads(std::vector<int64_t> pads);

// A window over [N,C,L] as one over images of height 1; windows over more dimensions unchanged.
Window LiftedToImage(Window window);

// Which end of a dimension takes the larger part of an odd number of pads.
enum class OddPad { kEnd, kBegin };

// The pads that let the output have ceil(in / stride) elements along each dimension, where `in` are
// the spatial dimensions that the window moves over. REQUIRES: a window that Check accepts.
std::vector<int64_t> SamePads(absl::Span<const int64_t> in, const Window& window,
                              OddPad odd = OddPad::kEnd);

// --- Images [N,H,W,C], as TensorFlow and TensorFlow Lite have them

// Unimplemented unless `x` has four dimensions.
absl::Status CheckImage(const Shape& x);

// Checks `x` and the window, and sets the window's pads to SamePads over `x`.
absl::Status PadSame(const Shape& x, Window& window);

// Attributes of the conv_transpose2d from `x` to `output`. `window`: that of the convolution whose
// transpose it is, with its pads over `output`. REQUIRES: a window that Check accepts.
Attributes TransposedAttributes(const Shape& x, const Shape& output, Window window);

}  // namespace synap_internal

#endif  // COMPILER_IMPORT_EMIT_WINDOW_H_
