#include "compiler/import/emit/pooling.h"

#include "base/status_macros.h"
#include "compiler/import/emit/nhwc.h"

namespace synap_internal {
namespace {

// [in, out]: each column is the mean over one window.
absl::StatusOr<Tensor*> MeanMatrix(OpEmitter& emitter, int64_t in, int64_t out) {
  RETURN_IF_ERROR(emitter.builder().Charge(in * out * static_cast<int64_t>(sizeof(float))));
  std::vector<float> weights(static_cast<size_t>(in * out), 0);
  for (int64_t i = 0; i < out; ++i) {
    const int64_t begin = i * in / out, end = ((i + 1) * in + out - 1) / out;
    for (int64_t k = begin; k < end; ++k) {
      weights[static_cast<size_t>(k * out + i)] = 1 / static_cast<float>(end - begin);
    }
  }
  Tensor* matrix = emitter.builder().AddFloats(emitter.Name(".mean"), weights);
  return emitter.Reshape(matrix, {in, out}, ".mean");
}

}  // namespace

absl::StatusOr<Tensor*> EmitGlobalPool(OpEmitter& emitter, absl::string_view op, Tensor* x) {
  return EmitImage(emitter, op, {x},
                   {{"axes", std::vector<int64_t>{1, 2}}, {"keep_dims", int64_t{1}}});
}

absl::StatusOr<Tensor*> EmitAdaptiveMean(OpEmitter& emitter, Tensor* x,
                                         const std::vector<int64_t>& out) {
  ASSIGN_OR_RETURN(Tensor * image, ToNhwc(emitter, x));
  const Shape& s = image->type.shape;
  ASSIGN_OR_RETURN(Tensor * columns, MeanMatrix(emitter, s[2], out[1]));
  ASSIGN_OR_RETURN(Tensor * rows, MeanMatrix(emitter, s[1], out[0]));
  ASSIGN_OR_RETURN(Tensor * y, emitter.Transpose(image, {0, 3, 1, 2}, ".nchw"));
  ASSIGN_OR_RETURN(y, emitter.Emit("matmul", {y, columns}, {}, ".columns"));
  ASSIGN_OR_RETURN(y, emitter.Transpose(y, {0, 1, 3, 2}, ".turned"));
  ASSIGN_OR_RETURN(y, emitter.Emit("matmul", {y, rows}, {}, ".rows"));
  ASSIGN_OR_RETURN(y, emitter.Transpose(y, {0, 3, 2, 1}, ".nhwc"));
  return FromNhwc(emitter, y, x->type.shape.rank());
}

}  // namespace synap_internal
