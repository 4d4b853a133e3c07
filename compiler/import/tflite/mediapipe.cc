// MediaPipe's custom operators of segmentation networks. Their options are the bytes of a C struct
// of int32: padding, strides and, of pooling, the window and the activation, width before height.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/emit/convolution.h"
#include "compiler/import/emit/pooling.h"
#include "compiler/import/emit/window.h"
#include "compiler/import/tflite/layer_operands.h"
#include "compiler/import/tflite/op_table.h"

namespace synap_internal::tflite_import {
namespace {

// The first `count` numbers of the options.
absl::StatusOr<std::vector<int32_t>> OptionNumbers(const OperatorContext& op, size_t count) {
  const absl::Span<const uint8_t> bytes = op.custom_options();
  std::vector<int32_t> numbers(count);
  if (bytes.size() < count * sizeof(int32_t)) {
    return absl::InvalidArgumentError(absl::StrCat("its options have ", bytes.size(),
                                                   " bytes, expected ", count * sizeof(int32_t),
                                                   " or more"));
  }
  std::memcpy(numbers.data(), bytes.data(), count * sizeof(int32_t));
  return numbers;
}

// The struct counts from 1, the file's enum from 0.
absl::StatusOr<tflite::Padding> PaddingOf(int32_t number) {
  if (number == 1) return tflite::Padding::SAME;
  if (number == 2) return tflite::Padding::VALID;
  return absl::InvalidArgumentError(
      absl::StrCat("its padding is ", number, ", expected 1 (SAME) or 2 (VALID)"));
}

absl::Status CheckFloat(const OperatorContext& op) {
  const TensorType& type = op.input(0)->type;
  if (type.dtype == DataType::kFloat32) return absl::OkStatus();
  return absl::UnimplementedError(absl::StrCat("its input is ", Name(type.dtype)));
}

struct Pool {
  tflite::Padding padding;
  Window window;  // without pads
  tflite::Activation activation;
};

absl::StatusOr<Pool> ReadPool(const OperatorContext& op) {
  RETURN_IF_ERROR(CheckFloat(op));
  ASSIGN_OR_RETURN(const std::vector<int32_t> numbers, OptionNumbers(op, 6));
  Pool pool;
  ASSIGN_OR_RETURN(pool.padding, PaddingOf(numbers[0]));
  pool.window = {{numbers[4], numbers[3]}, {numbers[2], numbers[1]}};
  if (numbers[5] < 0 || numbers[5] > static_cast<int32_t>(tflite::Activation::MAX)) {
    return absl::InvalidArgumentError(absl::StrCat("its activation is ", numbers[5]));
  }
  pool.activation = static_cast<tflite::Activation>(numbers[5]);
  return pool;
}

// int64 [a, b] of the rows' or columns' first or last taps that are inside.
Tensor* Bounds(OperatorContext& op, const Window& window, size_t i, int64_t windows, int64_t extent,
               bool last) {
  std::vector<int64_t> values;
  for (int64_t number = 0; number < windows; ++number) {
    const TapRange inside = TapsInside(window, i, number, extent);
    values.push_back(last ? std::min(inside.last, window.kernel[i] - 1) : inside.first);
  }
  // Rows and columns are dimensions 1 and 2 of [N,H,W,C].
  return op.Values(i == 0 ? Shape({windows, 1, 1}) : Shape({windows, 1}), std::move(values),
                   ".bounds");
}

// The numbers of taps with those of taps that are inside instead of the ones that EmitTap moved.
// `taps`: of the shape `y`.
Emitted InsideTaps(OperatorContext& op, const Emitted& taps, const Window& window, const Shape& x,
                   const Shape& y) {
  Tensor* width = op.builder().AddScalar(op.Name(".width"), window.kernel[1]);
  const Emitted column = op.Emit("mod", {taps, width}, {}, ".column");
  const Emitted before = op.Emit("sub", {taps, column}, {}, ".before");
  const Emitted row = op.Emit("div", {before, width}, {}, ".row");
  const auto inside = [&](const Emitted& number, size_t i) {
    Tensor* first = Bounds(op, window, i, y[i + 1], x[i + 1], false);
    Tensor* last = Bounds(op, window, i, y[i + 1], x[i + 1], true);
    return op.Emit("minimum", {op.Emit("maximum", {number, first}, {}, ".low"), last}, {},
                   ".inside");
  };
  const Emitted rows = op.Emit("mul", {inside(row, 0), width}, {}, ".rows");
  return op.Emit("add", {rows, inside(column, 1)}, {}, ".taps");
}

// For each window the number of its largest element, counted within the window: int64 of y's shape.
Emitted LargestTaps(OperatorContext& op, const Window& window, const Shape& y) {
  const int64_t taps = window.kernel[0] * window.kernel[1];
  RETURN_IF_ERROR(op.builder().ChargeOps(taps));
  std::vector<int64_t> dims = y.dims();
  dims.push_back(1);
  std::vector<Emitted> values;
  for (int64_t tap = 0; tap < taps; ++tap) {
    OpEmitter step = op.Step(tap);
    const RowAndColumn place{tap / window.kernel[1], tap % window.kernel[1]};
    RETURN_IF_ERROR(op.builder().Charge((y[1] + y[2]) * int64_t{sizeof(int64_t)}));
    const Emitted part = EmitTap(step, op.input(0), 1, window, place, {y[1], y[2]});
    values.push_back(step.Reshape(part, dims, ".tap"));
  }
  const Emitted windows = op.Concat(values, 4, ".windows");
  Emitted largest = op.Emit("argmax", {windows}, {{"axis", int64_t{4}}}, ".largest");
  largest = op.Reshape(largest, y.dims(), ".largest");
  const bool padded = window.pads != std::vector<int64_t>(4, 0);
  return padded ? InsideTaps(op, largest, window, op.shape(0), y) : largest;
}

// Output 1 are the taps as real numbers, raised by 0.1 so that what cuts them off finds them again.
absl::Status MapMaxPool(OperatorContext& op) {
  ASSIGN_OR_RETURN(Pool pool, ReadPool(op));
  RETURN_IF_ERROR(Pad(op.shape(0), pool.padding, pool.window));
  ASSIGN_OR_RETURN(Tensor * y, op.EmitActivated("max_pool2d", {op.input(0)},
                                                pool.window.ToPoolAttributes(), pool.activation));
  RETURN_IF_ERROR(op.SetOutput(0, y));
  ASSIGN_OR_RETURN(Tensor * taps, LargestTaps(op, pool.window, y->type.shape));
  const Emitted real = op.Cast(taps, DataType::kFloat32, ".numbers");
  ASSIGN_OR_RETURN(Tensor * numbers,
                   op.Emit("add", {real, op.Scalar(0.1f, ".raise")}, {}, ".indices"));
  op.state().pool_taps.insert({numbers, taps});
  return op.SetOutput(1, numbers);
}

// Puts each element at its place in a window of zeros: [N,H,W,C] to [N,H*KH,W*KW,C].
absl::Status MapMaxUnpool(OperatorContext& op) {
  ASSIGN_OR_RETURN(Pool pool, ReadPool(op));
  RETURN_IF_ERROR(pool.window.Check());
  const Shape x = op.shape(0);
  RETURN_IF_ERROR(CheckImage(x));
  if (op.shape(1) != x) {
    return absl::InvalidArgumentError(absl::StrCat("its indices are ", op.shape(1).ToString(),
                                                   ", expected the shape of its input, ",
                                                   x.ToString()));
  }
  const std::vector<int64_t>& kernel = pool.window.kernel;
  if (pool.window.strides != kernel) {
    return absl::UnimplementedError("its windows overlap or leave gaps");
  }
  const int64_t count = kernel[0] * kernel[1];
  const auto known = op.state().pool_taps.find(op.input(1));
  const Emitted taps = known != op.state().pool_taps.end()
                           ? known->second
                           : op.Cast(op.input(1), DataType::kInt64, ".taps");
  Emitted numbers = op.builder().AddRange(op.Name(".numbers"), 0, count);
  numbers = op.Reshape(numbers, {count, 1}, ".numbers");
  const std::vector<int64_t> dims = {x[0], x[1], x[2], 1, x[3]};
  const Emitted hit = op.Emit("equal", {op.Reshape(taps, dims, ".taps"), numbers}, {}, ".hit");
  const Emitted value = op.Reshape(op.input(0), dims, ".values");
  const Emitted placed = op.Emit("where", {hit, value, op.Scalar(0, ".zero")}, {}, ".placed");
  const Emitted windows =
      op.Reshape(placed, {x[0], x[1], x[2], kernel[0], kernel[1], x[3]}, ".windows");
  return op.SetOutput(op.Reshape(op.Transpose(windows, {0, 1, 3, 2, 4, 5}, ".rows"),
                                 {x[0], x[1] * kernel[0], x[2] * kernel[1], x[3]}));
}

// Operands: x, weights [O,KH,KW,I], bias. With SAME, (in - 1) * stride + 1 elements of each
// dimension are what the windows' first elements cover; the rest of the kernel is cut off on both
// sides.
absl::Status MapTransposeConvWithBias(OperatorContext& op) {
  RETURN_IF_ERROR(CheckFloat(op));
  ASSIGN_OR_RETURN(const std::vector<int32_t> numbers, OptionNumbers(op, 3));
  ASSIGN_OR_RETURN(const tflite::Padding padding, PaddingOf(numbers[0]));
  Tensor* x = op.input(0);
  const Shape in = x->type.shape;
  RETURN_IF_ERROR(CheckImage(in));
  ASSIGN_OR_RETURN(Tensor * w, Weights(op, op.input(1), x));
  const Shape weights = w->type.shape;
  RETURN_IF_ERROR(CheckFilter(weights));
  Window window{{weights[1], weights[2]}, {numbers[2], numbers[1]}};
  RETURN_IF_ERROR(window.Check());
  std::vector<int64_t> dims = {in[0], 0, 0, weights[0]};
  for (const size_t i : {0, 1}) {
    const int64_t stride = window.strides[i], kernel = window.kernel[i], steps = in[i + 1] - 1;
    const int64_t cut =
        padding == tflite::Padding::SAME ? std::max<int64_t>(0, kernel - steps % stride - 1) : 0;
    window.pads[i] = cut / 2;
    dims[i + 1] = stride * steps + kernel - cut;
  }
  const Shape output(std::move(dims));
  RETURN_IF_ERROR(output.Validate());
  return op.SetOutput(op.Emit("conv_transpose2d", LinearOperands(op, x, w, 2),
                              TransposedAttributes(in, output, window)));
}

constexpr CustomMapping kMediapipeMappings[] = {
    {"MaxPoolingWithArgmax2D", 1, 1, MapMaxPool,
     "float32; the fused activations RELU, RELU6, RELU_N1_TO_1 and TANH"},
    {"MaxUnpooling2D", 2, 2, MapMaxUnpool, "float32; strides equal to the window"},
    {"Convolution2DTransposeBias", 3, 3, MapTransposeConvWithBias, "float32; constant weights"},
};

}  // namespace

absl::Span<const CustomMapping> MediapipeMappings() { return kMediapipeMappings; }

}  // namespace synap_internal::tflite_import
