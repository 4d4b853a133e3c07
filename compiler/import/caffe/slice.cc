// Layers that take blobs apart, put them together or crop them.
#include "compiler/import/emit/slice.h"

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "compiler/import/caffe/layer_table.h"
#include "compiler/import/emit/axes.h"

namespace synap_internal::caffe_import {
namespace {

using Dims = std::vector<int64_t>;

absl::Status MapConcat(LayerContext& layer) {
  const caffe::ConcatParameter& param = layer.param().concat_param();
  const int64_t given = param.has_concat_dim() ? int64_t{param.concat_dim()} : param.axis();
  ASSIGN_OR_RETURN(const int64_t axis, ResolveAxis(given, layer.shape(0).rank()));
  return layer.SetTop(layer.Emit("concat", layer.inputs(), {{"axis", axis}}));
}

// Where each top begins, and the end of the last one.
absl::StatusOr<Dims> SlicePoints(const LayerContext& layer, int64_t dim) {
  const auto& given = layer.param().slice_param().slice_point();
  const auto tops = static_cast<int64_t>(layer.output_count());
  Dims points = {0};
  points.insert(points.end(), given.begin(), given.end());
  if (given.empty()) {
    for (int64_t i = 1; i < tops && dim % tops == 0; ++i) points.push_back(i * (dim / tops));
  }
  points.push_back(dim);
  const bool rising =
      std::adjacent_find(points.begin(), points.end(), std::greater_equal<>()) == points.end();
  if (rising && static_cast<int64_t>(points.size()) == tops + 1) return points;
  return absl::InvalidArgumentError(absl::StrCat("can't slice a dimension of ", dim, " at [",
                                                 absl::StrJoin(given, ", "), "] for ", tops,
                                                 " tops, expected rising points between them"));
}

absl::Status MapSlice(LayerContext& layer) {
  const caffe::SliceParameter& param = layer.param().slice_param();
  const Shape x = layer.shape(0);
  const int64_t given = param.has_slice_dim() ? int64_t{param.slice_dim()} : param.axis();
  ASSIGN_OR_RETURN(const int64_t axis, ResolveAxis(given, x.rank()));
  ASSIGN_OR_RETURN(const Dims points, SlicePoints(layer, x[static_cast<size_t>(axis)]));
  Dims sizes;
  for (size_t i = 0; i + 1 < points.size(); ++i) sizes.push_back(points[i + 1] - points[i]);
  return layer.SetOutputs(EmitSplit(layer, layer.input(0), axis, std::move(sizes)));
}

// Crops bottom 0 to the shape of bottom 1, from an axis on.
absl::Status MapCrop(LayerContext& layer) {
  const caffe::CropParameter& param = layer.param().crop_param();
  const Shape x = layer.shape(0), like = layer.shape(1);
  ASSIGN_OR_RETURN(const int64_t axis, ResolveAxis(param.axis(), x.rank()));
  const auto first = static_cast<size_t>(axis);
  const auto offsets = static_cast<size_t>(param.offset_size());
  bool fits = like.rank() == x.rank() && (offsets <= 1 || offsets == x.rank() - first);
  Dims starts(x.rank(), 0), sizes = x.dims();
  for (size_t i = first; fits && i < x.rank(); ++i) {
    if (offsets > 0) starts[i] = param.offset(offsets == 1 ? 0 : static_cast<int>(i - first));
    sizes[i] = like[i];
    fits = starts[i] + sizes[i] <= x[i];
  }
  if (!fits) {
    return absl::InvalidArgumentError(
        absl::StrCat("can't crop ", x.ToString(), " to ", like.ToString(), " from axis ", axis,
                     " on with offsets [", absl::StrJoin(param.offset(), ", "), "]"));
  }
  return layer.SetTop(layer.Emit("slice", {layer.input(0)},
                                 {{"starts", std::move(starts)}, {"sizes", std::move(sizes)}}));
}

constexpr LayerMapping kSliceMappings[] = {
    {"Concat", 1, kAnyCount, MapConcat},
    {"Slice", 1, 1, MapSlice},
    {"Crop", 2, 2, MapCrop},
};

}  // namespace

absl::Span<const LayerMapping> SliceMappings() { return kSliceMappings; }

}  // namespace synap_internal::caffe_import
