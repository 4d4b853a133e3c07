#include "compiler/import/emit/diagonal.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace synap_internal {
namespace {

using Dims = std::vector<int64_t>;

absl::Status CheckMatrices(const Shape& x) {
  if (x.rank() >= 2) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("its input is ", x.ToString(), ", expected 2 dimensions or more"));
}

}  // namespace

int64_t DiagonalLength(int64_t rows, int64_t columns, int64_t k) {
  if (k >= columns || k <= -rows) return 0;
  return k >= 0 ? std::min(rows, columns - k) : std::min(rows + k, columns);
}

Emitted EmitDiagonalMask(OpEmitter& op, int64_t rows, int64_t columns,
                         absl::FunctionRef<bool(int64_t k)> is_set, absl::string_view suffix) {
  const TensorType type{DataType::kBool, Shape({rows, columns}), {}};
  RETURN_IF_ERROR(type.shape.Validate());
  RETURN_IF_ERROR(op.builder().Charge(type.bytes()));
  std::vector<uint8_t> bytes(static_cast<size_t>(type.bytes()));
  for (int64_t i = 0; i < type.bytes(); ++i) {
    bytes[static_cast<size_t>(i)] = is_set(i % columns - i / columns);
  }
  return op.Bools(type.shape, std::move(bytes), suffix);
}

Emitted EmitTriangle(OpEmitter& op, Tensor* x, int64_t k, Triangle triangle) {
  const Shape& s = x->type.shape;
  RETURN_IF_ERROR(CheckMatrices(s));
  const bool upper = triangle == Triangle::kUpper;
  const Emitted mask = EmitDiagonalMask(op, s[s.rank() - 2], s.back(),
                                        [&](int64_t at) { return upper ? at >= k : at <= k; });
  return op.Emit("where", {mask, x, op.Zeros({x->type.dtype, Shape(), {}}, ".zero")});
}

Emitted EmitDiagonal(OpEmitter& op, const Emitted& x, int64_t k, absl::string_view suffix) {
  RETURN_IF_ERROR(x.status());
  const Shape s = (*x)->type.shape;
  RETURN_IF_ERROR(CheckMatrices(s));
  const size_t last = s.rank() - 2;
  const int64_t rows = s[last], columns = s.back(), length = DiagonalLength(rows, columns, k);
  Dims dims(s.dims().begin(), s.dims().end() - 2);
  dims.push_back(rows * columns);
  Dims starts(dims.size(), 0), sizes = dims, steps(dims.size(), 1);
  // A row and a column from one element to the next.
  if (length > 0) starts.back() = k >= 0 ? k : -k * columns;
  sizes.back() = length;
  steps.back() = columns + 1;
  return op.Emit(
      "slice", {op.Reshape(x, std::move(dims), ".flat")},
      {{"starts", std::move(starts)}, {"sizes", std::move(sizes)}, {"steps", std::move(steps)}},
      suffix);
}

Emitted EmitDiagonalMatrix(OpEmitter& op, Tensor* x, int64_t k, absl::string_view suffix) {
  const Shape s = x->type.shape;
  if (s.rank() == 0 || k > Shape::kMaxElements || k < -Shape::kMaxElements) {
    return absl::InvalidArgumentError(absl::StrCat("it makes ", s.ToString(), " diagonal ", k,
                                                   " of a matrix, expected 1 dimension or more "
                                                   "and at most 2^40 columns"));
  }
  const int64_t added = k >= 0 ? k : -k, m = s.back() + added;
  // Above the main diagonal element i is in row i, below it in column i.
  Dims pads(2 * s.rank(), 0);
  pads.back() = added;
  const Emitted padded =
      added == 0 ? x : op.Emit("pad", {x}, {{"pads", std::move(pads)}}, ".padded");
  Dims dims(s.dims().begin(), s.dims().end() - 1);
  dims.insert(dims.end(), {k >= 0 ? m : 1, k >= 0 ? 1 : m});
  const Emitted mask = EmitDiagonalMask(op, m, m, [&](int64_t at) { return at == k; });
  return op.Emit("where",
                 {mask, op.Reshape(padded, std::move(dims), ".placed"),
                  op.Zeros({x->type.dtype, Shape(), {}}, ".zero")},
                 {}, suffix);
}

}  // namespace synap_internal
