// Normalizations, taken apart into element-wise ops and reductions.
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/torchscript/op_table.h"

namespace synap_internal::torchscript_import {
namespace {

using Dims = std::vector<int64_t>;

// sqrt(variance + epsilon)
absl::StatusOr<Tensor*> Deviation(NodeContext& node, Tensor* variance, float epsilon) {
  ASSIGN_OR_RETURN(Tensor * sum,
                   node.Emit("add", {variance, node.Scalar(epsilon, ".epsilon")}, {}, ".variance"));
  return node.Emit("sqrt", {sum}, {}, ".deviation");
}

// (x - mean) / deviation over `axes`.
absl::StatusOr<Tensor*> Standardized(NodeContext& node, Tensor* x, const Dims& axes,
                                     float epsilon) {
  const Attributes over = {{"axes", axes}, {"keep_dims", int64_t{1}}};
  ASSIGN_OR_RETURN(Tensor * mean, node.Emit("reduce_mean", {x}, over, ".mean"));
  ASSIGN_OR_RETURN(Tensor * centered, node.Emit("sub", {x, mean}, {}, ".centered"));
  ASSIGN_OR_RETURN(Tensor * square, node.Emit("square", {centered}, {}, ".square"));
  ASSIGN_OR_RETURN(Tensor * variance, node.Emit("reduce_mean", {square}, over, ".variance"));
  ASSIGN_OR_RETURN(Tensor * deviation, Deviation(node, variance, epsilon));
  return node.Emit("div", {centered, deviation}, {}, ".standard");
}

// x * weight + bias, both null if they are absent.
absl::StatusOr<Tensor*> Affine(NodeContext& node, Tensor* x, Tensor* weight, Tensor* bias,
                               absl::string_view suffix) {
  if (weight != nullptr) {
    const std::string scaled =
        bias == nullptr ? std::string(suffix) : absl::StrCat(".scaled", suffix);
    ASSIGN_OR_RETURN(x, node.Emit("mul", {x, weight}, {}, scaled));
  }
  if (bias == nullptr) return x;
  return node.Emit("add", {x, bias}, {}, suffix);
}

// One value for each channel, the second of `rank` dimensions, next to the image's last.
absl::StatusOr<Tensor*> AffineOfChannels(NodeContext& node, Tensor* x, Tensor* weight,
                                         Tensor* bias) {
  const size_t rank = x->type.shape.rank();
  if (rank == 4) {
    ASSIGN_OR_RETURN(x, node.Image(x));
    ASSIGN_OR_RETURN(x, Affine(node, x, weight, bias, ".nhwc"));
    return FromNhwc(node, x, rank);
  }
  for (Tensor** values : {&weight, &bias}) {
    if (*values == nullptr || rank <= 2) continue;
    Dims dims(rank - 1, 1);
    dims[0] = (*values)->type.shape.elements();
    ASSIGN_OR_RETURN(*values, node.Reshape(*values, std::move(dims), ".channels"));
  }
  return Affine(node, x, weight, bias, "");
}

absl::Status CheckChannels(const Shape& x, const Tensor* values) {
  if (x.rank() < 2) {
    return absl::InvalidArgumentError(absl::StrCat("its input ", x.ToString(), " has no channels"));
  }
  if (values == nullptr) return absl::OkStatus();
  const Shape& shape = values->type.shape;
  if (shape.rank() == 1 && shape[0] == x[1]) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("it has parameters ", shape.ToString(),
                                                 ", expected one for each of ", x[1], " channels"));
}

// (x, weight, bias, mean, variance, training, momentum, eps, ...): as x * factor + shift with
// factor = weight / sqrt(variance + eps), shift = bias - mean * factor.
absl::Status MapBatchNorm(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, node.GetTensor(0));
  ASSIGN_OR_RETURN(Tensor * weight, node.GetOptionalTensor(1));
  ASSIGN_OR_RETURN(Tensor * bias, node.GetOptionalTensor(2));
  ASSIGN_OR_RETURN(Tensor * mean, node.GetOptionalTensor(3));
  ASSIGN_OR_RETURN(Tensor * variance, node.GetOptionalTensor(4));
  ASSIGN_OR_RETURN(const bool training, node.GetBool(5));
  if (training || mean == nullptr || variance == nullptr) {
    return absl::UnimplementedError(
        "it normalizes by the statistics of its input, as in training; save the model after "
        "model.eval()");
  }
  for (const Tensor* values : {weight, bias, mean, variance}) {
    RETURN_IF_ERROR(CheckChannels(x->type.shape, values));
  }
  ASSIGN_OR_RETURN(const float epsilon, node.GetReal(7));
  ASSIGN_OR_RETURN(Tensor * deviation, Deviation(node, variance, epsilon));
  if (weight == nullptr) weight = node.Scalar(1, ".one");
  ASSIGN_OR_RETURN(Tensor * factor, node.Emit("div", {weight, deviation}, {}, ".factor"));
  ASSIGN_OR_RETURN(Tensor * moved, node.Emit("mul", {mean, factor}, {}, ".moved"));
  if (bias == nullptr) bias = node.Scalar(0, ".zero");
  ASSIGN_OR_RETURN(Tensor * shift, node.Emit("sub", {bias, moved}, {}, ".shift"));
  return node.SetOutput(AffineOfChannels(node, x, factor, shift));
}

// (x, normalized shape, weight, bias, eps)
absl::Status MapLayerNorm(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, node.GetTensor(0));
  ASSIGN_OR_RETURN(const Dims normalized, node.GetInts(1));
  ASSIGN_OR_RETURN(Tensor * weight, node.GetOptionalTensor(2));
  ASSIGN_OR_RETURN(Tensor * bias, node.GetOptionalTensor(3));
  ASSIGN_OR_RETURN(const float epsilon, node.GetRealOr(4, 1e-5f));
  const size_t rank = x->type.shape.rank();
  if (normalized.empty() || normalized.size() > rank) {
    return absl::InvalidArgumentError(absl::StrCat("it normalizes ", normalized.size(),
                                                   " dimensions of ", x->type.shape.ToString()));
  }
  Dims axes;
  for (size_t i = rank - normalized.size(); i < rank; ++i) axes.push_back(static_cast<int64_t>(i));
  ASSIGN_OR_RETURN(Tensor * y, Standardized(node, x, axes, epsilon));
  return node.SetOutput(Affine(node, y, weight, bias, ""));
}

// (x, groups, weight, bias, eps)
absl::Status MapGroupNorm(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, node.GetTensor(0));
  ASSIGN_OR_RETURN(const int64_t groups, node.GetInt(1));
  ASSIGN_OR_RETURN(Tensor * weight, node.GetOptionalTensor(2));
  ASSIGN_OR_RETURN(Tensor * bias, node.GetOptionalTensor(3));
  ASSIGN_OR_RETURN(const float epsilon, node.GetRealOr(4, 1e-5f));
  const Shape s = x->type.shape;
  RETURN_IF_ERROR(CheckChannels(s, weight));
  RETURN_IF_ERROR(CheckChannels(s, bias));
  if (groups < 1 || s[1] % groups != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("its ", s[1], " channels don't make ", groups, " groups"));
  }
  const int64_t size = s.Product(1, s.rank()) / groups;
  ASSIGN_OR_RETURN(Tensor * y, node.Reshape(x, {s[0], groups, size}, ".groups"));
  ASSIGN_OR_RETURN(y, Standardized(node, y, {2}, epsilon));
  ASSIGN_OR_RETURN(y, node.Reshape(y, s.dims(), ".whole"));
  return node.SetOutput(AffineOfChannels(node, y, weight, bias));
}

// (x, weight, bias, mean, variance, use_input_stats, momentum, eps, ...)
absl::Status MapInstanceNorm(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, node.GetTensor(0));
  ASSIGN_OR_RETURN(const bool of_input, node.GetBool(5));
  if (!of_input) return MapBatchNorm(node);
  ASSIGN_OR_RETURN(Tensor * weight, node.GetOptionalTensor(1));
  ASSIGN_OR_RETURN(Tensor * bias, node.GetOptionalTensor(2));
  ASSIGN_OR_RETURN(const float epsilon, node.GetReal(7));
  const Shape s = x->type.shape;
  RETURN_IF_ERROR(CheckChannels(s, weight));
  RETURN_IF_ERROR(CheckChannels(s, bias));
  if (s.rank() != 4) {
    Dims axes;
    for (size_t i = 2; i < s.rank(); ++i) axes.push_back(static_cast<int64_t>(i));
    ASSIGN_OR_RETURN(Tensor * y, Standardized(node, x, axes, epsilon));
    return node.SetOutput(AffineOfChannels(node, y, weight, bias));
  }
  ASSIGN_OR_RETURN(Tensor * y, node.Image(x));
  ASSIGN_OR_RETURN(y, Standardized(node, y, {1, 2}, epsilon));
  ASSIGN_OR_RETURN(y, Affine(node, y, weight, bias, ".nhwc"));
  return node.SetOutput(FromNhwc(node, y, s.rank()));
}

constexpr OpMapping kMappings[] = {
    {"aten::batch_norm", 8, MapBatchNorm, Quantized::kSame, Result::kNew, "not in training mode"},
    {"aten::layer_norm", 2, MapLayerNorm},
    {"aten::group_norm", 2, MapGroupNorm},
    {"aten::instance_norm", 8, MapInstanceNorm},
};

}  // namespace

absl::Span<const OpMapping> NormalizationMappings() { return kMappings; }

}  // namespace synap_internal::torchscript_import
