// The sliding window of a convolution or pooling over images [N, H, W, C], as
// TensorFlow and TensorFlow Lite define it.
#ifndef COMPILER_IMPORT_EMIT_WINDOW_H_
#define COMPILER_IMPORT_EMIT_WINDOW_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "base/shape.h"
#include "kernels/attributes.h"

namespace synap_internal {

// All but the pads are numbers of the file until Check has seen them.
struct Window {
  std::vector<int64_t> kernel;               // height, width
  std::vector<int64_t> strides;              // height, width
  std::vector<int64_t> dilations = {1, 1};   // height, width
  std::vector<int64_t> pads = {0, 0, 0, 0};  // top, left, bottom, right

  // As attributes of conv2d and its relatives.
  Attributes ToAttributes() const;
  // That no number is outside of 1 to 2^20.
  absl::Status Check() const;
};

// That `x` is an image.
absl::Status CheckImage(const Shape& x);

// How much padding lets the output have ceil(in / stride) elements. REQUIRES:
// arguments that Window::Check lets pass.
int64_t SamePadding(int64_t in, int64_t kernel, int64_t stride, int64_t dilation);

// Attributes of the conv_transpose2d from `x` to `output`. `window`: that of the
// convolution whose transpose it is, checked and with the pads that it has over
// `output`.
Attributes TransposedAttributes(const Shape& x, const Shape& output, Window window);

// Sets the window's pads so that the output has ceil(in / stride) elements; of
// an odd number the larger part is behind. `x`: what the window moves over.
absl::Status PadSame(const Shape& x, Window& window);

}  // namespace synap_internal

#endif  // COMPILER_IMPORT_EMIT_WINDOW_H_
