#include "kernels/transpose/transpose.h"

#include <algorithm>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "kernels/attributes.h"
#include "kernels/shared/data_movement/data_movement.h"
#include "kernels/shared/strided_copy/strided_copy.h"

namespace synap_internal {
namespace {

// transpose_c1.
absl::StatusOr<std::vector<size_t>> ParsePerm(const Attributes& attributes, size_t rank) {
  AttributeReader reader(attributes);
  const std::vector<int64_t> perm = reader.RequiredInts("perm", static_cast<int>(rank));
  RETURN_IF_ERROR(reader.Finish());
  std::vector<int64_t> sorted = perm;
  std::sort(sorted.begin(), sorted.end());
  for (size_t i = 0; i < rank; ++i) {
    if (sorted[i] != static_cast<int64_t>(i)) {
      return absl::InvalidArgumentError(absl::StrCat("perm [", absl::StrJoin(perm, ", "),
                                                     "], expected each of the dimensions 0 to ",
                                                     rank - 1, " once"));
    }
  }
  return std::vector<size_t>(perm.begin(), perm.end());
}

absl::StatusOr<std::vector<TensorType>> InferTranspose(const InferContext& context) {
  const TensorType& x = context.inputs[0];
  ASSIGN_OR_RETURN(const std::vector<size_t> perm, ParsePerm(context.attributes, x.shape.rank()));
  TensorType output = x;
  for (size_t i = 0; i < perm.size(); ++i) {
    output.shape[i] = x.shape[perm[i]];
    if (static_cast<int64_t>(perm[i]) == x.quant.axis) output.quant.axis = static_cast<int32_t>(i);
  }
  if (x.quant.scheme != QuantScheme::kPerChannelSymmetric) output.quant = x.quant;
  return std::vector<TensorType>{output};
}

absl::StatusOr<Kernel> PrepareTranspose(const PrepareContext& context) {
  const TensorType& x = context.inputs[0];
  ASSIGN_OR_RETURN(const std::vector<TensorType> inferred,
                   InferTranspose({context.inputs, context.attributes}));
  RETURN_IF_ERROR(CheckStoredAs(context.outputs[0], inferred[0]));
  ASSIGN_OR_RETURN(const std::vector<size_t> perm, ParsePerm(context.attributes, x.shape.rank()));
  const std::vector<int64_t> strides = DenseStrides(x.shape);
  StridedCopy copy{SizeOf(x.dtype)};
  for (const size_t dim : perm) {
    copy.dims.push_back(x.shape[dim]);
    copy.strides.push_back(strides[dim]);
  }
  return StridedCopyKernel(copy, context.path);
}

bool IsIdentity(absl::Span<const TensorType>, const Attributes& attributes) {
  const std::vector<int64_t> perm = AttributeReader(attributes).RequiredInts("perm", -1);
  return std::is_sorted(perm.begin(), perm.end());
}

}  // namespace

absl::Span<const OpDef> TransposeOps() {
  static const auto* const ops = new std::vector<OpDef>{{
      .name = "transpose",
      .operands = {OperandRole::kActivation},
      .own_types = OwnTypes::kAny,
      .infer = InferTranspose,
      .prepare = PrepareTranspose,
      .quant_rule = QuantRule::kSameAsInput,
      .movement = Movement::kTranspose,
      .is_identity = IsIdentity,
      .picks_values = [](const Attributes&) { return true; },
  }};
  return *ops;
}

}  // namespace synap_internal
