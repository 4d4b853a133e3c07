// Cumulative operators that no kernel has: scans in log2(n) steps (Hillis and Steele, "Data
// Parallel Algorithms", 1986). After step k each element holds what it and the 2^k - 1 before it
// combine to.
#include <cstdint>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "compiler/import/emit/elementwise.h"
#include "compiler/import/emit/slice.h"
#include "compiler/import/torchscript/op_table.h"
#include "compiler/import/torchscript/operands.h"
#include "compiler/import/torchscript/scalar_type.h"

namespace synap_internal::torchscript_import {
namespace {

// x[0] combined with all up to x[i], for each i along the axis; `combine` is associative. In x's
// shape, a scalar if it was one.
Emitted EmitScan(NodeContext& node, const ListAxis& in,
                 Emitted (*combine)(OpEmitter& op, const Emitted& before, const Emitted& after)) {
  const int64_t extent = in.extent();
  Emitted y = in.x;
  for (int64_t distance = 1; distance < extent; distance *= 2) {
    OpEmitter step = node.Step(distance);
    const Emitted first = EmitAxisSlice(step, y, in.axis, 0, distance, ".first");
    const Emitted before = EmitAxisSlice(step, y, in.axis, 0, extent - distance, ".before");
    const Emitted after = EmitAxisSlice(step, y, in.axis, distance, extent - distance, ".after");
    y = step.Concat({first, combine(step, before, after)}, static_cast<int64_t>(in.axis), ".both");
  }
  return ScalarIfGiven(node, in, y, ".scalar");
}

absl::Status MapLogCumSumExp(NodeContext& node) {
  ASSIGN_OR_RETURN(ListAxis in, GetListAxis(node, 1));
  ASSIGN_OR_RETURN(in.x, node.Cast(in.x, DataType::kFloat32, ".real"));
  return node.SetOutput(EmitScan(node, in, EmitLogAddExp));
}

// (x, dim, dtype); products of bools are integers.
absl::Status MapCumProd(NodeContext& node) {
  ASSIGN_OR_RETURN(ListAxis in, GetListAxis(node, 1));
  ASSIGN_OR_RETURN(const NamedType type, GetTypeOr(node, 2, in.x->type.dtype));
  const bool bools = type.dtype == DataType::kBool;
  if (bools && node.Has(2)) return absl::UnimplementedError("its result has type bool");
  ASSIGN_OR_RETURN(in.x, node.Cast(in.x, bools ? DataType::kInt64 : type.dtype, ".typed"));
  return node.SetOutput(EmitScan(node, in, EmitBinary<"mul">), type.is_uint8.value_or(false));
}

// int64 of x's rank: 0, 1, ... along the axis.
Emitted PlacesAlong(NodeContext& node, const ListAxis& in) {
  std::vector<int64_t> dims(in.x->type.shape.rank(), 1);
  dims[in.axis] = in.extent();
  return node.Reshape(node.builder().AddRange(node.Name(".range"), 0, in.extent()), std::move(dims),
                      ".places");
}

// cummax and cummin (x, dim): the extremum so far, and the last place that it was found at.
absl::Status MapCumExtremum(NodeContext& node) {
  ASSIGN_OR_RETURN(ListAxis in, GetListAxis(node, 1));
  const DataType type = in.x->type.dtype;
  ASSIGN_OR_RETURN(in.x, node.Cast(in.x, MoreGeneral(type, DataType::kInt64), ".numbers"));
  const bool max = node.kind() == "aten::cummax";
  ListAxis extrema = in;
  ASSIGN_OR_RETURN(extrema.x,
                   EmitScan(node, in, max ? EmitBinary<"maximum"> : EmitBinary<"minimum">));
  // The extremum is the last element so far that equals it or, after the first NaN, is NaN.
  Emitted reached = node.Emit("equal", {in.x, extrema.x}, {}, ".reached");
  if (in.x->type.dtype == DataType::kFloat32) {
    const Emitted number = node.Emit("equal", {in.x, in.x}, {}, ".number");
    reached = node.Emit("where", {number, reached, node.Emit("logical_not", {number}, {}, ".nan")},
                        {}, ".found");
  }
  Tensor* none = node.Integer(0, ".none");
  ListAxis places = in;
  ASSIGN_OR_RETURN(places.x, node.Emit("where", {reached, PlacesAlong(node, in), none}, {}, ".at"));
  ASSIGN_OR_RETURN(Tensor * indices, EmitScan(node, places, EmitBinary<"maximum">));
  ASSIGN_OR_RETURN(Tensor * values, node.Cast(extrema.x, type, ".typed"));
  return node.SetOutputs({Value::Of(values), Value::Of(indices, false)});
}

constexpr OpMapping kScanMappings[] = {
    {"aten::logcumsumexp", 2, MapLogCumSumExp},
    {"aten::cumprod", 2, MapCumProd, "results that are numbers"},
    {"aten::cummax", 2, MapCumExtremum, Result::kAlike},
    {"aten::cummin", 2, MapCumExtremum, Result::kAlike},
};

}  // namespace

absl::Span<const OpMapping> ScanMappings() { return kScanMappings; }

}  // namespace synap_internal::torchscript_import
