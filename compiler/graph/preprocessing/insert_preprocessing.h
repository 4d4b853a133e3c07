// Conversion of pictures in front of a network, as inputs[].preprocess of the metafile asks.
#ifndef COMPILER_GRAPH_PREPROCESSING_INSERT_PREPROCESSING_H_
#define COMPILER_GRAPH_PREPROCESSING_INSERT_PREPROCESSING_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/warnings.h"
#include "compiler/graph/graph.h"
#include "compiler/metafile/metafile.h"
#include "runtime/bundle/model_metadata.h"

namespace synap_internal {

// A network that takes pictures by itself.
struct PreprocessedNetwork {
  Graph graph;
  std::vector<TensorMetadata> inputs;  // of graph.inputs, in their order
};

// `graph` with the tensors of pictures as inputs, from
//   input %x: uint8[1x3x64x64] scale=0.00392 zero_point=0
// to
//   input %x.y8: uint8[1x48x80x1]
//   input %x.uv8: uint8[1x24x40x2]
//   %x.nhwc: uint8[1x64x64x3] scale=... = image_to_tensor(%x.y8, %x.uv8) {type="nv12", ...}
//   %x: uint8[1x3x64x64] scale=... = transpose(%x.nhwc)
// An input of type float32 becomes float32, with a conversion after it. Inputs without `preprocess`
// stay. With `crop` four int32 scalars follow the picture's tensors: width, height, left, top.
//
// `inputs` describes graph.inputs as they would be without `preprocess`: the pixels' means and
// scale move from there into the op. Notes say how a size was read that looks turned round.
//
// InvalidArgument "<metafile>:<line>:<column>: inputs[<i>].preprocess: ..." for an input that isn't
// one picture, has other channels than the type, or whose pixels have no known values; and for a
// size that the type can't have.
absl::StatusOr<PreprocessedNetwork> InsertPreprocessing(const Graph& graph,
                                                        const Metafile& metafile,
                                                        absl::Span<const TensorMetadata> inputs,
                                                        Warnings& warnings);

}  // namespace synap_internal

#endif  // COMPILER_GRAPH_PREPROCESSING_INSERT_PREPROCESSING_H_
