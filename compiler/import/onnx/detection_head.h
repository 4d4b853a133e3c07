// Recognizes the non-maximum suppression at a detector's end and cuts it off.
//
// A suppression gives as many boxes as it keeps, but shapes are known before a network runs. What
// it reads becomes the network's outputs: boxes [N,4] and a score for each class. Its attributes
// become those of the output format nms_input (runtime/vision/detector/nms_input.cc). Exporters
// write
// - the operator alone, over boxes [1,N,4] and scores [1,C,N], or over the largest score of a box;
// - torchvision's `batched_nms`, also in an If: one list of boxes for all classes or levels of a
//   pyramid, reduced to those above a threshold and to the best, and moved by a multiple of their
//   class so that boxes of different classes don't overlap.
// The reductions of the latter gather rows by indices of NonZero or TopK. Such a node becomes an
// Identity, so that a decoding after it is one of all boxes.
#ifndef COMPILER_IMPORT_ONNX_DETECTION_HEAD_H_
#define COMPILER_IMPORT_ONNX_DETECTION_HEAD_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/optional.h"
#include "compiler/import/onnx/model_file.h"

namespace synap_internal::onnx_import {

// A choice of each box's class that isn't by the scores which a suppression reads.
struct ClassChoice {
  std::string text;    // "node 'label' (ArgMax) chooses among several"
  std::string scores;  // the tensor of the classes that it is among; empty: unknown
  int64_t axis = 0;    // of the classes in it; negative: from the end
};

struct DetectionHead {
  std::string node;                  // "node 'nms' (NonMaxSuppression)"
  std::string refusal;               // why it can't be cut off; empty if it is cut off
  std::string boxes, scores;         // the tensors that are the model's outputs now
  std::string format;                // of the outputs, without w_scale and h_scale
  bool y_first = false;              // in the boxes
  int64_t classes = -1;              // that scores must have, the background included; -1: any
  std::vector<std::string> dropped;  // former outputs that don't depend on it
  bool rewrites = false;             // whether nodes before it changed
  // Scores of one class lose it.
  absl::optional<ClassChoice> class_choice;
};

// Nothing if no output of the model depends on a NonMaxSuppression. Otherwise the graph's outputs
// become boxes and scores, unless there is a refusal: then the model stays as it is.
absl::optional<DetectionHead> CutDetectionHead(Model& model);

}  // namespace synap_internal::onnx_import

#endif  // COMPILER_IMPORT_ONNX_DETECTION_HEAD_H_
