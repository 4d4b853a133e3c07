// Preprocessing of input data for a network's input tensors.
#ifndef RUNTIME_VISION_PREPROCESSOR_H_
#define RUNTIME_VISION_PREPROCESSOR_H_

#include <cstddef>

#include "runtime/api/tensor.h"
#include "runtime/api/types.h"
#include "runtime/vision/input_data.h"

namespace synaptics::synap {

// Converts data to the tensors' type, layout and format, and assigns it. Images are
// decoded, resized with their proportions kept (the format attributes
// keep_proportions=0 and fill_color=N change that), converted to the tensor's
// channels (gray, colour and alpha: runtime/vision/channel_order.h), reordered to
// nchw if that is the tensor's layout and to bgr if that is its format (else rgb),
// and normalized. 8-bit pixels without a size are taken as an image of the tensor's
// size if their number fits. Raw data must have the tensor's size. nv12 and nv21 are
// copied to two tensors, y8 and uv8 (or vu8). Methods that fail return false and log
// an error.
class Preprocessor {
 public:
  // Restricts processing to the part of the image inside `roi`, for networks that were converted
  // with cropping. It must be inside of the image; an empty one means the whole image.
  void set_roi(const Rect& roi) { roi_ = roi; }

  // *assigned: the rectangle of the image that the tensor shows, in the image's
  // pixels. It includes the letterbox bands, so its origin may be negative.
  // Detector takes it.
  bool assign(Tensor& tensor, const InputData& data, Rect* assigned = nullptr) const;

  // Assigns to tensors[index] and, if the network has them, to the tensors that
  // belong to it: a chroma plane and the cropping rectangle (four scalars: width,
  // height, x, y).
  bool assign(Tensors& tensors, const InputData& data, size_t index = 0,
              Rect* assigned = nullptr) const;

 private:
  Rect roi_;
};

}  // namespace synaptics::synap

#endif  // RUNTIME_VISION_PREPROCESSOR_H_
