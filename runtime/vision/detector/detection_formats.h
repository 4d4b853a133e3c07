// Table of the output formats of object detectors, by the first word of their format strings.
//
// MakeDetectionDecoder decodes by it, the compiler checks outputs against it, docs/metafile.md
// lists it. A new format is its decoder and one row.
#ifndef RUNTIME_VISION_DETECTOR_DETECTION_FORMATS_H_
#define RUNTIME_VISION_DETECTOR_DETECTION_FORMATS_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "runtime/vision/detector/decoder.h"
#include "runtime/vision/format_string.h"

namespace synap_internal {

// Settings that all decoders share.
struct DetectionSettings {
  float score_threshold = 0.5f;  // boxes of a lower score are dropped
  int class_index_base = 0;      // index of the network's first class
};

struct DetectionFormat {
  absl::string_view type;    // in its exact spelling
  absl::string_view family;  // other types that begin with this are taken for a misspelled detector
  absl::string_view tensors;  // sentence about tensors and attributes
  // Makes the decoder of a network's outputs; InvalidArgument for shapes or attributes that don't
  // fit.
  absl::StatusOr<std::unique_ptr<DetectionDecoder>> (*make)(
      absl::Span<const DetectionTensor> tensors, const FormatString& format,
      const DetectionSettings& settings);

  NmsScope nms = NmsScope::kAny;  // without the attribute `nms`
};

absl::Span<const DetectionFormat> DetectionFormats();

// The row of a type; null if there is none.
const DetectionFormat* FindDetectionFormat(absl::string_view type);

// All types, in the table's order.
std::vector<std::string> DetectionTypes();

}  // namespace synap_internal

#endif  // RUNTIME_VISION_DETECTOR_DETECTION_FORMATS_H_
