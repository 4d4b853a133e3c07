// From input data to a network's input tensors.
#ifndef RUNTIME_VISION_PREPROCESSOR_H_
#define RUNTIME_VISION_PREPROCESSOR_H_

#include <cstddef>

#include "runtime/api/tensor.h"
#include "runtime/api/types.h"
#include "runtime/vision/input_data.h"

namespace synaptics::synap {

// Converts data to what the tensors' attributes say and assigns it. Images are
// decoded, resized with their proportions kept (the format attributes
// keep_proportions=0 and fill_color=N change that), converted to the tensor's
// channels (gray, colour and alpha: runtime/vision/channel_order.h), reordered
// to nchw, and to bgr where the tensor's format says so (else to rgb), and
// normalized. 8-bit pixels of unknown size are an image of the tensor's size if
// they are as many. Raw data must have the tensor's size. nv12 and nv21 go to two tensors,
// y8 and uv8 (or vu8), as they are. Methods return false and log what is wrong.
class Preprocessor {
 public:
  // Only the part of the image inside `roi` shall be processed, by networks
  // that were converted with cropping.
  void set_roi(const Rect& roi) { roi_ = roi; }

  // *assigned: the rectangle of the image that the tensor shows, in the image's
  // pixels; with its bands, so that the origin may be negative. Detectors want it.
  bool assign(Tensor& tensor, const InputData& data, Rect* assigned = nullptr) const;

  // Assigns to tensors[index] and, where the network has them, to the tensors
  // that belong to it: a chroma plane and the cropping rectangle (four scalars:
  // width, height, x, y).
  bool assign(Tensors& tensors, const InputData& data, size_t index = 0,
              Rect* assigned = nullptr) const;

 private:
  Rect roi_;
};

}  // namespace synaptics::synap

#endif  // RUNTIME_VISION_PREPROCESSOR_H_
