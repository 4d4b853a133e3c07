#include "compiler/import/emit/nhwc.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace synap_internal {

Emitted ToNhwc(OpEmitter& emitter, const Emitted& given) {
  ASSIGN_OR_RETURN(Tensor * x, given);
  Tensor*& copy = emitter.builder().nhwc_copies()[x];
  if (copy != nullptr) return copy;
  const Shape& s = x->type.shape;
  if (s.rank() != 3 && s.rank() != 4) {
    return absl::UnimplementedError(
        absl::StrCat("its input ", s.ToString(), " has rank ", s.rank(), ", expected 3 or 4"));
  }
  Tensor* image = x;
  // Named after x, since other nodes read the copy as well.
  const auto emit = [&](const char* op, const char* attribute, std::vector<int64_t> value,
                        const char* suffix) {
    return emitter.builder().Emit(op, {image}, {{attribute, std::move(value)}}, emitter.origin(),
                                  absl::StrCat(x->name, suffix));
  };
  if (s.rank() == 3) {
    ASSIGN_OR_RETURN(image, emit("reshape", "shape", {s[0], s[1], 1, s[2]}, ".nchw"));
  }
  ASSIGN_OR_RETURN(copy, emit("transpose", "perm", {0, 2, 3, 1}, ".nhwc"));
  return copy;
}

Emitted FromNhwc(OpEmitter& emitter, const Emitted& y, size_t rank) {
  ASSIGN_OR_RETURN(Tensor * image, emitter.Transpose(y, {0, 3, 1, 2}, rank == 3 ? ".nchw" : ""));
  if (rank == 4) return image;
  const Shape& s = image->type.shape;
  return emitter.Reshape(image, {s[0], s[1], s[2] * s[3]});
}

Emitted EmitImage(OpEmitter& emitter, absl::string_view op, OpInputs operands,
                  Attributes attributes) {
  ASSIGN_OR_RETURN(std::vector<Tensor*> tensors, std::move(operands.tensors));
  const size_t rank = tensors[0]->type.shape.rank();
  ASSIGN_OR_RETURN(tensors[0], ToNhwc(emitter, tensors[0]));
  return FromNhwc(emitter, emitter.Emit(op, std::move(tensors), std::move(attributes), ".nhwc"),
                  rank);
}

Emitted AlongChannels(OpEmitter& emitter, const Emitted& values, size_t rank,
                      absl::string_view suffix) {
  if (!values.ok() || rank <= 2) return values;
  std::vector<int64_t> dims(rank - 1, 1);
  dims[0] = (*values)->type.shape.elements();
  return emitter.Reshape(values, std::move(dims), suffix);
}

}  // namespace synap_internal
