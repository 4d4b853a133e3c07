#include "compiler/import/operand_context.h"

#include "base/status_macros.h"

namespace synap_internal {

absl::Status OperandContext::SetOutput(absl::StatusOr<Tensor*> tensor) {
  if (!tensor.ok()) return tensor.status();
  return SetOutput(0, *tensor);
}

absl::Status OperandContext::SetOutputs(absl::StatusOr<std::vector<Tensor*>> tensors) {
  if (!tensors.ok()) return tensors.status();
  for (size_t i = 0; i < tensors->size(); ++i) RETURN_IF_ERROR(SetOutput(i, (*tensors)[i]));
  return absl::OkStatus();
}

}  // namespace synap_internal
