#include "kernels/prelu/prelu.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "kernels/binary/binary.h"
#include "kernels/shared/broadcast/broadcast.h"

namespace synap_internal {
namespace {

absl::StatusOr<std::vector<TensorType>> Infer(const InferContext& context) {
  RETURN_IF_ERROR(AttributeReader(context.attributes).Finish());
  const TensorType& x = context.inputs[0];
  const TensorType& slope = context.inputs[1];
  const bool known = x.dtype == DataType::kFloat32 || x.dtype == DataType::kUint8;
  if (!known || slope.dtype != x.dtype) {
    return absl::InvalidArgumentError(
        absl::StrCat("x of type ", Name(x.dtype), " and slope of type ", Name(slope.dtype),
                     ", expected float32 or uint8 for both (prelu_c1)"));
  }
  const std::vector<Shape> shapes = {x.shape, slope.shape};
  const absl::StatusOr<Shape> common = BroadcastShapes(shapes);
  if (!common.ok() || *common != x.shape) {
    return absl::InvalidArgumentError(
        absl::StrCat("slope of shape ", slope.shape.ToString(), " for x of shape ",
                     x.shape.ToString(), ", expected one that broadcasts to x (prelu_c2)"));
  }
  return std::vector<TensorType>{{x.dtype, x.shape, {}}};
}

absl::StatusOr<Kernel> Prepare(const PrepareContext& context) {
  return PrepareBinary(BinaryFunction::kPrelu, Clamp(), context);
}

}  // namespace

absl::Span<const OpDef> PreluOps() {
  static const auto* const ops = new std::vector<OpDef>{OpDef{
      .name = "prelu",
      .operands = {OperandRole::kActivation, OperandRole::kWeight},
      .required = 2,
      .infer = &Infer,
      .prepare = &Prepare,
      .in_place = true,
      .elementwise = true,
      .stays_real = true,
  }};
  return *ops;
}

}  // namespace synap_internal
