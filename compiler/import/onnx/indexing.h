// Element-wise gather of ONNX, by the one-dimensional gather that has a kernel.
#ifndef COMPILER_IMPORT_ONNX_INDEXING_H_
#define COMPILER_IMPORT_ONNX_INDEXING_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "compiler/import/onnx/node_context.h"

namespace synap_internal::onnx_import {

// indices (int64) with `dim` added to the negative ones. InvalidArgument for a
// constant that is outside of [-dim, dim).
absl::StatusOr<Tensor*> NonNegativeIndices(NodeContext& node, Tensor* indices, int64_t dim);

// y[i...] = x[i..., indices[i...], i...], the index along `axis`; of the shape of `indices`, named
// node.Name(suffix).
absl::StatusOr<Tensor*> GatherElements(NodeContext& node, Tensor* x, Tensor* indices, size_t axis,
                                       absl::string_view suffix);

}  // namespace synap_internal::onnx_import

#endif  // COMPILER_IMPORT_ONNX_INDEXING_H_
