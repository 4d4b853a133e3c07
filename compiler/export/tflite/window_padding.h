// Padding of sliding windows, as TensorFlow Lite says it.
#ifndef COMPILER_EXPORT_TFLITE_WINDOW_PADDING_H_
#define COMPILER_EXPORT_TFLITE_WINDOW_PADDING_H_

#include <cstdint>

#include "base/shape.h"
#include "compiler/export/tflite/op_context.h"
#include "kernels/shared/window.h"

namespace synap_internal::tflite_export {

// Where a window moves: over the operand with SAME padding, or over `image` without any.
struct PaddedImage {
  Value image = kAbsent;
  tflite::Padding padding = tflite::Padding::VALID;
};

// Whether SAME padding puts the windows of so many outputs where the axis has them.
bool IsSame(const WindowAxis& axis, int64_t input, int64_t output);
// The same for both axes, from image `x` to image `y`.
bool IsSame(const Window& window, const Shape& x, const Shape& y);
// Likewise without padding.
bool IsValid(const Window& window, const Shape& x, const Shape& y);

// What pads are, where they aren't left to SAME padding.
enum class PadWith { kZero, kLowest };

// Operand 0, an image, for the window; where neither SAME nor VALID padding is right, a PAD or
// PADV2 stands before it.
PaddedImage Pad(OpContext& context, const Window& window, PadWith with);

// The image with a border of `value`s; PAD where they are 0.
Value PadImage(OpContext& context, Value image, const Window& window, PadWith with);

}  // namespace synap_internal::tflite_export

#endif  // COMPILER_EXPORT_TFLITE_WINDOW_PADDING_H_
