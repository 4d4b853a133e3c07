#include "compiler/import/torchscript/operands.h"

#include <cstdint>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
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

absl::StatusOr<Operands> Broadcast(NodeContext& node, const Operands& x) {
  ASSIGN_OR_RETURN(const std::vector<int64_t> dims,
                   BroadcastDims(x.a->type.shape, x.b->type.shape));
  ASSIGN_OR_RETURN(Tensor * left, EmitExpand(node, x.a, dims, ".a"));
  ASSIGN_OR_RETURN(Tensor * right, EmitExpand(node, x.b, dims, ".b"));
  return Operands{left, right};
}

}  // namespace synap_internal::torchscript_import
