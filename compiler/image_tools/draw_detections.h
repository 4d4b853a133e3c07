// Draws a detector's JSON onto the image.
#ifndef COMPILER_IMAGE_TOOLS_DRAW_DETECTIONS_H_
#define COMPILER_IMAGE_TOOLS_DRAW_DETECTIONS_H_

#include <array>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "runtime/vision/image.h"

namespace synap_internal {

// A detection to draw; coordinates in pixels of the image.
struct DrawnDetection {
  int class_index = 0;
  std::string label;  // "" if the model has none
  float confidence = 0;
  int x = 0, y = 0, width = 0, height = 0;
  std::vector<std::array<int, 2>> landmarks;  // x, y
};

// The items of synap_cli_od's output; text before the first { is skipped. InvalidArgument without
// JSON or without "items".
absl::StatusOr<std::vector<DrawnDetection>> ParseDetections(absl::string_view text);

// A row of the table that synap_cli_od prints on a terminal.
std::string DetectionRow(size_t index, const DrawnDetection& detection);

// Boxes with label (else class) and score, landmarks as dots. Gray images become RGB, alpha
// is dropped.
absl::StatusOr<Image> DrawDetections(Image image, const std::vector<DrawnDetection>& detections);

}  // namespace synap_internal

#endif  // COMPILER_IMAGE_TOOLS_DRAW_DETECTIONS_H_
