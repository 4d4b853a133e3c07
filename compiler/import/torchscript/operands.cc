#include "compiler/import/torchscript/operands.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/torchscript/scalar_type.h"

namespace synap_internal::torchscript_import {
namespace {

Emitted ExpandedOperand(NodeContext& node, Tensor* x, const std::vector<int64_t>& dims,
                        absl::string_view suffix) {
  if (x->type.shape.dims() == dims) return x;
  return node.Emit("expand", {x}, {{"shape", dims}}, suffix);
}

}  // namespace

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
  const Shape &a = x.a->type.shape, &b = x.b->type.shape;
  std::vector<int64_t> dims(std::max(a.rank(), b.rank()));
  for (size_t back = 1; back <= dims.size(); ++back) {
    const int64_t in_a = back <= a.rank() ? a[a.rank() - back] : 1;
    const int64_t in_b = back <= b.rank() ? b[b.rank() - back] : 1;
    if (in_a != in_b && in_a != 1 && in_b != 1) {
      return absl::InvalidArgumentError(absl::StrCat("its operands are ", a.ToString(), " and ",
                                                     b.ToString(),
                                                     ", expected equal dimensions "
                                                     "or dimensions of 1"));
    }
    dims[dims.size() - back] = in_a == 1 ? in_b : in_a;
  }
  ASSIGN_OR_RETURN(Tensor * left, ExpandedOperand(node, x.a, dims, ".a"));
  ASSIGN_OR_RETURN(Tensor * right, ExpandedOperand(node, x.b, dims, ".b"));
  return Operands{left, right};
}

}  // namespace synap_internal::torchscript_import
