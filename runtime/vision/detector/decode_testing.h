// Tensors and decoding for tests of detection formats.
#ifndef RUNTIME_VISION_DETECTOR_DECODE_TESTING_H_
#define RUNTIME_VISION_DETECTOR_DECODE_TESTING_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "base/shape.h"
#include "runtime/vision/detector/decoder.h"

namespace synap_internal {

// A float tensor.
struct TestTensor {
  Shape shape;
  std::vector<float> data;

  explicit TestTensor(Shape s, float fill = 0)
      : shape(std::move(s)), data(static_cast<size_t>(shape.elements()), fill) {}

  float& at(const std::vector<int64_t>& index) {
    int64_t offset = 0;
    for (size_t i = 0; i < index.size(); ++i) offset = offset * shape[i] + index[i];
    return data[static_cast<size_t>(offset)];
  }

  // Fills it with numbers from `low` to `high`, the same on every machine.
  TestTensor& Randomize(uint32_t seed, float low, float high) {
    std::mt19937 random(seed);
    for (float& value : data) {
      value = low + (high - low) * static_cast<float>(random() >> 8) / 16777216.0f;
    }
    return *this;
  }
};

// A box with its details.
struct FoundBox : DetectedBox {
  explicit FoundBox(const DetectedBox& box) : DetectedBox(box) {}
  std::vector<LandmarkPoint> landmarks;
  int mask_width = 0;
  int mask_height = 0;
  std::vector<float> mask;
};

// Decodes tensors whose first one has the format, in a rectangle of width x height pixels.
inline absl::StatusOr<std::vector<FoundBox>> DecodeTensors(const std::string& format,
                                                           const std::vector<TestTensor>& tensors,
                                                           float width, float height,
                                                           float threshold = 0.5f) {
  std::vector<DetectionTensor> infos;
  std::vector<const float*> data;
  for (const TestTensor& tensor : tensors) {
    infos.push_back({infos.empty() ? format : "", tensor.shape});
    data.push_back(tensor.data.data());
  }
  const absl::StatusOr<std::unique_ptr<DetectionDecoder>> decoder =
      MakeDetectionDecoder(infos, threshold);
  if (!decoder.ok()) return decoder.status();
  const DetectionInput input = {data, width, height};
  std::vector<DetectedBox> boxes;
  (*decoder)->Decode(input, &boxes);
  std::vector<FoundBox> found;
  for (const DetectedBox& box : boxes) {
    DetectionDetails details;
    (*decoder)->Describe(input, box, &details);
    FoundBox& last = found.emplace_back(box);
    last.landmarks = std::move(details.landmarks);
    last.mask_width = details.mask_width;
    last.mask_height = details.mask_height;
    last.mask = std::move(details.mask);
  }
  return found;
}

// Why the format refuses the tensors; "" if it doesn't.
inline std::string DecodeError(const std::string& format, const std::vector<TestTensor>& tensors) {
  return std::string(DecodeTensors(format, tensors, 64, 64).status().message());
}

}  // namespace synap_internal

#endif  // RUNTIME_VISION_DETECTOR_DECODE_TESTING_H_
