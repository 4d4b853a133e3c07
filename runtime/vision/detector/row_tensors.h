// Outputs of a network that are lists of detections, told by their numbers of values.
#ifndef RUNTIME_VISION_DETECTOR_ROW_TENSORS_H_
#define RUNTIME_VISION_DETECTOR_ROW_TENSORS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "runtime/vision/detector/decoder.h"
#include "runtime/vision/detector/detection_options.h"

namespace synap_internal {

// A tensor of the network, [1,N,values] or [N,values].
struct RowTensor {
  size_t index = 0;
  int64_t count = 0;  // N
  int64_t values = 0;
};

// All tensors, in their order. InvalidArgument, naming the output, for one that is no list.
absl::StatusOr<std::vector<RowTensor>> ReadRowTensors(absl::Span<const DetectionTensor> tensors);

// InvalidArgument that lists the outputs' shapes; `expected` ends the sentence "expected of TYPE".
absl::Status UnexpectedTensors(absl::Span<const DetectionTensor> tensors,
                               const DetectionOptions& options, absl::string_view expected);

}  // namespace synap_internal

#endif  // RUNTIME_VISION_DETECTOR_ROW_TENSORS_H_
