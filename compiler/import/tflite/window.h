// Padding of a sliding window, as an operator's options have it.
#ifndef COMPILER_IMPORT_TFLITE_WINDOW_H_
#define COMPILER_IMPORT_TFLITE_WINDOW_H_

#include "absl/status/status.h"
#include "base/shape.h"
#include "compiler/import/emit/window.h"
#include "compiler/import/tflite/model_generated.h"

namespace synap_internal::tflite_import {

// Checks the window and sets its pads. `x`: the images [N,H,W,C] that it moves over.
absl::Status Pad(const Shape& x, tflite::Padding padding, Window& window);

}  // namespace synap_internal::tflite_import

#endif  // COMPILER_IMPORT_TFLITE_WINDOW_H_
