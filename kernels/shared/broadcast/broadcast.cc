#include "kernels/shared/broadcast/broadcast.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/check.h"

namespace synap_internal {
namespace {

// Dimension d of the output as the operand has it.
int64_t OperandDim(const Shape& output, const Shape& operand, size_t d) {
  const size_t missing = output.rank() - operand.rank();
  return d < missing ? 1 : operand[d - missing];
}

// Whether dimension d (stride `outer`) and the next one are one dimension in
// all operands: stepping once in d is stepping through the whole next one.
bool CanMerge(const BroadcastLoop& loop, int64_t dim, absl::Span<const int64_t> strides) {
  for (size_t k = 0; k < strides.size(); ++k) {
    if (loop.strides[k].back() != strides[k] * dim) return false;
  }
  return true;
}

}  // namespace

absl::StatusOr<Shape> BroadcastShapes(absl::Span<const Shape> shapes) {
  size_t rank = 0;
  for (const Shape& shape : shapes) rank = std::max(rank, shape.rank());
  Shape common(std::vector<int64_t>(rank, 1));
  for (const Shape& shape : shapes) {
    for (size_t d = rank - shape.rank(); d < rank; ++d) {
      const int64_t dim = shape[d - (rank - shape.rank())];
      if (dim == 1 || dim == common[d]) continue;
      if (common[d] != 1) {
        const auto text = [](std::string* out, const Shape& s) { out->append(s.ToString()); };
        return absl::InvalidArgumentError(absl::StrCat(
            "shapes ", absl::StrJoin(shapes, " and ", text), " can't be broadcast: dimension ", d,
            " is ", common[d], " in one and ", dim, " in another, expected the same number or 1"));
      }
      common[d] = dim;
    }
  }
  return common;
}

int64_t OperandIndex(const Shape& output, const Shape& operand, int64_t index) {
  int64_t operand_index = 0;
  int64_t stride = 1;
  for (size_t d = output.rank(); d-- > 0;) {
    const int64_t dim = OperandDim(output, operand, d);
    if (dim != 1) operand_index += index % output[d] * stride;
    index /= output[d];
    stride *= dim;
  }
  return operand_index;
}

BroadcastLoop MakeBroadcastLoop(const Shape& output, absl::Span<const Shape> operands) {
  CHECK(output.elements() > 0);
  // Strides of each dimension of the output; those of length 1 are left out.
  std::vector<int64_t> next(operands.size(), 1);
  std::vector<std::vector<int64_t>> strides;  // [dimension][operand], innermost first
  std::vector<int64_t> dims;
  for (size_t d = output.rank(); d-- > 0;) {
    std::vector<int64_t> row;
    for (size_t k = 0; k < operands.size(); ++k) {
      const int64_t dim = OperandDim(output, operands[k], d);
      row.push_back(dim == 1 ? 0 : next[k]);
      next[k] *= dim;
    }
    if (output[d] == 1) continue;
    dims.push_back(output[d]);
    strides.push_back(std::move(row));
  }
  if (dims.empty()) {
    dims.push_back(1);
    strides.emplace_back(operands.size(), 1);
  }
  BroadcastLoop loop;
  loop.strides.resize(operands.size());
  for (size_t d = dims.size(); d-- > 0;) {  // outermost first
    const bool merge = !loop.dims.empty() && CanMerge(loop, dims[d], strides[d]);
    if (!merge) loop.dims.push_back(dims[d]);
    if (merge) loop.dims.back() *= dims[d];
    for (size_t k = 0; k < operands.size(); ++k) {
      if (merge) loop.strides[k].pop_back();
      loop.strides[k].push_back(strides[d][k]);
    }
  }
  return loop;
}

}  // namespace synap_internal
