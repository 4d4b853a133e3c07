// ResizeBilinear and ResizeNearestNeighbor.
#include "compiler/import/emit/resize.h"

#include <utility>

#include "base/status_macros.h"
#include "compiler/import/tensorflow/op_table.h"

namespace synap_internal::tensorflow_import {
namespace {

absl::Status MapResize(NodeContext& node) {
  ASSIGN_OR_RETURN(std::vector<int64_t> size, node.ConstantInts(1, "size"));
  return node.SetOutput(EmitTensorflowResize(
      node, node.input(0),
      {std::move(size), node.op() == "ResizeNearestNeighbor", node.Bool("align_corners", false),
       node.Bool("half_pixel_centers", false)}));
}

constexpr char kConstantSize[] = "a constant size";

constexpr OpMapping kResizeMappings[] = {
    {"ResizeBilinear", 2, 2, MapResize, kConstantSize},
    {"ResizeNearestNeighbor", 2, 2, MapResize, kConstantSize},
};

}  // namespace

absl::Span<const OpMapping> ResizeMappings() { return kResizeMappings; }

}  // namespace synap_internal::tensorflow_import
