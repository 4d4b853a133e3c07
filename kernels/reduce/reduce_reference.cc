#include "kernels/reduce/reduce.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "base/check.h"
#include "base/float_math.h"
#include "base/rounding.h"
#include "kernels/shared/virtual_lanes.h"

namespace synap_internal::reduce {
namespace {

// Indices into x: element j of those that are reduced to output o has the index
// kept.Offset(o) + reduced.Offset(j), both counted row-major.
struct Walk {
  std::vector<int64_t> dims, strides;

  int64_t Offset(int64_t index) const {
    int64_t offset = 0;
    for (size_t d = dims.size(); d-- > 0; index /= dims[d]) {
      offset += index % dims[d] * strides[d];
    }
    return offset;
  }
};

Walk WalkOver(const Params& params, bool reduced) {
  Walk walk;
  for (size_t d = 0; d < params.shape.rank(); ++d) {
    if (params.reduced[d] != reduced) continue;
    walk.dims.push_back(params.shape[d]);
    walk.strides.push_back(params.shape.Product(d + 1, params.shape.rank()));
  }
  return walk;
}

bool ReducesLastDimension(const Params& params) {
  for (size_t d = params.shape.rank(); d-- > 0;) {
    if (params.shape[d] > 1) return params.reduced[d];
  }
  return false;
}

template <typename G>
float ReduceFloats(const Params& params, G element) {
  const auto accumulate = [&](float start, auto function, float (*combine)(float, float)) {
    return ReduceBlocks(params.count, ReducesLastDimension(params), start, function, combine,
                        element);
  };
  switch (params.function) {
    case ReduceFunction::kMean:
    case ReduceFunction::kSum:
      return accumulate(0, LaneSum, LaneSum);
    case ReduceFunction::kMax:
      return accumulate(-HUGE_VALF, LaneMaximum, LaneMaximum);
    case ReduceFunction::kMin:
      return accumulate(HUGE_VALF, LaneMinimum, LaneMinimum);
    case ReduceFunction::kProd:
      return accumulate(1, LaneProduct, LaneProduct);
    case ReduceFunction::kL2:
      return accumulate(0, LaneSumOfSquares, LaneSum);
  }
  CHECK(false);
}

float Divided(const Params& params, float reduced) {
  if (params.function == ReduceFunction::kMean) return reduced / static_cast<float>(params.count);
  return params.function == ReduceFunction::kL2 ? std::sqrt(reduced) : reduced;
}

// From the reduced value of all elements.
template <typename G>
float FinishFloats(const Params& params, float reduced, G element) {
  const bool sums =
      params.function == ReduceFunction::kL2 || params.function == ReduceFunction::kMean;
  if (!sums || std::isfinite(reduced)) return Divided(params, reduced);
  // 2^63 of the largest floats, or of their squares, have a sum.
  const float factor = params.function == ReduceFunction::kL2 ? 0x1p-96f : 0x1p-64f;
  const float scaled = ReduceFloats(params, [&](int64_t j) { return element(j) * factor; });
  return Divided(params, scaled) / factor;
}

template <typename T, typename G>
T ReduceIntegers(const Params& params, G element) {
  using Unsigned = std::make_unsigned_t<T>;  // wraps
  auto result = static_cast<Unsigned>(element(0));
  for (int64_t j = 1; j < params.count; ++j) {
    const T x = element(j);
    const auto so_far = static_cast<T>(result);
    switch (params.function) {
      case ReduceFunction::kMean:
      case ReduceFunction::kSum:
        result += static_cast<Unsigned>(x);
        break;
      case ReduceFunction::kProd:
        result *= static_cast<Unsigned>(x);
        break;
      case ReduceFunction::kMax:
        result = static_cast<Unsigned>(std::max(so_far, x));
        break;
      case ReduceFunction::kMin:
        result = static_cast<Unsigned>(std::min(so_far, x));
        break;
      case ReduceFunction::kL2:
        CHECK(false);
    }
  }
  if (params.function != ReduceFunction::kMean) return static_cast<T>(result);
  return static_cast<T>(TruncatedDivide<int64_t>(static_cast<T>(result), params.count));
}

template <typename G>
uint8_t ReduceBytes(const Params& params, G element) {
  switch (params.function) {
    case ReduceFunction::kMean:
    case ReduceFunction::kSum:
    case ReduceFunction::kMax:
    case ReduceFunction::kMin:
      break;
    case ReduceFunction::kProd:
    case ReduceFunction::kL2: {
      const auto real = [&](int64_t j) {
        return DequantizeValue(element(j), params.in_scale, params.in_zero_point);
      };
      const float reduced = FinishFloats(params, ReduceFloats(params, real), real);
      return static_cast<uint8_t>(
          QuantizeValue(reduced, params.out_scale, params.out_zero_point, 0, 255));
    }
  }
  int32_t sum = 0;
  uint8_t min = 255, max = 0;
  for (int64_t j = 0; j < params.count; ++j) {
    const uint8_t q = element(j);
    sum += q;
    min = std::min(min, q);
    max = std::max(max, q);
  }
  if (params.function == ReduceFunction::kMax) return FromExtreme(params, max);
  return params.function == ReduceFunction::kMin ? FromExtreme(params, min) : FromSum(params, sum);
}

template <typename T, typename F>
void ForEachOutput(const Params& params, const KernelArgs& args, F reduce) {
  const Walk kept = WalkOver(params, false);
  const Walk reduced = WalkOver(params, true);
  for (int64_t o = 0; o < params.outputs; ++o) {
    const T* x = args.input<T>(0) + kept.Offset(o);
    args.output<T>(0)[o] = reduce([&](int64_t j) { return x[reduced.Offset(j)]; });
  }
}

}  // namespace

float Finish(const Params& params, float reduced, const float* x, int64_t stride) {
  return FinishFloats(params, reduced, [&](int64_t j) { return x[j * stride]; });
}

uint8_t FromSum(const Params& params, int32_t sum) {
  const int32_t acc = sum - static_cast<int32_t>(params.count) * params.in_zero_point;
  return static_cast<uint8_t>(Requantize(acc, params.multiplier, params.out_zero_point, 0, 255));
}

uint8_t FromExtreme(const Params& params, uint8_t extreme) {
  return static_cast<uint8_t>(
      QuantizeValue(DequantizeValue(extreme, params.in_scale, params.in_zero_point),
                    params.out_scale, params.out_zero_point, 0, 255));
}

void Reference(const Params& params, const KernelArgs& args) {
  switch (params.type) {
    case DataType::kFloat32:
      return ForEachOutput<float>(params, args, [&params](auto element) {
        return FinishFloats(params, ReduceFloats(params, element), element);
      });
    case DataType::kUint8:
      return ForEachOutput<uint8_t>(
          params, args, [&params](auto element) { return ReduceBytes(params, element); });
    case DataType::kInt32:
      return ForEachOutput<int32_t>(params, args, [&params](auto element) {
        return ReduceIntegers<int32_t>(params, element);
      });
    case DataType::kInt64:
      return ForEachOutput<int64_t>(params, args, [&params](auto element) {
        return ReduceIntegers<int64_t>(params, element);
      });
    default:
      CHECK(false);
  }
}

}  // namespace synap_internal::reduce
