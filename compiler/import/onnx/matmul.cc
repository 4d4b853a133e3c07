// Gemm and MatMul.
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/onnx/op_table.h"

namespace synap_internal::onnx_import {
namespace {

// Weights of a quantized model are constants behind a dequantize.
bool IsConstant(const Tensor& tensor) {
  const Op* producer = tensor.producer;
  return tensor.is_constant() ||
         (producer != nullptr && producer->Is(TypeConversion::kDequantize) &&
          producer->inputs[0]->is_constant());
}

// The bias of fully_connected if C is a constant that is the same for each row
// of the output [M,N]; else null.
absl::StatusOr<Tensor*> RowBias(NodeContext& node, Tensor* c, int64_t columns) {
  const Shape& s = c->type.shape;
  const int64_t elements = s.elements();
  const bool row = s.rank() == 0 || s.back() == elements;
  if (!c->is_constant() || !row || (elements != columns && elements != 1)) return nullptr;
  ASSIGN_OR_RETURN(Tensor * bias, node.Reshape(c, {elements}, ".bias"));
  if (elements == columns) return bias;
  return node.Emit("expand", {bias}, {{"shape", std::vector<int64_t>{columns}}}, ".bias");
}

absl::Status MapGemm(NodeContext& node) {
  node.IgnoreAttribute("broadcast");  // of opset 6: C's shape says the same
  Tensor *a = node.input(0), *b = node.input(1), *c = node.input(2);
  if (node.shape(0).rank() != 2 || node.shape(1).rank() != 2) {
    return absl::InvalidArgumentError(absl::StrCat("its operands ", node.shape(0).ToString(),
                                                   " and ", node.shape(1).ToString(),
                                                   " should be matrices"));
  }
  if (node.Int("transA", 0) != 0) {
    ASSIGN_OR_RETURN(a, node.Transpose(a, {1, 0}, ".a"));
  }
  const bool constant = IsConstant(*b);
  // fully_connected wants [N,K], matmul [K,N].
  if ((node.Int("transB", 0) != 0) != constant) {
    ASSIGN_OR_RETURN(b, node.Transpose(b, {1, 0}, ".b"));
  }
  ASSIGN_OR_RETURN(b, node.Scale(b, node.Float("alpha", 1), ".b"));
  const float beta = node.Float("beta", 1);
  std::vector<Tensor*> operands = {a, b};
  if (c != nullptr && beta != 0) {
    ASSIGN_OR_RETURN(c, node.Scale(c, beta, ".c"));
    if (constant) {
      ASSIGN_OR_RETURN(Tensor * bias, RowBias(node, c, b->type.shape[0]));
      if (bias != nullptr) {
        operands.push_back(bias);
        c = nullptr;
      }
    }
  } else {
    c = nullptr;
  }
  ASSIGN_OR_RETURN(Tensor * y, node.Emit(constant ? "fully_connected" : "matmul",
                                         std::move(operands), {}, c == nullptr ? "" : ".ab"));
  return node.SetOutput(c == nullptr ? y : node.Emit("add", {y, c}));
}

// A vector is a matrix of one row (a) or column (b), whose dimension goes again.
absl::Status MapVectorMatMul(NodeContext& node) {
  Tensor *a = node.input(0), *b = node.input(1);
  const bool row = a->type.shape.rank() == 1, column = b->type.shape.rank() == 1;
  if (row) {
    ASSIGN_OR_RETURN(a, node.Reshape(a, {1, a->type.shape[0]}, ".a"));
  }
  if (column) {
    ASSIGN_OR_RETURN(b, node.Reshape(b, {b->type.shape[0], 1}, ".b"));
  }
  ASSIGN_OR_RETURN(Tensor * y, node.Emit("matmul", {a, b}, {}, ".matrix"));
  std::vector<int64_t> dims = y->type.shape.dims();
  if (column) dims.pop_back();
  if (row) dims.erase(dims.end() - (column ? 1 : 2));
  return node.SetOutput(node.Reshape(y, std::move(dims)));
}

absl::Status MapMatMul(NodeContext& node) {
  const Shape a = node.shape(0), b = node.shape(1);
  if (a.rank() == 0 || b.rank() == 0) {
    return absl::InvalidArgumentError("its operands can't be scalars");
  }
  if (a.rank() == 1 || b.rank() == 1) return MapVectorMatMul(node);
  return node.SetOutput(node.Emit("matmul", {node.input(0), node.input(1)}));
}

constexpr OpMapping kMappings[] = {
    {"Gemm", 2, 3, MapGemm},
    {"MatMul", 2, 2, MapMatMul},
};

}  // namespace

absl::Span<const OpMapping> MatmulMappings() { return kMappings; }

}  // namespace synap_internal::onnx_import
