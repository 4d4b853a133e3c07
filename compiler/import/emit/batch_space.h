// SpaceToBatchND and BatchToSpaceND of TensorFlow. Around a convolution they stand for a
// dilation and are imported as one; elsewhere they move data.
#ifndef COMPILER_IMPORT_EMIT_BATCH_SPACE_H_
#define COMPILER_IMPORT_EMIT_BATCH_SPACE_H_

#include <cstdint>
#include <map>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/import/emit/op_emitter.h"

namespace synap_internal {

// The operators of one import. Both take images [N, H, W, C], the height and width of the
// block, and pairs of begin and end for height and width: pads before, crops after the move.
// Unimplemented for other ranks and blocks, InvalidArgument if they don't fit. Not thread-safe.
class BatchSpace {
 public:
  Emitted ToBatch(OpEmitter& op, Tensor* x, const std::vector<int64_t>& block,
                  const std::vector<int64_t>& paddings);
  Emitted ToSpace(OpEmitter& op, Tensor* x, const std::vector<int64_t>& block,
                  const std::vector<int64_t>& crops);

  // Operands of a ToBatch, kept to recognize a dilated convolution of its output.
  struct Source {
    Tensor* x = nullptr;
    std::vector<int64_t> block;  // height, width
    std::vector<int64_t> pads;   // top, left, bottom, right
  };

 private:
  std::map<const Tensor*, Source> sources_;  // by output
};

}  // namespace synap_internal

#endif  // COMPILER_IMPORT_EMIT_BATCH_SPACE_H_
