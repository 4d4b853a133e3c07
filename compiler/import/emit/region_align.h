// Regions of images, read between their pixels (RoIAlign; He et al., "Mask R-CNN", 2017).
#ifndef COMPILER_IMPORT_EMIT_REGION_ALIGN_H_
#define COMPILER_IMPORT_EMIT_REGION_ALIGN_H_

#include <cstdint>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/import/emit/op_emitter.h"

namespace synap_internal {

// Regions of images, each resized to `output`: an element is the mean of the image at positions in
// its part of the region, samples x samples or, without a number of samples, one for each pixel
// that the part is high and wide, rounded up.
struct RoiAlign {
  Emitted x = nullptr;                   // [N,C,H,W]
  Emitted rois = nullptr;                // [R,4]: left, top, right, bottom
  Emitted images = nullptr;              // int64 [R], the image of each region
  std::vector<int64_t> output = {1, 1};  // height, width
  int64_t samples = 1;                   // along each dimension; 0: by the size of each region
  float scale = 1;                       // of coordinates: pixels of x to those of the regions
  bool half_pixel = true;  // coordinates are of pixels' edges; else of centers, and regions of less
                           // than a pixel are one
};

// The node's output [R,C,height,width]. InvalidArgument for operands that don't fit each other and
// for sizes that aren't positive and negative samples.
Emitted EmitRoiAlign(OpEmitter& op, const RoiAlign& align);

}  // namespace synap_internal

#endif  // COMPILER_IMPORT_EMIT_REGION_ALIGN_H_
