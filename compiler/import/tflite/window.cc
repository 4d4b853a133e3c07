#include "compiler/import/tflite/window.h"

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace synap_internal::tflite_import {

absl::Status Pad(const Shape& x, tflite::Padding padding, Window& window) {
  if (padding == tflite::Padding::SAME) return PadSame(x, window);
  if (padding != tflite::Padding::VALID) {
    return absl::InvalidArgumentError(
        absl::StrCat("its padding is ", static_cast<int>(padding), ", expected SAME or VALID"));
  }
  RETURN_IF_ERROR(CheckImage(x));
  window.pads.assign(4, 0);
  return window.Check();
}

}  // namespace synap_internal::tflite_import
