#include "compiler/import/emit/nhwc.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace synap_internal {

absl::StatusOr<Tensor*> NhwcTwins::Of(OpEmitter& emitter, Tensor* x) {
  Tensor*& twin = twins_[x];
  if (twin != nullptr) return twin;
  const Shape& s = x->type.shape;
  if (s.rank() != 3 && s.rank() != 4) {
    return absl::UnimplementedError(
        absl::StrCat("its input ", s.ToString(), " has rank ", s.rank()));
  }
  Tensor* image = x;
  // Named after x, since other nodes will use the twin as well.
  const auto emit = [&](const char* op, const char* attribute, std::vector<int64_t> value,
                        const char* suffix) {
    return emitter.builder().Emit(op, {image}, {{attribute, std::move(value)}}, emitter.origin(),
                                  absl::StrCat(x->name, suffix));
  };
  if (s.rank() == 3) {
    ASSIGN_OR_RETURN(image, emit("reshape", "shape", {s[0], s[1], 1, s[2]}, ".nchw"));
  }
  ASSIGN_OR_RETURN(twin, emit("transpose", "perm", {0, 2, 3, 1}, ".nhwc"));
  return twin;
}

absl::StatusOr<Tensor*> FromNhwc(OpEmitter& emitter, Tensor* y, size_t rank) {
  ASSIGN_OR_RETURN(Tensor * image, emitter.Transpose(y, {0, 3, 1, 2}, rank == 3 ? ".nchw" : ""));
  if (rank == 4) return image;
  const Shape& s = image->type.shape;
  return emitter.Reshape(image, {s[0], s[1], s[2] * s[3]});
}

absl::StatusOr<Tensor*> WeightsAsImage(OpEmitter& emitter, Tensor* w) {
  const Shape& s = w->type.shape;
  if (s.rank() == 4) return w;
  return emitter.builder().Emit("reshape", {w},
                                {{"shape", std::vector<int64_t>{s[0], s[1], 1, s[2]}}},
                                emitter.origin(), absl::StrCat(w->name, ".oihw"));
}

absl::StatusOr<Tensor*> ConvolutionWeights(OpEmitter& emitter, Tensor* w, bool depthwise) {
  std::vector<int64_t> perm =
      depthwise ? std::vector<int64_t>{1, 2, 3, 0} : std::vector<int64_t>{0, 2, 3, 1};
  return emitter.builder().Emit("transpose", {w}, {{"perm", std::move(perm)}}, emitter.origin(),
                                absl::StrCat(w->name, depthwise ? ".ihwo" : ".ohwi"));
}

absl::StatusOr<Tensor*> TransposedConvolutionWeights(OpEmitter& emitter, Tensor* w,
                                                     int64_t groups) {
  if (groups == 1) {
    return emitter.builder().Emit("transpose", {w}, {{"perm", std::vector<int64_t>{1, 2, 3, 0}}},
                                  emitter.origin(), absl::StrCat(w->name, ".ohwi"));
  }
  const Shape s = w->type.shape;
  ASSIGN_OR_RETURN(w, emitter.Reshape(w, {groups, s[0] / groups, s[1], s[2], s[3]}, ".w.grouped"));
  ASSIGN_OR_RETURN(w, emitter.Transpose(w, {0, 2, 3, 4, 1}, ".w.permuted"));
  return emitter.Reshape(w, {groups * s[1], s[2], s[3], s[0] / groups}, ".w");
}

}  // namespace synap_internal
