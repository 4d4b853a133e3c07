// Ops over images other than convolutions: pooling, resize, grid_sample.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "base/status_macros.h"
#include "compiler/export/onnx/op_table.h"
#include "kernels/shared/window.h"

namespace synap_internal::onnx_export {
namespace {

// The padding at the end with which so many windows fit without rounding.
int64_t PadEndFor(const WindowAxis& axis, int64_t input, int64_t output) {
  const int64_t needed = (output - 1) * axis.stride + axis.reach() - input - axis.pad_begin;
  return std::max(axis.pad_end, needed);
}

absl::Status WritePool(OpContext& context, absl::string_view op_type) {
  AttributeReader& reader = context.attributes();
  Window window = Window::Read(reader);
  const std::vector<int64_t> kernel = reader.RequiredInts("kernel", 2);
  const bool ceil_mode = reader.Int("ceil_mode", 0) != 0;
  const bool average = op_type == "AveragePool";
  const bool counts_pads = average && reader.Int("count_include_pad", 0) != 0;
  RETURN_IF_ERROR(reader.Finish());
  window.rows.taps = kernel[0];
  window.columns.taps = kernel[1];
  Attributes attributes;
  // Runtimes disagree about the last window of ceil_mode; a padding that says the same they all
  // understand. Where padding counts, it would be another mean.
  if (ceil_mode && !counts_pads) {
    const Shape &x = context.type(0).shape, &y = context.output_type().shape;
    window.rows.pad_end = PadEndFor(window.rows, x[1], y[1]);
    window.columns.pad_end = PadEndFor(window.columns, x[2], y[2]);
  }
  if (ceil_mode && counts_pads) attributes["ceil_mode"] = int64_t{1};
  if (counts_pads) attributes["count_include_pad"] = int64_t{1};
  attributes["kernel_shape"] = kernel;
  attributes["strides"] = std::vector<int64_t>{window.rows.stride, window.columns.stride};
  // ONNX Runtime's integer pooling refuses the attribute.
  if (window.rows.dilation != 1 || window.columns.dilation != 1) {
    attributes["dilations"] = std::vector<int64_t>{window.rows.dilation, window.columns.dilation};
  }
  attributes["pads"] = std::vector<int64_t>{window.rows.pad_begin, window.columns.pad_begin,
                                            window.rows.pad_end, window.columns.pad_end};
  context.Output(op_type, {context.Input(0, kNchw)}, attributes, kNchw);
  return absl::OkStatus();
}

absl::Status WriteMaxPool(OpContext& context) { return WritePool(context, "MaxPool"); }
absl::Status WriteAveragePool(OpContext& context) { return WritePool(context, "AveragePool"); }

absl::Status WriteResize(OpContext& context) {
  AttributeReader& reader = context.attributes();
  const std::vector<int64_t> size = reader.RequiredInts("size", 2);
  const std::string mode = reader.RequiredString("mode");
  Attributes attributes;
  attributes["mode"] = mode;
  attributes["coordinate_transformation_mode"] = reader.String("coordinates", "half_pixel");
  const std::string rounding = reader.String("rounding", "round_prefer_floor");
  if (mode == "nearest") attributes["nearest_mode"] = rounding;
  const std::vector<float> scales = reader.Floats("scales", 2, {});
  RETURN_IF_ERROR(reader.Finish());
  const Shape& x = context.type(0).shape;
  // ONNX can't express scales that give another size than that of the output.
  bool by_scales = !scales.empty();
  for (size_t i = 0; i < scales.size(); ++i) {
    by_scales &=
        std::floor(static_cast<float>(x[i + 1]) * scales[i]) == static_cast<float>(size[i]);
  }
  OpContext::Values inputs = {context.Input(0, kNchw), ""};
  if (by_scales) {
    const std::vector<float> all = {1, 1, scales[0], scales[1]};
    inputs.push_back(context.writer().AddFloats(context.op().output()->name + "/scales", all));
  } else {
    inputs.push_back("");
    inputs.push_back(context.Ints("/sizes", {x[0], x[3], size[0], size[1]}));
  }
  context.Output("Resize", inputs, attributes, kNchw);
  return absl::OkStatus();
}

absl::Status WriteGridSample(OpContext& context) {
  AttributeReader& reader = context.attributes();
  std::string mode = reader.String("mode", "bilinear");
  Attributes attributes;
  // Opset 20 gave the modes other names.
  if (context.opset() >= 20)
    mode = mode == "bilinear" ? "linear" : mode == "bicubic" ? "cubic" : mode;
  attributes["mode"] = mode;
  attributes["padding_mode"] = reader.String("padding", "zeros");
  attributes["align_corners"] = reader.Int("align_corners", 0);
  context.Output("GridSample", {context.Input(0, kNchw), context.Input(1)}, attributes, kNchw);
  return absl::OkStatus();
}

constexpr OpMapping kImageMappings[] = {
    {"max_pool2d", WriteMaxPool},
    {"avg_pool2d", WriteAveragePool},
    {"resize", WriteResize},
    {"grid_sample", WriteGridSample},
};

}  // namespace

absl::Span<const OpMapping> ImageMappings() { return kImageMappings; }

}  // namespace synap_internal::onnx_export
