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
// output selects the decoder and its attributes; docs/metafile.md lists the
// formats. For other formats, derive from Detector::Impl. Not thread-safe. Nothing throws an
// exception; a detector that there was no memory for logs an error, and its methods fail.
class Detector {
 public:
  class Impl;

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
  // a better one by more than iou_threshold, measured by intersection over union, or
  // over the smaller area if iou_with_min. The better one may be of any class, unless
  // the format has the attribute nms=class (of the same class) or nms=none. Formats may have a
  // score_threshold, of which and the argument the larger one holds, and an iou_threshold, which
  // replaces the default of 0.5.
  Detector(float score_threshold = 0.5,  // NOLINT(google-explicit-constructor): as documented
           int n_max = 0, bool nms = true, float iou_threshold = .5, bool iou_with_min = false);
  // With a decoder of the application's own instead of the format string's. A null
  // `impl` is the constructor above.
  explicit Detector(std::unique_ptr<Impl> impl, float score_threshold = 0.5, int n_max = 0,
                    bool nms = true, float iou_threshold = .5, bool iou_with_min = false);
  Detector(Detector&&) noexcept;
  Detector& operator=(Detector&&) noexcept;
  ~Detector();

  // Reads the formats of the network's outputs. False, with an error logged, if
  // they are no detections. Optional: process() does it for tensors of other formats
  // or shapes than the last ones.
  bool init(const Tensors& tensors);

  // tensors: the network's outputs after predict(). input_rect: the rectangle from
  // Preprocessor::assign(). On failure success is false and an error is logged.
  Result process(const Tensors& tensors, const Rect& input_rect);

 private:
  struct Private;
  std::unique_ptr<Private> d_;
};

// Decoder of an output format of the application's own. The Detector that owns it calls it,
// one method at a time; scores, suppression, rounding and clamping are the Detector's.
class Detector::Impl {
 public:
  // A box in pixels of the input rectangle, whose origin is (0, 0); neither rounded nor
  // clamped to it.
  struct Candidate {
    float x0 = 0;
    float y0 = 0;
    float x1 = 0;
    float y1 = 0;
    float score = 0;  // those below the Detector's threshold are dropped
    int32_t class_index = 0;
    int32_t position = 0;  // for complete() to find the detection again
  };

  Impl() = default;
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  virtual ~Impl() = default;

  // Checks shapes and formats; called before the first decode() and when they change. False if
  // these tensors can't be decoded.
  virtual bool init(const Tensors& tensors) = 0;

  // Appends the boxes that the network has found in a rectangle of `size` pixels. False on failure.
  virtual bool decode(const Tensors& tensors, Dim2d size, std::vector<Candidate>& candidates) = 0;

  // Adds landmarks (in pixels of the image: relative to rect.origin) or a mask to an item that is
  // returned; its other members are set.
  virtual void complete(const Tensors& /*tensors*/, const Rect& /*rect*/,
                        const Candidate& /*candidate*/, Result::Item& /*item*/) {}
};

}  // namespace synaptics::synap

#endif  // SYNAP_DETECTOR_HPP_
