#include "compiler/export/tflite/window_padding.h"

#include <algorithm>
#include <limits>

namespace synap_internal::tflite_export {
namespace {

using tflite::BuiltinOperator;

// The number that is in no maximum.
float LowestOf(const TensorType& type) {
  if (!type.quant.quantized()) return std::numeric_limits<float>::lowest();
  const auto steps = static_cast<float>(RangeOf(type.dtype).min - type.quant.zero_point());
  return steps * type.quant.scale();
}

bool IsUnpadded(const WindowAxis& axis, int64_t input, int64_t output) {
  return axis.pad_begin == 0 && input >= axis.reach() &&
         output == (input - axis.reach()) / axis.stride + 1;
}

// Elements that the windows of so many outputs reach behind the input.
int64_t ReachBehind(const WindowAxis& axis, int64_t input, int64_t output) {
  return std::max<int64_t>((output - 1) * axis.stride + axis.reach() - input - axis.pad_begin, 0);
}

}  // namespace

bool IsSame(const WindowAxis& axis, int64_t input, int64_t output) {
  const int64_t total = std::max<int64_t>((output - 1) * axis.stride + axis.reach() - input, 0);
  return output == (input + axis.stride - 1) / axis.stride && axis.pad_begin == total / 2;
}

bool IsSame(const Window& window, const Shape& x, const Shape& y) {
  return IsSame(window.rows, x[1], y[1]) && IsSame(window.columns, x[2], y[2]);
}

bool IsValid(const Window& window, const Shape& x, const Shape& y) {
  return IsUnpadded(window.rows, x[1], y[1]) && IsUnpadded(window.columns, x[2], y[2]);
}

Value PadImage(OpContext& context, Value image, const Window& window, PadWith with) {
  const TensorType x = context.type(image);
  const Shape& y = context.output_shape();
  const int64_t bottom = ReachBehind(window.rows, x.shape[1], y[1]);
  const int64_t right = ReachBehind(window.columns, x.shape[2], y[2]);
  const int64_t top = window.rows.pad_begin, left = window.columns.pad_begin;
  OpContext::Values inputs = {image, context.PadPairs({0, top, left, 0, 0, bottom, right, 0})};
  const bool lowest = with == PadWith::kLowest;
  if (lowest) inputs.push_back(context.Number("/lowest", LowestOf(x), x.quant));
  const Shape padded(
      {x.shape[0], top + x.shape[1] + bottom, left + x.shape[2] + right, x.shape[3]});
  return context.EmitLike(lowest ? BuiltinOperator::PADV2 : BuiltinOperator::PAD, inputs, image,
                          padded);
}

PaddedImage Pad(OpContext& context, const Window& window, PadWith with) {
  const Value image = context.Input(0);
  const Shape &x = context.shape(0), &y = context.output_shape();
  if (IsValid(window, x, y)) return {image, tflite::Padding::VALID};
  if (IsSame(window, x, y)) return {image, tflite::Padding::SAME};
  return {PadImage(context, image, window, with), tflite::Padding::VALID};
}

}  // namespace synap_internal::tflite_export
