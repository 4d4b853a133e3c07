// Convolution and pooling over [N,C,D,H,W], as those over the images [N*D,H,W,C]
// and what joins them along D.
#ifndef COMPILER_IMPORT_ONNX_VOLUME_H_
#define COMPILER_IMPORT_ONNX_VOLUME_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "compiler/import/onnx/node_context.h"

namespace synap_internal::onnx_import {

// Conv whose input and weights have rank 5. `groups` divides the channels.
absl::Status MapVolumeConv(NodeContext& node, int64_t groups);

// MaxPool or AveragePool of an input of rank 5. `op`: that over images, with its
// attributes as far as they aren't the window's.
absl::Status MapVolumePool(NodeContext& node, absl::string_view op, Attributes attributes);

}  // namespace synap_internal::onnx_import

#endif  // COMPILER_IMPORT_ONNX_VOLUME_H_
