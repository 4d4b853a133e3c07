// Table of the output formats of object detectors, by the first word of their format strings.
//
// MakeDetectionDecoder decodes by it, the compiler checks outputs against it, docs/metafile.md
// lists it. A new format is its decoder, in the file of its family, and one row.
#ifndef RUNTIME_VISION_DETECTOR_DETECTION_FORMATS_H_
#define RUNTIME_VISION_DETECTOR_DETECTION_FORMATS_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "runtime/vision/detector/decoder.h"
#include "runtime/vision/detector/detection_options.h"

namespace synap_internal {

// Makes the decoder of a network's outputs; InvalidArgument for shapes or attributes that don't
// fit.
using DetectionDecoderMaker = absl::StatusOr<std::unique_ptr<DetectionDecoder>>(
    absl::Span<const DetectionTensor> tensors, const DetectionOptions& options);

struct DetectionFormat {
  absl::string_view type;    // in its exact spelling
  absl::string_view family;  // other types that begin with this are taken for a misspelled detector
  absl::string_view tensors;  // sentence about tensors and attributes
  DetectionDecoderMaker* make;

  NmsScope nms = NmsScope::kAny;  // without the attribute `nms`
};

absl::Span<const DetectionFormat> DetectionFormats();

// The row of a type; null if there is none.
const DetectionFormat* FindDetectionFormat(absl::string_view type);

// All types, in the table's order.
std::vector<std::string> DetectionTypes();

}  // namespace synap_internal

#endif  // RUNTIME_VISION_DETECTOR_DETECTION_FORMATS_H_
