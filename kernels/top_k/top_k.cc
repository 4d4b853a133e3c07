#include "kernels/top_k/top_k.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "base/visit_type.h"

namespace synap_internal {
namespace {

struct TopK {
  int64_t k = 0;
  bool largest = true;
  int64_t rows = 0;
  int64_t length = 0;  // of a row
};

absl::StatusOr<TopK> ReadTopK(const Shape& x, const Attributes& attributes) {
  AttributeReader reader(attributes);
  TopK top;
  top.k = reader.RequiredInt("k");
  top.largest = reader.Int("largest", 1) != 0;
  RETURN_IF_ERROR(reader.Finish());
  top.rows = x.Product(0, x.rank() - 1);
  top.length = x.back();
  if (top.k >= 0 && top.k <= top.length) return top;
  return absl::InvalidArgumentError(absl::StrCat("k is ", top.k, " for x of shape ", x.ToString(),
                                                 ", expected 0 to ", top.length, " (top_k_c2)"));
}

bool TakesType(DataType type) {
  return type == DataType::kFloat32 || type == DataType::kUint8 || type == DataType::kInt32 ||
         type == DataType::kInt64;
}

absl::StatusOr<std::vector<TensorType>> Infer(const InferContext& context) {
  const TensorType& x = context.inputs[0];
  if (!TakesType(x.dtype) || x.shape.rank() == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("x is ", Name(x.dtype), " ", x.shape.ToString(),
                     ", expected float32, uint8, int32 or int64 of rank 1 or more (top_k_c1)"));
  }
  ASSIGN_OR_RETURN(const TopK top, ReadTopK(x.shape, context.attributes));
  std::vector<int64_t> dims = x.shape.dims();
  dims.back() = top.k;
  return std::vector<TensorType>{{DataType::kInt64, Shape(std::move(dims)), {}}};
}

template <typename T>
Kernel MakeKernel(const TopK& top) {
  Kernel kernel;
  kernel.scratch_bytes = static_cast<size_t>(top.length) * sizeof(int64_t);
  kernel.run = [top](const KernelArgs& args) {
    args.pool->ParallelFor(top.rows, [&](int64_t row, int worker) {
      const T* x = args.input<T>(0) + row * top.length;
      auto* indices = reinterpret_cast<int64_t*>(args.WorkerScratch(worker));
      std::iota(indices, indices + top.length, 0);
      // The order is total, so that the result doesn't depend on the algorithm.
      std::partial_sort(indices, indices + top.k, indices + top.length, [&](int64_t a, int64_t b) {
        return top_k::IsBefore(x, top.largest, a, b);
      });
      std::copy(indices, indices + top.k, args.output<int64_t>(0) + row * top.k);
    });
  };
  return kernel;
}

absl::StatusOr<Kernel> Prepare(const PrepareContext& context) {
  const TensorType& x = context.inputs[0];
  ASSIGN_OR_RETURN(const TopK top, ReadTopK(x.shape, context.attributes));
  // There may be too many empty rows to iterate over.
  if (context.outputs[0].shape.elements() == 0) return Kernel{[](const KernelArgs&) {}};
  absl::StatusOr<Kernel> kernel = absl::UnimplementedError(
      absl::StrCat("no kernel for ", Name(x.dtype), " to ", Name(context.outputs[0].dtype)));
  if (context.outputs[0].dtype == DataType::kInt64) {
    VisitTypes<float, uint8_t, int32_t, int64_t>(
        x.dtype, [&](auto zero) { kernel = MakeKernel<decltype(zero)>(top); });
  }
  return kernel;
}

OpCost Cost(absl::Span<const TensorType> inputs, absl::Span<const TensorType>) {
  return {.macs = 0, .ops = inputs[0].shape.elements()};
}

}  // namespace

absl::Span<const OpDef> TopKOps() {
  static const auto* const ops = new std::vector<OpDef>{OpDef{
      .name = "top_k",
      .operands = {OperandRole::kActivation},
      .infer = &Infer,
      .prepare = &Prepare,
      .cost = &Cost,
      .quant_rule = QuantRule::kNotQuantized,
  }};
  return *ops;
}

}  // namespace synap_internal
