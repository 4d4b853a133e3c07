// Cumulative products and extrema along a dimension.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/emit/slice.h"
#include "compiler/import/torchscript/op_table.h"
#include "compiler/import/torchscript/scalar_type.h"

namespace synap_internal::torchscript_import {
namespace {

using Dims = std::vector<int64_t>;

// y[i] = x[0] op ... op x[i] along an axis, for an associative op. Step s = 1, 2, 4, ... combines
// y[i] with y[i - s], after which it is that of 2 s elements (Hillis and Steele,
// https://doi.org/10.1145/7902.7903): log2 of the extent many steps.
Emitted EmitScan(NodeContext& node, absl::string_view op, Tensor* x, size_t axis,
                 absl::string_view name) {
  const int64_t extent = x->type.shape[axis];
  Emitted y = x;
  for (int64_t step = 1; step < extent; step *= 2) {
    const std::string suffix = absl::StrCat(name, step);
    const Emitted first = EmitAxisSlice(node, y, axis, 0, step, absl::StrCat(suffix, ".first"));
    const Emitted before =
        EmitAxisSlice(node, y, axis, 0, extent - step, absl::StrCat(suffix, ".before"));
    const Emitted after =
        EmitAxisSlice(node, y, axis, step, extent - step, absl::StrCat(suffix, ".after"));
    const Emitted both = node.Emit(op, {before, after}, {}, absl::StrCat(suffix, ".both"));
    y = node.Emit("concat", {first, both}, {{"axis", static_cast<int64_t>(axis)}}, suffix);
  }
  return y;
}

// (x, dim, dtype): products of integers are int64.
absl::Status MapCumProd(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, node.GetTensor(0));
  ASSIGN_OR_RETURN(const NamedType type, GetTypeOr(node, 2, x->type.dtype));
  const bool bools = type.dtype == DataType::kBool;
  if (bools && node.Has(2)) return absl::UnimplementedError("its result has type bool");
  ASSIGN_OR_RETURN(x, node.Cast(x, bools ? DataType::kInt64 : type.dtype, ".typed"));
  if (x->type.shape.rank() == 0) return node.SetOutput(x);
  ASSIGN_OR_RETURN(const int64_t axis, node.GetAxis(1, x->type.shape.rank()));
  return node.SetOutput(EmitScan(node, "mul", x, static_cast<size_t>(axis), ".product"),
                        type.is_uint8.value_or(false));
}

// int64 of x's rank: 0, 1, ... along `axis`.
Emitted PositionsAlong(NodeContext& node, const Shape& x, size_t axis) {
  Dims dims(x.rank(), 1);
  dims[axis] = x[axis];
  return node.Reshape(node.builder().AddRange(node.Name(".range"), 0, x[axis]), std::move(dims),
                      ".positions");
}

// (x, dim): the extrema and their indices, of equal elements the last.
absl::Status MapCumulativeExtremum(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, node.GetTensor(0));
  const Shape s = x->type.shape;
  ASSIGN_OR_RETURN(const int64_t dim, node.GetAxis(1, s.rank()));
  const auto axis = static_cast<size_t>(dim);
  const char* op = node.kind() == "aten::cummax" ? "maximum" : "minimum";
  const DataType type = x->type.dtype;
  ASSIGN_OR_RETURN(x, node.Cast(x, MoreGeneral(type, DataType::kInt64), ".numbers"));
  ASSIGN_OR_RETURN(Tensor * y, EmitScan(node, op, x, axis, ".extremum"));
  // The extremum is the last element so far that equals it.
  const Emitted reached = node.Emit("equal", {x, y}, {}, ".reached");
  Tensor* none = node.builder().AddScalar(node.Name(".none"), int64_t{0});
  ASSIGN_OR_RETURN(
      Tensor * places,
      node.Emit("where", {reached, PositionsAlong(node, s, axis), none}, {}, ".places"));
  ASSIGN_OR_RETURN(Tensor * indices, EmitScan(node, "maximum", places, axis, ".index"));
  ASSIGN_OR_RETURN(y, node.Cast(y, type, ".typed"));
  return node.SetOutputs({Value::Of(y), Value::Of(indices, false)});
}

constexpr OpMapping kCumulativeMappings[] = {
    {"aten::cumprod", 2, MapCumProd, "results that are numbers"},
    {"aten::cummax", 2, MapCumulativeExtremum, Result::kAlike},
    {"aten::cummin", 2, MapCumulativeExtremum, Result::kAlike},
};

}  // namespace

absl::Span<const OpMapping> CumulativeMappings() { return kCumulativeMappings; }

}  // namespace synap_internal::torchscript_import
