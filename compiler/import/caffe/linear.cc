// Layers that multiply their bottom with weights: Convolution, Deconvolution and InnerProduct.
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/caffe/layer_table.h"
#include "compiler/import/emit/axes.h"
#include "compiler/import/emit/convolution.h"

namespace synap_internal::caffe_import {
namespace {

using Dims = std::vector<int64_t>;

// Height and width of a parameter that a file has once for both, once for each, or not at all.
absl::StatusOr<Dims> Pair(absl::string_view what,
                          const google::protobuf::RepeatedField<uint32_t>& values,
                          int64_t fallback) {
  if (values.empty()) return Dims{fallback, fallback};
  if (values.size() == 1) return Dims{values[0], values[0]};
  if (values.size() == 2) return Dims{values[0], values[1]};
  return absl::UnimplementedError(
      absl::StrCat("its ", what, " has ", values.size(), " values, expected 1 or 2"));
}

absl::StatusOr<Window> ReadConvolutionWindow(const caffe::ConvolutionParameter& param) {
  if (param.axis() != 1) {
    return absl::UnimplementedError(absl::StrCat("its axis is ", param.axis(), ", expected 1"));
  }
  Window window;
  ASSIGN_OR_RETURN(window.kernel, Pair("kernel_size", param.kernel_size(), 0));
  ASSIGN_OR_RETURN(window.strides, Pair("stride", param.stride(), 1));
  ASSIGN_OR_RETURN(window.dilations, Pair("dilation", param.dilation(), 1));
  ASSIGN_OR_RETURN(Dims pads, Pair("pad", param.pad(), 0));
  if (param.has_kernel_h() || param.has_kernel_w()) {
    window.kernel = {param.kernel_h(), param.kernel_w()};
  }
  if (param.has_stride_h() || param.has_stride_w()) {
    window.strides = {param.stride_h(), param.stride_w()};
  }
  if (param.has_pad_h() || param.has_pad_w()) pads = {param.pad_h(), param.pad_w()};
  RETURN_IF_ERROR(window.Check());
  RETURN_IF_ERROR(CheckWindowValues("its pad", pads, 2, 0));
  window.pads = SymmetricPads(std::move(pads));
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

absl::Status MapConvolutionLayer(LayerContext& layer, bool transposed) {
  const caffe::ConvolutionParameter& param = layer.param().convolution_param();
  RETURN_IF_ERROR(layer.CheckImage());
  Convolution convolution{layer.input(0)};
  RETURN_IF_ERROR(CheckGroups(param, layer.shape(0)));
  ASSIGN_OR_RETURN(convolution.window, ReadConvolutionWindow(param));
  const Dims& kernel = convolution.window.kernel;
  const int64_t groups = param.group(), outputs = param.num_output();
  const int64_t channels = layer.shape(0)[1];
  convolution.groups = groups;
  const Emitted w = layer.Blob(0,
                               {transposed ? channels : outputs,
                                (transposed ? outputs : channels) / groups, kernel[0], kernel[1]},
                               ".weights");
  convolution.weights = transposed ? TransposedConvolutionWeights(layer, w, groups)
                                   : ConvolutionWeights(layer, w, groups, layer.Name());
  if (param.bias_term()) convolution.bias = layer.Blob(1, {outputs}, ".bias");
  return layer.SetTop(transposed ? EmitTransposedConvolution(layer, convolution)
                                 : EmitConvolution(layer, convolution));
}

absl::Status MapConvolution(LayerContext& layer) { return MapConvolutionLayer(layer, false); }
absl::Status MapDeconvolution(LayerContext& layer) { return MapConvolutionLayer(layer, true); }

// Fully connected layer: the dimensions from `axis` on are one vector.
absl::Status MapInnerProduct(LayerContext& layer) {
  const caffe::InnerProductParameter& param = layer.param().inner_product_param();
  const Shape x = layer.shape(0);
  ASSIGN_OR_RETURN(const int64_t axis, ResolveAxis(param.axis(), x.rank()));
  const int64_t inputs = x.Product(static_cast<size_t>(axis), x.rank());
  const int64_t outputs = param.num_output();
  Emitted w =
      layer.Blob(0, param.transpose() ? Dims{inputs, outputs} : Dims{outputs, inputs}, ".weights");
  if (param.transpose()) w = layer.Transpose(w, {1, 0}, ".weights");
  Dims dims(x.dims().begin(), x.dims().begin() + axis);
  dims.push_back(inputs);
  Emitted vectors = layer.input(0);
  if (dims != x.dims()) vectors = layer.Reshape(vectors, std::move(dims), ".flat");
  Emitted bias = nullptr;
  if (param.bias_term()) bias = layer.Blob(1, {outputs}, ".bias");
  return layer.SetTop(layer.Emit("fully_connected", WithBias(vectors, w, bias)));
}

constexpr char kConvolutionLimits[] = "[N,C,H,W]; windows of height and width; axis 1";

constexpr LayerMapping kLinearMappings[] = {
    {"Convolution", 1, 1, MapConvolution, kConvolutionLimits},
    {"Deconvolution", 1, 1, MapDeconvolution, kConvolutionLimits},
    {"InnerProduct", 1, 1, MapInnerProduct},
};

}  // namespace

absl::Span<const LayerMapping> LinearMappings() { return kLinearMappings; }

}  // namespace synap_internal::caffe_import
