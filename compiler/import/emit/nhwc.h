// Images [N,C,H,W], as ONNX and Caffe have them, against the IR's [N,H,W,C].
#ifndef COMPILER_IMPORT_EMIT_NHWC_H_
#define COMPILER_IMPORT_EMIT_NHWC_H_

#include <cstddef>
#include <cstdint>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "compiler/import/emit/op_emitter.h"
#include "compiler/ir/graph.h"

namespace synap_internal {

// The transposed twins of a graph's tensors.
class NhwcTwins {
 public:
  // [N,C,H,W] -> [N,H,W,C], [N,C,L] -> [N,1,L,C]; the twin is made once for each
  // tensor. Unimplemented for other ranks.
  absl::StatusOr<Tensor*> Of(OpEmitter& emitter, Tensor* x);

 private:
  absl::flat_hash_map<const Tensor*, Tensor*> twins_;
};

// The way back, to a tensor of `rank` dimensions (3 or 4), the node's output.
absl::StatusOr<Tensor*> FromNhwc(OpEmitter& emitter, Tensor* y, size_t rank);

// [A,B,L] -> [A,B,1,L], beside the weights so that their users share it; images stay.
absl::StatusOr<Tensor*> WeightsAsImage(OpEmitter& emitter, Tensor* w);

// The weights of a convolution, [O, C/groups, KH, KW] -> [O, KH, KW, C/groups], for
// depthwise_conv2d [O,1,KH,KW] -> [1, KH, KW, O]; beside the weights as above.
absl::StatusOr<Tensor*> ConvolutionWeights(OpEmitter& emitter, Tensor* w, bool depthwise);

// The weights of a transposed convolution,
// [C, O/groups, KH, KW] -> [O, KH, KW, C/groups].
absl::StatusOr<Tensor*> TransposedConvolutionWeights(OpEmitter& emitter, Tensor* w, int64_t groups);

}  // namespace synap_internal

#endif  // COMPILER_IMPORT_EMIT_NHWC_H_
