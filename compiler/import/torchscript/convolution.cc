// Convolutions and transposed convolutions.
#include "compiler/import/emit/convolution.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/emit/patches.h"
#include "compiler/import/torchscript/layers.h"
#include "compiler/import/torchscript/op_table.h"

namespace synap_internal::torchscript_import {
namespace {

using Dims = std::vector<int64_t>;

absl::StatusOr<Window> WindowOf(const Shape& w, const ConvolutionParameters& p) {
  const size_t dims = w.rank() - 2;
  const bool both_ends = p.padding.size() == 2 * dims;
  RETURN_IF_ERROR(CheckWindowValues("its stride", p.stride, dims, 1));
  RETURN_IF_ERROR(CheckWindowValues("its dilation", p.dilation, dims, 1));
  RETURN_IF_ERROR(CheckWindowValues("its padding", p.padding, both_ends ? 2 * dims : dims, 0));
  Window window{{w.dims().begin() + 2, w.dims().end()},
                p.stride,
                p.dilation,
                both_ends ? p.padding : SymmetricPads(p.padding)};
  RETURN_IF_ERROR(window.Check());
  return window;
}

// What is appended to each dimension of the output of a transposed convolution.
absl::StatusOr<Dims> OutputPadding(const Dims& given, size_t dims) {
  if (given.empty()) return Dims(dims, 0);
  RETURN_IF_ERROR(CheckWindowValues("its output padding", given, dims, 0));
  return given;
}

// Argument i as numbers, also where it is "valid" or "same", of which the larger part of an odd
// number of pads is at the end.
absl::StatusOr<Dims> ReadPadding(const NodeContext& node, size_t i, const Shape& w,
                                 const Dims& dilation) {
  const size_t dims = dilation.size();
  const std::string* word = node.argument(i).Get<std::string>();
  if (word == nullptr) return node.GetIntsOf(i, dims);
  if (*word == "valid") return Dims(dims, 0);
  RETURN_IF_ERROR(CheckWindowValues("its dilation", dilation, dims, 1));
  const Dims kernel = {w.dims().begin() + 2, w.dims().end()};
  RETURN_IF_ERROR(CheckWindowValues("its window", kernel, dims, 1));
  Dims padding(2 * dims);
  for (size_t d = 0; d < dims; ++d) {
    const int64_t total = dilation[d] * (kernel[d] - 1);
    padding[d] = total / 2;
    padding[d + dims] = total - total / 2;
  }
  return padding;
}

absl::StatusOr<size_t> SpatialDims(const NodeContext& node) {
  ASSIGN_OR_RETURN(const Tensor* w, node.GetTensor(1));
  if (w->type.shape.rank() < 3 || w->type.shape.rank() > 5) {
    return absl::UnimplementedError(
        absl::StrCat("its weights are ", w->type.shape.ToString(), ", expected 3 to 5 dimensions"));
  }
  return w->type.shape.rank() - 2;
}

// Positions of an operator's arguments after (x, w, bias); 0 for those that it doesn't have.
struct ConvolutionArguments {
  size_t stride, padding, dilation, groups;
  size_t output_padding = 0;
  size_t transposed = 0;  // without it: transposed if there is an output padding
};
constexpr ConvolutionArguments kEither = {3, 4, 5, 8, 7, 6};
constexpr ConvolutionArguments kForward = {3, 4, 5, 6};
constexpr ConvolutionArguments kTransposed = {3, 4, 7, 6, 5};

template <const ConvolutionArguments& kAt>
absl::Status MapConvolution(NodeContext& node) {
  ASSIGN_OR_RETURN(const size_t dims, SpatialDims(node));
  ASSIGN_OR_RETURN(Tensor * x, node.GetTensor(0));
  ASSIGN_OR_RETURN(Tensor * w, node.GetTensor(1));
  ASSIGN_OR_RETURN(Tensor * bias, node.GetOptionalTensor(2));
  ConvolutionParameters p;
  ASSIGN_OR_RETURN(p.stride, node.GetIntsOf(kAt.stride, dims));
  ASSIGN_OR_RETURN(p.dilation, node.GetIntsOf(kAt.dilation, dims));
  ASSIGN_OR_RETURN(p.padding, ReadPadding(node, kAt.padding, w->type.shape, p.dilation));
  ASSIGN_OR_RETURN(p.groups, node.GetInt(kAt.groups));
  if (kAt.output_padding != 0) {
    p.transposed = true;
    ASSIGN_OR_RETURN(p.output_padding, node.GetIntsOf(kAt.output_padding, dims));
  }
  if (kAt.transposed != 0) {
    ASSIGN_OR_RETURN(p.transposed, node.GetBool(kAt.transposed));
  }
  return node.SetOutput(EmitConvolution(node, x, w, bias, p));
}

// (x [L,N,C], weights [K,C,O], bias [O], padding): a convolution over the first dimension.
absl::Status MapTimeConvolution(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, node.Transpose(node.GetTensor(0), {1, 2, 0}, ".lines"));
  ASSIGN_OR_RETURN(Tensor * w, node.Transpose(node.GetTensor(1), {2, 1, 0}, ".weights"));
  ASSIGN_OR_RETURN(Tensor * bias, node.GetTensor(2));
  ConvolutionParameters p;
  ASSIGN_OR_RETURN(const int64_t padding, node.GetIntOr(3, 0));
  p.stride = p.dilation = {1};
  p.padding = {padding};
  return node.SetOutput(node.Transpose(EmitConvolution(node, x, w, bias, p), {2, 0, 1}, ".first"));
}

// x has a batch.
Emitted EmitBatchedConvolution(NodeContext& node, Tensor* x, Tensor* w, Tensor* bias,
                               const ConvolutionParameters& parameters) {
  const Shape& shape = w->type.shape;
  const bool transposed = parameters.transposed;
  RETURN_IF_ERROR(CheckConvolution(x->type.shape, shape, parameters.groups, transposed));
  Convolution convolution{x, w, bias, {}, parameters.groups};
  ASSIGN_OR_RETURN(convolution.window, WindowOf(shape, parameters));
  if (transposed) {
    ASSIGN_OR_RETURN(convolution.output_padding,
                     OutputPadding(parameters.output_padding, shape.rank() - 2));
  }
  return EmitAnyConvolution(node, std::move(convolution), transposed);
}

constexpr char kConvolutionLimits[] = "1 to 3 spatial dimensions; computed weights of few windows";

constexpr OpMapping kConvolutionMappings[] = {
    {"aten::_convolution", 9, MapConvolution<kEither>, kConvolutionLimits},
    {"aten::convolution", 9, MapConvolution<kEither>, kConvolutionLimits},
    {"aten::_convolution_mode", 7, MapConvolution<kForward>, kConvolutionLimits},
    {"aten::conv1d", 7, MapConvolution<kForward>, kConvolutionLimits},
    {"aten::conv2d", 7, MapConvolution<kForward>, kConvolutionLimits},
    {"aten::conv3d", 7, MapConvolution<kForward>, kConvolutionLimits},
    {"aten::conv_tbc", 3, MapTimeConvolution, kConvolutionLimits},
    {"aten::conv_transpose1d", 8, MapConvolution<kTransposed>, kConvolutionLimits},
    {"aten::conv_transpose2d", 8, MapConvolution<kTransposed>, kConvolutionLimits},
    {"aten::conv_transpose3d", 8, MapConvolution<kTransposed>, "constant weights"},
};

}  // namespace

absl::StatusOr<Batched> WithBatch(NodeContext& node, Tensor* x, size_t rank) {
  Dims dims = x->type.shape.dims();
  Batched batched{x, dims.size() + 1 == rank};
  if (!batched.single) return batched;
  dims.insert(dims.begin(), 1);
  ASSIGN_OR_RETURN(batched.x, node.Reshape(x, std::move(dims), ".batch"));
  return batched;
}

Emitted LikeGiven(NodeContext& node, const Batched& operand, const Emitted& y) {
  if (!y.ok() || !operand.single) return y;
  const Dims& dims = (*y)->type.shape.dims();
  return node.Reshape(y, {dims.begin() + 1, dims.end()}, ".single");
}

Emitted EmitConvolution(NodeContext& node, Tensor* x, Tensor* w, Tensor* bias,
                        const ConvolutionParameters& parameters) {
  ASSIGN_OR_RETURN(const Batched in, WithBatch(node, x, w->type.shape.rank()));
  return LikeGiven(node, in, EmitBatchedConvolution(node, in.x, w, bias, parameters));
}

absl::Span<const OpMapping> ConvolutionMappings() { return kConvolutionMappings; }

}  // namespace synap_internal::torchscript_import
