// Layers that put blobs together or take them apart.
#include <algorithm>
#include <functional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "compiler/import/caffe/layer_table.h"
#include "compiler/import/emit/axes.h"

namespace synap_internal::caffe_import {
namespace {

using Dims = std::vector<int64_t>;

absl::string_view EltwiseOp(caffe::EltwiseParameter::EltwiseOp operation) {
  switch (operation) {
    case caffe::EltwiseParameter::PROD:
      return "mul";
    case caffe::EltwiseParameter::MAX:
      return "maximum";
    default:
      return "add";
  }
}

absl::Status CheckSameShapes(const LayerContext& layer) {
  for (size_t i = 1; i < layer.input_count(); ++i) {
    if (layer.shape(i) == layer.shape(0)) continue;
    return absl::InvalidArgumentError(absl::StrCat("its bottoms are ", layer.shape(0).ToString(),
                                                   " and ", layer.shape(i).ToString(),
                                                   ", expected one shape"));
  }
  return absl::OkStatus();
}

// Bottom `i` times its coefficient, if the layer has any.
absl::StatusOr<Tensor*> Term(LayerContext& layer, size_t i) {
  const auto& coefficients = layer.param().eltwise_param().coeff();
  Tensor* x = layer.input(i);
  if (coefficients.empty() || coefficients[static_cast<int>(i)] == 1) return x;
  const std::string suffix = absl::StrCat(".term", i);
  Tensor* factor = layer.builder().AddScalar(layer.Name(absl::StrCat(suffix, ".coeff")),
                                             coefficients[static_cast<int>(i)]);
  return layer.Emit("mul", {x, factor}, {}, suffix);
}

absl::Status MapEltwise(LayerContext& layer) {
  const caffe::EltwiseParameter& param = layer.param().eltwise_param();
  RETURN_IF_ERROR(CheckSameShapes(layer));
  const auto coefficients = static_cast<size_t>(param.coeff_size());
  const bool sum = param.operation() == caffe::EltwiseParameter::SUM;
  if (coefficients > 0 && (!sum || coefficients != layer.input_count())) {
    return absl::InvalidArgumentError(absl::StrCat("it has ", coefficients, " coefficients for ",
                                                   layer.input_count(),
                                                   " bottoms; only a sum has them"));
  }
  ASSIGN_OR_RETURN(Tensor * result, Term(layer, 0));
  for (size_t i = 1; i < layer.input_count(); ++i) {
    ASSIGN_OR_RETURN(Tensor * term, Term(layer, i));
    const bool last = i + 1 == layer.input_count();
    ASSIGN_OR_RETURN(result, layer.Emit(EltwiseOp(param.operation()), {result, term}, {},
                                        last ? "" : absl::StrCat(".partial", i)));
  }
  return layer.SetTop(result);
}

absl::Status MapConcat(LayerContext& layer) {
  const caffe::ConcatParameter& param = layer.param().concat_param();
  const int64_t given = param.has_concat_dim() ? int64_t{param.concat_dim()} : param.axis();
  ASSIGN_OR_RETURN(const int64_t axis, ResolveAxis(given, layer.shape(0).rank()));
  return layer.SetTop(layer.Emit("concat", layer.inputs(), {{"axis", axis}}));
}

// Where each top begins, and the end of the last.
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
                                                 " tops"));
}

absl::Status MapSlice(LayerContext& layer) {
  const caffe::SliceParameter& param = layer.param().slice_param();
  const Shape x = layer.shape(0);
  const int64_t given = param.has_slice_dim() ? int64_t{param.slice_dim()} : param.axis();
  ASSIGN_OR_RETURN(const int64_t axis, ResolveAxis(given, x.rank()));
  const auto at = static_cast<size_t>(axis);
  ASSIGN_OR_RETURN(const Dims points, SlicePoints(layer, x[at]));
  for (size_t i = 0; i + 1 < points.size(); ++i) {
    Dims starts(x.rank(), 0), sizes = x.dims();
    starts[at] = points[i];
    sizes[at] = points[i + 1] - points[i];
    ASSIGN_OR_RETURN(Tensor * part,
                     layer.Emit("slice", {layer.input(0)}, {{"starts", starts}, {"sizes", sizes}},
                                absl::StrCat(".part", i)));
    layer.SetTop(i, part);
  }
  return absl::OkStatus();
}

// All tops are the bottom itself.
absl::Status MapSplit(LayerContext& layer) {
  for (size_t i = 0; i < layer.output_count(); ++i) layer.SetTop(i, layer.input(0));
  return absl::OkStatus();
}

// Of bottom 0 as much as bottom 1 has.
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

absl::Status MapTile(LayerContext& layer) {
  const caffe::TileParameter& param = layer.param().tile_param();
  const Shape x = layer.shape(0);
  ASSIGN_OR_RETURN(const int64_t axis, ResolveAxis(param.axis(), x.rank()));
  if (param.tiles() < 1) {
    return absl::InvalidArgumentError(absl::StrCat("it makes ", param.tiles(), " tiles"));
  }
  // [a, b] -> [a, 1, b] -> [a, tiles, b] -> [a, tiles * b]
  Dims apart = x.dims(), repeated = x.dims(), joined = x.dims();
  apart.insert(apart.begin() + axis, 1);
  repeated.insert(repeated.begin() + axis, param.tiles());
  ASSIGN_OR_RETURN(Tensor * y, layer.Reshape(layer.input(0), std::move(apart), ".apart"));
  ASSIGN_OR_RETURN(y, layer.Emit("expand", {y}, {{"shape", std::move(repeated)}}, ".repeated"));
  joined[static_cast<size_t>(axis)] *= param.tiles();
  return layer.SetTop(layer.Reshape(y, std::move(joined)));
}

constexpr LayerMapping kMappings[] = {
    {"Eltwise", 1, kAnyCount, MapEltwise},
    {"Concat", 1, kAnyCount, MapConcat},
    {"Slice", 1, 1, MapSlice},
    {"Split", 1, 1, MapSplit},
    {"Crop", 2, 2, MapCrop},
    {"Tile", 1, 1, MapTile},
};

}  // namespace

absl::Span<const LayerMapping> CombinationMappings() { return kMappings; }

}  // namespace synap_internal::caffe_import
