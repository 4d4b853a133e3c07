// Pooling over windows, and adaptive pooling.
#include "compiler/import/emit/pooling.h"

#include <limits>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/emit/nhwc.h"
#include "compiler/import/emit/window.h"
#include "compiler/import/torchscript/op_table.h"

namespace synap_internal::torchscript_import {
namespace {

using Dims = std::vector<int64_t>;

constexpr size_t kNoArgument = std::numeric_limits<size_t>::max();

// Argument 0, whose last dimensions windows move over.
struct Image {
  Tensor* x = nullptr;  // [N,C,H,W] or [N,C,L]
  size_t dims = 0;      // spatial: 2 or 1
  Dims size;            // height, width; 1, L
};

absl::StatusOr<Image> ReadImage(NodeContext& node) {
  Image image;
  ASSIGN_OR_RETURN(image.x, node.GetTensor(0));
  const Shape& s = image.x->type.shape;
  image.dims = absl::StrContains(node.kind(), "1d") ? 1 : 2;
  if (s.rank() != image.dims + 2) {
    return absl::UnimplementedError(
        absl::StrCat("its input is ", s.ToString(), ", expected rank ", image.dims + 2));
  }
  image.size = {image.dims == 1 ? 1 : s[2], s.dims().back()};
  return image;
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
  return LiftedToImage(std::move(window));
}

absl::Status EmitPool(NodeContext& node, const Image& image, absl::string_view op,
                      const Window& window, Attributes attributes) {
  attributes.merge(window.ToPoolAttributes());
  return node.SetOutput(EmitImage(node, op, {image.x}, std::move(attributes)));
}

// (x, kernel, stride, padding, dilation, ceil_mode)
absl::Status MapMaxPool(NodeContext& node) {
  ASSIGN_OR_RETURN(const Image image, ReadImage(node));
  ASSIGN_OR_RETURN(const Window window, ReadWindow(node, image.dims, 4));
  ASSIGN_OR_RETURN(const bool ceil_mode, node.GetBoolOr(5, false));
  RETURN_IF_ERROR(EmitPool(node, image, "max_pool2d", window, {{"ceil_mode", int64_t{ceil_mode}}}));
  const bool indices = absl::EndsWith(node.kind(), "_with_indices");
  if (indices) node.outputs().push_back(Value{Other{"indices of a pooling"}});
  return absl::OkStatus();
}

// (x, kernel, stride, padding, ceil_mode, count_include_pad, divisor_override)
absl::Status MapAvgPool(NodeContext& node) {
  ASSIGN_OR_RETURN(const Image image, ReadImage(node));
  ASSIGN_OR_RETURN(const Window window, ReadWindow(node, image.dims, kNoArgument));
  ASSIGN_OR_RETURN(const bool ceil_mode, node.GetBoolOr(4, false));
  ASSIGN_OR_RETURN(const bool count_include_pad, node.GetBoolOr(5, true));
  if (node.Has(6)) return absl::UnimplementedError("it has a divisor of its own");
  return EmitPool(
      node, image, "avg_pool2d", window,
      {{"ceil_mode", int64_t{ceil_mode}}, {"count_include_pad", int64_t{count_include_pad}}});
}

// (x, output size); None keeps a dimension.
absl::StatusOr<Dims> ReadOutputSize(const NodeContext& node, const Image& image) {
  Dims out(image.size.end() - static_cast<ptrdiff_t>(image.dims), image.size.end());
  const List* list = node.argument(1).AsList();
  if (list != nullptr && list->size() == out.size()) {
    for (size_t i = 0; i < out.size(); ++i) {
      if ((*list)[i].IsNone()) continue;
      ASSIGN_OR_RETURN(out[i], IntOf((*list)[i]));
    }
  } else {
    ASSIGN_OR_RETURN(out, node.GetIntsOf(1, image.dims));
  }
  RETURN_IF_ERROR(CheckWindowValues("its output size", out, image.dims, 1));
  if (image.dims == 1) out.insert(out.begin(), 1);
  return out;
}

absl::Status MapAdaptivePool(NodeContext& node) {
  ASSIGN_OR_RETURN(const Image image, ReadImage(node));
  ASSIGN_OR_RETURN(const Dims out, ReadOutputSize(node, image));
  const Dims& in = image.size;
  const bool mean = absl::StrContains(node.kind(), "avg");
  if (in[0] % out[0] == 0 && in[1] % out[1] == 0) {
    const Dims kernel = {in[0] / out[0], in[1] / out[1]};
    const Window window{kernel, kernel, {1, 1}, {0, 0, 0, 0}};
    RETURN_IF_ERROR(window.Check());
    RETURN_IF_ERROR(EmitPool(node, image, mean ? "avg_pool2d" : "max_pool2d", window, {}));
  } else if (mean) {
    return node.SetOutput(EmitAdaptiveMean(node, image.x, out));
  } else {
    return absl::UnimplementedError(absl::StrCat("its output is ", out[0], "x", out[1],
                                                 " for an image of ", in[0], "x", in[1],
                                                 ", expected divisors of that"));
  }
  if (!mean) node.outputs().push_back(Value{Other{"indices of a pooling"}});
  return absl::OkStatus();
}

constexpr char kLines[] = "[N,C,L]";

constexpr OpMapping kPoolingMappings[] = {
    {"aten::max_pool1d", 2, MapMaxPool, kLines},
    {"aten::max_pool2d", 2, MapMaxPool, kImages},
    {"aten::max_pool2d_with_indices", 2, MapMaxPool, kImages},
    {"aten::avg_pool1d", 2, MapAvgPool, kLines},
    {"aten::avg_pool2d", 2, MapAvgPool, "[N,C,H,W]; no divisor of its own"},
    {"aten::adaptive_avg_pool1d", 2, MapAdaptivePool, kLines},
    {"aten::adaptive_avg_pool2d", 2, MapAdaptivePool, kImages},
    {"aten::adaptive_max_pool1d", 2, MapAdaptivePool, "[N,C,L]; an output that divides the input"},
    {"aten::adaptive_max_pool2d", 2, MapAdaptivePool,
     "[N,C,H,W]; an output that divides the input"},
};

}  // namespace

absl::Span<const OpMapping> PoolingMappings() { return kPoolingMappings; }

}  // namespace synap_internal::torchscript_import
