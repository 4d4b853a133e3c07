// Preprocessing of input data for a network's input tensors.
#ifndef SYNAP_PREPROCESSOR_HPP_
#define SYNAP_PREPROCESSOR_HPP_

#include <cstddef>

#include "synap/input_data.hpp"
#include "synap/tensors.hpp"
#include "synap/types.hpp"

namespace synaptics::synap {

// Converts data to the tensors' type, layout and format, and assigns it. Images are
//   - decoded, if they are encoded, or nv12 or nv21 (full-range BT.601) and the network has no
//     tensors for the two planes;
//   - resized with their proportions kept and centred bands; the format attributes
//     keep_proportions=0 and fill_color=N change that;
//   - converted to the tensor's channels: gray is (19595 R + 38470 G + 7471 B + 32768) >> 16, alpha
//     is dropped, or added as 255;
//   - reordered to nhwc or nchw, and to bgr if that is the tensor's format, else to rgb;
//   - normalized and quantized as Tensor::assign does.
// 8-bit pixels, nv12 and nv21 data without a size are taken as an image of the tensor's size if
// their number fits. nv12 and nv21 are copied unchanged to two tensors, y8 and uv8 (or vu8), if the
// network has them. Raw data must have the size of the tensor, or of all planes of a picture.
// Methods that fail return false and log an error; a tensor may then hold some rows of an image
// that is damaged further down. Any number of threads may use an object, with different tensors.
class Preprocessor {
 public:
  // Restricts processing to the part of the image inside `roi`, in the image's pixels, for networks
  // that were converted with cropping. It must be inside of the image; an empty one means the whole
  // image.
  void set_roi(const Rect& roi) { roi_ = roi; }

  // *assigned: the rectangle of the image that the network sees, in the image's pixels: the region
  // of interest, if there is one. Without it, it includes the letterbox bands, so its origin may be
  // negative. Detector takes it. Fails with a region of interest, which needs the tensors beside
  // this one.
  bool assign(Tensor& tensor, const InputData& data, Rect* assigned = nullptr) const;

  // Assigns to tensors[index] and, if the network has them, to the tensors that belong to it: the
  // other planes of a picture, and the cropping rectangle (four scalars: width, height, x, y).
  bool assign(Tensors& tensors, const InputData& data, size_t index = 0,
              Rect* assigned = nullptr) const;

 private:
  Rect roi_;
};

}  // namespace synaptics::synap

#endif  // SYNAP_PREPROCESSOR_HPP_
