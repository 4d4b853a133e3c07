// Note on the inputs whose 64-bit integers the NPU holds in 32 bits.
#ifndef COMPILER_TARGET_DELEGATES_NARROW_INPUTS_NOTE_H_
#define COMPILER_TARGET_DELEGATES_NARROW_INPUTS_NOTE_H_

#include <optional>

#include "base/warnings.h"
#include "compiler/graph/graph.h"
#include "compiler/target/delegates/assign_delegates.h"

namespace synap_internal {

// Names all int64 inputs of the compiled graph that a layer on the NPU reads, directly or after
// others have passed the values on in int64, with the range that
// the runtime accepts (runtime/bundle/narrow_inputs.h). Nothing if there are none.
std::optional<Warning> NarrowInputsNote(const Graph& compiled, const DelegateAssignment& delegates);

}  // namespace synap_internal

#endif  // COMPILER_TARGET_DELEGATES_NARROW_INPUTS_NOTE_H_
