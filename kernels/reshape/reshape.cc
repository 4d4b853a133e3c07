#include "kernels/reshape/reshape.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "kernels/attributes.h"
#include "kernels/shared/data_movement/data_movement.h"

namespace synap_internal {
namespace {

absl::StatusOr<std::vector<TensorType>> InferReshape(const InferContext& context) {
  AttributeReader reader(context.attributes);
  const Shape shape(reader.RequiredInts("shape", -1));
  RETURN_IF_ERROR(reader.Finish());
  const TensorType& x = context.inputs[0];
  RETURN_IF_ERROR(shape.Validate());  // reshape_c1
  if (shape.elements() != x.shape.elements()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "can't reshape ", x.shape.ToString(), " (", x.shape.elements(), " elements) to ",
        shape.ToString(), " (", shape.elements(), "), expected as many elements"));
  }
  RETURN_IF_ERROR(RejectPerChannel(x));  // reshape_c2
  return std::vector<TensorType>{{x.dtype, shape, x.quant}};
}

absl::StatusOr<Kernel> PrepareReshape(const PrepareContext& context) {
  RETURN_IF_ERROR(CheckStoredAlike(context));
  Kernel kernel;
  kernel.run = [bytes = context.inputs[0].bytes()](const KernelArgs& args) {
    const uint8_t* input = args.input<uint8_t>(0);
    uint8_t* output = args.output<uint8_t>(0);
    if (input == output) return;
    const int64_t tasks = (bytes + kCopyTaskBytes - 1) / kCopyTaskBytes;
    args.pool->ParallelFor(tasks, [&](int64_t task, int) {
      const int64_t begin = task * kCopyTaskBytes;
      std::memcpy(output + begin, input + begin,
                  static_cast<size_t>(std::min(kCopyTaskBytes, bytes - begin)));
    });
  };
  return kernel;
}

OpCost CostOfReshape(absl::Span<const TensorType>, absl::Span<const TensorType>) { return {}; }

}  // namespace

absl::Span<const OpDef> ReshapeOps() {
  static const auto* const ops = new std::vector<OpDef>{{
      .name = "reshape",
      .operands = {OperandRole::kActivation},
      .own_types = OwnTypes::kAny,
      .infer = InferReshape,
      .prepare = PrepareReshape,
      .cost = CostOfReshape,
      .quant_rule = QuantRule::kSameAsInput,
      .in_place = true,
      .movement = Movement::kReshape,
      .is_identity = [](absl::Span<const TensorType>, const Attributes&) { return true; },
      .picks_values = [](const Attributes&) { return true; },
  }};
  return *ops;
}

}  // namespace synap_internal
