// Convolution and Deconvolution.
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/caffe/layer_table.h"

namespace synap_internal::caffe_import {
namespace {

using Dims = std::vector<int64_t>;

// Height and width of what a file gives once for both, for each, or not at all.
absl::StatusOr<Dims> Pair(absl::string_view what,
                          const google::protobuf::RepeatedField<uint32_t>& values,
                          int64_t fallback) {
  if (values.empty()) return Dims{fallback, fallback};
  if (values.size() == 1) return Dims{values[0], values[0]};
  if (values.size() == 2) return Dims{values[0], values[1]};
  return absl::UnimplementedError(absl::StrCat("its ", what, " has ", values.size(), " values"));
}

struct Window {
  Dims kernel, strides, dilations, pads;  // height, width

  Attributes ToAttributes() const {
    return {{"strides", strides},
            {"dilations", dilations},
            {"pads", Dims{pads[0], pads[1], pads[0], pads[1]}}};
  }
};

absl::StatusOr<Window> ReadWindow(const caffe::ConvolutionParameter& param) {
  if (param.axis() != 1) {
    return absl::UnimplementedError(absl::StrCat("its axis is ", param.axis()));
  }
  Window window;
  ASSIGN_OR_RETURN(window.kernel, Pair("kernel_size", param.kernel_size(), 0));
  ASSIGN_OR_RETURN(window.strides, Pair("stride", param.stride(), 1));
  ASSIGN_OR_RETURN(window.dilations, Pair("dilation", param.dilation(), 1));
  ASSIGN_OR_RETURN(window.pads, Pair("pad", param.pad(), 0));
  if (param.has_kernel_h() || param.has_kernel_w()) {
    window.kernel = {param.kernel_h(), param.kernel_w()};
  }
  if (param.has_stride_h() || param.has_stride_w()) {
    window.strides = {param.stride_h(), param.stride_w()};
  }
  if (param.has_pad_h() || param.has_pad_w()) window.pads = {param.pad_h(), param.pad_w()};
  return window;
}

absl::Status CheckGroups(const caffe::ConvolutionParameter& param, const Shape& x) {
  const int64_t groups = param.group(), outputs = param.num_output();
  if (groups >= 1 && outputs >= 1 && x[1] % groups == 0 && outputs % groups == 0) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat("it makes ", outputs, " outputs from ",
                                                 x.ToString(), " in ", groups, " groups"));
}

absl::Status MapConvolution(LayerContext& layer) {
  const caffe::ConvolutionParameter& param = layer.param().convolution_param();
  ASSIGN_OR_RETURN(Tensor * x, layer.ImageInput());
  RETURN_IF_ERROR(CheckGroups(param, layer.shape(0)));
  ASSIGN_OR_RETURN(const Window window, ReadWindow(param));
  const int64_t groups = param.group(), outputs = param.num_output();
  const int64_t channels = layer.shape(0)[1];
  ASSIGN_OR_RETURN(
      Tensor * w,
      layer.Blob(0, {outputs, channels / groups, window.kernel[0], window.kernel[1]}, ".weights"));
  Attributes attributes = window.ToAttributes();
  const bool depthwise = groups > 1 && groups == channels && groups == outputs;
  if (!depthwise) attributes["groups"] = groups;
  ASSIGN_OR_RETURN(w, layer.Transpose(w, depthwise ? Dims{1, 2, 3, 0} : Dims{0, 2, 3, 1},
                                      depthwise ? ".ihwo" : ".ohwi"));
  std::vector<Tensor*> operands = {x, w};
  if (param.bias_term()) {
    ASSIGN_OR_RETURN(Tensor * bias, layer.Blob(1, {outputs}, ".bias"));
    operands.push_back(bias);
  }
  ASSIGN_OR_RETURN(Tensor * y, layer.Emit(depthwise ? "depthwise_conv2d" : "conv2d",
                                          std::move(operands), std::move(attributes), ".nhwc"));
  return layer.SetTop(FromNhwc(layer, y, 4));
}

absl::Status MapDeconvolution(LayerContext& layer) {
  const caffe::ConvolutionParameter& param = layer.param().convolution_param();
  ASSIGN_OR_RETURN(Tensor * x, layer.ImageInput());
  RETURN_IF_ERROR(CheckGroups(param, layer.shape(0)));
  ASSIGN_OR_RETURN(const Window window, ReadWindow(param));
  const int64_t groups = param.group(), outputs = param.num_output();
  ASSIGN_OR_RETURN(
      Tensor * w,
      layer.Blob(0, {layer.shape(0)[1], outputs / groups, window.kernel[0], window.kernel[1]},
                 ".weights"));
  ASSIGN_OR_RETURN(w, TransposedConvolutionWeights(layer, w, groups));
  std::vector<Tensor*> operands = {x, w};
  if (param.bias_term()) {
    ASSIGN_OR_RETURN(Tensor * bias, layer.Blob(1, {outputs}, ".bias"));
    operands.push_back(bias);
  }
  Attributes attributes = window.ToAttributes();
  attributes["groups"] = groups;
  ASSIGN_OR_RETURN(Tensor * y, layer.Emit("conv_transpose2d", std::move(operands),
                                          std::move(attributes), ".nhwc"));
  return layer.SetTop(FromNhwc(layer, y, 4));
}

constexpr char kConvolutionLimits[] = "[N,C,H,W]; windows of height and width; axis 1";

constexpr LayerMapping kMappings[] = {
    {"Convolution", 1, 1, MapConvolution, kConvolutionLimits},
    {"Deconvolution", 1, 1, MapDeconvolution, kConvolutionLimits},
};

}  // namespace

absl::Span<const LayerMapping> ConvolutionMappings() { return kMappings; }

}  // namespace synap_internal::caffe_import
