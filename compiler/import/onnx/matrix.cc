// Operators over the matrices in the last two dimensions: products, diagonals and determinants.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/constant_operand.h"
#include "compiler/import/emit/diagonal.h"
#include "compiler/import/emit/einsum.h"
#include "compiler/import/emit/matmul.h"
#include "compiler/import/emit/slice.h"
#include "compiler/import/onnx/op_table.h"

namespace synap_internal::onnx_import {
namespace {

// --- Products

// C as the bias of fully_connected if it is a constant that is the same for each row of the
// output [M,N]; else null.
Emitted RowBias(NodeContext& node, Tensor* c, int64_t columns) {
  const Shape& s = c->type.shape;
  const int64_t elements = s.elements();
  const bool row = s.rank() == 0 || s.back() == elements;
  if (!c->is_constant() || !row || (elements != columns && elements != 1)) return nullptr;
  Emitted bias = node.Reshape(c, {elements}, ".bias");
  if (elements == columns) return bias;
  return node.Emit("expand", {bias}, {{"shape", std::vector<int64_t>{columns}}}, ".bias");
}

absl::Status MapGemm(NodeContext& node) {
  node.IgnoreAttribute("broadcast");  // of opset 6: C's shape says the same
  RETURN_IF_ERROR(CheckMatrices(node.shape(0), node.shape(1)));
  Emitted a = node.input(0), b = node.input(1);
  if (node.Int("transA", 0) != 0) a = node.Transpose(a, {1, 0}, ".a");
  const bool constant = HoldsConstantWeights(*node.input(1));
  const bool transposed = node.Int("transB", 0) != 0;
  // fully_connected takes [N,K], matmul [K,N].
  if (transposed != constant) b = node.Transpose(b, {1, 0}, ".b");
  b = node.Scale(b, node.Float("alpha", 1), ".b");
  std::vector<Emitted> operands = {a, b};
  const float beta = node.Float("beta", 1);
  Tensor* c = nullptr;
  if (node.HasInput(2) && beta != 0) {
    ASSIGN_OR_RETURN(c, node.Scale(node.input(2), beta, ".c"));
  }
  if (c != nullptr && constant) {
    ASSIGN_OR_RETURN(Tensor * bias, RowBias(node, c, node.shape(1)[transposed ? 0 : 1]));
    if (bias != nullptr) {
      operands.push_back(bias);
      c = nullptr;
    }
  }
  const auto y =
      node.Emit(constant ? "fully_connected" : "matmul", operands, {}, c == nullptr ? "" : ".ab");
  return node.SetOutput(c == nullptr ? y : node.Emit("add", {y, c}));
}

absl::Status MapMatMul(NodeContext& node) {
  return node.SetOutput(EmitMatmul(node, node.input(0), node.input(1)));
}

absl::Status MapEinsum(NodeContext& node) {
  RETURN_IF_ERROR(CheckAllPresent(node.inputs()));
  // The result may be an operand as it is.
  return node.SetOutput(EmitEinsum(node, node.String("equation", ""), node.inputs()));
}

// --- Diagonals

// Keeps the elements on and above (or below) diagonal k of the last two dimensions.
absl::Status MapTrilu(NodeContext& node) {
  int64_t k = 0;
  if (node.HasInput(1)) {
    ASSIGN_OR_RETURN(k, node.ConstantInt(1, "k"));
  }
  const Triangle triangle = node.Int("upper", 1) != 0 ? Triangle::kUpper : Triangle::kLower;
  return node.SetOutput(EmitTriangle(node, node.input(0), k, triangle));
}

absl::Status MapEyeLike(NodeContext& node) {
  const Shape& x = node.shape(0);
  if (x.rank() != 2) {
    return absl::InvalidArgumentError(
        absl::StrCat("its input is ", x.ToString(), ", expected 2 dimensions"));
  }
  const int64_t k = node.Int("k", 0);
  DataType type = node.input(0)->type.dtype;
  if (node.HasAttribute("dtype")) {
    ASSIGN_OR_RETURN(type, ImportedDataType(static_cast<int>(node.Int("dtype", 0))));
  }
  const Emitted mask = EmitDiagonalMask(node, x[0], x[1], [&](int64_t at) { return at == k; });
  return node.SetOutput(node.Cast(mask, type));
}

// --- Determinants

// The expansion of n rows has about n 2^(n-1) products.
constexpr int64_t kMaxRows = 6;

using Matrix = std::vector<std::vector<Tensor*>>;

// The elements of the square matrices in the last two dimensions, each of the shape of the others.
absl::StatusOr<Matrix> ElementsOf(NodeContext& node, Tensor* x) {
  const size_t rows_axis = x->type.shape.rank() - 2;
  Matrix elements;
  for (int64_t i = 0; i < x->type.shape.back(); ++i) {
    const UnrolledStep step(node.state(), i);
    const auto row = EmitElement(node, x, rows_axis, i, ".row");
    elements.emplace_back();
    for (int64_t j = 0; j < x->type.shape.back(); ++j) {
      const UnrolledStep column(node.state(), j);
      ASSIGN_OR_RETURN(elements.back().emplace_back(),
                       EmitElement(node, row, rows_axis, j, ".element"));
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
Emitted Expanded(NodeContext& node, const std::vector<Tensor*>& row, uint32_t columns,
                 const std::vector<Tensor*>& minors) {
  const UnrolledStep step(node.state(), columns);
  Emitted sum = nullptr;
  int terms = 0;
  for (size_t c = 0; c < row.size(); ++c) {
    const uint32_t column = uint32_t{1} << c;
    if ((columns & column) == 0) continue;
    const UnrolledStep term(node.state(), static_cast<int64_t>(c));
    const auto product = node.Emit("mul", {row[c], minors[columns ^ column]}, {}, ".product");
    sum = terms == 0 ? product
                     : node.Emit(terms % 2 == 0 ? "add" : "sub", {sum, product}, {}, ".sum");
    ++terms;
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

constexpr OpMapping kMatrixMappings[] = {
    {"Einsum", 1, kAnyCount, MapEinsum},
    {"Gemm", 2, 3, MapGemm},
    {"MatMul", 2, 2, MapMatMul},
    {"Trilu", 1, 2, MapTrilu, "a constant 'k'"},
    {"EyeLike", 1, 1, MapEyeLike, "numbers and bool, of 8 bits or more"},
    {"Det", 1, 1, MapDet, "matrices of at most 6 rows"},
};

}  // namespace

absl::Span<const OpMapping> MatrixMappings() { return kMatrixMappings; }

}  // namespace synap_internal::onnx_import
