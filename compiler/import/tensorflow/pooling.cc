// Pooling over windows.
#include <utility>

#include "base/status_macros.h"
#include "compiler/import/tensorflow/op_table.h"
#include "compiler/import/tensorflow/window.h"

namespace synap_internal::tensorflow_import {
namespace {

// Neither operator counts padding.
absl::Status MapPool(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, node.Image(node.input(0)));
  ASSIGN_OR_RETURN(std::vector<int64_t> kernel, SpatialInts(node, "ksize"));
  ASSIGN_OR_RETURN(const Window window, ReadWindow(node, x->type.shape, std::move(kernel)));
  return node.SetOutput(node.EmitImage(node.op() == "AvgPool" ? "avg_pool2d" : "max_pool2d", {x},
                                       window.ToPoolAttributes()));
}

constexpr char kPoolLimits[] = "windows, strides and dilations over height and width";

constexpr OpMapping kPoolingMappings[] = {
    {"AvgPool", 1, 1, MapPool, kPoolLimits},
    {"MaxPool", 1, 1, MapPool, kPoolLimits},
};

}  // namespace

absl::Span<const OpMapping> PoolingMappings() { return kPoolingMappings; }

}  // namespace synap_internal::tensorflow_import
