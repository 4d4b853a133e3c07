// Cumulative operators that no kernel has: scans in log2(n) steps (Hillis and Steele, "Data
// Parallel Algorithms", 1986). After step k each element holds what it and the 2^k - 1 before it
// combine to.
#include <cstdint>
#include <limits>
#include <optional>
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

// A tensor and the axis that it is scanned along.
struct Scanned {
  Tensor* x = nullptr;
  int64_t axis = 0;

  int64_t extent() const { return x->type.shape[static_cast<size_t>(axis)]; }
};

// x moved towards the end of the axis by `distance` elements, in whose places is `start`, a scalar.
Emitted EmitMovedBy(OpEmitter& op, const Emitted& given, int64_t axis, int64_t distance,
                    const Emitted& start) {
  ASSIGN_OR_RETURN(Tensor * x, given);
  const auto at = static_cast<size_t>(axis);
  std::vector<int64_t> dims = x->type.shape.dims();
  const int64_t kept = dims[at] - distance;
  dims[at] = distance;
  const Emitted first = op.Emit("expand", {start}, {{"shape", std::move(dims)}}, ".first");
  const Emitted rest = EmitAxisSlice(op, x, at, 0, kept, ".rest");
  return op.Concat({first, rest}, axis, ".moved");
}

// combine(op, moved, y) for each step, from y = x on; `start` changes nothing that it is combined
// with. A scalar is its own scan.
template <typename Combine>
Emitted EmitScan(NodeContext& node, const Scanned& in, const Emitted& start,
                 const Combine& combine) {
  Emitted y = in.x;
  if (in.x->type.shape.rank() == 0) return y;
  for (int64_t distance = 1; distance < in.extent(); distance *= 2) {
    OpEmitter step = node.Step(distance);
    y = combine(step, EmitMovedBy(step, y, in.axis, distance, start), y);
  }
  return y;
}

// (x, dim); scalars have one dimension of 1 here.
absl::StatusOr<Scanned> ReadScanned(const NodeContext& node) {
  Scanned in;
  ASSIGN_OR_RETURN(in.x, node.GetTensor(0));
  const size_t rank = in.x->type.shape.rank();
  ASSIGN_OR_RETURN(in.axis, node.GetAxis(1, rank == 0 ? 1 : rank));
  return in;
}

absl::Status MapLogCumSumExp(NodeContext& node) {
  ASSIGN_OR_RETURN(Scanned in, ReadScanned(node));
  ASSIGN_OR_RETURN(in.x, node.Cast(in.x, DataType::kFloat32, ".real"));
  Tensor* start = node.Scalar(-std::numeric_limits<float>::infinity(), ".start");
  return node.SetOutput(EmitScan(node, in, start, EmitLogAddExp));
}

// (x, dim, dtype)
absl::Status MapCumProd(NodeContext& node) {
  ASSIGN_OR_RETURN(Scanned in, ReadScanned(node));
  ASSIGN_OR_RETURN(const NamedType type, GetTypeOr(node, 2, in.x->type.dtype));
  // Of bools they are integers.
  const DataType dtype = MoreGeneral(type.dtype, DataType::kInt64);
  ASSIGN_OR_RETURN(in.x, node.Cast(in.x, dtype, ".typed"));
  const Emitted start = node.Cast(node.Scalar(1, ".one"), dtype, ".start");
  return node.SetOutput(EmitScan(node, in, start, EmitBinary<"mul">),
                        type.is_uint8.value_or(false));
}

// cummax and cummin (x, dim): the extremum so far, and the last place that it was found at.
absl::Status MapCumExtremum(NodeContext& node) {
  const bool max = node.kind() == "aten::cummax";
  ASSIGN_OR_RETURN(const Scanned in, ReadScanned(node));
  const Shape shape = in.x->type.shape;
  const auto at = static_cast<size_t>(in.axis);
  const int64_t extent = shape.rank() == 0 ? 1 : in.extent();
  std::vector<int64_t> column(shape.rank(), 1);
  if (shape.rank() > 0) column[at] = extent;
  ASSIGN_OR_RETURN(Tensor * range, node.builder().AddRange(node.Name(".range"), 0, extent));
  const Emitted places = node.Reshape(range, std::move(column), ".places");
  Emitted y = in.x, index = node.Emit("expand", {places}, {{"shape", shape.dims()}}, ".index");
  for (int64_t distance = 1; distance < extent; distance *= 2) {
    // The first elements stay as they are: those that they are compared with are themselves.
    OpEmitter step = node.Step(distance);
    const Emitted first = EmitAxisSlice(step, y, at, 0, distance, ".first");
    const Emitted rest = EmitAxisSlice(step, y, at, 0, extent - distance, ".rest");
    const Emitted before = step.Concat({first, rest}, in.axis, ".before");
    const Emitted first_index = EmitAxisSlice(step, index, at, 0, distance, ".first_index");
    const Emitted rest_index = EmitAxisSlice(step, index, at, 0, extent - distance, ".rest_index");
    const Emitted index_before = step.Concat({first_index, rest_index}, in.axis, ".index_before");
    const Emitted better = step.Emit(max ? "greater" : "less", {before, y}, {}, ".better");
    index = step.Emit("where", {better, index_before, index}, {}, ".index");
    y = step.Emit("where", {better, before, y}, {}, ".y");
  }
  ASSIGN_OR_RETURN(Tensor * values, y);
  ASSIGN_OR_RETURN(Tensor * indices, index);
  return node.SetOutputs({Value::Of(values), Value::Of(indices, false)});
}

constexpr OpMapping kScanMappings[] = {
    {"aten::logcumsumexp", 2, MapLogCumSumExp},
    {"aten::cumprod", 2, MapCumProd},
    {"aten::cummax", 2, MapCumExtremum},
    {"aten::cummin", 2, MapCumExtremum},
};

}  // namespace

absl::Span<const OpMapping> ScanMappings() { return kScanMappings; }

}  // namespace synap_internal::torchscript_import
