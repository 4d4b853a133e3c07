// Operators that are defined by the diagonals of a matrix.
#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/constant_operand.h"
#include "compiler/import/onnx/op_table.h"

namespace synap_internal::onnx_import {
namespace {

// bool [rows, columns]: is_set(column - row).
template <typename F>
absl::StatusOr<Tensor*> DiagonalMask(NodeContext& node, int64_t rows, int64_t columns, F is_set) {
  const TensorType type{DataType::kBool, Shape({rows, columns}), {}};
  RETURN_IF_ERROR(node.builder().Charge(type.bytes()));
  std::vector<uint8_t> bytes(static_cast<size_t>(type.bytes()));
  for (int64_t i = 0; i < type.bytes(); ++i) {
    bytes[static_cast<size_t>(i)] = is_set(i % columns - i / columns);
  }
  return node.builder().graph().AddConstant(node.Name(".mask"), type,
                                            Constant::Own(std::move(bytes)));
}

// 0 of a type, rank 0.
Tensor* Zero(NodeContext& node, DataType type) {
  return node.builder().graph().AddConstant(node.Name(".zero"), {type, Shape(), {}},
                                            Constant::Own(std::vector<uint8_t>(SizeOf(type), 0)));
}

// Keeps the elements on and above (or below) diagonal k of the last two dimensions.
absl::Status MapTrilu(NodeContext& node) {
  const Shape& x = node.shape(0);
  if (x.rank() < 2) {
    return absl::InvalidArgumentError(
        absl::StrCat("its input is ", x.ToString(), ", expected 2 dimensions or more"));
  }
  int64_t k = 0;
  if (node.HasInput(1)) {
    ASSIGN_OR_RETURN(k, node.ConstantInt(1, "k"));
  }
  const bool upper = node.Int("upper", 1) != 0;
  ASSIGN_OR_RETURN(Tensor * mask, DiagonalMask(node, x[x.rank() - 2], x.back(), [&](int64_t at) {
                     return upper ? at >= k : at <= k;
                   }));
  Tensor* zero = Zero(node, node.input(0)->type.dtype);
  return node.SetOutput(node.Emit("where", {mask, node.input(0), zero}));
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
  ASSIGN_OR_RETURN(Tensor * mask,
                   DiagonalMask(node, x[0], x[1], [&](int64_t at) { return at == k; }));
  return node.SetOutput(node.Cast(mask, type));
}

constexpr OpMapping kMaskMappings[] = {
    {"Trilu", 1, 2, MapTrilu, "a constant 'k'"},
    {"EyeLike", 1, 1, MapEyeLike, "numbers and bool, of 8 bits or more"},
};

}  // namespace

absl::Span<const OpMapping> MaskMappings() { return kMaskMappings; }

}  // namespace synap_internal::onnx_import
