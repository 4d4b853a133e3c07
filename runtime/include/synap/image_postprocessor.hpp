// Postprocessing of networks whose output is an image.
#ifndef SYNAP_IMAGE_POSTPROCESSOR_HPP_
#define SYNAP_IMAGE_POSTPROCESSOR_HPP_

#include <cstdint>
#include <string>
#include <vector>

#include "synap/binary_file.hpp"
#include "synap/tensors.hpp"
#include "synap/types.hpp"

namespace synaptics::synap {

// Joins a network's output tensors to an image. The values are the tensors' own, of any data type:
// they are copied and not converted. Any number of threads may use an object.
class ImagePostprocessor {
 public:
  struct Result {
    bool success = false;
    std::vector<uint8_t> data;
    Dim2d dim;        // width and height of the image; 0 if the tensor is no image
    std::string ext;  // format of the data, and suffix of a file for it: "nv12", "rgb", ...
  };

  // Two tensors, in any order:
  //   y8, uv8   nv12: the luma plane, then the chroma plane with u before v
  //   y8, vu8   nv21: the same with v before u
  // One tensor: its data, whose format is the type of its format string; if that is empty, gray,
  // rgb or bgra for 1, 3 or 4 channels, else dat. Planes of rgb, bgr and bgra (layout nchw) are
  // interleaved. On failure success is false and an error is logged.
  Result process(const Tensors& tensors);
};

}  // namespace synaptics::synap

#endif  // SYNAP_IMAGE_POSTPROCESSOR_HPP_
