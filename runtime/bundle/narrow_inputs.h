// Inputs of 64-bit integers that the NPU holds in 32 bits.
#ifndef RUNTIME_BUNDLE_NARROW_INPUTS_H_
#define RUNTIME_BUNDLE_NARROW_INPUTS_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "runtime/bundle/bundle.h"
#include "runtime/program/program.h"

namespace synap_internal {

// Whether each of the bundle's inputs is int64 and a layer of the NPU reads it, or what other
// layers may have made of it in int64. `programs`: those of the subgraphs.
std::vector<bool> NarrowInputs(const Bundle& bundle, absl::Span<const Program> programs);

// InvalidArgument naming the first element that int32 doesn't hold. A chip would cut it off.
absl::Status CheckNarrow(absl::string_view input, absl::Span<const int64_t> values);

}  // namespace synap_internal

#endif  // RUNTIME_BUNDLE_NARROW_INPUTS_H_
