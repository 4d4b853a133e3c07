// Normalizations.
#include "compiler/import/emit/normalization.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/emit/axes.h"
#include "compiler/import/torchscript/op_table.h"

namespace synap_internal::torchscript_import {
namespace {

using Dims = std::vector<int64_t>;

absl::Status OfInput() {
  return absl::UnimplementedError(
      "it normalizes by the statistics of its input, as in training; save the model after "
      "model.eval()");
}

// By the statistics of the input along `axes`; weight and bias, arguments 1 and 2, are [C], along
// the second dimension.
absl::Status SetStandardized(NodeContext& node, const Dims& axes, size_t epsilon_at) {
  ASSIGN_OR_RETURN(Tensor * x, node.GetTensor(0));
  ASSIGN_OR_RETURN(Tensor * weight, node.GetOptionalTensor(1));
  ASSIGN_OR_RETURN(Tensor * bias, node.GetOptionalTensor(2));
  RETURN_IF_ERROR(CheckChannels("weight", weight, x->type.shape));
  RETURN_IF_ERROR(CheckChannels("bias", bias, x->type.shape));
  ASSIGN_OR_RETURN(const float epsilon, node.GetReal(epsilon_at));
  ASSIGN_OR_RETURN(const Standardized standard, EmitStandardized(node, x, axes, epsilon));
  return node.SetOutput(EmitChannelAffine(node, standard.y, weight, bias));
}

// By the statistics of each channel of the whole batch, for layers that keep none of their own.
absl::Status SetBatchStandardized(NodeContext& node, size_t epsilon_at) {
  ASSIGN_OR_RETURN(const Tensor* x, node.GetTensor(0));
  RETURN_IF_ERROR(CheckChannels("input", nullptr, x->type.shape));
  Dims axes = {0};
  for (size_t i = 2; i < x->type.shape.rank(); ++i) axes.push_back(static_cast<int64_t>(i));
  return SetStandardized(node, axes, epsilon_at);
}

// (x, weight, bias, mean, variance) and the argument `epsilon`.
absl::Status EmitBatchNorm(NodeContext& node, size_t epsilon_at) {
  ASSIGN_OR_RETURN(Tensor * x, node.GetTensor(0));
  ASSIGN_OR_RETURN(Tensor * weight, node.GetOptionalTensor(1));
  ASSIGN_OR_RETURN(Tensor * bias, node.GetOptionalTensor(2));
  ASSIGN_OR_RETURN(Tensor * mean, node.GetOptionalTensor(3));
  ASSIGN_OR_RETURN(Tensor * variance, node.GetOptionalTensor(4));
  if (mean == nullptr || variance == nullptr) return OfInput();
  for (const Tensor* values : {weight, bias, mean, variance}) {
    RETURN_IF_ERROR(CheckChannels("parameter", values, x->type.shape));
  }
  ASSIGN_OR_RETURN(const float epsilon, node.GetReal(epsilon_at));
  ASSIGN_OR_RETURN(const ChannelAffine affine,
                   EmitBatchNormalization(node, {weight, bias, mean, variance, epsilon}));
  return node.SetOutput(EmitChannelAffine(node, x, affine.factor, affine.shift));
}

// (x, weight, bias, mean, variance, training, momentum, eps, ...)
absl::Status MapBatchNorm(NodeContext& node) {
  if (!node.Has(3) && !node.Has(4)) return SetBatchStandardized(node, 7);
  ASSIGN_OR_RETURN(const bool training, node.GetBool(5));
  return training ? OfInput() : EmitBatchNorm(node, 7);
}

// What training needs beside the result.
constexpr char kStatistics[] = "statistics of its input";

// (x, weight, bias, mean, variance, training, momentum, eps), or without mean and variance
absl::Status MapBatchNormWithStatistics(NodeContext& node) {
  const bool no_stats = node.argument(3).IsScalar();
  RETURN_IF_ERROR(no_stats ? SetBatchStandardized(node, 5) : MapBatchNorm(node));
  node.AddUnread(kStatistics);
  return absl::OkStatus();
}

// (x, weight, bias, mean, variance, momentum, eps)
absl::Status MapNativeBatchNorm(NodeContext& node) {
  RETURN_IF_ERROR(EmitBatchNorm(node, 6));
  node.AddUnread(kStatistics);
  return absl::OkStatus();
}

// The last `count` axes.
absl::StatusOr<Dims> LastAxes(const Shape& x, size_t count) {
  const size_t rank = x.rank();
  if (count == 0 || count > rank) {
    return absl::InvalidArgumentError(absl::StrCat("it normalizes ", count, " dimensions of ",
                                                   x.ToString(), ", expected 1 to ", rank));
  }
  return AxesFrom(static_cast<int64_t>(rank - count), rank);
}

// (x, normalized shape, weight, bias, eps)
absl::Status MapLayerNorm(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, node.GetTensor(0));
  ASSIGN_OR_RETURN(const Dims normalized, node.GetInts(1));
  const Emitted weight = node.GetOptionalTensor(2), bias = node.GetOptionalTensor(3);
  ASSIGN_OR_RETURN(const float epsilon, node.GetRealOr(4, 1e-5f));
  ASSIGN_OR_RETURN(const Dims axes, LastAxes(x->type.shape, normalized.size()));
  ASSIGN_OR_RETURN(const Standardized standard, EmitStandardized(node, x, axes, epsilon));
  return node.SetOutput(EmitAffine(node, standard.y, weight, bias));
}

absl::Status MapNativeLayerNorm(NodeContext& node) {
  RETURN_IF_ERROR(MapLayerNorm(node));
  node.AddUnread(kStatistics);
  return absl::OkStatus();
}

// (x, normalized_shape, weight, eps)
absl::Status MapRmsNorm(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, node.GetTensor(0));
  ASSIGN_OR_RETURN(const Dims normalized, node.GetInts(1));
  const Emitted weight = node.GetOptionalTensor(2);
  ASSIGN_OR_RETURN(const float epsilon, node.GetRealOr(3, std::numeric_limits<float>::epsilon()));
  ASSIGN_OR_RETURN(const Dims axes, LastAxes(x->type.shape, normalized.size()));
  return node.SetOutput(
      EmitAffine(node, EmitRootMeanSquare(node, x, axes, epsilon), weight, nullptr));
}

absl::Status MapFusedRmsNorm(NodeContext& node) {
  RETURN_IF_ERROR(MapRmsNorm(node));
  node.AddUnread(kStatistics);
  return absl::OkStatus();
}

// Where the kinds of group normalization have their arguments.
struct GroupNormArguments {
  size_t groups, weight, bias, epsilon;
};

// (x, groups, weight, bias, eps); native_group_norm has (x, weight, bias, N, C, HxW, groups, eps).
absl::Status MapGroupNorm(NodeContext& node) {
  const GroupNormArguments at = node.kind() == "aten::group_norm" ? GroupNormArguments{1, 2, 3, 4}
                                                                  : GroupNormArguments{6, 1, 2, 7};
  ASSIGN_OR_RETURN(Tensor * x, node.GetTensor(0));
  ASSIGN_OR_RETURN(const int64_t groups, node.GetInt(at.groups));
  ASSIGN_OR_RETURN(Tensor * weight, node.GetOptionalTensor(at.weight));
  ASSIGN_OR_RETURN(Tensor * bias, node.GetOptionalTensor(at.bias));
  ASSIGN_OR_RETURN(const float epsilon, node.GetRealOr(at.epsilon, 1e-5f));
  const Shape s = x->type.shape;
  RETURN_IF_ERROR(CheckChannels("weight", weight, s));
  RETURN_IF_ERROR(CheckChannels("bias", bias, s));
  if (groups < 1 || s[1] % groups != 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "its number of groups is ", groups, ", expected a divisor of its ", s[1], " channels"));
  }
  const int64_t size = s.Product(1, s.rank()) / groups;
  const Emitted grouped = node.Reshape(x, {s[0], groups, size}, ".groups");
  ASSIGN_OR_RETURN(const Standardized standard, EmitStandardized(node, grouped, {2}, epsilon));
  const Emitted y = node.Reshape(standard.y, s.dims(), ".whole");
  return node.SetOutput(EmitChannelAffine(node, y, weight, bias));
}

absl::Status MapNativeGroupNorm(NodeContext& node) {
  RETURN_IF_ERROR(MapGroupNorm(node));
  node.AddUnread(kStatistics);
  return absl::OkStatus();
}

// (x, weight, bias, mean, variance, use_input_stats, momentum, eps, ...)
absl::Status MapInstanceNorm(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, node.GetTensor(0));
  ASSIGN_OR_RETURN(const bool of_input, node.GetBool(5));
  if (!of_input) return MapBatchNorm(node);
  const Shape s = x->type.shape;
  if (s.rank() != 4) return SetStandardized(node, AxesFrom(2, std::max<size_t>(s.rank(), 2)), 7);
  ASSIGN_OR_RETURN(Tensor * weight, node.GetOptionalTensor(1));
  ASSIGN_OR_RETURN(Tensor * bias, node.GetOptionalTensor(2));
  ASSIGN_OR_RETURN(const float epsilon, node.GetReal(7));
  RETURN_IF_ERROR(CheckChannels("weight", weight, s));
  RETURN_IF_ERROR(CheckChannels("bias", bias, s));
  return node.SetOutput(EmitInstanceNormalization(node, x, weight, bias, epsilon));
}

constexpr OpMapping kNormalizationMappings[] = {
    {"aten::batch_norm", 8, MapBatchNorm, "not in training mode"},
    {"aten::_native_batch_norm_legit_no_training", 7, MapNativeBatchNorm},
    {"aten::_batch_norm_no_update", 7, MapNativeBatchNorm},
    {"aten::native_batch_norm", 8, MapBatchNormWithStatistics, "not in training mode"},
    {"aten::_native_batch_norm_legit", 6, MapBatchNormWithStatistics, "not in training mode"},
    {"aten::layer_norm", 2, MapLayerNorm},
    {"aten::native_layer_norm", 2, MapNativeLayerNorm},
    {"aten::rms_norm", 2, MapRmsNorm},
    {"aten::_fused_rms_norm", 2, MapFusedRmsNorm},
    {"aten::group_norm", 2, MapGroupNorm},
    {"aten::native_group_norm", 8, MapNativeGroupNorm},
    {"aten::instance_norm", 8, MapInstanceNorm},
};

}  // namespace

absl::Span<const OpMapping> NormalizationMappings() { return kNormalizationMappings; }

}  // namespace synap_internal::torchscript_import
