// Pooling over windows, and adaptive pooling.
#include "compiler/import/emit/pooling.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/emit/indexing.h"
#include "compiler/import/emit/nhwc.h"
#include "compiler/import/emit/patches.h"
#include "compiler/import/emit/reduction.h"
#include "compiler/import/emit/volume.h"
#include "compiler/import/emit/window.h"
#include "compiler/import/torchscript/index_list.h"
#include "compiler/import/torchscript/layers.h"
#include "compiler/import/torchscript/op_table.h"

namespace synap_internal::torchscript_import {
namespace {

using Dims = std::vector<int64_t>;

constexpr size_t kNoArgument = std::numeric_limits<size_t>::max();

// Argument 0, [N,C,L], [N,C,H,W] or [N,C,D,H,W], whose last dimensions windows move over.
struct PooledImage : Batched {
  Dims size;  // the spatial dimensions
};

absl::StatusOr<PooledImage> ReadImage(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, node.GetTensor(0));
  const Shape& s = x->type.shape;
  const size_t dims = absl::StrContains(node.kind(), "1d")   ? 1
                      : absl::StrContains(node.kind(), "2d") ? 2
                                                             : 3;
  if (s.rank() != dims + 1 && s.rank() != dims + 2) {
    return absl::InvalidArgumentError(absl::StrCat("its input is ", s.ToString(),
                                                   ", expected rank ", dims + 2, ", or ", dims + 1,
                                                   " without a batch"));
  }
  ASSIGN_OR_RETURN(const Batched batched, WithBatch(node, x, dims + 2));
  return PooledImage{batched, {s.dims().end() - static_cast<ptrdiff_t>(dims), s.dims().end()}};
}

// (x, kernel, stride, padding, ...), and the dilation at `dilation`; the stride is the kernel's
// size if it is left out.
absl::StatusOr<Window> ReadWindow(const NodeContext& node, size_t dims, size_t dilation) {
  ASSIGN_OR_RETURN(const Dims kernel, node.GetIntsOf(1, dims));
  Dims stride = kernel, padding(dims, 0), dilations(dims, 1);
  const List* given = node.Has(2) ? node.argument(2).AsList() : nullptr;
  if (node.Has(2) && (given == nullptr || !given->empty())) {
    ASSIGN_OR_RETURN(stride, node.GetIntsOf(2, dims));
  }
  if (node.Has(3)) {
    ASSIGN_OR_RETURN(padding, node.GetIntsOf(3, dims));
  }
  for (size_t i = 0; i < dims; ++i) {
    if (padding[i] < 0 || padding[i] > kernel[i] / 2) {
      return absl::InvalidArgumentError(absl::StrCat(
          "it pads ", padding[i], ", expected 0 to half of its window of ", kernel[i]));
    }
  }
  if (node.Has(dilation)) {
    ASSIGN_OR_RETURN(dilations, node.GetIntsOf(dilation, dims));
  }
  Window window{kernel, std::move(stride), std::move(dilations), SymmetricPads(std::move(padding))};
  RETURN_IF_ERROR(window.Check());
  return window;
}

// The image pooled by max_pool2d or avg_pool2d.
Emitted EmitPool(NodeContext& node, const PooledImage& image, absl::string_view op,
                 const Window& window, Attributes attributes) {
  if (image.size.size() == 3) return EmitVolumePool(node, op, image.x, window, attributes);
  attributes.merge(LiftedToImage(window).ToPoolAttributes());
  return EmitImage(node, op, {image.x}, std::move(attributes));
}

constexpr char kPoolIndices[] = "indices of a pooling";

// The window with pads at the ends that let all of its places be inside of what is padded, those
// too that only ceil_mode gives.
Window WithWholePlaces(const PooledImage& image, Window window, bool ceil_mode) {
  const size_t dims = window.kernel.size();
  for (size_t i = 0; i < dims; ++i) {
    const int64_t in = image.size[i], begin = window.pads[i], stride = window.strides[i];
    const int64_t room = in + 2 * begin - window.kernel[i];
    int64_t places = room / stride + 1;
    // A last window that begins after the input isn't one.
    if (ceil_mode && room % stride != 0 && places * stride < in + begin) ++places;
    window.pads[i + dims] =
        std::max<int64_t>((places - 1) * stride + window.kernel[i] - in - begin, 0);
  }
  return window;
}

// --- Indices of the largest elements

// The element of the image, row-major over its spatial dimensions, that tap t of the window reads
// at place p: table [t * places + p]. What is in the pads has the number of another element.
absl::StatusOr<Dims> WindowElements(NodeContext& node, const Dims& image, const Window& window,
                                    const Dims& places) {
  const Shape taps(window.kernel), all({taps.elements(), Shape(places).elements()});
  RETURN_IF_ERROR(node.ChargeValues<int64_t>(all));
  Dims table;
  for (int64_t i = 0; i < all.elements(); ++i) {
    int64_t tap = i / all[1], place = i % all[1], element = 0, stride = 1;
    for (size_t d = image.size(); d-- > 0;) {
      const int64_t at =
          place % places[d] * window.strides[d] + tap % window.kernel[d] - window.pads[d];
      element += std::max<int64_t>(std::min(at, image[d] - 1), 0) * stride;
      stride *= image[d];
      place /= places[d];
      tap /= window.kernel[d];
    }
    table.push_back(element);
  }
  return table;
}

// x [N,C,...] with minus infinity around it, as the window pads it.
Emitted EmitLowPads(NodeContext& node, Tensor* x, const Window& window) {
  constexpr float kLowest = -std::numeric_limits<float>::infinity();
  const size_t dims = window.kernel.size();
  Dims pads = {0, 0};
  pads.insert(pads.end(), window.pads.begin(), window.pads.begin() + static_cast<ptrdiff_t>(dims));
  pads.insert(pads.end(), {0, 0});
  pads.insert(pads.end(), window.pads.begin() + static_cast<ptrdiff_t>(dims), window.pads.end());
  if (std::all_of(pads.begin(), pads.end(), [](int64_t pad) { return pad == 0; })) return x;
  return node.Emit("pad", {x}, {{"pads", std::move(pads)}, {"value", kLowest}}, ".padded");
}

// The number of the first largest element in each window over the image, of y's shape.
Emitted EmitPoolIndices(NodeContext& node, const PooledImage& image, Window window, const Shape& y,
                        bool ceil_mode) {
  const size_t dims = image.size.size();
  if (window.dilations != Dims(dims, 1)) return absl::UnimplementedError("it dilates its windows");
  window = WithWholePlaces(image, std::move(window), ceil_mode);
  const Dims places(y.dims().end() - static_cast<ptrdiff_t>(dims), y.dims().end());
  ASSIGN_OR_RETURN(const Dims table, WindowElements(node, image.size, window, places));
  const Emitted padded = EmitLowPads(node, image.x, window);
  window.pads.assign(2 * dims, 0);
  const Emitted patches = EmitPatches(node, padded, window, ".windows");
  const Emitted tap = EmitArgMax(node, patches, 2, false, ".tap");
  const int64_t count = Shape(places).elements();
  const Emitted row = node.Emit("mul", {tap, node.Integer(count, ".places")}, {}, ".row");
  const Emitted place = node.builder().AddRange(node.Name(".place"), 0, count);
  const Emitted at = node.Emit("add", {row, place}, {}, ".at");
  Tensor* elements = node.builder().AddInts(node.Name(".elements"), table);
  return node.Reshape(EmitGather(node, elements, at, 0, ".element"), y.dims(), ".indices");
}

// (x, kernel, stride, padding, dilation, ceil_mode)
absl::Status MapMaxPool(NodeContext& node) {
  ASSIGN_OR_RETURN(const PooledImage image, ReadImage(node));
  ASSIGN_OR_RETURN(const Window window, ReadWindow(node, image.size.size(), 4));
  ASSIGN_OR_RETURN(const bool ceil_mode, node.GetBoolOr(5, false));
  ASSIGN_OR_RETURN(
      Tensor * y, EmitPool(node, image, "max_pool2d", window, {{"ceil_mode", int64_t{ceil_mode}}}));
  RETURN_IF_ERROR(node.SetOutput(LikeGiven(node, image, y)));
  if (!absl::EndsWith(node.kind(), "_with_indices")) return absl::OkStatus();
  // Most networks read no indices, whose table is large; others only hand them on.
  if (!node.IsRead(1)) {
    node.AddUnread(kPoolIndices);
    return absl::OkStatus();
  }
  const Emitted indices = EmitPoolIndices(node, image, window, y->type.shape, ceil_mode);
  const Emitted given = LikeGiven(node, image, indices);
  if (given.ok()) {
    node.outputs().push_back(Value::Of(*given, false));
  } else {
    node.AddUnread(absl::StrCat(kPoolIndices, " that can't be made: ", given.status().message()));
  }
  return absl::OkStatus();
}

// (x [N,C,...] or [C,...], indices, output size, ...): zeros with x at its indices of the spatial
// dimensions.
absl::Status MapMaxUnpool(NodeContext& node) {
  ASSIGN_OR_RETURN(const PooledImage image, ReadImage(node));
  ASSIGN_OR_RETURN(Tensor * indices, IntegerIndices(node, node.GetTensor(1)));
  ASSIGN_OR_RETURN(const Dims out, node.GetIntsOf(2, image.size.size()));
  RETURN_IF_ERROR(CheckWindowValues("its output size", out, out.size(), 1));
  RETURN_IF_ERROR(Shape(out).Validate());
  const Shape s = image.x->type.shape;
  if (indices->type.shape.elements() != s.elements()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "its indices are ", indices->type.shape.ToString(), ", expected ", s.ToString()));
  }
  const int64_t maps = s[0] * s[1], taken = Shape(image.size).elements();
  ASSIGN_OR_RETURN(Tensor * list, node.Reshape(image.x, {maps, taken}, ".lists"));
  ASSIGN_OR_RETURN(indices, node.Reshape(indices, {maps, taken}, ".places"));
  const Shape whole({maps, Shape(out).elements()});
  ASSIGN_OR_RETURN(Tensor * zeros, node.Zeros({image.x->type.dtype, whole, {}}, ".zeros"));
  const Emitted flat = EmitScatterElements(node, zeros, indices, list, 1, "none", ".written");
  Dims dims = {s[0], s[1]};
  dims.insert(dims.end(), out.begin(), out.end());
  return node.SetOutput(LikeGiven(node, image, node.Reshape(flat, std::move(dims), ".image")));
}

// --- Means

// The sums over windows, divided by a number of the operator's own.
Emitted EmitDividedPool(NodeContext& node, const PooledImage& image, const Window& window,
                        bool ceil_mode, float divisor) {
  if (divisor == 0) return absl::InvalidArgumentError("its divisor is 0, expected another number");
  const Emitted means =
      EmitPool(node, image, "avg_pool2d", WithWholePlaces(image, window, ceil_mode),
               {{"ceil_mode", int64_t{0}}, {"count_include_pad", int64_t{1}}});
  float taps = 1;
  for (const int64_t extent : window.kernel) taps *= static_cast<float>(extent);
  return node.Scale(means, taps / divisor, ".divided");
}

// (x, kernel, stride, padding, ceil_mode, count_include_pad, divisor_override)
absl::Status MapAvgPool(NodeContext& node) {
  ASSIGN_OR_RETURN(const PooledImage image, ReadImage(node));
  ASSIGN_OR_RETURN(const Window window, ReadWindow(node, image.size.size(), kNoArgument));
  ASSIGN_OR_RETURN(const bool ceil_mode, node.GetBoolOr(4, false));
  ASSIGN_OR_RETURN(const bool count_include_pad, node.GetBoolOr(5, true));
  if (node.Has(6)) {
    ASSIGN_OR_RETURN(const float divisor, node.GetReal(6));
    return node.SetOutput(
        LikeGiven(node, image, EmitDividedPool(node, image, window, ceil_mode, divisor)));
  }
  const Emitted y = EmitPool(
      node, image, "avg_pool2d", window,
      {{"ceil_mode", int64_t{ceil_mode}}, {"count_include_pad", int64_t{count_include_pad}}});
  return node.SetOutput(LikeGiven(node, image, y));
}

// (x, output size); None keeps a dimension.
absl::StatusOr<Dims> ReadOutputSize(const NodeContext& node, const PooledImage& image) {
  Dims out = image.size;
  const List* list = node.argument(1).AsList();
  if (list != nullptr && list->size() == out.size()) {
    for (size_t i = 0; i < out.size(); ++i) {
      if ((*list)[i].IsNone()) continue;
      ASSIGN_OR_RETURN(out[i], IntOf((*list)[i]));
    }
  } else {
    ASSIGN_OR_RETURN(out, node.GetIntsOf(1, out.size()));
  }
  RETURN_IF_ERROR(CheckWindowValues("its output size", out, out.size(), 1));
  return out;
}

// Windows that don't overlap; nothing if they aren't all of one size.
std::optional<Window> EqualWindows(const Dims& in, const Dims& out) {
  Dims kernel;
  for (size_t i = 0; i < in.size(); ++i) {
    if (in[i] == 0 || in[i] % out[i] != 0) return std::nullopt;
    kernel.push_back(in[i] / out[i]);
  }
  return Window{kernel, kernel, Dims(in.size(), 1), Dims(2 * in.size(), 0)};
}

// The largest elements or the means over windows, of which some are larger than others.
Emitted EmitUnequalPool(NodeContext& node, const PooledImage& image, Dims out, bool mean) {
  if (image.x->type.shape.elements() == 0) {
    return absl::InvalidArgumentError(absl::StrCat("its input ", image.x->type.shape.ToString(),
                                                   " is empty, expected an element or more"));
  }
  if (!mean) return EmitAdaptiveMax(node, image.x, out);
  if (out.size() == 3) return EmitAdaptiveVolumeMean(node, image.x, out);
  if (out.size() == 1) out.insert(out.begin(), 1);
  return EmitAdaptiveMean(node, image.x, out);
}

absl::Status MapAdaptivePool(NodeContext& node) {
  ASSIGN_OR_RETURN(const PooledImage image, ReadImage(node));
  ASSIGN_OR_RETURN(const Dims out, ReadOutputSize(node, image));
  const bool mean = absl::StrContains(node.kind(), "avg");
  Emitted y = nullptr;
  if (const std::optional<Window> window = EqualWindows(image.size, out); window.has_value()) {
    RETURN_IF_ERROR(window->Check());
    y = EmitPool(node, image, mean ? "avg_pool2d" : "max_pool2d", *window, {});
  } else {
    y = EmitUnequalPool(node, image, out, mean);
  }
  RETURN_IF_ERROR(node.SetOutput(LikeGiven(node, image, y)));
  if (!mean) node.AddUnread(kPoolIndices);
  return absl::OkStatus();
}

constexpr char kUnusedIndices[] = "indices that nothing reads";
constexpr char kUndilatedIndices[] = "indices of windows without dilation";

constexpr OpMapping kPoolingMappings[] = {
    {"aten::max_pool1d", 2, MapMaxPool},
    {"aten::max_pool2d", 2, MapMaxPool},
    {"aten::max_pool3d", 2, MapMaxPool},
    {"aten::max_pool1d_with_indices", 2, MapMaxPool, kUndilatedIndices},
    {"aten::max_pool2d_with_indices", 2, MapMaxPool, kUndilatedIndices},
    {"aten::max_pool3d_with_indices", 2, MapMaxPool, kUndilatedIndices},
    {"aten::max_unpool2d", 3, MapMaxUnpool, Result::kAlike},
    {"aten::max_unpool3d", 3, MapMaxUnpool, Result::kAlike},
    {"aten::avg_pool1d", 2, MapAvgPool},
    {"aten::avg_pool2d", 2, MapAvgPool},
    {"aten::avg_pool3d", 2, MapAvgPool},
    {"aten::adaptive_avg_pool1d", 2, MapAdaptivePool},
    {"aten::adaptive_avg_pool2d", 2, MapAdaptivePool},
    {"aten::adaptive_avg_pool3d", 2, MapAdaptivePool},
    {"aten::_adaptive_avg_pool2d", 2, MapAdaptivePool},
    {"aten::_adaptive_avg_pool3d", 2, MapAdaptivePool},
    {"aten::adaptive_max_pool1d", 2, MapAdaptivePool, kUnusedIndices},
    {"aten::adaptive_max_pool2d", 2, MapAdaptivePool, kUnusedIndices},
    {"aten::adaptive_max_pool3d", 2, MapAdaptivePool, kUnusedIndices},
};

}  // namespace

absl::Span<const OpMapping> PoolingMappings() { return kPoolingMappings; }

}  // namespace synap_internal::torchscript_import
