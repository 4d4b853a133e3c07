// Indices between brackets, x[i, :, mask], as the operators that read or write there have them.
#ifndef COMPILER_IMPORT_TORCHSCRIPT_INDEX_LIST_H_
#define COMPILER_IMPORT_TORCHSCRIPT_INDEX_LIST_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/shape.h"
#include "compiler/import/torchscript/node_context.h"

namespace synap_internal::torchscript_import {

// Whether it says of each element if it is picked: of bools or bytes.
bool IsMask(const Value& index);
// Unimplemented for a mask: how many elements it picks depends on its values.
absl::Status CheckNoMask(const Value& index);

// As int64. Inputs of the network are real numbers unless the metafile says otherwise.
Emitted IntegerIndices(NodeContext& node, const Emitted& indices);

// The dimensions of x that have indices, and these.
struct IndexList {
  std::vector<int64_t> picked, kept;  // axes of x with and without indices
  std::vector<Tensor*> indices;       // int64, one for each of `picked`; they broadcast
  // The axis of the result at which the dimensions of the indices begin: that of the first of
  // `picked` if they are next to each other, else 0.
  int64_t axis = 0;

  // The sizes of these axes of x.
  static std::vector<int64_t> SizesOf(const Shape& x, const std::vector<int64_t>& axes);
};

// Argument `at` of a node whose tensor is `x`. Masks that are constant are replaced by the indices
// of what they pick. Unimplemented for other masks, InvalidArgument for indices that don't fit x.
absl::StatusOr<IndexList> ReadIndexList(NodeContext& node, size_t at, const Shape& x);

// The element of the picked dimensions of x, row-major, that the indices pick. REQUIRES: there are
// some.
Emitted FlatIndex(NodeContext& node, const IndexList& list, const Shape& x);

}  // namespace synap_internal::torchscript_import

#endif  // COMPILER_IMPORT_TORCHSCRIPT_INDEX_LIST_H_
