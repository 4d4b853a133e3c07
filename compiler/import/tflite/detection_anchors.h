// The anchors of the detection at a model's end.
#ifndef COMPILER_IMPORT_TFLITE_DETECTION_ANCHORS_H_
#define COMPILER_IMPORT_TFLITE_DETECTION_ANCHORS_H_

#include <vector>

#include "absl/status/statusor.h"
#include "compiler/import/emit/graph_builder.h"
#include "compiler/import/tflite/model_file.h"

namespace synap_internal::tflite_import {

// Operand 2 of the custom operator TFLite_Detection_PostProcess: [n,4], each anchor's centre y and
// x, height and width as parts of the image, dequantized. Empty if the model has no such operator.
// `builder` is charged as for ReadConstant. Errors name the operator:
//   InvalidArgument   several of them, anchors that aren't constant, or another shape or type
//   Unimplemented     a type or a form of data that isn't supported
absl::StatusOr<std::vector<float>> DetectionAnchors(const Model& model, GraphBuilder& builder);

}  // namespace synap_internal::tflite_import

#endif  // COMPILER_IMPORT_TFLITE_DETECTION_ANCHORS_H_
