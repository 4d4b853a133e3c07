// Functions of one blob, and softmax.
#include <cmath>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/caffe/layer_table.h"
#include "compiler/import/emit/axes.h"
#include "compiler/import/emit/nhwc.h"

namespace synap_internal::caffe_import {
namespace {

absl::Status MapReLU(LayerContext& layer) {
  const float slope = layer.param().relu_param().negative_slope();
  if (slope == 0) return layer.SetTop(layer.Emit("relu", {layer.input(0)}));
  return layer.SetTop(layer.Emit("leaky_relu", {layer.input(0)}, {{"alpha", slope}}));
}

// A slope for each channel, or one for all.
absl::Status MapPReLU(LayerContext& layer) {
  const Shape& x = layer.shape(0);
  if (x.rank() < 2) {
    return absl::InvalidArgumentError(absl::StrCat(
        "its bottom ", x.ToString(), " has no channels, expected two or more dimensions"));
  }
  const bool shared = layer.param().prelu_param().channel_shared();
  const Emitted slope = layer.Blob(0, {shared ? 1 : x[1]}, ".slope");
  if (shared || x.rank() == 2) return layer.SetTop(layer.Emit("prelu", {layer.input(0), slope}));
  return layer.SetTop(EmitImage(layer, "prelu", {layer.input(0), slope}, {}));
}

absl::Status MapELU(LayerContext& layer) {
  return layer.SetTop(
      layer.Emit("elu", {layer.input(0)}, {{"alpha", layer.param().elu_param().alpha()}}));
}

Emitted WithScalar(LayerContext& layer, absl::string_view op, const Emitted& x, float scalar,
                   absl::string_view suffix) {
  return layer.Emit(op, {x, layer.Scalar(scalar, absl::StrCat(suffix, ".", op))}, {}, suffix);
}

// shift + scale * x
Emitted Affine(LayerContext& layer, float scale, float shift) {
  Emitted x = layer.input(0);
  if (scale != 1) x = WithScalar(layer, "mul", x, scale, ".scaled");
  return shift == 0 ? x : WithScalar(layer, "add", x, shift, ".shifted");
}

// (shift + scale * x) ^ power
absl::Status MapPower(LayerContext& layer) {
  const caffe::PowerParameter& param = layer.param().power_param();
  const Emitted x = Affine(layer, param.scale(), param.shift());
  if (param.power() == 1) return layer.SetTop(x);
  if (param.power() == 2) return layer.SetTop(layer.Emit("square", {x}));
  return layer.SetTop(WithScalar(layer, "pow", x, param.power(), ""));
}

// ln(base), 1 for the default -1 that stands for e.
absl::StatusOr<float> LogOfBase(float base) {
  if (base == -1) return 1.0f;
  if (base > 0 && base != 1) return std::log(base);
  return absl::InvalidArgumentError(
      absl::StrCat("its base is ", base, ", expected more than 0 and not 1, or -1 for e"));
}

// base ^ (shift + scale * x)
absl::Status MapExp(LayerContext& layer) {
  const caffe::ExpParameter& param = layer.param().exp_param();
  ASSIGN_OR_RETURN(const float log_base, LogOfBase(param.base()));
  return layer.SetTop(
      layer.Emit("exp", {Affine(layer, param.scale() * log_base, param.shift() * log_base)}));
}

// log of (shift + scale * x) to the base
absl::Status MapLog(LayerContext& layer) {
  const caffe::LogParameter& param = layer.param().log_param();
  ASSIGN_OR_RETURN(const float log_base, LogOfBase(param.base()));
  const Emitted x = Affine(layer, param.scale(), param.shift());
  const Emitted y = layer.Emit("log", {x}, {}, log_base == 1 ? "" : ".ln");
  if (log_base == 1) return layer.SetTop(y);
  return layer.SetTop(WithScalar(layer, "mul", y, 1 / log_base, ""));
}

// 1 where x is above the threshold, else 0
absl::Status MapThreshold(LayerContext& layer) {
  const float threshold = layer.param().threshold_param().threshold();
  return layer.SetTop(layer.Cast(WithScalar(layer, "greater", layer.input(0), threshold, ".above"),
                                 DataType::kFloat32));
}

absl::Status MapSoftmax(LayerContext& layer) {
  ASSIGN_OR_RETURN(const int64_t axis,
                   ResolveAxis(layer.param().softmax_param().axis(), layer.shape(0).rank()));
  return layer.SetTop(layer.Emit("softmax", {layer.input(0)}, {{"axis", axis}}));
}

constexpr LayerMapping kActivationMappings[] = {
    {"ReLU", 1, 1, MapReLU},
    {"PReLU", 1, 1, MapPReLU,
     "a slope for each channel of [N,C], [N,C,L] and [N,C,H,W], or one for all"},
    {"ELU", 1, 1, MapELU},
    {"TanH", 1, 1, MapOp<"tanh">},
    {"AbsVal", 1, 1, MapOp<"abs">},
    {"BNLL", 1, 1, MapOp<"softplus">},
    {"Power", 1, 1, MapPower},
    {"Exp", 1, 1, MapExp},
    {"Log", 1, 1, MapLog},
    {"Softmax", 1, 1, MapSoftmax},
    {"Sigmoid", 1, 1, MapOp<"sigmoid">},
    {"Threshold", 1, 1, MapThreshold},
};

}  // namespace

absl::Span<const LayerMapping> ActivationMappings() { return kActivationMappings; }

}  // namespace synap_internal::caffe_import
