#include "kernels/cumsum/cumsum.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/axes.h"
#include "base/status_macros.h"
#include "base/visit_type.h"

namespace synap_internal {
namespace {

constexpr int64_t kBlock = 16384;  // elements of a task

// x as [outer, length, inner], and the kind of sums.
struct CumulativeSum {
  int64_t outer = 0;
  int64_t length = 0;
  int64_t inner = 0;
  bool exclusive = false;
  bool reverse = false;
};

absl::StatusOr<CumulativeSum> ReadSum(const Shape& x, const Attributes& attributes) {
  AttributeReader reader(attributes);
  int64_t axis = reader.RequiredInt("axis");
  CumulativeSum sum;
  sum.exclusive = reader.Int("exclusive", 0) != 0;
  sum.reverse = reader.Int("reverse", 0) != 0;
  RETURN_IF_ERROR(reader.Finish());
  ASSIGN_OR_RETURN(axis, ResolveAxis(axis, x.rank()));  // cumsum_c2
  sum.outer = x.Product(0, static_cast<size_t>(axis));
  sum.length = x[static_cast<size_t>(axis)];
  sum.inner = x.Product(static_cast<size_t>(axis) + 1, x.rank());
  return sum;
}

absl::StatusOr<std::vector<TensorType>> Infer(const InferContext& context) {
  const TensorType& x = context.inputs[0];
  if (x.dtype != DataType::kFloat32 && x.dtype != DataType::kUint8 && x.dtype != DataType::kInt32 &&
      x.dtype != DataType::kInt64) {
    return absl::InvalidArgumentError(absl::StrCat(
        "x of type ", Name(x.dtype), ", expected float32, uint8, int32 or int64 (cumsum_c1)"));
  }
  RETURN_IF_ERROR(ReadSum(x.shape, context.attributes).status());
  return std::vector<TensorType>{{x.dtype, x.shape, {}}};
}

template <typename T>
Kernel MakeKernel(const CumulativeSum& sum) {
  return Kernel{[sum](const KernelArgs& args) {
    const int64_t rows = sum.outer * sum.inner;
    const int64_t block = std::max<int64_t>(1, kBlock / std::max<int64_t>(1, sum.length));
    const int64_t first = sum.reverse ? (sum.length - 1) * sum.inner : 0;
    const int64_t stride = sum.reverse ? -sum.inner : sum.inner;
    args.pool->ParallelFor((rows + block - 1) / block, [&](int64_t task, int) {
      const int64_t end = std::min(rows, (task + 1) * block);
      for (int64_t row = task * block; row < end; ++row) {
        const int64_t at = row / sum.inner * sum.length * sum.inner + row % sum.inner + first;
        cumsum::ReferenceRow(args.input<T>(0) + at, args.output<T>(0) + at, sum.length, stride,
                             sum.exclusive);
      }
    });
  }};
}

absl::StatusOr<Kernel> Prepare(const PrepareContext& context) {
  const TensorType& x = context.inputs[0];
  ASSIGN_OR_RETURN(const CumulativeSum sum, ReadSum(x.shape, context.attributes));
  if (x.shape.elements() == 0) return Kernel{[](const KernelArgs&) {}};
  absl::StatusOr<Kernel> kernel = absl::UnimplementedError(
      absl::StrCat("no kernel for ", Name(x.dtype), " to ", Name(context.outputs[0].dtype)));
  if (context.outputs[0].dtype == x.dtype) {
    VisitTypes<float, int32_t, int64_t>(
        x.dtype, [&](auto zero) { kernel = MakeKernel<decltype(zero)>(sum); });
  }
  return kernel;
}

}  // namespace

absl::Span<const OpDef> CumsumOps() {
  static const auto* const ops = new std::vector<OpDef>{OpDef{
      .name = "cumsum",
      .operands = {OperandRole::kActivation},
      .infer = &Infer,
      .prepare = &Prepare,
      .in_place = true,
  }};
  return *ops;
}

}  // namespace synap_internal
