// Normalization of pictures' pixels, read from the range of the model's own input quantizer where
// the metafile has neither means nor scale.
#ifndef COMPILER_GRAPH_PREPROCESSING_PIXEL_MAPPING_H_
#define COMPILER_GRAPH_PREPROCESSING_PIXEL_MAPPING_H_

#include <optional>
#include <string>

#include "base/warnings.h"
#include "compiler/graph/graph.h"
#include "runtime/bundle/model_metadata.h"

namespace synap_internal {

// How the pixels of one input are normalized.
struct PixelFinding {
  // The pixels' normalization, or why pictures are refused, without the input's name and without a
  // full stop; "": the input takes no pictures.
  std::string text;
  std::optional<Severity> severity;  // of the conversion's warning; absent: none is given
  bool by_family = false;            // the normalization is the family's, not the quantizer's
};

// What networks of a known kind are trained with, whatever their quantizers represent.
struct FamilyPixels {
  std::string family;  // "a detector, YOLOv8 or a follower with 80 classes"
  float mean = 0, scale = 1;
};

// True for one picture of 1, 3 or 4 channels: [1,H,W,C] or [1,C,H,W], as the layout says.
bool CanBePicture(const TensorMetadata& input);

// Sets input.pixels or input.pixels_unknown of graph.inputs[index], described by `input`, if
//   - it can be a picture;
//   - `input` has neither scale nor mean;
//   - it is int8 or int16 with affine quantization, or it is float32 and the model's own
//     quantizers (graph.own_quantizers) are all that reads it.
// Ranges that can only come from one usual normalization are mapped: 0..1, -1..1, -0.5..0.5,
// 0..255, -128..127 and, for 3 channels, ImageNet's means and deviations. A range may be narrower
// than the normalization's, as calibration leaves it, but not wider. Symmetric quantizers of
// 0..1 and of -1..1 are the same, so pictures are refused there, and for all other ranges.
// A range that isn't one of the first five alone tells less than the network's family does:
// converters calibrate with ImageNet's means whatever the network is. If the pixels of `family` fit
// into the range, they are taken, with a warning.
// uint8 inputs stay as they are: pixels are copied, as their exporters intend. Inputs of float
// networks stay too, since their range is unknown; the finding says that.
PixelFinding FindPixelMapping(const Graph& graph, size_t index, TensorMetadata& input,
                              const std::optional<FamilyPixels>& family = std::nullopt);

}  // namespace synap_internal

#endif  // COMPILER_GRAPH_PREPROCESSING_PIXEL_MAPPING_H_
