#include "compiler/import/emit/lrn.h"

#include <vector>

#include "base/status_macros.h"

namespace synap_internal {
namespace {

using Dims = std::vector<int64_t>;

absl::StatusOr<Tensor*> Finish(OpEmitter& op, Tensor* image, Tensor* mean, const Lrn& lrn,
                               absl::string_view suffix) {
  Tensor* alpha = op.builder().AddScalar(op.Name(".alpha"), lrn.alpha);
  Tensor* k = op.builder().AddScalar(op.Name(".k"), lrn.k);
  Tensor* exponent = op.builder().AddScalar(op.Name(".exponent"), -lrn.beta);
  ASSIGN_OR_RETURN(Tensor * base, op.Emit("mul", {mean, alpha}, {}, ".weighted"));
  ASSIGN_OR_RETURN(base, op.Emit("add", {base, k}, {}, ".base"));
  ASSIGN_OR_RETURN(Tensor * factor, op.Emit("pow", {base, exponent}, {}, ".factor"));
  return op.Emit("mul", {image, factor}, {}, suffix);
}

absl::StatusOr<Tensor*> Mean(OpEmitter& op, Tensor* x, int64_t height, int64_t width) {
  return op.Emit("avg_pool2d", {x},
                 {{"kernel", Dims{height, width}},
                  {"pads", Dims{height / 2, width / 2, height / 2, width / 2}},
                  {"count_include_pad", int64_t{1}}},
                 ".mean");
}

}  // namespace

// A pooling of an image whose width are the channels.
absl::StatusOr<Tensor*> EmitChannelLrn(OpEmitter& op, Tensor* image, int64_t size, const Lrn& lrn,
                                       absl::string_view suffix) {
  const Shape s = image->type.shape;
  ASSIGN_OR_RETURN(Tensor * rows, op.Emit("square", {image}, {}, ".squares"));
  ASSIGN_OR_RETURN(rows, op.Reshape(rows, {s[0], s[1] * s[2], s[3], 1}, ".rows"));
  ASSIGN_OR_RETURN(rows, Mean(op, rows, 1, size));
  ASSIGN_OR_RETURN(Tensor * mean, op.Reshape(rows, s.dims(), ".mean.image"));
  return Finish(op, image, mean, lrn, suffix);
}

absl::StatusOr<Tensor*> EmitSpatialLrn(OpEmitter& op, Tensor* image, int64_t size, const Lrn& lrn,
                                       absl::string_view suffix) {
  ASSIGN_OR_RETURN(Tensor * squares, op.Emit("square", {image}, {}, ".squares"));
  ASSIGN_OR_RETURN(Tensor * mean, Mean(op, squares, size, size));
  return Finish(op, image, mean, lrn, suffix);
}

}  // namespace synap_internal
