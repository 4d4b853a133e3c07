// Normalizations, taken apart into element-wise ops.
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/lrn.h"
#include "compiler/import/tensorflow/op_table.h"
#include "compiler/import/window.h"

namespace synap::tensorflow_import {
namespace {

// x * factor + shift with factor = scale / sqrt(variance + epsilon) and shift =
// offset - mean * factor
absl::Status MapFusedBatchNorm(NodeContext& node) {
  if (node.Bool("is_training", true)) {
    return absl::UnimplementedError(
        "its is_training is true: it would normalize by the statistics of each batch; export the "
        "graph for inference");
  }
  ASSIGN_OR_RETURN(Tensor * x, node.Image(node.input(0)));
  const Shape channels({x->type.shape[3]});
  for (size_t i = 1; i <= 4; ++i) {
    if (node.shape(i) == channels) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "its operand ", i, " is ", node.shape(i).ToString(), ", expected ", channels.ToString()));
  }
  Tensor* epsilon = node.builder().AddScalar(node.Name(".epsilon"), node.Float("epsilon", 1e-4f));
  ASSIGN_OR_RETURN(Tensor * deviation, node.Emit("add", {node.input(4), epsilon}, {}, ".variance"));
  ASSIGN_OR_RETURN(deviation, node.Emit("sqrt", {deviation}, {}, ".deviation"));
  ASSIGN_OR_RETURN(Tensor * factor, node.Emit("div", {node.input(1), deviation}, {}, ".factor"));
  ASSIGN_OR_RETURN(Tensor * moved, node.Emit("mul", {node.input(3), factor}, {}, ".mean"));
  ASSIGN_OR_RETURN(Tensor * shift, node.Emit("sub", {node.input(2), moved}, {}, ".shift"));
  ASSIGN_OR_RETURN(Tensor * scaled, node.Emit("mul", {x, factor}, {}, ".scaled"));
  return node.SetOutput(node.EmitImage("add", {scaled, shift}, {}));
}

// x / (bias + alpha * sum of squares) ^ beta
absl::Status MapLrn(NodeContext& node) {
  RETURN_IF_ERROR(CheckImage(node.shape(0)));
  const int64_t radius = node.Int("depth_radius", 5);
  if (radius < 0 || radius > (1 << 18)) {
    return absl::InvalidArgumentError(absl::StrCat("its depth_radius is ", radius));
  }
  const int64_t size = 2 * radius + 1;
  return node.SetOutput(EmitChannelLrn(node, node.input(0), size,
                                       {node.Float("alpha", 1) * static_cast<float>(size),
                                        node.Float("beta", 0.5f), node.Float("bias", 1)},
                                       ""));
}

constexpr OpMapping kMappings[] = {
    {"FusedBatchNorm", 5, 5, MapFusedBatchNorm},
    {"FusedBatchNormV2", 5, 5, MapFusedBatchNorm},
    {"FusedBatchNormV3", 5, 5, MapFusedBatchNorm},
    {"LRN", 1, 1, MapLrn},
};

}  // namespace

absl::Span<const OpMapping> NormalizationMappings() { return kMappings; }

}  // namespace synap::tensorflow_import
