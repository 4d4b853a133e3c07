// Pooling over windows and over whole images.
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/onnx/op_table.h"
#include "compiler/import/onnx/spatial.h"

namespace synap::onnx_import {
namespace {

absl::Status MapPool(NodeContext& node, absl::string_view op, Attributes attributes) {
  const Shape x_shape = node.shape(0);
  ASSIGN_OR_RETURN(const Window window, ReadWindow(node, x_shape, {}));
  for (auto& [name, value] : window.ToAttributes()) attributes[name] = value;
  attributes["kernel"] = window.kernel;
  attributes["ceil_mode"] = node.Int("ceil_mode", 0);
  ASSIGN_OR_RETURN(Tensor * x, ToNhwc(node, node.input(0)));
  ASSIGN_OR_RETURN(Tensor * y, node.Emit(op, {x}, std::move(attributes), ".nhwc"));
  return node.SetOutput(FromNhwc(node, y, x_shape.rank()));
}

absl::Status MapMaxPool(NodeContext& node) {
  node.IgnoreAttribute("storage_order");  // of the indices, which aren't supported
  return MapPool(node, "max_pool2d", {});
}

absl::Status MapAveragePool(NodeContext& node) {
  return MapPool(node, "avg_pool2d", {{"count_include_pad", node.Int("count_include_pad", 0)}});
}

// Reduces height and width of the image in NHWC, so that the transposes around
// it meet those of its neighbours.
absl::Status MapGlobalPool(NodeContext& node, absl::string_view op) {
  const size_t rank = node.shape(0).rank();
  ASSIGN_OR_RETURN(Tensor * x, ToNhwc(node, node.input(0)));
  ASSIGN_OR_RETURN(
      Tensor * y,
      node.Emit(op, {x}, {{"axes", std::vector<int64_t>{1, 2}}, {"keep_dims", int64_t{1}}},
                ".nhwc"));
  return node.SetOutput(FromNhwc(node, y, rank));
}

absl::Status MapGlobalAveragePool(NodeContext& node) { return MapGlobalPool(node, "reduce_mean"); }
absl::Status MapGlobalMaxPool(NodeContext& node) { return MapGlobalPool(node, "reduce_max"); }

absl::Status MapGlobalLpPool(NodeContext& node) {
  if (const int64_t p = node.Int("p", 2); p != 2) {
    return absl::UnimplementedError(absl::StrCat("attribute 'p' is ", p, ", supported is 2"));
  }
  return MapGlobalPool(node, "reduce_l2");
}

constexpr OpMapping kMappings[] = {
    {"MaxPool", 1, 1, MapMaxPool},
    {"AveragePool", 1, 1, MapAveragePool},
    {"GlobalAveragePool", 1, 1, MapGlobalAveragePool},
    {"GlobalMaxPool", 1, 1, MapGlobalMaxPool},
    {"GlobalLpPool", 1, 1, MapGlobalLpPool},
};

}  // namespace

absl::Span<const OpMapping> PoolingMappings() { return kMappings; }

}  // namespace synap::onnx_import
