// ResizeBilinear and ResizeNearestNeighbor.
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "compiler/import/emit/window.h"
#include "compiler/import/tensorflow/op_table.h"

namespace synap_internal::tensorflow_import {
namespace {

// Of the nearest pixel, the source is floor(i * scale), floor((i + 0.5) * scale)
// with half pixels, or round(i * scale) with aligned corners.
absl::Status MapResize(NodeContext& node) {
  const bool corners = node.Bool("align_corners", false);
  const bool half = node.Bool("half_pixel_centers", false);
  if (corners && half) {
    return absl::InvalidArgumentError("it has both align_corners and half_pixel_centers");
  }
  RETURN_IF_ERROR(CheckImage(node.shape(0)));
  ASSIGN_OR_RETURN(std::vector<int64_t> size, node.ConstantInts(1, "size"));
  if (size.size() != 2) {
    return absl::InvalidArgumentError(
        absl::StrCat("its size is [", absl::StrJoin(size, ", "), "], expected height and width"));
  }
  Attributes attributes = {{"size", std::move(size)},
                           {"coordinates", std::string(corners ? "align_corners"
                                                       : half  ? "half_pixel"
                                                               : "asymmetric")}};
  if (node.op() == "ResizeNearestNeighbor") {
    attributes["mode"] = std::string("nearest");
    attributes["rounding"] = std::string(corners || half ? "round_prefer_ceil" : "floor");
  } else {
    attributes["mode"] = std::string("linear");
  }
  return node.SetOutput(node.Emit("resize", {node.input(0)}, std::move(attributes)));
}

constexpr char kConstantSize[] = "a constant size";

constexpr OpMapping kMappings[] = {
    {"ResizeBilinear", 2, 2, MapResize, kConstantSize},
    {"ResizeNearestNeighbor", 2, 2, MapResize, kConstantSize},
};

}  // namespace

absl::Span<const OpMapping> ResizeMappings() { return kMappings; }

}  // namespace synap_internal::tensorflow_import
