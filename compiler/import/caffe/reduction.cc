// ArgMax and Reduction.
#include "compiler/import/emit/reduction.h"

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/caffe/layer_table.h"
#include "compiler/import/emit/axes.h"

namespace synap_internal::caffe_import {
namespace {

// Along an axis or, without one, over all of a sample, [N, 1, 1]. Indices are float32.
absl::Status MapArgMax(LayerContext& layer) {
  const caffe::ArgMaxParameter& param = layer.param().argmax_param();
  if (param.top_k() != 1) {
    return absl::UnimplementedError(absl::StrCat("its top_k is ", param.top_k()));
  }
  Emitted x = layer.input(0);
  const Shape& shape = layer.shape(0);
  if (param.out_max_val()) {
    if (!param.has_axis()) return absl::UnimplementedError("it has out_max_val, but no axis");
    ASSIGN_OR_RETURN(const int64_t axis, ResolveAxis(param.axis(), shape.rank()));
    return layer.SetTop(EmitReduce(layer, "reduce_max", x, {axis}, true));
  }
  if (!param.has_axis()) {
    if (shape.rank() < 1) {
      return absl::InvalidArgumentError("its bottom is a scalar, expected one dimension or more");
    }
    x = layer.Reshape(x, {shape[0], shape.Product(1, shape.rank()), 1}, ".flat");
  }
  const Emitted index = EmitArgMax(layer, x, param.has_axis() ? param.axis() : 1, true, ".index");
  return layer.SetTop(layer.Cast(index, DataType::kFloat32));
}

// Reduces all dimensions from an axis on to one number and scales it.
absl::Status MapReduction(LayerContext& layer) {
  const caffe::ReductionParameter& param = layer.param().reduction_param();
  Emitted x = layer.input(0);
  const size_t rank = layer.shape(0).rank();
  ASSIGN_OR_RETURN(const int64_t axis, ResolveAxis(param.axis(), rank));
  if (param.operation() == caffe::ReductionParameter::ASUM) {
    x = layer.Emit("abs", {x}, {}, ".abs");
  } else if (param.operation() == caffe::ReductionParameter::SUMSQ) {
    x = layer.Emit("square", {x}, {}, ".square");
  }
  const bool mean = param.operation() == caffe::ReductionParameter::MEAN;
  const Emitted y = EmitReduce(layer, mean ? "reduce_mean" : "reduce_sum", x, AxesFrom(axis, rank),
                               false, param.coeff() == 1 ? "" : ".sum");
  return layer.SetTop(layer.Scale(y, param.coeff()));
}

constexpr LayerMapping kReductionMappings[] = {
    {"ArgMax", 1, 1, MapArgMax, "top_k of 1; out_max_val along an axis"},
    {"Reduction", 1, 1, MapReduction},
};

}  // namespace

absl::Span<const LayerMapping> ReductionMappings() { return kReductionMappings; }

}  // namespace synap_internal::caffe_import
