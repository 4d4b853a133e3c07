#include "compiler/import/emit/op_emitter.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace synap_internal {

OpInputs::OpInputs(const std::vector<Emitted>& inputs) {
  for (const Emitted& input : inputs) {
    if (!input.ok()) {
      tensors = input.status();
      return;
    }
    tensors->push_back(*input);
  }
}

OpEmitter::OpEmitter(GraphBuilder& builder, std::string origin, std::string name)
    : builder_(builder), origin_(std::move(origin)), name_(std::move(name)) {}

std::string OpEmitter::Name(absl::string_view suffix) const { return absl::StrCat(name_, suffix); }

Emitted OpEmitter::Emit(absl::string_view op, OpInputs inputs, Attributes attributes,
                        absl::string_view suffix) {
  ASSIGN_OR_RETURN(std::vector<Tensor*> tensors, std::move(inputs.tensors));
  return DoEmit(op, std::move(tensors), std::move(attributes), suffix);
}

Emitted OpEmitter::Reshape(const Emitted& x, std::vector<int64_t> shape, absl::string_view suffix) {
  return Emit("reshape", {x}, {{"shape", std::move(shape)}}, suffix);
}

Emitted OpEmitter::Transpose(const Emitted& x, std::vector<int64_t> perm,
                             absl::string_view suffix) {
  return Emit("transpose", {x}, {{"perm", std::move(perm)}}, suffix);
}

Emitted OpEmitter::Cast(const Emitted& x, DataType type, absl::string_view suffix) {
  if (!x.ok() || (*x)->type.dtype == type) return x;
  return Emit("cast", {x}, {{"to", std::string(synap_internal::Name(type))}}, suffix);
}

Emitted OpEmitter::Scale(const Emitted& x, float factor, absl::string_view suffix) {
  if (!x.ok() || factor == 1) return x;
  return Emit("mul", {x, Scalar(factor, ".factor")}, {}, suffix);
}

Emitted OpEmitter::Concat(OpInputs parts, int64_t axis, absl::string_view suffix) {
  if (parts.tensors.ok() && parts.tensors->size() == 1) return parts.tensors->front();
  return Emit("concat", std::move(parts), {{"axis", axis}}, suffix);
}

Emitted OpEmitter::Zeros(const TensorType& type, absl::string_view suffix) {
  RETURN_IF_ERROR(type.shape.Validate());
  RETURN_IF_ERROR(builder_.Charge(type.bytes()));
  return builder_.graph().AddConstant(
      Name(suffix), type,
      Constant::Own(std::vector<uint8_t>(static_cast<size_t>(type.bytes()), 0)));
}

OpEmitter OpEmitter::Step(int64_t number) const {
  return OpEmitter(builder_, origin_, Name(absl::StrCat(".", number)));
}

Emitted OpEmitter::DoEmit(absl::string_view op, std::vector<Tensor*> op_inputs,
                          Attributes attributes, absl::string_view suffix) {
  return builder_.Emit(op, std::move(op_inputs), std::move(attributes), origin_, Name(suffix));
}

}  // namespace synap_internal
