#include "kernels/grid_sample/grid_sample.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"

namespace synap_internal {
namespace {

using grid_sample::Mode;
using grid_sample::Padding;
using grid_sample::Plan;

constexpr int64_t kBlock = 16384;  // elements of a task

template <typename T, size_t kCount>
absl::StatusOr<T> Choose(const std::pair<absl::string_view, T> (&choices)[kCount],
                         absl::string_view attribute, const std::string& value) {
  std::vector<absl::string_view> names;
  for (const auto& [name, choice] : choices) {
    if (name == value) return choice;
    names.push_back(name);
  }
  return absl::InvalidArgumentError(absl::StrCat(attribute, " is '", value, "', expected one of ",
                                                 absl::StrJoin(names, ", "), " (grid_sample_c3)"));
}

absl::StatusOr<Plan> ReadPlan(const Attributes& attributes) {
  constexpr std::pair<absl::string_view, Mode> kModes[] = {
      {"bilinear", Mode::kBilinear}, {"nearest", Mode::kNearest}, {"bicubic", Mode::kBicubic}};
  constexpr std::pair<absl::string_view, Padding> kPaddings[] = {
      {"zeros", Padding::kZeros},
      {"border", Padding::kBorder},
      {"reflection", Padding::kReflection}};
  AttributeReader reader(attributes);
  const std::string mode = reader.String("mode", "bilinear");
  const std::string padding = reader.String("padding", "zeros");
  Plan plan;
  plan.align_corners = reader.Int("align_corners", 0) != 0;
  RETURN_IF_ERROR(reader.Finish());
  ASSIGN_OR_RETURN(plan.mode, Choose(kModes, "mode", mode));
  ASSIGN_OR_RETURN(plan.padding, Choose(kPaddings, "padding", padding));
  return plan;
}

absl::StatusOr<std::vector<TensorType>> Infer(const InferContext& context) {
  const TensorType& x = context.inputs[0];
  const TensorType& grid = context.inputs[1];
  const bool known = x.dtype == DataType::kFloat32 || x.dtype == DataType::kUint8;
  if (!known || x.shape.rank() != 4 || x.shape[1] == 0 || x.shape[2] == 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "x is ", Name(x.dtype), " ", x.shape.ToString(),
        ", expected float32 or uint8 [N, H, W, C] of a pixel or more (grid_sample_c1)"));
  }
  const Shape& g = grid.shape;
  if (grid.dtype != x.dtype || g.rank() != 4 || g[0] != x.shape[0] || g[3] != 2) {
    return absl::InvalidArgumentError(
        absl::StrCat("grid is ", Name(grid.dtype), " ", g.ToString(), " for x of ", Name(x.dtype),
                     " ", x.shape.ToString(), ", expected [N, OH, OW, 2] (grid_sample_c2)"));
  }
  RETURN_IF_ERROR(ReadPlan(context.attributes).status());
  const Shape out({g[0], g[1], g[2], x.shape[3]});
  RETURN_IF_ERROR(out.Validate());
  return std::vector<TensorType>{{x.dtype, out, {}}};
}

absl::StatusOr<Kernel> Prepare(const PrepareContext& context) {
  const TensorType& x = context.inputs[0];
  const TensorType& out = context.outputs[0];
  if (x.dtype != DataType::kFloat32 || out.dtype != DataType::kFloat32) {
    return absl::UnimplementedError(
        absl::StrCat("no kernel for ", Name(x.dtype), " to ", Name(out.dtype)));
  }
  ASSIGN_OR_RETURN(Plan plan, ReadPlan(context.attributes));
  plan.height = x.shape[1];
  plan.width = x.shape[2];
  plan.channels = x.shape[3];
  plan.image_pixels = out.shape[1] * out.shape[2];
  const int64_t pixels = out.shape[0] * plan.image_pixels;
  const int64_t block = std::max<int64_t>(1, kBlock / std::max<int64_t>(1, plan.channels));
  return Kernel{[plan, pixels, block](const KernelArgs& args) {
    args.pool->ParallelFor((pixels + block - 1) / block, [&](int64_t task, int) {
      grid_sample::Reference(plan, args, task * block, std::min(pixels, (task + 1) * block));
    });
  }};
}

OpCost Cost(absl::Span<const TensorType>, absl::Span<const TensorType> outputs) {
  return {.macs = 4 * outputs[0].shape.elements(), .ops = 0};
}

}  // namespace

absl::Span<const OpDef> GridSampleOps() {
  static const auto* const ops = new std::vector<OpDef>{OpDef{
      .name = "grid_sample",
      .operands = {OperandRole::kActivation, OperandRole::kActivation},
      .required = 2,
      .infer = &Infer,
      .prepare = &Prepare,
      .cost = &Cost,
  }};
  return *ops;
}

}  // namespace synap_internal
