#include "compiler/import/emit/normalization.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/emit/axes.h"
#include "compiler/import/emit/nhwc.h"
#include "compiler/import/emit/reduction.h"

namespace synap_internal {
namespace {

using Dims = std::vector<int64_t>;

Emitted FinishLrn(OpEmitter& emitter, const Emitted& image, const Emitted& mean, const Lrn& lrn,
                  absl::string_view suffix) {
  Tensor* alpha = emitter.Scalar(lrn.alpha, ".alpha");
  Tensor* k = emitter.Scalar(lrn.k, ".k");
  Tensor* exponent = emitter.Scalar(-lrn.beta, ".exponent");
  const Emitted weighted = emitter.Emit("mul", {mean, alpha}, {}, ".weighted");
  const Emitted base = emitter.Emit("add", {weighted, k}, {}, ".base");
  return emitter.Emit("mul", {image, emitter.Emit("pow", {base, exponent}, {}, ".factor")}, {},
                      suffix);
}

Emitted SquareMean(OpEmitter& emitter, const Emitted& x, int64_t height, int64_t width) {
  return emitter.Emit("avg_pool2d", {x},
                      {{"kernel", Dims{height, width}},
                       {"pads", Dims{height / 2, width / 2, height / 2, width / 2}},
                       {"count_include_pad", int64_t{1}}},
                      ".mean");
}

}  // namespace

absl::Status CheckChannels(absl::string_view what, const Tensor* values, const Shape& x) {
  if (x.rank() < 2) {
    return absl::InvalidArgumentError(absl::StrCat(
        "its input ", x.ToString(), " has no channels, expected two or more dimensions"));
  }
  if (values == nullptr || values->type.shape == Shape({x[1]})) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("its ", what, " is ", values->type.shape.ToString(),
                   ", expected one value for each of ", x[1], " channels"));
}

Emitted EmitDeviation(OpEmitter& emitter, const Emitted& variance, float epsilon) {
  Tensor* scalar = emitter.Scalar(epsilon, ".epsilon");
  return emitter.Emit("sqrt", {emitter.Emit("add", {variance, scalar}, {}, ".variance")}, {},
                      ".deviation");
}

absl::StatusOr<Moments> EmitMoments(OpEmitter& emitter, const Emitted& x,
                                    const std::vector<int64_t>& axes) {
  const Emitted mean = EmitReduce(emitter, "reduce_mean", x, axes, true, ".mean");
  const Emitted centered = emitter.Emit("sub", {x, mean}, {}, ".centered");
  const Emitted square = emitter.Emit("square", {centered}, {}, ".square");
  ASSIGN_OR_RETURN(Tensor * variance,
                   EmitReduce(emitter, "reduce_mean", square, axes, true, ".variance"));
  return Moments{*mean, *centered, variance};
}

absl::StatusOr<Standardized> EmitStandardized(OpEmitter& emitter, const Emitted& x,
                                              const std::vector<int64_t>& axes, float epsilon) {
  ASSIGN_OR_RETURN(const Moments moments, EmitMoments(emitter, x, axes));
  const Emitted deviation = EmitDeviation(emitter, moments.variance, epsilon);
  ASSIGN_OR_RETURN(Tensor * y, emitter.Emit("div", {moments.centered, deviation}, {}, ".standard"));
  return Standardized{y, moments.mean, *deviation};
}

Emitted EmitRootMeanSquare(OpEmitter& emitter, const Emitted& x, const std::vector<int64_t>& axes,
                           float epsilon) {
  const Emitted square = emitter.Emit("square", {x}, {}, ".square");
  const Emitted mean = EmitReduce(emitter, "reduce_mean", square, axes, true, ".mean");
  return emitter.Emit("div", {x, EmitDeviation(emitter, mean, epsilon)}, {}, ".standard");
}

Emitted EmitAffine(OpEmitter& emitter, const Emitted& x, const Emitted& scale, const Emitted& shift,
                   absl::string_view suffix) {
  const bool shifts = IsGiven(shift);
  Emitted y = x;
  if (IsGiven(scale)) {
    y = emitter.Emit("mul", {x, scale}, {}, absl::StrCat(shifts ? ".scaled" : "", suffix));
  }
  return shifts ? emitter.Emit("add", {y, shift}, {}, suffix) : y;
}

Emitted EmitChannelAffine(OpEmitter& emitter, const Emitted& x, Emitted scale, Emitted shift) {
  RETURN_IF_ERROR(x.status());
  const size_t rank = (*x)->type.shape.rank();
  if (rank == 4) {
    return FromNhwc(emitter, EmitAffine(emitter, ToNhwc(emitter, x), scale, shift, ".nhwc"), rank);
  }
  if (IsGiven(scale)) scale = AlongChannels(emitter, scale, rank, ".factor");
  if (IsGiven(shift)) shift = AlongChannels(emitter, shift, rank, ".shift");
  return EmitAffine(emitter, x, scale, shift);
}

Emitted EmitInstanceNormalization(OpEmitter& emitter, Tensor* x, const Emitted& scale,
                                  const Emitted& shift, float epsilon) {
  const size_t rank = x->type.shape.rank();
  if (rank == 3 || rank == 5) {
    ASSIGN_OR_RETURN(const Standardized standard,
                     EmitStandardized(emitter, x, AxesFrom(2, rank), epsilon));
    return EmitChannelAffine(emitter, standard.y, scale, shift);
  }
  ASSIGN_OR_RETURN(const Standardized standard,
                   EmitStandardized(emitter, ToNhwc(emitter, x), {1, 2}, epsilon));
  return FromNhwc(emitter, EmitAffine(emitter, standard.y, scale, shift, ".nhwc"), rank);
}

absl::StatusOr<ChannelAffine> EmitBatchNormalization(OpEmitter& emitter,
                                                     const BatchNormalization& parameters) {
  const auto& [scale, offset, mean, variance, epsilon] = parameters;
  const Emitted deviation = EmitDeviation(emitter, variance, epsilon);
  const Emitted numerator = IsGiven(scale) ? scale : emitter.Scalar(1, ".one");
  const Emitted factor = emitter.Emit("div", {numerator, deviation}, {}, ".factor");
  const Emitted moved = emitter.Emit("mul", {mean, factor}, {}, ".mean");
  const Emitted from = IsGiven(offset) ? offset : emitter.Scalar(0, ".zero");
  ASSIGN_OR_RETURN(Tensor * shift, emitter.Emit("sub", {from, moved}, {}, ".shift"));
  return ChannelAffine{*factor, shift};
}

// A pooling of an image whose width is the channels.
Emitted EmitChannelLrn(OpEmitter& emitter, const Emitted& image, int64_t size, const Lrn& lrn,
                       absl::string_view suffix) {
  RETURN_IF_ERROR(image.status());
  const Shape s = (*image)->type.shape;
  Emitted rows = emitter.Emit("square", {image}, {}, ".squares");
  rows = emitter.Reshape(rows, {s[0], s[1] * s[2], s[3], 1}, ".rows");
  rows = SquareMean(emitter, rows, 1, size);
  return FinishLrn(emitter, image, emitter.Reshape(rows, s.dims(), ".mean.image"), lrn, suffix);
}

Emitted EmitSpatialLrn(OpEmitter& emitter, const Emitted& image, int64_t size, const Lrn& lrn,
                       absl::string_view suffix) {
  const Emitted squares = emitter.Emit("square", {image}, {}, ".squares");
  return FinishLrn(emitter, image, SquareMean(emitter, squares, size, size), lrn, suffix);
}

}  // namespace synap_internal
