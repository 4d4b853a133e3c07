// Local response normalization, taken apart into ops that there are.
#ifndef COMPILER_IMPORT_EMIT_LRN_H_
#define COMPILER_IMPORT_EMIT_LRN_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "compiler/import/emit/op_emitter.h"
#include "compiler/ir/graph.h"

namespace synap_internal {

// y = x * (k + alpha * mean) ^ -beta, for the mean of the squares around x.
struct Lrn {
  float alpha = 1, beta = 0.75f, k = 1;
};

// Over `size` neighbouring channels of image [N,H,W,C], an odd number; what is
// outside of the image counts as 0.
absl::StatusOr<Tensor*> EmitChannelLrn(OpEmitter& op, Tensor* image, int64_t size, const Lrn& lrn,
                                       absl::string_view suffix);

// Over size x size neighbouring pixels of each channel.
absl::StatusOr<Tensor*> EmitSpatialLrn(OpEmitter& op, Tensor* image, int64_t size, const Lrn& lrn,
                                       absl::string_view suffix);

}  // namespace synap_internal

#endif  // COMPILER_IMPORT_EMIT_LRN_H_
