// Normalizations.
#include "compiler/import/emit/normalization.h"

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/emit/window.h"
#include "compiler/import/tensorflow/op_table.h"

namespace synap_internal::tensorflow_import {
namespace {

absl::Status MapBatchNorm(NodeContext& node, const BatchNormalization& parameters) {
  ASSIGN_OR_RETURN(Tensor * x, node.Image(node.input(0)));
  const Shape channels({x->type.shape[3]});
  for (size_t i = 1; i <= 4; ++i) {
    if (node.shape(i) == channels) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "its operand ", i, " is ", node.shape(i).ToString(), ", expected ", channels.ToString()));
  }
  ASSIGN_OR_RETURN(const ChannelAffine affine, EmitBatchNormalization(node, parameters));
  const Emitted scaled = node.Emit("mul", {x, affine.factor}, {}, ".scaled");
  return node.SetOutput(node.EmitImage("add", {scaled, affine.shift}, {}));
}

absl::Status MapFusedBatchNorm(NodeContext& node) {
  if (node.Bool("is_training", true)) {
    return absl::UnimplementedError(
        "its is_training is true: it would normalize by the statistics of each batch; export the "
        "graph for inference");
  }
  return MapBatchNorm(node, {node.input(1), node.input(2), node.input(3), node.input(4),
                             node.Float("epsilon", 1e-4f)});
}

// The predecessor of FusedBatchNorm, with operands mean, variance, offset and scale.
absl::Status MapGlobalBatchNorm(NodeContext& node) {
  if (!node.Bool("scale_after_normalization", false)) {
    return absl::UnimplementedError("its scale_after_normalization is false, expected true");
  }
  return MapBatchNorm(node, {node.input(4), node.input(3), node.input(1), node.input(2),
                             node.Float("variance_epsilon", 1e-4f)});
}

// x / (bias + alpha * sum of squares) ^ beta
absl::Status MapLrn(NodeContext& node) {
  RETURN_IF_ERROR(CheckImage(node.shape(0)));
  const int64_t radius = node.Int("depth_radius", 5);
  if (radius < 0 || radius > (1 << 18)) {
    return absl::InvalidArgumentError(
        absl::StrCat("its depth_radius is ", radius, ", expected 0 to ", 1 << 18));
  }
  const int64_t size = 2 * radius + 1;
  return node.SetOutput(EmitChannelLrn(node, node.input(0), size,
                                       {node.Float("alpha", 1) * static_cast<float>(size),
                                        node.Float("beta", 0.5f), node.Float("bias", 1)},
                                       ""));
}

constexpr char kInference[] = "is_training of false";

constexpr OpMapping kNormalizationMappings[] = {
    {"FusedBatchNorm", 5, 5, MapFusedBatchNorm, kInference},
    {"FusedBatchNormV2", 5, 5, MapFusedBatchNorm, kInference},
    {"FusedBatchNormV3", 5, 5, MapFusedBatchNorm, kInference},
    {"BatchNormWithGlobalNormalization", 5, 5, MapGlobalBatchNorm,
     "scale_after_normalization of true"},
    {"LRN", 1, 1, MapLrn},
};

}  // namespace

absl::Span<const OpMapping> NormalizationMappings() { return kNormalizationMappings; }

}  // namespace synap_internal::tensorflow_import
