// Detection of the C interface.
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>

#include "runtime/api/no_throw.h"
#include "runtime/c/handles.h"
#include "synap/detector.hpp"
#include "synap/synap.h"
#include "synap/types.hpp"

using synap_internal::IsGiven;
using synap_internal::IsIndex;
using synap_internal::IsStructSize;
using synap_internal::NoThrow;
using synaptics::synap::Detector;
using synaptics::synap::Landmark;
using synaptics::synap::Rect;

namespace {

// The size of a structure whose last member is that, padding included.
#define SIZE_UP_TO(type, last) \
  ((offsetof(type, last) + sizeof(type::last) + alignof(type) - 1) / alignof(type) * alignof(type))

// Sizes of the structures' first version. A member that is added begins at or after them, also
// where padding would have room for it: callers of the first version don't initialize their
// padding.
constexpr size_t kOptionsSize = SIZE_UP_TO(synap_detector_options, iou_with_min);
constexpr size_t kDetectionSize = SIZE_UP_TO(synap_detection, mask_height);

// Landmarks are handed out in place.
static_assert(sizeof(synap_landmark) == sizeof(Landmark) &&
              offsetof(synap_landmark, x) == offsetof(Landmark, x) &&
              offsetof(synap_landmark, y) == offsetof(Landmark, y) &&
              offsetof(synap_landmark, z) == offsetof(Landmark, z) &&
              offsetof(synap_landmark, visibility) == offsetof(Landmark, visibility));

synap_detection ToC(const Detector::Result::Item& item) {
  const Rect& box = item.bounding_box;
  synap_detection detection = SYNAP_DETECTION_INIT;
  detection.class_index = item.class_index;
  detection.confidence = item.confidence;
  detection.bounding_box = {box.origin.x, box.origin.y, box.size.x, box.size.y};
  if (!item.landmarks.empty()) {
    detection.landmarks = reinterpret_cast<const synap_landmark*>(item.landmarks.data());
    detection.landmark_count = item.landmarks.size();
  }
  if (!item.mask.data.empty()) {
    detection.mask = item.mask.data.data();
    detection.mask_width = item.mask.width;
    detection.mask_height = item.mask.height;
  }
  return detection;
}

}  // namespace

synap_detector* synap_detector_create(const synap_detector_options* options) {
  synap_detector_options chosen = SYNAP_DETECTOR_OPTIONS_INIT;
  if (options != nullptr) {
    if (!IsStructSize(__func__, "options", options->struct_size, kOptionsSize)) return nullptr;
    std::memcpy(&chosen, options, std::min(options->struct_size, sizeof(chosen)));
  }
  return NoThrow(__func__, static_cast<synap_detector*>(nullptr), [&] {
    return new synap_detector{Detector(chosen.score_threshold, chosen.max_detections, chosen.nms,
                                       chosen.iou_threshold, chosen.iou_with_min)};
  });
}

void synap_detector_destroy(synap_detector* detector) { delete detector; }

synap_detections* synap_detector_process(synap_detector* detector, const synap_network* network,
                                         const synap_rect* input_rect) {
  if (!IsGiven(__func__, "detector", detector) || !IsGiven(__func__, "network", network) ||
      !IsGiven(__func__, "input_rect", input_rect)) {
    return nullptr;
  }
  return NoThrow(__func__, static_cast<synap_detections*>(nullptr), [&] {
    auto detections = std::make_unique<synap_detections>();
    const Rect rect = {{input_rect->x, input_rect->y}, {input_rect->width, input_rect->height}};
    detections->result = detector->detector.process(network->network.outputs, rect);
    return detections->result.success ? detections.release() : nullptr;
  });
}

void synap_detections_destroy(synap_detections* detections) { delete detections; }

size_t synap_detections_count(const synap_detections* detections) {
  return IsGiven(__func__, "detections", detections) ? detections->result.items.size() : 0;
}

bool synap_detections_get(const synap_detections* detections, size_t index,
                          synap_detection* detection) {
  if (!IsGiven(__func__, "detections", detections) || !IsGiven(__func__, "detection", detection) ||
      !IsStructSize(__func__, "detection", detection->struct_size, kDetectionSize) ||
      !IsIndex(__func__, "detection", index, detections->result.items.size())) {
    return false;
  }
  synap_detection found = ToC(detections->result.items[index]);
  found.struct_size = detection->struct_size;
  std::memcpy(detection, &found, std::min(found.struct_size, sizeof(found)));
  return true;
}
