// Operators that read or write a tensor's memory by strides of their own.
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "compiler/import/emit/indexing.h"
#include "compiler/import/emit/shape.h"
#include "compiler/import/emit/slice.h"
#include "compiler/import/torchscript/op_table.h"

namespace synap_internal::torchscript_import {
namespace {

using Dims = std::vector<int64_t>;

// Element [i, j, ...] is number offset + i * strides[0] + j * strides[1] + ... of the memory.
struct StridedPart {
  Shape shape;
  Dims strides;
  int64_t offset = 0;

  // Whether these are elements offset, offset + 1, ... in the order of the shape.
  bool IsRun() const {
    int64_t stride = 1;
    for (size_t d = shape.rank(); d-- > 0; stride *= shape[d]) {
      if (shape[d] > 1 && strides[d] != stride) return false;
    }
    return true;
  }

  Dims Positions() const {
    Dims positions(static_cast<size_t>(shape.elements()), offset);
    for (size_t i = 0; i < positions.size(); ++i) {
      auto rest = static_cast<int64_t>(i);
      for (size_t d = shape.rank(); d-- > 0; rest /= shape[d]) {
        positions[i] += rest % shape[d] * strides[d];
      }
    }
    return positions;
  }
};

// InvalidArgument for a part that isn't within `elements`.
absl::Status CheckInside(const StridedPart& part, int64_t elements) {
  if (part.shape.elements() == 0) return absl::OkStatus();
  int64_t left = elements - 1 - part.offset;
  bool inside = part.offset >= 0 && left >= 0;
  for (size_t d = 0; inside && d < part.shape.rank(); ++d) {
    const int64_t steps = part.shape[d] - 1;
    if (steps == 0) continue;
    inside = part.strides[d] >= 0 && part.strides[d] <= left / steps;
    if (inside) left -= steps * part.strides[d];
  }
  if (inside) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("its part ", part.shape.ToString(), " with strides [",
                   absl::StrJoin(part.strides, ", "), "] from element ", part.offset,
                   " on is outside of the ", elements, " elements of its input"));
}

// Unimplemented for a view whose elements may lie in memory in another order than its own.
absl::Status CheckContiguous(const Value& value) {
  const auto* variable = value.Get<std::shared_ptr<Variable>>();
  if (variable == nullptr || !(*variable)->is_strided) return absl::OkStatus();
  return absl::UnimplementedError(
      "its input is a view of a part of a tensor, or of a tensor in another order, or is computed "
      "of one, and the strides are those of that tensor's memory");
}

// Sizes, strides and the offset at argument `at` and the next ones, of the memory of `x`.
absl::StatusOr<StridedPart> ReadStridedPart(NodeContext& node, const Tensor& x, size_t at) {
  RETURN_IF_ERROR(CheckContiguous(node.argument(0)));
  ASSIGN_OR_RETURN(Dims sizes, node.GetInts(at));
  StridedPart part{Shape(std::move(sizes)), {}, 0};
  RETURN_IF_ERROR(part.shape.Validate());
  ASSIGN_OR_RETURN(part.strides, node.GetInts(at + 1));
  ASSIGN_OR_RETURN(part.offset, node.GetIntOr(at + 2, 0));
  if (part.strides.size() != part.shape.rank()) {
    return absl::InvalidArgumentError(absl::StrCat("it has ", part.strides.size(), " strides for ",
                                                   part.shape.rank(), " sizes, expected as many"));
  }
  RETURN_IF_ERROR(CheckInside(part, x.type.shape.elements()));
  return part;
}

Emitted StridedPositions(NodeContext& node, const StridedPart& part, Shape shape) {
  RETURN_IF_ERROR(node.builder().Charge(shape.elements() * int64_t{sizeof(int64_t)}));
  return node.Values(std::move(shape), part.Positions(), ".positions");
}

// (x, sizes, strides, offset)
absl::Status MapAsStrided(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, node.GetTensor(0));
  ASSIGN_OR_RETURN(const StridedPart part, ReadStridedPart(node, *x, 1));
  const Emitted memory = EmitFlat(node, x, ".memory");
  if (!part.IsRun()) {
    return node.SetOutput(EmitGather(node, memory, StridedPositions(node, part, part.shape), 0));
  }
  const Emitted run = EmitSlices(node, memory, {{part.offset, part.shape.elements(), 1}}, ".run");
  return node.SetOutput(node.Reshape(run, part.shape.dims()));
}

// (x, source, sizes, strides, offset)
absl::Status MapAsStridedScatter(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, node.GetTensor(0));
  ASSIGN_OR_RETURN(const StridedPart part, ReadStridedPart(node, *x, 2));
  const int64_t count = part.shape.elements();
  const Emitted memory = EmitFlat(node, x, ".memory");
  const Emitted typed = node.Cast(node.GetTensor(1), x->type.dtype, ".typed");
  const Emitted source = node.Reshape(typed, {count}, ".source");
  const Emitted y = EmitScatterSlices(node, memory, StridedPositions(node, part, Shape({count})),
                                      source, 0, "none", ".written");
  return node.SetOutput(node.Reshape(y, x->type.shape.dims()));
}

constexpr char kContiguous[] = "contiguous tensors";

constexpr OpMapping kStridedMappings[] = {
    {"aten::as_strided", 3, MapAsStrided, Result::kView, kContiguous},
    {"aten::as_strided_copy", 3, MapAsStrided, Result::kAlike, kContiguous},
    {"aten::as_strided_scatter", 4, MapAsStridedScatter, Result::kAlike, kContiguous},
};

}  // namespace

absl::Span<const OpMapping> StridedMappings() { return kStridedMappings; }

}  // namespace synap_internal::torchscript_import
