// Activation functions that are composed of several ops.
#ifndef COMPILER_IMPORT_EMIT_ACTIVATION_H_
#define COMPILER_IMPORT_EMIT_ACTIVATION_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "compiler/graph/graph.h"
#include "compiler/import/emit/op_emitter.h"

namespace synap_internal {

// scale * elu(x), the node's output; the constant is named Name(scale_suffix). alpha is that of
// elu.
Emitted EmitSelu(OpEmitter& emitter, const Emitted& x, float alpha, float scale,
                 absl::string_view scale_suffix);

// x / (1 + |x|), the node's output; the divisor is named Name(divisor_suffix).
Emitted EmitSoftsign(OpEmitter& emitter, const Emitted& x, absl::string_view divisor_suffix);

}  // namespace synap_internal

#endif  // COMPILER_IMPORT_EMIT_ACTIVATION_H_
