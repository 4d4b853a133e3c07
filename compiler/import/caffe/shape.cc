// Layers that hand on the elements of their bottom: as they are, in another shape or order, or
// repeated.
#include "compiler/import/emit/shape.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/caffe/layer_table.h"
#include "compiler/import/emit/axes.h"

namespace synap_internal::caffe_import {
namespace {

using Dims = std::vector<int64_t>;

absl::Status MapDropout(LayerContext& layer) { return layer.SetTop(layer.input(0)); }

// All tops are the bottom itself.
absl::Status MapSplit(LayerContext& layer) {
  for (size_t i = 0; i < layer.output_count(); ++i) layer.SetTop(i, layer.input(0));
  return absl::OkStatus();
}

absl::Status MapFlatten(LayerContext& layer) {
  const caffe::FlattenParameter& param = layer.param().flatten_param();
  ASSIGN_OR_RETURN(Dims dims, FlattenedDims(layer.shape(0), param.axis(), param.end_axis()));
  return layer.SetTop(layer.Reshape(layer.input(0), std::move(dims)));
}

// The dimensions of `shape` replace num_axes of the bottom's, from `axis` on.
absl::Status MapReshape(LayerContext& layer) {
  const caffe::ReshapeParameter& param = layer.param().reshape_param();
  const Shape x = layer.shape(0);
  // One place more than there are axes: -1 stands for the one after the last.
  ASSIGN_OR_RETURN(const int64_t first, ResolveAxis(param.axis(), x.rank() + 1));
  const auto rank = static_cast<int64_t>(x.rank());
  const int64_t end = param.num_axes() == -1 ? rank : first + param.num_axes();
  if (param.num_axes() < -1 || end > rank) {
    return absl::InvalidArgumentError(absl::StrCat("its num_axes is ", param.num_axes(),
                                                   " from axis ", first, " of ", x.ToString(),
                                                   " on, expected -1 to ", rank - first));
  }
  const auto& wanted = param.shape().dim();
  ASSIGN_OR_RETURN(Dims dims, ReplacedDims(x, static_cast<size_t>(first), static_cast<size_t>(end),
                                           Dims(wanted.begin(), wanted.end()), ZeroDim::kCopied));
  return layer.SetTop(layer.Reshape(layer.input(0), std::move(dims)));
}

// Axes that aren't named come last, in order.
absl::Status MapPermute(LayerContext& layer) {
  const auto& given = layer.param().permute_param().order();
  const size_t rank = layer.shape(0).rank();
  ASSIGN_OR_RETURN(Dims order, ResolveAxes(Dims(given.begin(), given.end()), rank));
  for (int64_t axis = 0; axis < static_cast<int64_t>(rank); ++axis) {
    if (std::find(order.begin(), order.end(), axis) == order.end()) order.push_back(axis);
  }
  return layer.SetTop(layer.Transpose(layer.input(0), std::move(order)));
}

// x repeated `tiles` times along an axis.
absl::Status MapTile(LayerContext& layer) {
  const caffe::TileParameter& param = layer.param().tile_param();
  Dims repeats(layer.shape(0).rank(), 1);
  ASSIGN_OR_RETURN(const int64_t axis, ResolveAxis(param.axis(), repeats.size()));
  repeats[static_cast<size_t>(axis)] = param.tiles();
  return layer.SetTop(EmitTile(layer, layer.input(0), repeats));
}

constexpr LayerMapping kShapeMappings[] = {
    {"Dropout", 1, 1, MapDropout}, {"Split", 1, 1, MapSplit},     {"Flatten", 1, 1, MapFlatten},
    {"Reshape", 1, 1, MapReshape}, {"Permute", 1, 1, MapPermute}, {"Tile", 1, 1, MapTile},
};

}  // namespace

absl::Span<const LayerMapping> ShapeMappings() { return kShapeMappings; }

}  // namespace synap_internal::caffe_import
