#include "kernels/slice/slice.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "kernels/attributes.h"
#include "kernels/permuted_attributes.h"
#include "kernels/shared/data_movement/data_movement.h"
#include "kernels/shared/strided_copy/strided_copy.h"

namespace synap_internal {
namespace {

struct SliceAttributes {
  std::vector<int64_t> starts, sizes, steps;
};

absl::Status CheckDimension(int64_t extent, int64_t start, int64_t size, int64_t step) {
  if (size < 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("size ", size, " is negative, expected 0 or more"));
  }
  if (step == 0) {  // slice_c1
    return absl::InvalidArgumentError("step is 0, expected a positive or negative number");
  }
  if (size == 0) return absl::OkStatus();
  // slice_c2. The elements are distinct, so that size <= extent; a division by
  // the step can't overflow where a product could.
  bool inside = start >= 0 && start < extent && size <= extent;
  if (inside && size > 1) {
    const int64_t room = step > 0 ? extent - 1 - start : -start;
    inside = room / step >= size - 1;
  }
  if (inside) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("start ", start, ", size ", size, ", step ", step,
                                                 " reaches outside of the extent ", extent));
}

absl::StatusOr<SliceAttributes> ParseSlice(const Attributes& attributes, const Shape& shape) {
  const int rank = static_cast<int>(shape.rank());
  AttributeReader reader(attributes);
  SliceAttributes slice;
  slice.starts = reader.RequiredInts("starts", rank);
  slice.sizes = reader.RequiredInts("sizes", rank);
  slice.steps = reader.Ints("steps", rank, std::vector<int64_t>(shape.rank(), 1));
  RETURN_IF_ERROR(reader.Finish());
  for (size_t i = 0; i < shape.rank(); ++i) {
    RETURN_IF_ERROR(
        Annotate(CheckDimension(shape[i], slice.starts[i], slice.sizes[i], slice.steps[i]),
                 absl::StrCat("dimension ", i, " of ", shape.ToString())));
  }
  return slice;
}

absl::StatusOr<std::vector<TensorType>> InferSlice(const InferContext& context) {
  const TensorType& x = context.inputs[0];
  ASSIGN_OR_RETURN(const SliceAttributes slice, ParseSlice(context.attributes, x.shape));
  RETURN_IF_ERROR(RejectPerChannel(x));  // slice_c3
  return std::vector<TensorType>{{x.dtype, Shape(slice.sizes), x.quant}};
}

absl::StatusOr<Kernel> PrepareSlice(const PrepareContext& context) {
  RETURN_IF_ERROR(CheckStoredAlike(context));
  const TensorType& x = context.inputs[0];
  ASSIGN_OR_RETURN(const SliceAttributes slice, ParseSlice(context.attributes, x.shape));
  StridedCopy copy{SizeOf(x.dtype), slice.sizes, DenseStrides(x.shape)};
  if (copy.elements() == 0) return StridedCopyKernel(copy, context.path);
  for (size_t i = 0; i < slice.sizes.size(); ++i) {
    copy.offset += slice.starts[i] * copy.strides[i];
    // With one element the step has no effect (and might be huge).
    copy.strides[i] *= slice.sizes[i] == 1 ? 1 : slice.steps[i];
  }
  return StridedCopyKernel(copy, context.path);
}

// A slice of the operand's shape holds everything, unless it runs backwards.
bool IsIdentity(absl::Span<const TensorType>, const Attributes& attributes) {
  const std::vector<int64_t> steps = AttributeReader(attributes).Ints("steps", -1, {});
  return std::all_of(steps.begin(), steps.end(), [](int64_t step) { return step > 0; });
}

std::optional<std::vector<int64_t>> SinkTranspose(absl::Span<const int64_t> perm,
                                                  Attributes& attributes) {
  for (const char* name : {"starts", "sizes", "steps"}) PermuteValues(perm, name, 1, attributes);
  return std::vector<int64_t>(perm.begin(), perm.end());
}

}  // namespace

absl::Span<const OpDef> SliceOps() {
  static const auto* const ops = new std::vector<OpDef>{{
      .name = "slice",
      .operands = {OperandRole::kActivation},
      .own_types = OwnTypes::kAny,
      .infer = InferSlice,
      .prepare = PrepareSlice,
      .quant_rule = QuantRule::kSameAsInput,
      .movement = Movement::kSlice,
      .is_identity = IsIdentity,
      .picks_values = [](const Attributes&) { return true; },
      .sink_transpose = SinkTranspose,
  }};
  return *ops;
}

}  // namespace synap_internal
