#include "kernels/expand/expand.h"

#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "kernels/attributes.h"
#include "kernels/shared/data_movement/data_movement.h"
#include "kernels/shared/strided_copy/strided_copy.h"

namespace synap_internal {
namespace {

absl::StatusOr<std::vector<TensorType>> InferExpand(const InferContext& context) {
  AttributeReader reader(context.attributes);
  const Shape shape(reader.RequiredInts("shape", -1));
  RETURN_IF_ERROR(reader.Finish());
  const TensorType& x = context.inputs[0];
  RETURN_IF_ERROR(shape.Validate());
  bool fits = shape.rank() >= x.shape.rank();  // expand_c1
  for (size_t i = 0; fits && i < x.shape.rank(); ++i) {
    const int64_t extent = x.shape[x.shape.rank() - 1 - i];
    fits = extent == 1 || extent == shape[shape.rank() - 1 - i];  // expand_c2
  }
  if (!fits) {
    return absl::InvalidArgumentError(
        absl::StrCat("can't expand ", x.shape.ToString(), " to ", shape.ToString(),
                     ", expected dimensions of 1 or equal ones, aligned at the last"));
  }
  RETURN_IF_ERROR(RejectPerChannel(x));  // expand_c3
  return std::vector<TensorType>{{x.dtype, shape, x.quant}};
}

absl::StatusOr<Kernel> PrepareExpand(const PrepareContext& context) {
  RETURN_IF_ERROR(CheckStoredAlike(context));
  const TensorType& x = context.inputs[0];
  const Shape& shape = context.outputs[0].shape;
  const std::vector<int64_t> strides = DenseStrides(x.shape);
  StridedCopy copy{SizeOf(x.dtype), shape.dims(), std::vector<int64_t>(shape.rank())};
  const size_t added = shape.rank() - x.shape.rank();
  for (size_t i = 0; i < x.shape.rank(); ++i) {
    if (x.shape[i] != 1) copy.strides[added + i] = strides[i];
  }
  return StridedCopyKernel(copy, context.path);
}

}  // namespace

absl::Span<const OpDef> ExpandOps() {
  static const auto* const ops = new std::vector<OpDef>{{
      .name = "expand",
      .operands = {OperandRole::kActivation},
      .own_types = OwnTypes::kAny,
      .infer = InferExpand,
      .prepare = PrepareExpand,
      .quant_rule = QuantRule::kSameAsInput,
      .movement = Movement::kBroadcast,
      .is_identity = [](absl::Span<const TensorType>, const Attributes&) { return true; },
      .picks_values = [](const Attributes&) { return true; },
  }};
  return *ops;
}

}  // namespace synap_internal
