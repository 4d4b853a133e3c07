// Postprocessing of object detection networks.
#ifndef SYNAP_DETECTOR_HPP_
#define SYNAP_DETECTOR_HPP_

#include <cstdint>
#include <memory>
#include <vector>

#include "synap/tensors.hpp"
#include "synap/types.hpp"

namespace synaptics::synap {

// Decodes the objects that a network has detected. The format string of its first
// output selects the decoder and its attributes; docs/reference.md lists the
// formats. Not thread-safe.
class Detector {
 public:
  struct Result {
    struct Item {
      int32_t class_index = 0;
      float confidence = 0;             // in [0, 1]
      Rect bounding_box;                // pixels of the image, inside the input rectangle
      std::vector<Landmark> landmarks;  // pixels of the image; empty if the model has none
      Mask mask;                        // empty if the model has none
    };

    bool success = false;
    std::vector<Item> items;  // highest confidence first; empty if nothing is found
  };

  // score_threshold: detections below it are discarded; n_max: the largest number
  // of detections to return, 0 for all; nms: whether to drop detections that overlap
  // a better one of any class by more than iou_threshold, measured by intersection
  // over union, or over the smaller area if iou_with_min.
  explicit Detector(float score_threshold = 0.5, int n_max = 0, bool nms = true,
                    float iou_threshold = .5, bool iou_with_min = false);
  Detector(Detector&&) noexcept;
  Detector& operator=(Detector&&) noexcept;
  ~Detector();

  // Reads the formats of the network's outputs. False, with an error logged, if
  // they are no detections. Optional: the first process() does it.
  bool init(const Tensors& tensors);

  // tensors: the network's outputs after predict(). input_rect: the rectangle from
  // Preprocessor::assign(). On failure success is false and an error is logged.
  Result process(const Tensors& tensors, const Rect& input_rect);

 private:
  bool Init(const Tensors& tensors);
  Result Process(const Tensors& tensors, const Rect& input_rect);

  struct Private;
  std::unique_ptr<Private> d_;
};

}  // namespace synaptics::synap

#endif  // SYNAP_DETECTOR_HPP_
