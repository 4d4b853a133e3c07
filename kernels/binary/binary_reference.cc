#include "kernels/binary/binary.h"

#include <cmath>
#include <cstdint>
#include <functional>
#include <type_traits>

#include "base/check.h"
#include "base/float_math.h"
#include "base/rounding.h"
#include "kernels/shared/broadcast/broadcast.h"

namespace synap_internal {

float EvaluateBinary(BinaryFunction function, float a, float b) {
  switch (function) {
    case BinaryFunction::kAdd:
      return a + b;
    case BinaryFunction::kSub:
      return a - b;
    case BinaryFunction::kMul:
      return a * b;
    case BinaryFunction::kDiv:
      return a / b;
    case BinaryFunction::kMinimum:
      return a < b || std::isnan(a) ? a : b;
    case BinaryFunction::kMaximum:
      return a > b || std::isnan(a) ? a : b;
    case BinaryFunction::kPow:
      return Pow(a, b);
    case BinaryFunction::kMod:
      return std::fmod(a, b);  // exact by definition, hence the same everywhere
    case BinaryFunction::kPrelu:
      return a < 0 ? a * b : a;
    case BinaryFunction::kEqual:
      return a == b;
    case BinaryFunction::kLess:
      return a < b;
    case BinaryFunction::kGreater:
      return a > b;
  }
  CHECK(false);
}

float EvaluateClamped(const BinaryParams& params, float a, float b) {
  const float v = EvaluateBinary(params.function, a, b);
  return v < params.clamp.min ? params.clamp.min : v > params.clamp.max ? params.clamp.max : v;
}

int32_t EvaluateQuantized(const BinaryParams& params, int32_t a, int32_t b, int32_t min,
                          int32_t max) {
  const float v = EvaluateClamped(params, DequantizeValue(a, params.a_scale, params.a_zero_point),
                                  DequantizeValue(b, params.b_scale, params.b_zero_point));
  return QuantizeValue(v, params.out_scale, params.out_zero_point, min, max);
}

namespace binary {
namespace {

template <typename T>
T EvaluateInteger(BinaryFunction function, T a, T b) {
  using Unsigned = std::make_unsigned_t<T>;  // wraps
  const auto ua = static_cast<Unsigned>(a), ub = static_cast<Unsigned>(b);
  switch (function) {
    case BinaryFunction::kAdd:
      return static_cast<T>(ua + ub);
    case BinaryFunction::kSub:
      return static_cast<T>(ua - ub);
    case BinaryFunction::kMul:
      return static_cast<T>(ua * ub);
    case BinaryFunction::kDiv:
      return TruncatedDivide(a, b);
    case BinaryFunction::kMinimum:
      return std::min(a, b);
    case BinaryFunction::kMaximum:
      return std::max(a, b);
    case BinaryFunction::kMod:
      return FlooredRemainder(a, b);
    case BinaryFunction::kEqual:
      return a == b;
    case BinaryFunction::kLess:
      return a < b;
    case BinaryFunction::kGreater:
      return a > b;
    default:
      CHECK(false);
  }
}

// The types of the op, and its data.
struct Execution {
  absl::Span<const TensorType> inputs;
  const TensorType& output;
  const KernelArgs& args;
};

template <typename Out, typename In, typename F>
void ForEachPair(const Execution& execution, F function) {
  const Shape& shape = execution.output.shape;
  for (int64_t i = 0; i < shape.elements(); ++i) {
    const In a = execution.args.input<In>(0)[OperandIndex(shape, execution.inputs[0].shape, i)];
    const In b = execution.args.input<In>(1)[OperandIndex(shape, execution.inputs[1].shape, i)];
    execution.args.output<Out>(0)[i] = static_cast<Out>(function(a, b));
  }
}

template <typename In, typename F>
void ForEachResult(const Execution& execution, F function) {
  if (execution.output.dtype == DataType::kBool) {
    ForEachPair<uint8_t, In>(execution, function);
  } else {
    ForEachPair<In, In>(execution, function);
  }
}

}  // namespace

void Reference(const BinaryParams& p, absl::Span<const TensorType> inputs, const TensorType& output,
               const KernelArgs& args) {
  const Execution execution{inputs, output, args};
  const auto real = [&p](float a, float b) { return EvaluateClamped(p, a, b); };
  const bool compares = output.dtype == DataType::kBool;
  const auto quantized = [&](uint8_t a, uint8_t b) {
    if (!compares) return EvaluateQuantized(p, a, b, 0, 255);
    return static_cast<int32_t>(real(DequantizeValue(a, p.a_scale, p.a_zero_point),
                                     DequantizeValue(b, p.b_scale, p.b_zero_point)));
  };
  switch (inputs[0].dtype) {
    case DataType::kFloat32:
      return ForEachResult<float>(execution, real);
    case DataType::kUint8:
      return ForEachResult<uint8_t>(execution, quantized);
    case DataType::kBool:
      return ForEachResult<uint8_t>(execution, std::equal_to<uint8_t>());
    case DataType::kInt32:
      return ForEachResult<int32_t>(
          execution, [&p](int32_t a, int32_t b) { return EvaluateInteger(p.function, a, b); });
    case DataType::kInt64:
      return ForEachResult<int64_t>(
          execution, [&p](int64_t a, int64_t b) { return EvaluateInteger(p.function, a, b); });
    default:
      CHECK(false);
  }
}

}  // namespace binary
}  // namespace synap_internal
