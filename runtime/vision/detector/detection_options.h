// Attributes of a detection output's format string, each read here and nowhere else.
//
// A new attribute is a member and its line in ParseDetectionOptions.
#ifndef RUNTIME_VISION_DETECTOR_DETECTION_OPTIONS_H_
#define RUNTIME_VISION_DETECTOR_DETECTION_OPTIONS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "runtime/vision/detector/detected_box.h"

namespace synap_internal {

// Settings that all decoders share.
struct DetectionSettings {
  float score_threshold = 0.5f;  // boxes of a lower score are dropped
  int class_index_base = 0;      // index of the network's first class
};

// w_scale and h_scale: what a network's coordinates are divided by to become parts of the
// rectangle, mostly its input's size in pixels; 1 for an attribute that is absent or 0.
struct InputSize {
  float width = 1;
  float height = 1;
};

constexpr float kLargestInput = 16384;  // pixels of a network's input in one direction

// The same attributes and x_scale, y_scale where they divide values relative to anchors.
struct CoordinateScales {
  float x = 10;
  float y = 10;
  float h = 5;
  float w = 5;
};

// Factors of values relative to priors.
struct Variances {
  float center = 0.1f;
  float size = 0.2f;
};

// Order of a box's values: the ends of a diagonal, or the centre and the size.
enum class BoxForm { kYxyx, kXyxy, kXywh };

// An attribute's value, or the error of one that is refused; nothing where the format string lacks
// the attribute. A decoder returns the errors of the attributes that it asks for, since a format
// ignores those of others.
template <typename T>
using Attribute = std::optional<absl::StatusOr<T>>;

struct DetectionOptions {
  std::string type;            // the format's first word
  DetectionSettings settings;  // as MakeDetectionDecoder sets them

  // Of all formats.
  Attribute<float> score_threshold;
  Attribute<int> class_index_base;
  Attribute<NmsScope> nms;
  Attribute<float> iou_threshold;  // 0 to 1
  Attribute<int> max_per_class;    // boxes that are kept; 0: all

  // Of the tensors' layout.
  Attribute<bool> transposed;
  Attribute<bool> prototype_planes;  // prototypes=nchw; false: nhwc
  Attribute<int> reg_max;            // 1 to 1000
  Attribute<BoxForm> box;

  // Of the values.
  Attribute<InputSize> input_size;
  absl::StatusOr<CoordinateScales> coordinate_scales;
  Attribute<bool> bb_normalized;  // w_scale and h_scale are those of landmarks only
  Attribute<int> landmarks;       // 0 to 10000
  Attribute<bool> visibility;     // of landmarks
  Attribute<bool> best;           // a box has its best class only
  Attribute<int> background;      // class that isn't counted; -1: none
  Attribute<bool> decoded;        // boxes are corners

  // Of grids, anchors and priors, which have lists with an element for each level.
  Attribute<std::vector<float>> strides;       // pixels
  Attribute<std::vector<float>> grid_strides;  // the same, 1 to 16 from 1 to kLargestInput
  Attribute<std::vector<float>> anchors;
  Attribute<std::vector<std::vector<float>>> level_anchors;  // the same attribute as lists
  Attribute<std::vector<std::vector<float>>> min_sizes;      // above 0, as the next two
  Attribute<std::vector<std::vector<float>>> max_sizes;
  Attribute<std::vector<std::vector<float>>> aspect_ratios;
  Attribute<bool> even;  // cells divide the image evenly
  Attribute<bool> clip;  // priors are clipped to the image
  Attribute<Variances> variances;
};

DetectionOptions ParseDetectionOptions(absl::string_view format);

// anchors=[...]: four numbers for each of `count` boxes. InvalidArgument for another number.
absl::StatusOr<std::vector<float>> BoxAnchors(const DetectionOptions& options, int64_t count);

}  // namespace synap_internal

#endif  // RUNTIME_VISION_DETECTOR_DETECTION_OPTIONS_H_
