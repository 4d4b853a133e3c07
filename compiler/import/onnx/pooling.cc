// Pooling over windows and over whole images.
#include "compiler/import/emit/pooling.h"

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/emit/indexing.h"
#include "compiler/import/emit/nhwc.h"
#include "compiler/import/emit/op_name.h"
#include "compiler/import/emit/reduction.h"
#include "compiler/import/emit/shape.h"
#include "compiler/import/emit/volume.h"
#include "compiler/import/onnx/op_table.h"
#include "compiler/import/onnx/window.h"

namespace synap_internal::onnx_import {
namespace {

absl::Status MapPool(NodeContext& node, absl::string_view op, Attributes attributes) {
  const Shape x_shape = node.shape(0);
  attributes["ceil_mode"] = node.Int("ceil_mode", 0);
  if (x_shape.rank() == 5) {
    ASSIGN_OR_RETURN(const Window window, ReadWindow(node, x_shape, {}));
    return node.SetOutput(EmitVolumePool(node, op, node.input(0), window, attributes));
  }
  ASSIGN_OR_RETURN(const Window window, ReadImageWindow(node, x_shape, {}));
  attributes.merge(window.ToPoolAttributes());
  ASSIGN_OR_RETURN(Tensor * x, ToNhwc(node, node.input(0)));
  // Bytes without a quantizer are numbers that float32 holds exactly.
  const DataType type = x->type.dtype;
  if (type != DataType::kFloat32 && !x->type.quant.quantized()) {
    ASSIGN_OR_RETURN(x, node.Cast(x, DataType::kFloat32, ".float"));
  }
  Emitted y = node.Emit(op, {x}, std::move(attributes), ".nhwc");
  if (!x->type.quant.quantized()) y = node.Cast(y, type, ".integers");
  return node.SetOutput(FromNhwc(node, y, x_shape.rank()));
}

// For each window the index of its largest element, counted over all of x, or with `column_major`
// over all of x with height and width exchanged: argmax finds the tap, a gather the index at that
// tap.
Emitted MaxPoolIndices(NodeContext& node, const Window& window, const Shape& out,
                       bool column_major) {
  const Shape x = node.shape(0);
  const int64_t taps = window.kernel[0] * window.kernel[1];
  RETURN_IF_ERROR(node.builder().ChargeOps(taps));
  // The indices are gathered, not computed: float32 would lose digits.
  std::vector<int64_t> counted = x.dims();
  if (column_major) std::swap(counted[2], counted[3]);
  Emitted positions = node.Reshape(node.builder().AddRange(node.Name(".counted"), 0, x.elements()),
                                   std::move(counted), ".counted");
  if (column_major) positions = node.Transpose(positions, {0, 1, 3, 2}, ".counted");
  ASSIGN_OR_RETURN(Tensor * indices, positions);
  std::vector<Tensor*> tap_values, tap_indices;
  std::vector<int64_t> column_dims = out.dims();
  column_dims.push_back(1);
  for (int64_t tap = 0; tap < taps; ++tap) {
    OpEmitter step = node.Step(tap);
    for (const auto& [image, list] :
         {std::pair(node.input(0), &tap_values), std::pair(indices, &tap_indices)}) {
      const auto part = EmitTap(step, image, 2, window,
                                {tap / window.kernel[1], tap % window.kernel[1]}, {out[2], out[3]});
      ASSIGN_OR_RETURN(list->emplace_back(), step.Reshape(part, column_dims, ".tap"));
    }
  }
  const auto windows = node.Concat(std::move(tap_values), 4, ".windows");
  ASSIGN_OR_RETURN(Tensor * places, node.Concat(std::move(tap_indices), 4, ".places"));
  const auto largest = node.Emit("argmax", {windows}, {{"axis", int64_t{4}}}, ".largest");
  return node.Reshape(EmitGatherElements(node, places, largest, 4, ".found"), out.dims(),
                      ".indices");
}

absl::Status MapMaxPool(NodeContext& node) {
  const int64_t order = node.Int("storage_order", 0);
  RETURN_IF_ERROR(MapPool(node, "max_pool2d", {}));
  if (!node.HasOutput(1)) return absl::OkStatus();
  if (node.shape(0).rank() != 4 || node.input(0)->type.dtype != DataType::kFloat32) {
    return absl::UnimplementedError(absl::StrCat(
        "its indices are those of ", synap_internal::Name(node.input(0)->type.dtype), " ",
        node.shape(0).ToString(), ", expected an input of float32 with four dimensions"));
  }
  ASSIGN_OR_RETURN(const Window window, ReadImageWindow(node, node.shape(0), {}));
  const Tensor* y = node.state().values.at(node.node().output(0));
  return node.SetOutput(1, MaxPoolIndices(node, window, y->type.shape, order != 0));
}

// Puts elements at MaxPool's indices, among zeros. The indices count in the smallest output that
// the window fits; a larger output has zeros at its end.
absl::Status MapMaxUnpool(NodeContext& node) {
  const Shape x = node.shape(0);
  if (x.rank() < 3 || node.shape(1) != x) {
    return absl::InvalidArgumentError(absl::StrCat("its input ", x.ToString(), " and its indices ",
                                                   node.shape(1).ToString(),
                                                   " should have the same shape, 3 dimensions or "
                                                   "more"));
  }
  ASSIGN_OR_RETURN(const Window window, ReadWindow(node, x, {}));
  std::vector<int64_t> dims = x.dims();
  const size_t spatial = x.rank() - 2;
  for (size_t i = 0; i < spatial; ++i) {
    if (x[i + 2] > Shape::kMaxElements / window.strides[i]) {
      return absl::InvalidArgumentError(
          absl::StrCat("strides of ", window.strides[i], " don't fit its input ", x.ToString()));
    }
    dims[i + 2] = (x[i + 2] - 1) * window.strides[i] + window.kernel[i] - window.pads[i] -
                  window.pads[i + spatial];
  }
  const Shape shape(dims);
  RETURN_IF_ERROR(shape.Validate());
  const Emitted zeros = node.Zeros({DataType::kFloat32, Shape({shape.elements()}), {}}, ".zeros");
  Emitted values = EmitFlat(node, node.input(0), ".values");
  Emitted indices = EmitFlat(node, node.input(1), ".indices");
  Emitted y = node.Emit("scatter", {zeros, indices, values}, {}, ".flat");
  std::vector<int64_t> wanted = dims;
  if (node.HasInput(2)) {
    ASSIGN_OR_RETURN(wanted, node.ConstantInts(2, "output_shape"));
  }
  if (wanted == dims) return node.SetOutput(node.Reshape(y, std::move(dims)));
  std::vector<int64_t> pads(2 * x.rank(), 0);
  for (size_t i = 0; i < x.rank(); ++i) {
    if (wanted.size() == x.rank()) pads[x.rank() + i] = wanted[i] - dims[i];
  }
  y = node.Reshape(y, std::move(dims), ".smallest");
  return node.SetOutput(
      node.Emit("pad", {y}, {{"pads", std::move(pads)}, {"mode", std::string("constant")}}));
}

absl::Status MapAveragePool(NodeContext& node) {
  return MapPool(node, "avg_pool2d", {{"count_include_pad", node.Int("count_include_pad", 0)}});
}

// The image is reduced in NHWC, so that the transposes around it cancel those of its neighbours.
template <OpName kReduction>
absl::Status MapGlobalPool(NodeContext& node) {
  return node.SetOutput(EmitGlobalPool(node, kReduction, node.input(0)));
}

// x^p, for x >= 0; with 1 / p the inverse.
Emitted Power(NodeContext& node, const Emitted& x, float p, absl::string_view suffix) {
  if (p == 1) return x;
  if (p == 2) return node.Emit("square", {x}, {}, suffix);
  if (p == 0.5f) return node.Emit("sqrt", {x}, {}, suffix);
  return node.Emit("pow", {x, node.Scalar(p, ".p")}, {}, suffix);
}

absl::StatusOr<float> ReadNorm(NodeContext& node) {
  const int64_t p = node.Int("p", 2);
  if (p >= 1 && p <= 64) return static_cast<float>(p);
  return absl::InvalidArgumentError(absl::StrCat("attribute 'p' is ", p, ", expected 1 to 64"));
}

// |x|^p of operand 0 as an image.
Emitted AbsolutePower(NodeContext& node, float p) {
  return Power(node, node.Emit("abs", {ToNhwc(node, node.input(0))}, {}, ".abs"), p, ".power");
}

// The p-th root of the sum of |x|^p over each window [KD,KH,KW]: the mean times the taps.
absl::Status MapVolumeLpPool(NodeContext& node, float p) {
  ASSIGN_OR_RETURN(const Window window, ReadWindow(node, node.shape(0), {}));
  Emitted y = Power(node, node.Emit("abs", {node.input(0)}, {}, ".abs"), p, ".power");
  OpEmitter mean(node.builder(), node.origin(), node.Name(".mean"));
  y = EmitVolumePool(mean, "avg_pool2d", y, window,
                     {{"count_include_pad", int64_t{1}}, {"ceil_mode", int64_t{0}}});
  const auto taps = static_cast<float>(window.kernel[0] * window.kernel[1] * window.kernel[2]);
  y = node.Emit("mul", {y, node.Scalar(taps, ".taps")}, {}, ".sum");
  return node.SetOutput(Power(node, y, 1 / p, ""));
}

// The same over [KH,KW].
absl::Status MapLpPool(NodeContext& node) {
  const Shape x_shape = node.shape(0);
  ASSIGN_OR_RETURN(const float p, ReadNorm(node));
  if (x_shape.rank() == 5) return MapVolumeLpPool(node, p);
  ASSIGN_OR_RETURN(const Window window, ReadImageWindow(node, x_shape, {}));
  Attributes attributes = window.ToPoolAttributes();
  attributes["count_include_pad"] = int64_t{1};
  Emitted y = node.Emit("avg_pool2d", {AbsolutePower(node, p)}, std::move(attributes), ".mean");
  Tensor* taps = node.Scalar(static_cast<float>(window.kernel[0] * window.kernel[1]), ".taps");
  y = node.Emit("mul", {y, taps}, {}, ".sum");
  return node.SetOutput(FromNhwc(node, Power(node, y, 1 / p, ".root"), x_shape.rank()));
}

// The p-th root of the sum of x^p over an image, x >= 0, relative to the largest element: its power
// may overflow where the root doesn't.
Emitted EmitPowerNorm(NodeContext& node, const Emitted& x, float p) {
  using Limits = std::numeric_limits<float>;
  Emitted largest = EmitReduce(node, "reduce_max", x, {1, 2}, true, ".largest");
  largest = node.Emit("clip", {largest}, {{"min", Limits::min()}, {"max", Limits::max()}}, ".unit");
  Emitted y = Power(node, node.Emit("div", {x, largest}, {}, ".relative"), p, ".power");
  y = EmitReduce(node, "reduce_sum", y, {1, 2}, true, ".sum");
  return node.Emit("mul", {Power(node, y, 1 / p, ".root"), largest}, {}, ".norm");
}

absl::Status MapGlobalLpPool(NodeContext& node) {
  ASSIGN_OR_RETURN(const float p, ReadNorm(node));
  if (p == 2) return MapGlobalPool<"reduce_l2">(node);
  const auto x = AbsolutePower(node, 1);
  const auto y =
      p == 1 ? EmitReduce(node, "reduce_sum", x, {1, 2}, true, ".sum") : EmitPowerNorm(node, x, p);
  return node.SetOutput(FromNhwc(node, y, node.shape(0).rank()));
}

constexpr char kImages[] = "[N,C,L] and [N,C,H,W]";

constexpr OpMapping kPoolingMappings[] = {
    {"MaxPool", 1, 1, MapMaxPool,
     "[N,C,L], [N,C,H,W] and [N,C,D,H,W]; indices of float32 [N,C,H,W]"},
    {"MaxUnpool", 2, 3, MapMaxUnpool, "a constant 'output_shape'; [N,C,L] and [N,C,H,W]"},
    {"AveragePool", 1, 1, MapAveragePool, "[N,C,L], [N,C,H,W] and [N,C,D,H,W]"},
    {"GlobalAveragePool", 1, 1, MapGlobalPool<"reduce_mean">, kImages},
    {"GlobalMaxPool", 1, 1, MapGlobalPool<"reduce_max">, kImages},
    {"LpPool", 1, 1, MapLpPool, "[N,C,L], [N,C,H,W] and [N,C,D,H,W]"},
    {"GlobalLpPool", 1, 1, MapGlobalLpPool, kImages},
};

}  // namespace

absl::Span<const OpMapping> PoolingMappings() { return kPoolingMappings; }

}  // namespace synap_internal::onnx_import
