// Operators that lay out the windows over a tensor, and that add them up.
#include "compiler/import/emit/window.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/emit/patches.h"
#include "compiler/import/torchscript/layers.h"
#include "compiler/import/torchscript/op_table.h"
#include "compiler/import/torchscript/operands.h"

namespace synap_internal::torchscript_import {
namespace {

using Dims = std::vector<int64_t>;

// Argument 0, [N,C,H,W] or [N,C,L], of `rank` dimensions with its batch.
absl::StatusOr<Batched> ReadBatched(NodeContext& node, size_t rank) {
  ASSIGN_OR_RETURN(Tensor * x, node.GetTensor(0));
  const Shape& shape = x->type.shape;
  if (shape.rank() == rank || shape.rank() + 1 == rank) return WithBatch(node, x, rank);
  return absl::InvalidArgumentError(absl::StrCat("its input is ", shape.ToString(), ", expected ",
                                                 rank, " dimensions, or one less without a batch"));
}

// Four arguments from `first` on: kernel, dilation, padding and stride, over height and width.
absl::StatusOr<Window> ReadFoldedWindow(const NodeContext& node, size_t first) {
  Window window;
  ASSIGN_OR_RETURN(window.kernel, node.GetIntsOf(first, 2));
  ASSIGN_OR_RETURN(window.dilations, node.GetIntsOf(first + 1, 2));
  ASSIGN_OR_RETURN(Dims padding, node.GetIntsOf(first + 2, 2));
  ASSIGN_OR_RETURN(window.strides, node.GetIntsOf(first + 3, 2));
  RETURN_IF_ERROR(CheckWindowValues("its padding", padding, 2, 0));
  window.pads = SymmetricPads(std::move(padding));
  RETURN_IF_ERROR(window.Check());
  return window;
}

// (x, kernel, dilation, padding, stride): [N,C,H,W] -> [N, C * taps, places]
absl::Status MapIm2Col(NodeContext& node) {
  ASSIGN_OR_RETURN(const Batched in, ReadBatched(node, 4));
  ASSIGN_OR_RETURN(const Window window, ReadFoldedWindow(node, 1));
  ASSIGN_OR_RETURN(Tensor * patches, EmitPatches(node, in.x, window, ".patches"));
  const Shape s = patches->type.shape;  // [N, C, taps, places]
  return node.SetOutput(LikeGiven(node, in, node.Reshape(patches, {s[0], s[1] * s[2], s[3]})));
}

// (x, image, kernel, dilation, padding, stride): [N, C * taps, places] -> [N,C,H,W]
absl::Status MapCol2Im(NodeContext& node) {
  ASSIGN_OR_RETURN(const Batched in, ReadBatched(node, 3));
  ASSIGN_OR_RETURN(const Dims image, node.GetIntsOf(1, 2));
  RETURN_IF_ERROR(CheckWindowValues("its image", image, 2, 1));
  ASSIGN_OR_RETURN(const Window window, ReadFoldedWindow(node, 2));
  return node.SetOutput(LikeGiven(node, in, EmitColumnsToImage(node, in.x, image, window)));
}

// (x, dimension, size, step): the dimension becomes that of the places, and what each window reads
// a new one at the end.
absl::Status MapUnfold(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, node.GetTensor(0));
  ASSIGN_OR_RETURN(const int64_t axis, node.GetAxis(1, x->type.shape.rank()));
  ASSIGN_OR_RETURN(const int64_t size, node.GetInt(2));
  ASSIGN_OR_RETURN(const int64_t step, node.GetInt(3));
  RETURN_IF_ERROR(CheckWindowValues("its size and step", {size, step}, 2, 1));
  const auto at = static_cast<size_t>(axis);
  const Emitted windows = EmitAxisWindows(node, x, at, {size, step, 1}, ".windows");
  return node.SetOutput(AxisLast(node, windows, at + 1, ""));
}

constexpr OpMapping kWindowMappings[] = {
    {"aten::im2col", 5, MapIm2Col, Result::kAlike},
    {"aten::col2im", 6, MapCol2Im, Result::kAlike},
    {"aten::unfold", 4, MapUnfold, Result::kView},
    {"aten::unfold_copy", 4, MapUnfold, Result::kAlike},
};

}  // namespace

absl::Span<const OpMapping> WindowMappings() { return kWindowMappings; }

}  // namespace synap_internal::torchscript_import
