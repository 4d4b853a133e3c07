// Conversion of images between [N,C,H,W], as most frameworks have them, and the IR's [N,H,W,C].
#ifndef COMPILER_IMPORT_EMIT_NHWC_H_
#define COMPILER_IMPORT_EMIT_NHWC_H_

#include <cstddef>

#include "absl/strings/string_view.h"
#include "compiler/graph/graph.h"
#include "compiler/import/emit/op_emitter.h"

namespace synap_internal {

// [N,C,H,W] -> [N,H,W,C], [N,C,L] -> [N,1,L,C]; one copy for each tensor, which all its readers
// share. Unimplemented for other ranks.
Emitted ToNhwc(OpEmitter& emitter, const Emitted& x);

// [N,H,W,C] -> a tensor of `rank` dimensions, [N,C,H,W] or [N,C,L], named Name().
Emitted FromNhwc(OpEmitter& emitter, const Emitted& y, size_t rank);

// The output of `op`, an op over images: operands[0] is converted by ToNhwc, the others are taken
// as they are, and the output is converted back to the rank of operands[0].
Emitted EmitImage(OpEmitter& emitter, absl::string_view op, OpInputs operands,
                  Attributes attributes);

// [C] -> [C,1,...,1], so that it broadcasts along the second of `rank` dimensions; with two or
// fewer dimensions it stays.
Emitted AlongChannels(OpEmitter& emitter, const Emitted& values, size_t rank,
                      absl::string_view suffix);

}  // namespace synap_internal

#endif  // COMPILER_IMPORT_EMIT_NHWC_H_
