// Sliding window of a convolution or pooling, as a node's attributes have it.
#ifndef COMPILER_IMPORT_TENSORFLOW_WINDOW_H_
#define COMPILER_IMPORT_TENSORFLOW_WINDOW_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/shape.h"
#include "compiler/import/emit/window.h"
#include "compiler/import/tensorflow/node_context.h"

namespace synap_internal::tensorflow_import {

// Height and width of an attribute that has a number for each dimension of an image in data_format;
// {1, 1} if it is absent. Unimplemented unless those of batch and channels are 1.
absl::StatusOr<std::vector<int64_t>> SpatialInts(const NodeContext& node, const std::string& name);

// strides, dilations, padding and explicit_paddings of a node whose window of `kernel` (height,
// width) moves over `x`, [N,H,W,C].
absl::StatusOr<Window> ReadWindow(const NodeContext& node, const Shape& x,
                                  std::vector<int64_t> kernel);

}  // namespace synap_internal::tensorflow_import

#endif  // COMPILER_IMPORT_TENSORFLOW_WINDOW_H_
