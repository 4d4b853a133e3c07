#include "kernels/argmax/argmax.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/axes.h"
#include "base/status_macros.h"
#include "base/visit_type.h"

namespace synap_internal {
namespace {

constexpr int64_t kBlock = 16384;  // elements of a task

struct ArgmaxAttributes {
  size_t axis = 0;
  bool keep_dims = true;
};

absl::StatusOr<ArgmaxAttributes> ReadAttributes(const Shape& shape, const Attributes& attributes) {
  AttributeReader reader(attributes);
  int64_t axis = reader.RequiredInt("axis");
  const bool keep_dims = reader.Int("keep_dims", 1) != 0;
  RETURN_IF_ERROR(reader.Finish());
  ASSIGN_OR_RETURN(axis, ResolveAxis(axis, shape.rank()));  // argmax_c2
  return ArgmaxAttributes{static_cast<size_t>(axis), keep_dims};
}

absl::StatusOr<std::vector<TensorType>> Infer(const InferContext& context) {
  const TensorType& x = context.inputs[0];
  if (x.dtype != DataType::kFloat32 && x.dtype != DataType::kUint8 && x.dtype != DataType::kInt32 &&
      x.dtype != DataType::kInt64) {
    return absl::InvalidArgumentError(absl::StrCat(
        "x of type ", Name(x.dtype), ", expected float32, uint8, int32 or int64 (argmax_c1)"));
  }
  ASSIGN_OR_RETURN(const ArgmaxAttributes attributes, ReadAttributes(x.shape, context.attributes));
  if (x.shape[attributes.axis] == 0) {
    return absl::InvalidArgumentError(absl::StrCat("x of shape ", x.shape.ToString(),
                                                   " has no elements along dimension ",
                                                   attributes.axis, " (argmax_c3)"));
  }
  std::vector<int64_t> dims = x.shape.dims();
  dims[attributes.axis] = 1;
  if (!attributes.keep_dims) dims.erase(dims.begin() + static_cast<ptrdiff_t>(attributes.axis));
  return std::vector<TensorType>{{DataType::kInt64, Shape(std::move(dims)), {}}};
}

// x as [outer, length, inner].
struct Layout {
  int64_t outer;
  int64_t length;
  int64_t inner;
};

template <typename T>
Kernel MakeKernel(const Layout& layout) {
  return Kernel{[layout](const KernelArgs& args) {
    const int64_t outputs = layout.outer * layout.inner;
    const int64_t block = std::max<int64_t>(1, kBlock / layout.length);
    args.pool->ParallelFor((outputs + block - 1) / block, [&](int64_t task, int) {
      const int64_t end = std::min(outputs, (task + 1) * block);
      for (int64_t o = task * block; o < end; ++o) {
        const int64_t begin = o / layout.inner * layout.length * layout.inner + o % layout.inner;
        args.output<int64_t>(0)[o] =
            argmax::ReferenceIndex(args.input<T>(0) + begin, layout.length, layout.inner);
      }
    });
  }};
}

absl::StatusOr<Kernel> Prepare(const PrepareContext& context) {
  const TensorType& x = context.inputs[0];
  ASSIGN_OR_RETURN(const ArgmaxAttributes attributes, ReadAttributes(x.shape, context.attributes));
  const Layout layout{x.shape.Product(0, attributes.axis), x.shape[attributes.axis],
                      x.shape.Product(attributes.axis + 1, x.shape.rank())};
  absl::StatusOr<Kernel> kernel = absl::UnimplementedError(
      absl::StrCat("no kernel for ", Name(x.dtype), " to ", Name(context.outputs[0].dtype)));
  if (context.outputs[0].dtype == DataType::kInt64) {
    VisitTypes<float, uint8_t, int32_t, int64_t>(
        x.dtype, [&](auto zero) { kernel = MakeKernel<decltype(zero)>(layout); });
  }
  return kernel;
}

OpCost Cost(absl::Span<const TensorType> inputs, absl::Span<const TensorType>) {
  return {.macs = 0, .ops = inputs[0].shape.elements()};
}

}  // namespace

absl::Span<const OpDef> ArgmaxOps() {
  static const auto* const ops = new std::vector<OpDef>{OpDef{
      .name = "argmax",
      .operands = {OperandRole::kActivation},
      .infer = &Infer,
      .prepare = &Prepare,
      .cost = &Cost,
      .quant_rule = QuantRule::kNotQuantized,
  }};
  return *ops;
}

}  // namespace synap_internal
