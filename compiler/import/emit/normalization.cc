#include "compiler/import/emit/normalization.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace synap_internal {
namespace {

using Dims = std::vector<int64_t>;

absl::StatusOr<Tensor*> FinishLrn(OpEmitter& emitter, Tensor* image, Tensor* mean, const Lrn& lrn,
                                  absl::string_view suffix) {
  Tensor* alpha = emitter.Scalar(lrn.alpha, ".alpha");
  Tensor* k = emitter.Scalar(lrn.k, ".k");
  Tensor* exponent = emitter.Scalar(-lrn.beta, ".exponent");
  ASSIGN_OR_RETURN(Tensor * base, emitter.Emit("mul", {mean, alpha}, {}, ".weighted"));
  ASSIGN_OR_RETURN(base, emitter.Emit("add", {base, k}, {}, ".base"));
  ASSIGN_OR_RETURN(Tensor * factor, emitter.Emit("pow", {base, exponent}, {}, ".factor"));
  return emitter.Emit("mul", {image, factor}, {}, suffix);
}

absl::StatusOr<Tensor*> SquareMean(OpEmitter& emitter, Tensor* x, int64_t height, int64_t width) {
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

absl::StatusOr<Tensor*> EmitDeviation(OpEmitter& emitter, Tensor* variance, float epsilon) {
  Tensor* scalar = emitter.Scalar(epsilon, ".epsilon");
  ASSIGN_OR_RETURN(Tensor * sum, emitter.Emit("add", {variance, scalar}, {}, ".variance"));
  return emitter.Emit("sqrt", {sum}, {}, ".deviation");
}

absl::StatusOr<Moments> EmitMoments(OpEmitter& emitter, Tensor* x,
                                    const std::vector<int64_t>& axes) {
  const Attributes over = {{"axes", axes}, {"keep_dims", int64_t{1}}};
  Moments moments;
  ASSIGN_OR_RETURN(moments.mean, emitter.Emit("reduce_mean", {x}, over, ".mean"));
  ASSIGN_OR_RETURN(moments.centered, emitter.Emit("sub", {x, moments.mean}, {}, ".centered"));
  ASSIGN_OR_RETURN(Tensor * square, emitter.Emit("square", {moments.centered}, {}, ".square"));
  ASSIGN_OR_RETURN(moments.variance, emitter.Emit("reduce_mean", {square}, over, ".variance"));
  return moments;
}

absl::StatusOr<Standardized> EmitStandardized(OpEmitter& emitter, Tensor* x,
                                              const std::vector<int64_t>& axes, float epsilon) {
  ASSIGN_OR_RETURN(const Moments moments, EmitMoments(emitter, x, axes));
  Standardized standard;
  standard.mean = moments.mean;
  ASSIGN_OR_RETURN(standard.deviation, EmitDeviation(emitter, moments.variance, epsilon));
  ASSIGN_OR_RETURN(standard.y,
                   emitter.Emit("div", {moments.centered, standard.deviation}, {}, ".standard"));
  return standard;
}

absl::StatusOr<Tensor*> EmitRootMeanSquare(OpEmitter& emitter, Tensor* x,
                                           const std::vector<int64_t>& axes, float epsilon) {
  ASSIGN_OR_RETURN(Tensor * y, emitter.Emit("square", {x}, {}, ".square"));
  ASSIGN_OR_RETURN(
      y, emitter.Emit("reduce_mean", {y}, {{"axes", axes}, {"keep_dims", int64_t{1}}}, ".mean"));
  ASSIGN_OR_RETURN(y, EmitDeviation(emitter, y, epsilon));
  return emitter.Emit("div", {x, y}, {}, ".standard");
}

absl::StatusOr<Tensor*> EmitAffine(OpEmitter& emitter, Tensor* x, Tensor* scale, Tensor* shift,
                                   absl::string_view suffix) {
  if (scale != nullptr) {
    const std::string scaled =
        shift == nullptr ? std::string(suffix) : absl::StrCat(".scaled", suffix);
    ASSIGN_OR_RETURN(x, emitter.Emit("mul", {x, scale}, {}, scaled));
  }
  if (shift == nullptr) return x;
  return emitter.Emit("add", {x, shift}, {}, suffix);
}

absl::StatusOr<Tensor*> EmitChannelAffine(OpEmitter& emitter, Tensor* x, Tensor* scale,
                                          Tensor* shift) {
  const size_t rank = x->type.shape.rank();
  if (rank == 4) {
    ASSIGN_OR_RETURN(Tensor * y, ToNhwc(emitter, x));
    ASSIGN_OR_RETURN(y, EmitAffine(emitter, y, scale, shift, ".nhwc"));
    return FromNhwc(emitter, y, rank);
  }
  if (scale != nullptr) {
    ASSIGN_OR_RETURN(scale, AlongChannels(emitter, scale, rank, ".factor"));
  }
  if (shift != nullptr) {
    ASSIGN_OR_RETURN(shift, AlongChannels(emitter, shift, rank, ".shift"));
  }
  return EmitAffine(emitter, x, scale, shift);
}

absl::StatusOr<Tensor*> EmitInstanceNormalization(OpEmitter& emitter, Tensor* x, Tensor* scale,
                                                  Tensor* shift, float epsilon) {
  if (x->type.shape.rank() == 3) {
    ASSIGN_OR_RETURN(const Standardized rows, EmitStandardized(emitter, x, {2}, epsilon));
    return EmitChannelAffine(emitter, rows.y, scale, shift);
  }
  ASSIGN_OR_RETURN(Tensor * image, ToNhwc(emitter, x));
  ASSIGN_OR_RETURN(const Standardized standard, EmitStandardized(emitter, image, {1, 2}, epsilon));
  ASSIGN_OR_RETURN(Tensor * y, EmitAffine(emitter, standard.y, scale, shift, ".nhwc"));
  return FromNhwc(emitter, y, x->type.shape.rank());
}

absl::StatusOr<ChannelAffine> EmitBatchNormalization(OpEmitter& emitter,
                                                     const BatchNormalization& parameters) {
  ASSIGN_OR_RETURN(Tensor * deviation,
                   EmitDeviation(emitter, parameters.variance, parameters.epsilon));
  Tensor* scale = parameters.scale != nullptr ? parameters.scale : emitter.Scalar(1, ".one");
  ChannelAffine affine;
  ASSIGN_OR_RETURN(affine.factor, emitter.Emit("div", {scale, deviation}, {}, ".factor"));
  ASSIGN_OR_RETURN(Tensor * moved,
                   emitter.Emit("mul", {parameters.mean, affine.factor}, {}, ".mean"));
  Tensor* offset = parameters.offset != nullptr ? parameters.offset : emitter.Scalar(0, ".zero");
  ASSIGN_OR_RETURN(affine.shift, emitter.Emit("sub", {offset, moved}, {}, ".shift"));
  return affine;
}

// A pooling of an image whose width is the channels.
absl::StatusOr<Tensor*> EmitChannelLrn(OpEmitter& emitter, Tensor* image, int64_t size,
                                       const Lrn& lrn, absl::string_view suffix) {
  const Shape s = image->type.shape;
  ASSIGN_OR_RETURN(Tensor * rows, emitter.Emit("square", {image}, {}, ".squares"));
  ASSIGN_OR_RETURN(rows, emitter.Reshape(rows, {s[0], s[1] * s[2], s[3], 1}, ".rows"));
  ASSIGN_OR_RETURN(rows, SquareMean(emitter, rows, 1, size));
  ASSIGN_OR_RETURN(Tensor * mean, emitter.Reshape(rows, s.dims(), ".mean.image"));
  return FinishLrn(emitter, image, mean, lrn, suffix);
}

absl::StatusOr<Tensor*> EmitSpatialLrn(OpEmitter& emitter, Tensor* image, int64_t size,
                                       const Lrn& lrn, absl::string_view suffix) {
  ASSIGN_OR_RETURN(Tensor * squares, emitter.Emit("square", {image}, {}, ".squares"));
  ASSIGN_OR_RETURN(Tensor * mean, SquareMean(emitter, squares, size, size));
  return FinishLrn(emitter, image, mean, lrn, suffix);
}

}  // namespace synap_internal
