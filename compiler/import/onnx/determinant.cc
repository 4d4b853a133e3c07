// Det, expanded into products.
#include <cstdint>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/emit/slice.h"
#include "compiler/import/onnx/op_table.h"

namespace synap_internal::onnx_import {
namespace {

// The expansion of n rows has about n 2^(n-1) products.
constexpr int64_t kMaxRows = 6;

using Matrix = std::vector<std::vector<Tensor*>>;

// The elements of the square matrices in the last two dimensions, each of the shape of the others.
absl::StatusOr<Matrix> ElementsOf(NodeContext& node, Tensor* x) {
  const size_t rows_axis = x->type.shape.rank() - 2;
  Matrix elements;
  for (int64_t i = 0; i < x->type.shape.back(); ++i) {
    const UnrolledStep step(node.state(), i);
    ASSIGN_OR_RETURN(Tensor * row, EmitElement(node, x, rows_axis, i, ".row"));
    elements.emplace_back();
    for (int64_t j = 0; j < x->type.shape.back(); ++j) {
      const UnrolledStep column(node.state(), j);
      ASSIGN_OR_RETURN(Tensor * element, EmitElement(node, row, rows_axis, j, ".element"));
      elements.back().push_back(element);
    }
  }
  return elements;
}

int CountBits(uint32_t set) {
  int count = 0;
  for (; set != 0; set &= set - 1) ++count;
  return count;
}

// The determinant of the lowest rows, as many as there are columns in the set, by those of one row
// less (Laplace's expansion).
absl::StatusOr<Tensor*> Expanded(NodeContext& node, const std::vector<Tensor*>& row,
                                 uint32_t columns, const std::vector<Tensor*>& minors) {
  const UnrolledStep step(node.state(), columns);
  Tensor* sum = nullptr;
  bool negative = false;
  for (size_t c = 0; c < row.size(); ++c) {
    const uint32_t column = uint32_t{1} << c;
    if ((columns & column) == 0) continue;
    const UnrolledStep term(node.state(), static_cast<int64_t>(c));
    ASSIGN_OR_RETURN(Tensor * product,
                     node.Emit("mul", {row[c], minors[columns ^ column]}, {}, ".product"));
    if (sum != nullptr) {
      ASSIGN_OR_RETURN(product, node.Emit(negative ? "sub" : "add", {sum, product}, {}, ".sum"));
    }
    sum = product;
    negative = !negative;
  }
  return sum;
}

absl::Status MapDet(NodeContext& node) {
  Tensor* x = node.input(0);
  const Shape& shape = x->type.shape;
  if (shape.rank() < 2 || shape[shape.rank() - 2] != shape.back() || shape.back() == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("its input is ", shape.ToString(),
                     ", expected square matrices in the last two dimensions"));
  }
  const auto rows = static_cast<size_t>(shape.back());
  if (shape.back() > kMaxRows) {
    return absl::UnimplementedError(absl::StrCat("its matrices have ", rows, " rows"));
  }
  ASSIGN_OR_RETURN(const Matrix elements, ElementsOf(node, x));
  // By the set of columns, each a bit: subsets come first.
  std::vector<Tensor*> minors(size_t{1} << rows, nullptr);
  for (uint32_t columns = 1; columns < minors.size(); ++columns) {
    const std::vector<Tensor*>& row = elements[rows - static_cast<size_t>(CountBits(columns))];
    if ((columns & (columns - 1)) == 0) {
      for (size_t c = 0; c < rows; ++c) {
        if (columns == uint32_t{1} << c) minors[columns] = row[c];
      }
      continue;
    }
    ASSIGN_OR_RETURN(minors[columns], Expanded(node, row, columns, minors));
  }
  return node.SetOutput(minors.back());
}

constexpr OpMapping kDeterminantMappings[] = {
    {"Det", 1, 1, MapDet, "matrices of at most 6 rows"},
};

}  // namespace

absl::Span<const OpMapping> DeterminantMappings() { return kDeterminantMappings; }

}  // namespace synap_internal::onnx_import
