#include "kernels/scatter/scatter.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "kernels/shared/data_movement/data_movement.h"

namespace synap_internal {
namespace {

using scatter::Plan;
using scatter::Reduction;

// scatter_c4.
absl::StatusOr<Reduction> ReadReduction(const Attributes& attributes) {
  constexpr std::pair<absl::string_view, Reduction> kReductions[] = {
      {"none", Reduction::kNone}, {"add", Reduction::kAdd}, {"mul", Reduction::kMul},
      {"max", Reduction::kMax},   {"min", Reduction::kMin},
  };
  AttributeReader reader(attributes);
  const std::string given = reader.String("reduction", "none");
  RETURN_IF_ERROR(reader.Finish());
  for (const auto& [name, reduction] : kReductions) {
    if (name == given) return reduction;
  }
  return absl::InvalidArgumentError(
      absl::StrCat("reduction is '", given, "', expected none, add, mul, max or min (scatter_c4)"));
}

absl::Status CheckUpdates(const TensorType& x, const Shape& indices, const TensorType& updates) {
  std::vector<int64_t> dims = indices.dims();
  dims.insert(dims.end(), x.shape.dims().begin() + 1, x.shape.dims().end());
  const Shape expected(std::move(dims));
  if (updates.dtype == x.dtype && updates.shape == expected) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("updates are ", Name(updates.dtype), " ", updates.shape.ToString(),
                   ", expected ", Name(x.dtype), " ", expected.ToString(), " (scatter_c2)"));
}

absl::StatusOr<std::vector<TensorType>> Infer(const InferContext& context) {
  const TensorType& x = context.inputs[0];
  const TensorType& indices = context.inputs[1];
  if (indices.dtype != DataType::kInt64 || x.shape.rank() == 0) {
    return absl::InvalidArgumentError(absl::StrCat("indices are ", Name(indices.dtype),
                                                   " and x is ", x.shape.ToString(),
                                                   ", expected int64 and rank 1 or more "
                                                   "(scatter_c1)"));
  }
  RETURN_IF_ERROR(CheckUpdates(x, indices.shape, context.inputs[2]));
  RETURN_IF_ERROR(ReadReduction(context.attributes).status());
  RETURN_IF_ERROR(RejectPerChannel(x));  // scatter_c6
  if (x.shape[0] == 0 && indices.shape.elements() > 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("x of shape ", x.shape.ToString(),
                     " has no slices to replace, expected one or more (scatter_c5)"));
  }
  return std::vector<TensorType>{{x.dtype, x.shape, x.quant}};
}

// scatter_c3.
absl::Status CheckConstant(const Plan& plan, const int64_t* indices) {
  for (int64_t i = 0; i < plan.count; ++i) {
    if (indices[i] >= -plan.extent && indices[i] < plan.extent) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("index ", indices[i], " is outside of the extent ", plan.extent, ", expected ",
                     -plan.extent, " to ", plan.extent - 1, " (scatter_c3)"));
  }
  return absl::OkStatus();
}

absl::StatusOr<Kernel> Prepare(const PrepareContext& context) {
  RETURN_IF_ERROR(CheckStoredAlike(context));
  const TensorType& x = context.inputs[0];
  Plan plan{.type = x.dtype,
            .extent = x.shape[0],
            .count = context.inputs[1].shape.elements(),
            .run = x.shape.Product(1, x.shape.rank())};
  ASSIGN_OR_RETURN(plan.reduction, ReadReduction(context.attributes));
  const bool combines =
      x.dtype == DataType::kFloat32 || x.dtype == DataType::kInt32 || x.dtype == DataType::kInt64;
  if (plan.reduction != Reduction::kNone && !combines) {
    return absl::UnimplementedError(absl::StrCat("no kernel for a reduction of ", Name(x.dtype)));
  }
  if (context.inputs[2].quant != x.quant) {
    return absl::UnimplementedError("no kernel for updates with a quantizer of their own");
  }
  if (context.constants.size() > 1 && context.constants[1] != nullptr) {
    RETURN_IF_ERROR(CheckConstant(plan, static_cast<const int64_t*>(context.constants[1])));
  }
  return Kernel{[plan](const KernelArgs& args) { scatter::Reference(plan, args); }};
}

}  // namespace

absl::Span<const OpDef> ScatterOps() {
  static const auto* const ops = new std::vector<OpDef>{OpDef{
      .name = "scatter",
      .operands = {OperandRole::kActivation, OperandRole::kIndex, OperandRole::kActivation},
      .required = 3,
      .own_types = OwnTypes::kAny,
      .infer = &Infer,
      .prepare = &Prepare,
      .quant_rule = QuantRule::kSameAsInput,
      .in_place = true,
  }};
  return *ops;
}

}  // namespace synap_internal
