// The sliding window of convolutions and poolings, and the format's paddings.
#ifndef COMPILER_IMPORT_TFLITE_WINDOW_H_
#define COMPILER_IMPORT_TFLITE_WINDOW_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/shape.h"
#include "compiler/import/tflite/model_generated.h"
#include "kernels/attributes.h"

namespace synap::tflite_import {

struct Window {
  std::vector<int64_t> kernel;  // height, width
  std::vector<int64_t> strides;
  std::vector<int64_t> dilations = {1, 1};
  std::vector<int64_t> pads = {0, 0, 0, 0};  // top, left, bottom, right

  // As attributes of conv2d and its relatives.
  Attributes ToAttributes() const;
  // InvalidArgument unless all of the first three are in 1..2^20, so that
  // arithmetic on them can't overflow.
  absl::Status Check() const;
};

// Unimplemented unless `x` is [N,H,W,C].
absl::Status CheckImage(const Shape& x);

// Sets the pads for a window that moves over `x`, [N,H,W,C]: VALID has none; SAME
// as many as ceil(extent / stride) outputs need, an odd one at the end.
absl::Status Pad(const Shape& x, tflite::Padding padding, Window& window);

}  // namespace synap::tflite_import

#endif  // COMPILER_IMPORT_TFLITE_WINDOW_H_
