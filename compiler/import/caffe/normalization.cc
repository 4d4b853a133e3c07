// Normalizations, scales and biases.
#include "compiler/import/emit/normalization.h"

#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/caffe/layer_table.h"
#include "compiler/import/emit/axes.h"
#include "compiler/import/emit/nhwc.h"
#include "compiler/import/emit/reduction.h"

namespace synap_internal::caffe_import {
namespace {

using Dims = std::vector<int64_t>;

// x op values, which have x's dimensions from `axis` on or the first of these.
Emitted Along(LayerContext& layer, absl::string_view op, const Emitted& x, const Emitted& values,
              int64_t axis, absl::string_view suffix) {
  RETURN_IF_ERROR(x.status());
  RETURN_IF_ERROR(values.status());
  const size_t rank = (*x)->type.shape.rank();
  Dims dims = (*values)->type.shape.dims();
  if (rank == 4 && axis == 1 && dims.size() == 1) {
    return layer.Transpose(
        layer.Emit(op, {ToNhwc(layer, x), values}, {}, absl::StrCat(suffix, ".nhwc")), {0, 3, 1, 2},
        suffix);
  }
  dims.resize(rank - static_cast<size_t>(axis), 1);
  const Emitted along = layer.Reshape(values, std::move(dims), absl::StrCat(suffix, ".", op));
  return layer.Emit(op, {x, along}, {}, suffix);
}

// (x - mean) / sqrt(variance + eps); blob 2 is the factor by which the file's mean and variance are
// too large.
absl::Status MapBatchNorm(LayerContext& layer) {
  const caffe::BatchNormParameter& param = layer.param().batch_norm_param();
  if (param.has_use_global_stats() && !param.use_global_stats()) {
    return absl::UnimplementedError(
        "its use_global_stats is false: it would normalize by the statistics of each batch");
  }
  const Shape& x = layer.shape(0);
  const int64_t channels = x.rank() < 2 ? 1 : x[1];
  ASSIGN_OR_RETURN(const std::vector<float> mean, layer.BlobValues(0, channels));
  ASSIGN_OR_RETURN(const std::vector<float> variance, layer.BlobValues(1, channels));
  ASSIGN_OR_RETURN(const std::vector<float> scale, layer.BlobValues(2, 1));
  const double weight = scale[0] == 0 ? 0 : 1.0 / scale[0];
  std::vector<float> factor, shift;
  for (size_t i = 0; i < mean.size(); ++i) {
    const double deviation = std::sqrt(variance[i] * weight + param.eps());
    factor.push_back(static_cast<float>(1 / deviation));
    shift.push_back(static_cast<float>(-mean[i] * weight / deviation));
  }
  const int64_t axis = x.rank() < 2 ? 0 : 1;
  Tensor* factors = layer.builder().AddFloats(layer.Name(".factor"), factor);
  Tensor* shifts = layer.builder().AddFloats(layer.Name(".shift"), shift);
  const Emitted y = Along(layer, "mul", layer.input(0), factors, axis, ".scaled");
  return layer.SetTop(Along(layer, "add", y, shifts, axis, ""));
}

// The second operand of Scale and Bias: bottom 1 or, without one, blob `blob`.
Emitted AlongOperand(LayerContext& layer, size_t blob, int64_t axis, int64_t num_axes,
                     absl::string_view suffix) {
  const Shape& x = layer.shape(0);
  const auto left = static_cast<int64_t>(x.rank()) - axis;
  if (layer.input_count() > 1) {
    if (static_cast<int64_t>(layer.shape(1).rank()) <= left) return layer.input(1);
    return absl::InvalidArgumentError(absl::StrCat("its second bottom ", layer.shape(1).ToString(),
                                                   " has more dimensions than ", x.ToString(),
                                                   " from axis ", axis, " on"));
  }
  if (num_axes < -1 || num_axes > left) {
    return absl::InvalidArgumentError(absl::StrCat("its num_axes is ", num_axes, " from axis ",
                                                   axis, " of ", x.ToString(), " on"));
  }
  const int64_t count = num_axes == -1 ? left : num_axes;
  const auto begin = x.dims().begin() + axis;
  return layer.Blob(blob, Dims(begin, begin + count), suffix);
}

absl::Status MapScale(LayerContext& layer) {
  const caffe::ScaleParameter& param = layer.param().scale_param();
  ASSIGN_OR_RETURN(const int64_t axis, ResolveAxis(param.axis(), layer.shape(0).rank()));
  ASSIGN_OR_RETURN(Tensor * factor, AlongOperand(layer, 0, axis, param.num_axes(), ".scale"));
  const Dims dims = factor->type.shape.dims();
  const Emitted y =
      Along(layer, "mul", layer.input(0), factor, axis, param.bias_term() ? ".scaled" : "");
  if (!param.bias_term()) return layer.SetTop(y);
  const Emitted bias = layer.Blob(layer.input_count() > 1 ? 0 : 1, dims, ".bias");
  return layer.SetTop(Along(layer, "add", y, bias, axis, ""));
}

absl::Status MapBias(LayerContext& layer) {
  const caffe::BiasParameter& param = layer.param().bias_param();
  ASSIGN_OR_RETURN(const int64_t axis, ResolveAxis(param.axis(), layer.shape(0).rank()));
  const Emitted bias = AlongOperand(layer, 0, axis, param.num_axes(), ".bias");
  return layer.SetTop(Along(layer, "add", layer.input(0), bias, axis, ""));
}

absl::Status MapLrn(LayerContext& layer) {
  const caffe::LRNParameter& param = layer.param().lrn_param();
  const int64_t size = param.local_size();
  if (size % 2 == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("its local_size is ", size, ", expected an odd number"));
  }
  RETURN_IF_ERROR(layer.CheckImage());
  const Emitted image = ToNhwc(layer, layer.input(0));
  const bool within = param.norm_region() == caffe::LRNParameter::WITHIN_CHANNEL;
  // k is only for the sum across channels.
  const Lrn lrn{param.alpha(), param.beta(), within ? 1 : param.k()};
  const Emitted y = within ? EmitSpatialLrn(layer, image, size, lrn, ".nhwc")
                           : EmitChannelLrn(layer, image, size, lrn, ".nhwc");
  return layer.SetTop(FromNhwc(layer, y, 4));
}

// (x - mean) / (deviation + eps), over each image or each of its channels.
absl::Status MapMvn(LayerContext& layer) {
  const caffe::MVNParameter& param = layer.param().mvn_param();
  RETURN_IF_ERROR(layer.CheckImage());
  const Emitted x = ToNhwc(layer, layer.input(0));
  const Dims axes = param.across_channels() ? Dims{1, 2, 3} : Dims{1, 2};
  if (!param.normalize_variance()) {
    const Emitted mean = EmitReduce(layer, "reduce_mean", x, axes, true, ".mean");
    return layer.SetTop(FromNhwc(layer, layer.Emit("sub", {x, mean}, {}, ".nhwc"), 4));
  }
  ASSIGN_OR_RETURN(const Moments moments, EmitMoments(layer, x, axes));
  const Emitted root = layer.Emit("sqrt", {moments.variance}, {}, ".root");
  const Emitted deviation =
      layer.Emit("add", {root, layer.Scalar(param.eps(), ".eps")}, {}, ".deviation");
  const Emitted y = layer.Emit("div", {moments.centered, deviation}, {}, ".nhwc");
  return layer.SetTop(FromNhwc(layer, y, 4));
}

constexpr char kImages[] = "[N,C,H,W]";

constexpr LayerMapping kNormalizationMappings[] = {
    {"BatchNorm", 1, 1, MapBatchNorm, "use_global_stats"},
    {"Scale", 1, 2, MapScale},
    {"Bias", 1, 2, MapBias},
    {"LRN", 1, 1, MapLrn, kImages},
    {"MVN", 1, 1, MapMvn, kImages},
};

}  // namespace

absl::Span<const LayerMapping> NormalizationMappings() { return kNormalizationMappings; }

}  // namespace synap_internal::caffe_import
