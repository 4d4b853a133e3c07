// Tensors that take one picture together: its planes, and the numbers of a region.
#ifndef RUNTIME_VISION_PICTURE_TENSORS_H_
#define RUNTIME_VISION_PICTURE_TENSORS_H_

#include <cstddef>

#include "synap/tensors.hpp"
#include "synap/types.hpp"

namespace synap_internal {

enum class PicturePlanes {
  kOne,         // the tensor itself takes the picture
  kSemiPlanar,  // one channel and two, y8 and uv8 or vu8 if they have formats, in any order
  kYuv,         // y8, u8, v8
  kRgb,         // r8, g8, b8
};

struct PictureTensors {
  PicturePlanes planes = PicturePlanes::kOne;
  size_t plane_count = 1;
  bool has_formats = false;  // of kSemiPlanar: false if only the channels say it
  bool has_region = false;   // four scalars follow: width, height, left, top

  size_t count() const { return plane_count + (has_region ? 4 : 0); }
};

// The tensors from `index` on that belong to the picture there. REQUIRES: index < tensors.size().
PictureTensors FindPictureTensors(const synaptics::synap::Tensors& tensors, size_t index);

// A region of interest: in pixels of the tensor, and what of the picture that shows.
struct PictureRegion {
  synaptics::synap::Rect in_tensor;
  synaptics::synap::Rect in_picture;
};

// roi: of the picture, not empty. shown: the rectangle of the picture that the whole tensor of
// `tensor` pixels shows. Of a resized picture the region grows to whole pixels of the tensor, and
// in_picture is rounded to whole pixels.
PictureRegion MapRegion(const synaptics::synap::Rect& roi, const synaptics::synap::Rect& shown,
                        const synaptics::synap::Dim2d& tensor);

}  // namespace synap_internal

#endif  // RUNTIME_VISION_PICTURE_TENSORS_H_
