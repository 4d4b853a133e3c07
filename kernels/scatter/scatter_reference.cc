#include "kernels/scatter/scatter.h"

#include <cmath>
#include <cstring>
#include <type_traits>

#include "base/check.h"
#include "base/visit_type.h"

namespace synap_internal::scatter {
namespace {

template <typename T>
T Combine(Reduction reduction, T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (reduction == Reduction::kAdd) return a + b;
    if (reduction == Reduction::kMul) return a * b;
    if (std::isnan(a)) return a;
    if (std::isnan(b)) return b;
  } else {
    using Unsigned = std::make_unsigned_t<T>;  // wraps
    const auto ua = static_cast<Unsigned>(a), ub = static_cast<Unsigned>(b);
    if (reduction == Reduction::kAdd) return static_cast<T>(ua + ub);
    if (reduction == Reduction::kMul) return static_cast<T>(ua * ub);
  }
  if (reduction == Reduction::kMax) return a > b ? a : b;
  return a < b ? a : b;
}

template <typename T>
void CombineAll(const Plan& plan, const KernelArgs& args) {
  const T* updates = args.input<T>(2);
  for (int64_t i = 0; i < plan.count; ++i, updates += plan.run) {
    T* slice = args.output<T>(0) + plan.Position(args.input<int64_t>(1)[i]) * plan.run;
    for (int64_t k = 0; k < plan.run; ++k) {
      slice[k] = Combine(plan.reduction, slice[k], updates[k]);
    }
  }
}

void ReplaceAll(const Plan& plan, const KernelArgs& args) {
  const int64_t bytes = plan.run * static_cast<int64_t>(SizeOf(plan.type));
  for (int64_t i = 0; i < plan.count; ++i) {
    std::memcpy(args.output<uint8_t>(0) + plan.Position(args.input<int64_t>(1)[i]) * bytes,
                args.input<uint8_t>(2) + i * bytes, static_cast<size_t>(bytes));
  }
}

}  // namespace

void Reference(const Plan& plan, const KernelArgs& args) {
  const auto bytes = static_cast<size_t>(plan.extent * plan.run) * SizeOf(plan.type);
  // The output may use x's memory.
  if (args.outputs[0] != args.inputs[0]) std::memcpy(args.outputs[0], args.inputs[0], bytes);
  if (plan.reduction == Reduction::kNone) return ReplaceAll(plan, args);
  const bool has_kernel = VisitTypes<float, int32_t, int64_t>(
      plan.type, [&](auto zero) { CombineAll<decltype(zero)>(plan, args); });
  CHECK(has_kernel);
}

}  // namespace synap_internal::scatter
