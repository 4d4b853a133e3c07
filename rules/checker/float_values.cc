#include "rules/checker/float_values.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace synap_internal {

absl::StatusOr<absl::Span<const float>> FloatValues(const synaptics::synap::Tensor& tensor) {
  const float* const values = tensor.as_float();
  if (values != nullptr) return absl::Span<const float>(values, tensor.item_count());
  return absl::InternalError(absl::StrCat("tensor '", tensor.name(), "' has no values, expected ",
                                          tensor.item_count(), "; the log says why"));
}

}  // namespace synap_internal
