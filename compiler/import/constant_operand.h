// Values of operands that must be known when a model is imported: shapes, axes, conditions.
#ifndef COMPILER_IMPORT_CONSTANT_OPERAND_H_
#define COMPILER_IMPORT_CONSTANT_OPERAND_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "compiler/graph/graph.h"

namespace synap_internal {

// `what`: the operand's name in the framework's documentation; it stands in the errors.
// Unimplemented if the tensor is computed from the network's inputs (NotConstant); InvalidArgument
// if it is of another type, or not of one element where one value is read.
absl::StatusOr<std::vector<int64_t>> ConstantInts(const Tensor& tensor, absl::string_view what);
absl::StatusOr<int64_t> ConstantInt(const Tensor& tensor, absl::string_view what);
absl::StatusOr<bool> ConstantBool(const Tensor& tensor, absl::string_view what);
// float32, or quantized values as the numbers that they stand for.
absl::StatusOr<std::vector<float>> ConstantFloats(const Tensor& tensor, absl::string_view what);
// The same for one number, which may be an integer too.
absl::StatusOr<float> ConstantReal(const Tensor& tensor, absl::string_view what);

// "operand 'axes' must be constant, but 'x' is computed from the network's inputs"
absl::Status NotConstant(absl::string_view what, const Tensor& tensor);

}  // namespace synap_internal

#endif  // COMPILER_IMPORT_CONSTANT_OPERAND_H_
