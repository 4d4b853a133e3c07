// Attributes of format strings that several detection formats have.
#ifndef RUNTIME_VISION_DETECTOR_FORMAT_ATTRIBUTES_H_
#define RUNTIME_VISION_DETECTOR_FORMAT_ATTRIBUTES_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "runtime/vision/format_string.h"

namespace synap_internal {

// w_scale and h_scale: what a network's coordinates are divided by to become parts of the
// rectangle, mostly its input's size in pixels; 1 for an attribute that is absent or 0.
struct InputSize {
  float width = 1;
  float height = 1;
};

// InvalidArgument for negative sizes, or if they aren't numbers.
absl::StatusOr<InputSize> ReadInputSize(const FormatString& format);

// InvalidArgument unless the attribute is a number above 0.
absl::StatusOr<float> PositiveAttribute(const FormatString& format, absl::string_view key,
                                        float fallback);

// anchors=[...]: four numbers for each of `count` boxes. InvalidArgument for another number.
absl::StatusOr<std::vector<float>> ReadAnchors(const FormatString& format, int64_t count);

// InvalidArgument unless `landmarks` is from 0 to 10000.
absl::StatusOr<int> ReadLandmarks(const FormatString& format, int fallback);

}  // namespace synap_internal

#endif  // RUNTIME_VISION_DETECTOR_FORMAT_ATTRIBUTES_H_
