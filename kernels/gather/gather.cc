#include "kernels/gather/gather.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/axes.h"
#include "base/status_macros.h"
#include "kernels/attributes.h"
#include "kernels/shared/data_movement/data_movement.h"

namespace synap_internal {
namespace {

// gather_c2.
absl::StatusOr<size_t> ParseAxis(const Attributes& attributes, size_t rank) {
  AttributeReader reader(attributes);
  const int64_t axis = reader.Int("axis", 0);
  RETURN_IF_ERROR(reader.Finish());
  ASSIGN_OR_RETURN(const int64_t resolved, ResolveAxis(axis, rank));
  return static_cast<size_t>(resolved);
}

absl::StatusOr<std::vector<TensorType>> InferGather(const InferContext& context) {
  const TensorType& x = context.inputs[0];
  const TensorType& indices = context.inputs[1];
  if (indices.dtype != DataType::kInt64 && indices.dtype != DataType::kInt32) {  // gather_c1
    return absl::InvalidArgumentError(
        absl::StrCat("indices are ", Name(indices.dtype), ", expected int64 or int32"));
  }
  ASSIGN_OR_RETURN(const size_t axis, ParseAxis(context.attributes, x.shape.rank()));
  RETURN_IF_ERROR(RejectPerChannel(x));                      // gather_c4
  if (x.shape[axis] == 0 && indices.shape.elements() > 0) {  // gather_c5
    return absl::InvalidArgumentError(
        absl::StrCat("axis ", axis, " of ", x.shape.ToString(),
                     " has no elements to gather, expected one or more"));
  }
  std::vector<int64_t> dims = x.shape.dims();
  const auto at = dims.erase(dims.begin() + static_cast<ptrdiff_t>(axis));
  dims.insert(at, indices.shape.dims().begin(), indices.shape.dims().end());
  const Shape shape(dims);
  RETURN_IF_ERROR(shape.Validate());
  return std::vector<TensorType>{{x.dtype, shape, x.quant}};
}

// gather_c3.
absl::Status CheckConstant(const GatherPlan& plan, const void* indices) {
  for (int64_t i = 0; i < plan.count; ++i) {
    const int64_t index = plan.wide ? static_cast<const int64_t*>(indices)[i]
                                    : static_cast<const int32_t*>(indices)[i];
    if (index < -plan.extent || index >= plan.extent) {
      return absl::InvalidArgumentError(absl::StrCat("index ", index, " is outside of the extent ",
                                                     plan.extent, ", expected ", -plan.extent,
                                                     " to ", plan.extent - 1));
    }
  }
  return absl::OkStatus();
}

// Copies `run` bytes; a constant for the runs of single elements, which would
// otherwise cost a call each.
template <int64_t kRun>
void CopyRun(uint8_t* output, const uint8_t* x, int64_t run) {
  std::memcpy(output, x, static_cast<size_t>(kRun == 0 ? run : kRun));
}

// Output slices [begin, end), counted over outer and count.
template <int64_t kRun>
void CopySlices(const GatherPlan& plan, int64_t begin, int64_t end, const KernelArgs& args) {
  const int64_t step = plan.extent * plan.run;
  const uint8_t* x = args.input<uint8_t>(0) + begin / plan.count * step;
  uint8_t* output = args.output<uint8_t>(0) + begin * plan.run;
  int64_t i = begin % plan.count;
  for (int64_t slice = begin; slice < end; ++slice, output += plan.run) {
    CopyRun<kRun>(output, x + plan.Position(args.inputs[1], i) * plan.run, plan.run);
    if (++i == plan.count) {
      i = 0;
      x += step;
    }
  }
}

using CopySlicesFunction = void (*)(const GatherPlan&, int64_t, int64_t, const KernelArgs&);

CopySlicesFunction ChooseCopy(int64_t run) {
  switch (run) {
    case 1:
      return CopySlices<1>;
    case 4:
      return CopySlices<4>;
    case 8:
      return CopySlices<8>;
    default:
      return CopySlices<0>;
  }
}

absl::StatusOr<Kernel> PrepareGather(const PrepareContext& context) {
  RETURN_IF_ERROR(CheckStoredAlike(context));
  const TensorType& x = context.inputs[0];
  ASSIGN_OR_RETURN(const size_t axis, ParseAxis(context.attributes, x.shape.rank()));
  const GatherPlan plan{
      .outer = x.shape.Product(0, axis),
      .extent = x.shape[axis],
      .count = context.inputs[1].shape.elements(),
      .run = x.shape.Product(axis + 1, x.shape.rank()) * static_cast<int64_t>(SizeOf(x.dtype)),
      .wide = context.inputs[1].dtype == DataType::kInt64};
  if (context.constants.size() > 1 && context.constants[1] != nullptr) {
    RETURN_IF_ERROR(CheckConstant(plan, context.constants[1]));
  }
  Kernel kernel;
  if (context.path == KernelPath::kReference) {
    kernel.run = [plan](const KernelArgs& args) { RunGatherReference(plan, args); };
    return kernel;
  }
  const int64_t slices = plan.outer * plan.count;
  const int64_t block = std::max<int64_t>(1, kCopyTaskBytes / std::max<int64_t>(1, plan.run));
  kernel.run = [plan, slices, block, copy = ChooseCopy(plan.run)](const KernelArgs& args) {
    args.pool->ParallelFor((slices + block - 1) / block, [&](int64_t task, int) {
      copy(plan, task * block, std::min(slices, (task + 1) * block), args);
    });
  };
  return kernel;
}

int64_t IndexCount(const TensorType& table, const Attributes& attributes) {
  const int64_t axis = AttributeReader(attributes).Int("axis", 0);
  return table.shape[AxisFromFront(axis, table.shape.rank())];
}

}  // namespace

absl::Span<const OpDef> GatherOps() {
  static const auto* const ops = new std::vector<OpDef>{{
      .name = "gather",
      .operands = {OperandRole::kActivation, OperandRole::kIndex},
      .required = 2,
      .own_types = OwnTypes::kAny,
      .infer = InferGather,
      .prepare = PrepareGather,
      .quant_rule = QuantRule::kSameAsInput,
      .picks_values = [](const Attributes&) { return true; },
      .index_count = IndexCount,
  }};
  return *ops;
}

}  // namespace synap_internal
