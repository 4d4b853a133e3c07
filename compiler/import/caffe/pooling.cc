// Pooling.
#include "compiler/import/emit/pooling.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/caffe/layer_table.h"
#include "compiler/import/emit/nhwc.h"
#include "compiler/import/emit/window.h"

namespace synap_internal::caffe_import {
namespace {

Window ReadPoolWindow(const caffe::PoolingParameter& param) {
  Window window{{param.kernel_size(), param.kernel_size()}, {param.stride(), param.stride()}};
  if (!param.has_kernel_size()) window.kernel = {param.kernel_h(), param.kernel_w()};
  if (param.has_stride_h() || param.has_stride_w()) {
    window.strides = {param.stride_h(), param.stride_w()};
  }
  window.pads = SymmetricPads({param.pad(), param.pad()});
  if (param.has_pad_h() || param.has_pad_w()) {
    window.pads = SymmetricPads({param.pad_h(), param.pad_w()});
  }
  return window;
}

// Caffe rounds sizes up, so that a window may be larger than the padded image by less than a
// stride; it then covers the whole image. Without padding the last window may also begin after the
// image's end.
absl::Status FitToImage(const Shape& x, Window& window) {
  for (size_t i = 0; i < 2; ++i) {
    const int64_t in = x[i + 2], stride = window.strides[i], pad = window.pads[i];
    int64_t& kernel = window.kernel[i];
    if (kernel < 1 || stride < 1 || pad >= kernel || kernel >= in + 2 * pad + stride) {
      return absl::InvalidArgumentError(absl::StrCat("a window of ", kernel, " with stride ",
                                                     stride, " and padding ", pad,
                                                     " doesn't fit to its bottom ", x.ToString()));
    }
    kernel = std::min(kernel, in + 2 * pad);
    const int64_t last = (in + 2 * pad - kernel + stride - 1) / stride * stride;
    if (pad == 0 && last >= in) {
      return absl::UnimplementedError(absl::StrCat("its last window begins at ", last,
                                                   ", after the end of its bottom ", x.ToString()));
    }
  }
  return absl::OkStatus();
}

absl::Status MapPooling(LayerContext& layer) {
  const caffe::PoolingParameter& param = layer.param().pooling_param();
  if (param.pool() == caffe::PoolingParameter::STOCHASTIC) {
    return absl::UnimplementedError("its pool is STOCHASTIC, expected MAX or AVE");
  }
  if (layer.output_count() > 1) {
    return absl::UnimplementedError("it has a second top, the indices");
  }
  const bool average = param.pool() == caffe::PoolingParameter::AVE;
  RETURN_IF_ERROR(layer.CheckImage());
  if (param.global_pooling()) {
    return layer.SetTop(
        EmitGlobalPool(layer, average ? "reduce_mean" : "reduce_max", layer.input(0)));
  }
  Window window = ReadPoolWindow(param);
  RETURN_IF_ERROR(FitToImage(layer.shape(0), window));
  Attributes attributes = {{"kernel", window.kernel},
                           {"strides", window.strides},
                           {"pads", window.pads},
                           {"ceil_mode", int64_t{1}}};
  // Caffe divides by the part of the window within the padded image.
  if (average) attributes["count_include_pad"] = int64_t{1};
  return layer.SetTop(EmitImage(layer, average ? "avg_pool2d" : "max_pool2d", {layer.input(0)},
                                std::move(attributes)));
}

constexpr LayerMapping kPoolingMappings[] = {
    {"Pooling", 1, 1, MapPooling,
     "[N,C,H,W]; MAX and AVE, without indices; windows that begin inside of the image"}};

}  // namespace

absl::Span<const LayerMapping> PoolingMappings() { return kPoolingMappings; }

}  // namespace synap_internal::caffe_import
