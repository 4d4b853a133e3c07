// TensorFlow Lite's kinds of padding.
#ifndef COMPILER_IMPORT_TFLITE_WINDOW_H_
#define COMPILER_IMPORT_TFLITE_WINDOW_H_

#include "absl/status/status.h"
#include "base/shape.h"
#include "compiler/import/emit/window.h"
#include "compiler/import/tflite/model_generated.h"

namespace synap_internal::tflite_import {

// Checks the window and sets its pads. `x`: what it moves over.
absl::Status Pad(const Shape& x, tflite::Padding padding, Window& window);

}  // namespace synap_internal::tflite_import

#endif  // COMPILER_IMPORT_TFLITE_WINDOW_H_
