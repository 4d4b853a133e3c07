#include "compiler/import/torchscript/operands.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/emit/axes.h"
#include "compiler/import/emit/elementwise.h"
#include "compiler/import/emit/shape.h"
#include "compiler/import/torchscript/scalar_type.h"

namespace synap_internal::torchscript_import {

absl::StatusOr<Operands> GetOperands(NodeContext& node, size_t first) {
  Operands x;
  ASSIGN_OR_RETURN(x.a, node.GetNumbers(first));
  ASSIGN_OR_RETURN(x.b, node.GetNumbers(first + 1));
  return x;
}

absl::StatusOr<Operands> Promoted(NodeContext& node, Operands x, DataType least) {
  const DataType type = MoreGeneral(least, MoreGeneral(x.a->type.dtype, x.b->type.dtype));
  ASSIGN_OR_RETURN(x.a, node.Cast(x.a, type, ".a"));
  ASSIGN_OR_RETURN(x.b, node.Cast(x.b, type, ".b"));
  return x;
}

absl::StatusOr<Operands> GetPromoted(NodeContext& node, DataType least, size_t first) {
  ASSIGN_OR_RETURN(const Operands x, GetOperands(node, first));
  return Promoted(node, x, least);
}

Emitted GetRealTensor(NodeContext& node, size_t i) {
  return node.Cast(node.GetTensor(i), DataType::kFloat32, absl::StrCat(".real", i));
}

Emitted GetListOrMore(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, node.GetTensor(0));
  return x->type.shape.rank() == 0 ? node.Reshape(x, {1}, ".list") : x;
}

absl::StatusOr<ListAxis> GetListAxis(NodeContext& node, size_t axis_at, int64_t fallback) {
  ASSIGN_OR_RETURN(const Tensor* given, node.GetTensor(0));
  ListAxis along;
  along.scalar = given->type.shape.rank() == 0;
  ASSIGN_OR_RETURN(along.x, GetListOrMore(node));
  ASSIGN_OR_RETURN(const int64_t axis,
                   node.GetAxisOr(axis_at, along.x->type.shape.rank(), fallback));
  along.axis = static_cast<size_t>(axis);
  return along;
}

Emitted ScalarIfGiven(NodeContext& node, const ListAxis& along, const Emitted& y,
                      absl::string_view suffix) {
  return along.scalar ? node.Reshape(y, {}, suffix) : y;
}

Emitted AxisLast(NodeContext& node, const Emitted& x, size_t axis, absl::string_view suffix) {
  RETURN_IF_ERROR(x.status());
  const size_t rank = (*x)->type.shape.rank();
  if (axis + 1 == rank) return x;
  std::vector<int64_t> perm = AxesFrom(0, rank);
  perm.erase(perm.begin() + static_cast<ptrdiff_t>(axis));
  perm.push_back(static_cast<int64_t>(axis));
  return node.Transpose(x, std::move(perm), suffix);
}

std::vector<int64_t> OtherAxes(const Tensor& x, const std::vector<int64_t>& axes) {
  std::vector<int64_t> others;
  for (const int64_t axis : AxesFrom(0, x.type.shape.rank())) {
    if (std::find(axes.begin(), axes.end(), axis) == axes.end()) others.push_back(axis);
  }
  return others;
}

absl::Status SetExtremum(NodeContext& node, bool max) {
  ASSIGN_OR_RETURN(const Operands x, GetPromoted(node, DataType::kBool));
  if (x.dtype() == DataType::kBool) {
    return node.SetOutput(max ? EmitOr(node, x.a, x.b) : EmitAnd(node, x.a, x.b));
  }
  return node.SetOutput(node.Emit(max ? "maximum" : "minimum", {x.a, x.b}));
}

absl::StatusOr<Operands> Broadcast(NodeContext& node, const Operands& x) {
  ASSIGN_OR_RETURN(const std::vector<int64_t> dims,
                   BroadcastDims(x.a->type.shape, x.b->type.shape));
  ASSIGN_OR_RETURN(Tensor * left, EmitExpand(node, x.a, dims, ".a"));
  ASSIGN_OR_RETURN(Tensor * right, EmitExpand(node, x.b, dims, ".b"));
  return Operands{left, right};
}

}  // namespace synap_internal::torchscript_import
