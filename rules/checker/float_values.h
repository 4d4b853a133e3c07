// Values of a tensor as floats.
#ifndef RULES_CHECKER_FLOAT_VALUES_H_
#define RULES_CHECKER_FLOAT_VALUES_H_

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "synap/tensor.hpp"

namespace synap_internal {

// Valid until the tensor changes. Internal, naming the tensor, if it has no values: the network
// hasn't run, or memory is missing.
absl::StatusOr<absl::Span<const float>> FloatValues(const synaptics::synap::Tensor& tensor);

}  // namespace synap_internal

#endif  // RULES_CHECKER_FLOAT_VALUES_H_
