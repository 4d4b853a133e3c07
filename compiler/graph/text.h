// Text form of a graph, and the .sir/.qsir files made of it.
//
//   graph "tiny" layout="nchw" {
//     input %x: float32[1x4x4x2]
//     const %w: float32[1x1x1x2] = [0.5, 2.0]
//     const %b: float32[1] = splat 1.0
//     %y: uint8[1x4x4x1]<affine 0.5 128> = conv2d(%x, %w, _) {strides=[1, 1]} from "Conv_0"
//     output %y
//     anchors float32[1x4] = [0.5, 0.5, 1.0, 1.0]
//     format "nms_input box=xyxy"
//   }
//
// `own_quantizers` after the layout sets Graph::own_quantizers.
// Names with other characters than letters, digits and _./:- are quoted:
// %"a b". Data types as in base/data_type.h; a scalar is float32[]. Quantizers:
// <affine SCALE ZERO_POINT>, <fixed FRACTIONAL_LENGTH>, <channel AXIS [SCALES]>.
// `_` is an absent operand; # starts a comment. Constants: a list, `splat V`,
// `@OFFSET` (bytes into the file's data block) or, printed only, `...`. `anchors` and `format` are
// there if the graph has any (graph.h).
#ifndef COMPILER_GRAPH_TEXT_H_
#define COMPILER_GRAPH_TEXT_H_

#include <cstddef>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/cord.h"
#include "absl/strings/string_view.h"
#include "compiler/graph/graph.h"

namespace synap_internal {

// Text for reading: long constants are elided as `...`.
std::string PrintGraph(const Graph& graph);

// Errors name line and column. The result is verified. `...` is refused, and so
// is `@OFFSET` without a data block.
absl::StatusOr<Graph> ParseGraph(absl::string_view text);

// Bytes of which the place of a file's data block, and those of the constants in it, are multiples.
inline constexpr size_t kBlockAlignment = 64;

// The bytes of a .sir or .qsir file: "SYNAPIR1", the text's length (uint64,
// little endian), the text, zeros up to a multiple of kBlockAlignment, the data block. A pure
// function of the graph. Constants are not copied: they live as long as the file.
absl::Cord GraphFile(const Graph& graph);
// The same in one piece.
std::string SerializeGraph(const Graph& graph);
// Consumes the graph: each constant is freed as soon as it is copied, so that weights are in
// memory once.
std::string SerializeGraph(Graph&& graph);

// `owner` keeps `bytes` alive; the graph's constants refer to them in place.
// Errors are InvalidArgument without the file's name.
absl::StatusOr<Graph> DeserializeGraph(absl::string_view bytes, std::shared_ptr<const void> owner);

// DeserializeGraph over the mapped file; errors name the file.
absl::StatusOr<Graph> LoadGraph(const std::string& path);

}  // namespace synap_internal

#endif  // COMPILER_GRAPH_TEXT_H_
