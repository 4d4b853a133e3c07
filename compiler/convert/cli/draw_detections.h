// Drawing of a detector's JSON onto the image.
#ifndef COMPILER_CONVERT_CLI_DRAW_DETECTIONS_H_
#define COMPILER_CONVERT_CLI_DRAW_DETECTIONS_H_

#include <array>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "compiler/convert/cli/drawing.h"
#include "runtime/vision/image.h"

namespace synap_internal {

// The pixels of an object: width x height values over a rectangle of the image; positive ones are
// the object's.
struct DrawnMask {
  int width = 0, height = 0;
  std::vector<float> values;  // row by row; empty: no mask
  // In pixels of the image, which it may exceed; of width 0: the whole image.
  int rect_x = 0, rect_y = 0, rect_width = 0, rect_height = 0;
};

// A detection to draw; coordinates in pixels of the image.
struct DrawnDetection {
  int class_index = 0;
  std::string label;  // "" if the model has none
  float confidence = 0;
  int x = 0, y = 0, width = 0, height = 0;
  std::vector<std::array<int, 2>> landmarks;  // x, y
  DrawnMask mask;
};

// The items of synap_cli_od's output; text before the first { is skipped. InvalidArgument without
// JSON, without "items", or for a mask whose size isn't its number of values.
absl::StatusOr<std::vector<DrawnDetection>> ParseDetections(absl::string_view text);

// A row of the table that synap_cli_od prints on a terminal.
std::string DetectionRow(size_t index, const DrawnDetection& detection);

// Colours of masks, by class.
class MaskColors {
 public:
  // Colours for 80 classes, which then repeat.
  MaskColors() = default;

  // The same, but those of {"<class index or label>": [blue, green, red], ...}. InvalidArgument,
  // naming the class, for other texts.
  static absl::StatusOr<MaskColors> Parse(absl::string_view json);

  Color Of(int class_index, const std::string& label) const;

 private:
  std::map<std::string, Color> chosen_;
};

// Masks in the colours, added to the pixels; boxes with label (else class) and score; landmarks as
// dots. Gray images become RGB, alpha is dropped.
absl::StatusOr<Image> DrawDetections(Image image, const std::vector<DrawnDetection>& detections,
                                     const MaskColors& colors = {});

}  // namespace synap_internal

#endif  // COMPILER_CONVERT_CLI_DRAW_DETECTIONS_H_
