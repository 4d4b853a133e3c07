// Fits a picture into an input tensor: channels, letterbox, and order of colours and planes, in one
// pass over its rows. Shared by the Preprocessor and by calibration, which must see the pixels of
// inference.
#ifndef RUNTIME_VISION_FIT_PICTURE_H_
#define RUNTIME_VISION_FIT_PICTURE_H_

#include <cstddef>
#include <cstdint>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "runtime/vision/image_rows.h"
#include "runtime/vision/letterbox.h"

namespace synap_internal {

// The pixels of a tensor.
struct PictureTensor {
  int width = 0;
  int height = 0;
  int channels = 0;
  bool is_planar = false;  // [channels, height, width], else [height, width, channels]
  bool is_bgr = false;     // else RGB, or gray
  LetterboxOptions letterbox;

  size_t size() const { return static_cast<size_t>(width) * height * channels; }
};

// Takes values of the tensor's elements first, first + 1, ..., which live until it returns.
using PixelFunction = absl::FunctionRef<void(absl::Span<const uint8_t> values, size_t first)>;

// Calls `emit` for all of the tensor's bytes, in pieces of one channel or of whole pixels: the
// picture in the tensor's channels (channel_rows.h), letterboxed (letterbox.h), and with red and
// blue swapped if just one of both is BGR. Returns where the picture lies. InvalidArgument for a
// number of channels that can't be converted, and for a damaged picture, of which rows may have
// been emitted. REQUIRES: no row of the picture was read; the tensor is within the limits of
// image.h.
absl::StatusOr<LetterboxPlan> FitPicture(ImageRows& picture, bool is_bgr,
                                         const PictureTensor& tensor, PixelFunction emit);

// The same, into the tensor's size() bytes.
absl::StatusOr<LetterboxPlan> FitPicture(ImageRows& picture, bool is_bgr,
                                         const PictureTensor& tensor, uint8_t* pixels);

}  // namespace synap_internal

#endif  // RUNTIME_VISION_FIT_PICTURE_H_
