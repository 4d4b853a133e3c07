#include "compiler/import/operand_context.h"

#include "base/status_macros.h"

namespace synap_internal {

absl::Status OperandContext::SetOutput(size_t i, const Emitted& tensor) {
  return tensor.ok() ? BindOutput(i, *tensor) : tensor.status();
}

absl::Status OperandContext::SetOutputs(absl::StatusOr<std::vector<Tensor*>> tensors) {
  if (!tensors.ok()) return tensors.status();
  for (size_t i = 0; i < tensors->size(); ++i) RETURN_IF_ERROR(SetOutput(i, (*tensors)[i]));
  return absl::OkStatus();
}

}  // namespace synap_internal
