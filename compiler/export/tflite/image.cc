// Ops over images other than convolutions: pooling, resize.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "base/status_macros.h"
#include "compiler/export/tflite/op_table.h"
#include "compiler/export/tflite/window_padding.h"
#include "kernels/pool/pool.h"
#include "kernels/resize/resize.h"
#include "kernels/shared/linear/linear.h"

namespace synap_internal::tflite_export {
namespace {

using tflite::BuiltinOperator;

// The window of a pooling, and whether pads count in its means.
struct PoolWindow {
  Window window;
  bool counts_pads = false;
};

PoolWindow ReadPool(AttributeReader& reader) {
  PoolWindow pool = {Window::Read(reader), reader.Int("count_include_pad", 0) != 0};
  const std::vector<int64_t> kernel = reader.RequiredInts("kernel", 2);
  reader.Int("ceil_mode", 0);  // the output's shape says it
  pool.window.rows.taps = kernel[0];
  pool.window.columns.taps = kernel[1];
  return pool;
}

absl::StatusOr<PoolWindow> PoolOf(OpContext& context) {
  const PoolWindow pool = ReadPool(context.attributes());
  RETURN_IF_ERROR(context.attributes().Finish());
  if (pool.window.rows.dilation == 1 && pool.window.columns.dilation == 1) return pool;
  return absl::UnimplementedError("its window has a dilation, expected none");
}

Options PoolOptions(const Window& window, tflite::Padding padding) {
  return MakeOptions([=](FileBuilder& builder) {
    return tflite::CreatePool2DOptions(
        builder, padding, static_cast<int32_t>(window.columns.stride),
        static_cast<int32_t>(window.rows.stride), static_cast<int32_t>(window.columns.taps),
        static_cast<int32_t>(window.rows.taps));
  });
}

absl::Status WriteMaxPool(OpContext& context) {
  ASSIGN_OR_RETURN(const PoolWindow pool, PoolOf(context));
  const Window& window = pool.window;
  // The op gives 0 for a window of pads alone.
  if (window.rows.pad_begin >= window.rows.taps || window.rows.pad_end >= window.rows.taps ||
      window.columns.pad_begin >= window.columns.taps ||
      window.columns.pad_end >= window.columns.taps) {
    return absl::UnimplementedError("it has pads as wide as its window, expected narrower ones");
  }
  const PaddedImage x = Pad(context, window, PadWith::kLowest);
  context.OutputLikeInput(BuiltinOperator::MAX_POOL_2D, {x.image}, PoolOptions(window, x.padding));
  return absl::OkStatus();
}

// How often a mean of all taps is larger than one of those that count, for each pixel [1, H, W, 1].
std::vector<float> MeanFactors(const PoolWindow& pool, const Shape& x, const Shape& y) {
  const Window& window = pool.window;
  const bool padded = pool.counts_pads;
  std::vector<float> factors;
  const auto taps = static_cast<float>(window.rows.taps * window.columns.taps);
  for (int64_t row = 0; row < y[1]; ++row) {
    const int64_t rows = CountTaps(window.rows, row, x[1], padded);
    for (int64_t column = 0; column < y[2]; ++column) {
      const int64_t count = rows * CountTaps(window.columns, column, x[2], padded);
      factors.push_back(count == 0 ? 0 : taps / static_cast<float>(count));
    }
  }
  return factors;
}

// Whether all taps count at each position along an axis.
bool HasEqualCounts(const WindowAxis& axis, int64_t input, int64_t output, bool padded) {
  for (int64_t o = 0; o < output; ++o) {
    if (CountTaps(axis, o, input, padded) != axis.taps) return false;
  }
  return true;
}

// Whether each mean is one of all taps, in the image or in pads that count.
bool HasEqualWindows(const PoolWindow& pool, const Shape& x, const Shape& y) {
  return HasEqualCounts(pool.window.rows, x[1], y[1], pool.counts_pads) &&
         HasEqualCounts(pool.window.columns, x[2], y[2], pool.counts_pads);
}

// Pads count by themselves where a PAD adds them; SAME padding leaves them out.
bool IsPlainAverage(const PoolWindow& pool, const Shape& x, const Shape& y) {
  return (!pool.counts_pads && IsSame(pool.window, x, y)) || HasEqualWindows(pool, x, y);
}

// Whether kernels of integers, which give the operand's steps, would round more coarsely than the
// output's steps are.
bool IsRefined(const Op& op) {
  const QuantParams &x = op.inputs[0]->type.quant, &y = op.output()->type.quant;
  return x.quantized() && y.quantized() && x.scale() > y.scale();
}

// The mean of all taps as a depthwise convolution with equal weights, which gives any steps.
void WriteMeanConvolution(OpContext& context, const PaddedImage& x, const Window& window) {
  const Shape shape({1, window.rows.taps, window.columns.taps, context.output_shape()[3]});
  const auto count = static_cast<float>(window.rows.taps * window.columns.taps);
  const bool is_unsigned = context.arithmetic() == DataType::kUint8;
  const TensorType type = {is_unsigned ? DataType::kUint8 : DataType::kInt8, shape,
                           QuantParams::Affine(1 / count, 0)};
  const std::vector<uint8_t> ones(static_cast<size_t>(shape.elements()), 1);
  const Value weights = context.AddConstant("/weights", type, Constant::Own(ones));
  const DataType wide =
      context.arithmetic() == DataType::kInt16 ? DataType::kInt64 : DataType::kInt32;
  const TensorType bias_type = {wide, Shape({shape[3]}),
                                BiasQuantizer(context.type(x.image).quant, type.quant)};
  const std::vector<uint8_t> zeros(static_cast<size_t>(bias_type.bytes()), 0);
  const Value bias = context.AddConstant("/bias", bias_type, Constant::Own(zeros));
  context.Output(BuiltinOperator::DEPTHWISE_CONV_2D, {x.image, weights, bias},
                 MakeOptions([=](FileBuilder& builder) {
                   return tflite::CreateDepthwiseConv2DOptions(
                       builder, x.padding, static_cast<int32_t>(window.columns.stride),
                       static_cast<int32_t>(window.rows.stride), 1);
                 }));
}

void WritePlainAverage(OpContext& context, const PaddedImage& x, const PoolWindow& pool) {
  if (context.integers() && IsRefined(context.op()) &&
      HasEqualWindows(pool, context.shape(0), context.output_shape())) {
    return WriteMeanConvolution(context, x, pool.window);
  }
  context.OutputLikeInput(BuiltinOperator::AVERAGE_POOL_2D, {x.image},
                          PoolOptions(pool.window, x.padding));
}

absl::Status WriteAveragePool(OpContext& context) {
  ASSIGN_OR_RETURN(const PoolWindow pool, PoolOf(context));
  const Shape &x = context.shape(0), &y = context.output_shape();
  if (IsValid(pool.window, x, y) || (!pool.counts_pads && IsPlainAverage(pool, x, y))) {
    WritePlainAverage(context, Pad(context, pool.window, PadWith::kZero), pool);
    return absl::OkStatus();
  }
  const Value padded = PadImage(context, context.Input(0), pool.window, PadWith::kZero);
  if (HasEqualWindows(pool, x, y)) {
    WritePlainAverage(context, {padded, tflite::Padding::VALID}, pool);
    return absl::OkStatus();
  }
  const Options options = PoolOptions(pool.window, tflite::Padding::VALID);
  const std::vector<float> factors = MeanFactors(pool, x, y);
  const Value mean = context.EmitReal(BuiltinOperator::AVERAGE_POOL_2D, {padded}, y, options);
  const TensorType type = {DataType::kFloat32, Shape({1, y[1], y[2], 1}), {}};
  const Value factor = context.AddConstant("/factors", type, Constant::Own(factors));
  context.Output(BuiltinOperator::MUL, {mean, factor});
  return absl::OkStatus();
}

absl::StatusOr<Integers> AverageIntegers(const Op& op) {
  AttributeReader reader(op.attributes);
  const PoolWindow pool = ReadPool(reader);
  const Shape &x = op.inputs[0]->type.shape, &y = op.output()->type.shape;
  const bool plain = IsPlainAverage(pool, x, y);
  if (plain && IsRefined(op) && !HasEqualWindows(pool, x, y)) {
    return absl::UnimplementedError(
        "its means at the border are of fewer elements, in finer steps than those of its operand, "
        "expected the operand's quantizer, or float32");
  }
  if (plain) return kAllIntegers;
  return absl::UnimplementedError(
      "its means are of different numbers of elements at the border, expected as many everywhere, "
      "or float32");
}

// How the resize operators place pixels.
struct Placement {
  bool align_corners = false, half_pixel_centers = false;
};
constexpr Placement kPlacements[] = {{false, true}, {false, false}, {true, false}};

// The input element of each output element along an axis, as RESIZE_NEAREST_NEIGHBOR's kernels
// find it, in float32.
std::vector<int64_t> FileSources(const Placement& placement, int64_t in, int64_t out) {
  const bool aligned = placement.align_corners && out > 1;
  const float scale = aligned ? static_cast<float>(in - 1) / static_cast<float>(out - 1)
                              : static_cast<float>(in) / static_cast<float>(out);
  const float offset = placement.half_pixel_centers ? 0.5f : 0.0f;
  std::vector<int64_t> sources;
  for (int64_t i = 0; i < out; ++i) {
    const float position = (static_cast<float>(i) + offset) * scale;
    const float whole = placement.align_corners ? std::round(position) : std::floor(position);
    sources.push_back(std::clamp(static_cast<int64_t>(whole), int64_t{0}, in - 1));
  }
  return sources;
}

struct ResizeRequest {
  std::string mode, coordinates, rounding;
  std::vector<float> scales;
};

ResizeRequest ReadResize(AttributeReader& reader) {
  reader.RequiredInts("size", 2);  // that of the output
  return {reader.RequiredString("mode"), reader.String("coordinates", "half_pixel"),
          reader.String("rounding", "round_prefer_floor"), reader.Floats("scales", 2, {})};
}

float ScaleOf(const ResizeRequest& request, size_t axis, int64_t in, int64_t out) {
  if (!request.scales.empty()) return request.scales[axis];
  return static_cast<float>(out) / static_cast<float>(in);
}

Options NearestOptions(const Placement& placement) {
  return MakeOptions([placement](FileBuilder& builder) {
    return tflite::CreateResizeNearestNeighborOptions(builder, placement.align_corners,
                                                      placement.half_pixel_centers);
  });
}

// The nearest elements by two lists of indices, where no placement picks them.
void WriteGatheredImage(OpContext& context, const std::vector<int64_t> sources[2]) {
  const Shape& y = context.output_shape();
  const Value x = context.Input(0);
  Shape rows = context.shape(0);
  rows[1] = y[1];
  const Value tall = context.EmitLike(
      BuiltinOperator::GATHER, {x, context.Ints("/rows", sources[0])}, x, rows, GatherAlong(1));
  context.OutputLikeInput(BuiltinOperator::GATHER, {tall, context.Ints("/columns", sources[1])},
                          GatherAlong(2));
}

void WriteNearest(OpContext& context, const ResizeRequest& request) {
  const Shape &x = context.shape(0), &y = context.output_shape();
  std::vector<int64_t> sources[2];
  for (const size_t i : {0, 1}) {
    const int64_t in = x[i + 1], out = y[i + 1];
    sources[i] = NearestSources(in, out, ScaleOf(request, i, in, out), request.coordinates,
                                request.rounding);
  }
  for (const Placement& placement : kPlacements) {
    const bool picks = FileSources(placement, x[1], y[1]) == sources[0] &&
                       FileSources(placement, x[2], y[2]) == sources[1];
    if (!picks) continue;
    const Value image = context.Input(0);
    context.OutputLikeInput(BuiltinOperator::RESIZE_NEAREST_NEIGHBOR,
                            {image, context.Ints("/size", {y[1], y[2]})},
                            NearestOptions(placement));
    return;
  }
  WriteGatheredImage(context, sources);
}

absl::StatusOr<Placement> LinearPlacement(const ResizeRequest& request, const Shape& x,
                                          const Shape& y) {
  for (const size_t i : {0, 1}) {
    const float whole = static_cast<float>(y[i + 1]) / static_cast<float>(x[i + 1]);
    if (ScaleOf(request, i, x[i + 1], y[i + 1]) != whole &&
        request.coordinates != "align_corners") {
      return absl::UnimplementedError("its scales aren't those of the sizes, expected the same");
    }
  }
  if (request.coordinates == "align_corners") return Placement{true, false};
  if (request.coordinates == "asymmetric") return Placement{false, false};
  const bool single = request.coordinates == "pytorch_half_pixel" && (y[1] == 1 || y[2] == 1);
  if (!single) return Placement{false, true};
  return absl::UnimplementedError("its output has one row or column, expected more");
}

absl::Status WriteResize(OpContext& context) {
  const ResizeRequest request = ReadResize(context.attributes());
  RETURN_IF_ERROR(context.attributes().Finish());
  if (request.mode == "nearest") {
    WriteNearest(context, request);
    return absl::OkStatus();
  }
  const Shape& y = context.output_shape();
  ASSIGN_OR_RETURN(const Placement placement, LinearPlacement(request, context.shape(0), y));
  const Value image = context.Input(0);
  context.OutputLikeInput(BuiltinOperator::RESIZE_BILINEAR,
                          {image, context.Ints("/size", {y[1], y[2]})},
                          MakeOptions([placement](FileBuilder& builder) {
                            return tflite::CreateResizeBilinearOptions(
                                builder, placement.align_corners, placement.half_pixel_centers);
                          }));
  return absl::OkStatus();
}

// Kernels of int16 hold the weights of neighbours in 10 bits, too few for other sizes.
absl::StatusOr<Integers> ResizeIntegers(const Op& op) {
  AttributeReader reader(op.attributes);
  const ResizeRequest request = ReadResize(reader);
  if (request.mode == "nearest") return kAllIntegers;
  const Shape &x = op.inputs[0]->type.shape, &y = op.output()->type.shape;
  const bool aligned = request.coordinates == "align_corners";
  const auto exact = [aligned](int64_t in, int64_t out) {
    constexpr int64_t kWeightSteps = 1 << 10;
    const int64_t whole = aligned ? out - 1 : out, part = aligned ? in - 1 : in;
    return whole < 1 || kWeightSteps * part % whole == 0;
  };
  const bool all = exact(x[1], y[1]) && exact(x[2], y[2]);
  return all ? kAllIntegers : kBytes;
}

constexpr OpMapping kImageMappings[] = {
    {.op = "max_pool2d", .write = WriteMaxPool, .integers = kAllIntegers},
    {.op = "avg_pool2d",
     .write = WriteAveragePool,
     .integers = kAllIntegers,
     .restrict = AverageIntegers},
    {.op = "resize", .write = WriteResize, .integers = kAllIntegers, .restrict = ResizeIntegers},
};

}  // namespace

absl::Span<const OpMapping> ImageMappings() { return kImageMappings; }

}  // namespace synap_internal::tflite_export
