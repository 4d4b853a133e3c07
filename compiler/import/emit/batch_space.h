// TensorFlow's SpaceToBatchND and BatchToSpaceND: alone they move data; around a
// convolution they are how dilations used to be written, and become one.
#ifndef COMPILER_IMPORT_EMIT_BATCH_SPACE_H_
#define COMPILER_IMPORT_EMIT_BATCH_SPACE_H_

#include <cstdint>
#include <map>
#include <vector>

#include "absl/status/statusor.h"
#include "compiler/import/emit/op_emitter.h"
#include "compiler/ir/graph.h"

namespace synap_internal {

// Those of one import. Both take images [N, H, W, C], the block of height and
// width and, as pairs of begin and end, what is padded before or cropped after.
// Unimplemented for other ranks and blocks, InvalidArgument if they don't fit.
class BatchSpace {
 public:
  absl::StatusOr<Tensor*> ToBatch(OpEmitter& op, Tensor* x, const std::vector<int64_t>& block,
                                  const std::vector<int64_t>& paddings);
  absl::StatusOr<Tensor*> ToSpace(OpEmitter& op, Tensor* x, const std::vector<int64_t>& block,
                                  const std::vector<int64_t>& crops);

  // What a ToBatch was made of: its output may turn out to be the input of a
  // dilated convolution.
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
