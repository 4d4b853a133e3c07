// Convolutions, transposed ones among them.
#include "compiler/import/torchscript/convolution.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "compiler/import/emit/window.h"
#include "compiler/import/torchscript/op_table.h"
#include "compiler/import/torchscript/spatial.h"

namespace synap_internal::torchscript_import {
namespace {

using Dims = std::vector<int64_t>;

absl::Status CheckOperands(const Shape& x, const Shape& w, const ConvolutionParameters& p) {
  if (w.rank() != 3 && w.rank() != 4) {
    return absl::UnimplementedError(absl::StrCat("its weights are ", w.ToString()));
  }
  if (x.rank() != w.rank() || w.elements() == 0) {
    return absl::InvalidArgumentError(absl::StrCat("its input ", x.ToString(), " and its weights ",
                                                   w.ToString(), " should have the same rank"));
  }
  const bool groups = p.groups >= 1 && p.groups <= w[0] && w[0] % p.groups == 0;
  if (groups && (p.transposed ? w[0] : w[1] * p.groups) == x[1]) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("its weights ", w.ToString(), " in ", p.groups,
                                                 " groups don't fit to its input ", x.ToString()));
}

absl::Status CheckPadding(const Dims& padding) {
  for (const int64_t pad : padding) {
    if (pad < 0 || pad > (1 << 20)) {
      return absl::InvalidArgumentError(
          absl::StrCat("its padding is [", absl::StrJoin(padding, ", "), "]"));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<Window> WindowOf(const Shape& w, const ConvolutionParameters& p) {
  const size_t dims = w.rank() - 2;
  if (p.stride.size() != dims || p.padding.size() != dims || p.dilation.size() != dims) {
    return absl::InvalidArgumentError(
        absl::StrCat("it should have ", dims, " strides, pads and dilations"));
  }
  RETURN_IF_ERROR(CheckPadding(p.padding));
  const Dims pads = Lifted(p.padding, 0);
  Window window{Lifted({w.dims().begin() + 2, w.dims().end()}, 1),
                Lifted(p.stride, 1),
                Lifted(p.dilation, 1),
                {pads[0], pads[1], pads[0], pads[1]}};
  RETURN_IF_ERROR(window.Check());
  return window;
}

absl::StatusOr<Tensor*> EmitTransposed(NodeContext& node, std::vector<Tensor*> operands,
                                       Attributes attributes, const ConvolutionParameters& p) {
  RETURN_IF_ERROR(CheckPadding(p.output_padding));
  Dims extra = Lifted(p.output_padding, 0);
  if (extra.size() != 2) extra = {0, 0};
  ASSIGN_OR_RETURN(operands[1], TransposedConvolutionWeights(node, operands[1], p.groups));
  attributes["output_padding"] = extra;
  attributes["groups"] = p.groups;
  return node.Emit("conv_transpose2d", std::move(operands), std::move(attributes), ".nhwc");
}

// Weights in the order of the IR, OIHW.
absl::StatusOr<Tensor*> EmitForward(NodeContext& node, std::vector<Tensor*> operands,
                                    Attributes attributes, int64_t groups) {
  const Shape w = operands[1]->type.shape;
  const bool depthwise = groups > 1 && groups == w[0] && w[1] == 1;
  ASSIGN_OR_RETURN(operands[1], ConvolutionWeights(node, operands[1], depthwise));
  if (!depthwise) attributes["groups"] = groups;
  return node.Emit(depthwise ? "depthwise_conv2d" : "conv2d", std::move(operands),
                   std::move(attributes), ".nhwc");
}

// "valid" and "same" stand for numbers.
absl::StatusOr<Dims> ReadPadding(const NodeContext& node, size_t i, const Shape& w,
                                 const Dims& dilation) {
  const size_t dims = dilation.size();
  const std::string* word = node.argument(i).Get<std::string>();
  if (word == nullptr) return node.GetIntsOf(i, dims);
  if (*word == "valid") return Dims(dims, 0);
  Dims padding;
  for (size_t d = 0; d < dims; ++d) {
    constexpr int64_t kLimit = 1 << 20;
    if (dilation[d] < 1 || dilation[d] > kLimit || w[d + 2] > kLimit) {
      return absl::InvalidArgumentError(
          absl::StrCat("its dilation is ", dilation[d], " for the weights ", w.ToString(),
                       ", expected 1 to ", kLimit, " for windows of ", kLimit, " at most"));
    }
    const int64_t total = dilation[d] * (w[d + 2] - 1);
    if (total % 2 != 0) {
      return absl::UnimplementedError(
          absl::StrCat("its padding is '", *word, "' around an even window ", w.ToString()));
    }
    padding.push_back(total / 2);
  }
  return padding;
}

absl::Status MapWith(NodeContext& node, ConvolutionParameters parameters) {
  ASSIGN_OR_RETURN(Tensor * x, node.GetTensor(0));
  ASSIGN_OR_RETURN(Tensor * w, node.GetTensor(1));
  ASSIGN_OR_RETURN(Tensor * bias, node.GetOptionalTensor(2));
  return node.SetOutput(EmitConvolution(node, x, w, bias, std::move(parameters)));
}

absl::StatusOr<size_t> SpatialDims(const NodeContext& node) {
  ASSIGN_OR_RETURN(const Tensor* w, node.GetTensor(1));
  if (w->type.shape.rank() < 3 || w->type.shape.rank() > 4) {
    return absl::UnimplementedError(absl::StrCat("its weights are ", w->type.shape.ToString()));
  }
  return w->type.shape.rank() - 2;
}

// (x, w, bias, stride, padding, dilation, transposed, output_padding, groups, ...)
absl::Status MapConvolution(NodeContext& node) {
  ASSIGN_OR_RETURN(const size_t dims, SpatialDims(node));
  ConvolutionParameters p;
  ASSIGN_OR_RETURN(p.stride, node.GetIntsOf(3, dims));
  ASSIGN_OR_RETURN(p.padding, node.GetIntsOf(4, dims));
  ASSIGN_OR_RETURN(p.dilation, node.GetIntsOf(5, dims));
  ASSIGN_OR_RETURN(p.transposed, node.GetBool(6));
  ASSIGN_OR_RETURN(p.output_padding, node.GetIntsOf(7, dims));
  ASSIGN_OR_RETURN(p.groups, node.GetInt(8));
  return MapWith(node, std::move(p));
}

// (x, w, bias, stride, padding, dilation, groups); of conv2d and its like the padding may be a
// word.
absl::Status MapForward(NodeContext& node) {
  ASSIGN_OR_RETURN(const size_t dims, SpatialDims(node));
  ASSIGN_OR_RETURN(const Tensor* w, node.GetTensor(1));
  ConvolutionParameters p;
  ASSIGN_OR_RETURN(p.stride, node.GetIntsOf(3, dims));
  ASSIGN_OR_RETURN(p.dilation, node.GetIntsOf(5, dims));
  ASSIGN_OR_RETURN(p.padding, ReadPadding(node, 4, w->type.shape, p.dilation));
  ASSIGN_OR_RETURN(p.groups, node.GetInt(6));
  return MapWith(node, std::move(p));
}

// (x, w, bias, stride, padding, output_padding, groups, dilation)
absl::Status MapTransposed(NodeContext& node) {
  ASSIGN_OR_RETURN(const size_t dims, SpatialDims(node));
  ConvolutionParameters p;
  p.transposed = true;
  ASSIGN_OR_RETURN(p.stride, node.GetIntsOf(3, dims));
  ASSIGN_OR_RETURN(p.padding, node.GetIntsOf(4, dims));
  ASSIGN_OR_RETURN(p.output_padding, node.GetIntsOf(5, dims));
  ASSIGN_OR_RETURN(p.groups, node.GetInt(6));
  ASSIGN_OR_RETURN(p.dilation, node.GetIntsOf(7, dims));
  return MapWith(node, std::move(p));
}

constexpr char kOneOrTwoDimensions[] = "constant weights; 1 and 2 spatial dimensions";
constexpr char kForwardLimits[] =
    "constant weights; 1 and 2 spatial dimensions; 'same' padding around odd windows";

constexpr OpMapping kMappings[] = {
    {"aten::_convolution", 9, MapConvolution, Quantized::kSame, Result::kNew, kOneOrTwoDimensions},
    {"aten::convolution", 9, MapConvolution, Quantized::kSame, Result::kNew, kOneOrTwoDimensions},
    {"aten::_convolution_mode", 7, MapForward, Quantized::kSame, Result::kNew, kForwardLimits},
    {"aten::conv1d", 7, MapForward, Quantized::kSame, Result::kNew, kForwardLimits},
    {"aten::conv2d", 7, MapForward, Quantized::kSame, Result::kNew, kForwardLimits},
    {"aten::conv_transpose1d", 8, MapTransposed, Quantized::kSame, Result::kNew,
     kOneOrTwoDimensions},
    {"aten::conv_transpose2d", 8, MapTransposed, Quantized::kSame, Result::kNew,
     kOneOrTwoDimensions},
};

}  // namespace

absl::StatusOr<Tensor*> EmitConvolution(NodeContext& node, Tensor* x, Tensor* w, Tensor* bias,
                                        ConvolutionParameters parameters) {
  const size_t rank = x->type.shape.rank();
  RETURN_IF_ERROR(CheckOperands(x->type.shape, w->type.shape, parameters));
  ASSIGN_OR_RETURN(const Window window, WindowOf(w->type.shape, parameters));
  ASSIGN_OR_RETURN(Tensor * image, node.Image(x));
  ASSIGN_OR_RETURN(w, WeightsAsImage(node, w));
  std::vector<Tensor*> operands = {image, w};
  if (bias != nullptr) operands.push_back(bias);
  absl::StatusOr<Tensor*> y =
      parameters.transposed
          ? EmitTransposed(node, std::move(operands), window.ToAttributes(), parameters)
          : EmitForward(node, std::move(operands), window.ToAttributes(), parameters.groups);
  RETURN_IF_ERROR(y.status());
  return FromNhwc(node, *y, rank);
}

absl::Span<const OpMapping> ConvolutionMappings() { return kMappings; }

}  // namespace synap_internal::torchscript_import
