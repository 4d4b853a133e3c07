#include "kernels/testing/machine_limits.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <map>
#include <random>
#include <vector>

#include "benchmark/benchmark.h"
#include "kernels/shared/cpu_extensions.h"
#include "kernels/shared/matrix_tiles.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/testing/machine_limits.cc"
#include "kernels/shared/simd/unroll.h"

#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/shared/simd/dot_products-inl.h"

HWY_BEFORE_NAMESPACE();
namespace synap_internal {
namespace HWY_NAMESPACE {
namespace {

// Enough independent chains to hide any latency, few enough for the registers.
constexpr int kChains = HWY_MAX_BYTES >= 64 ? 16 : 10;

// Hides a value from the compiler, so that it doesn't merge equal operands.
template <class V>
HWY_INLINE void HideFromCompiler(V& v) {
#if HWY_TARGET == HWY_AVX3
  asm volatile("" : "+v"(v.raw));
#elif HWY_TARGET == HWY_AVX2
  asm volatile("" : "+x"(v.raw));
#elif HWY_TARGET == HWY_NEON
  asm volatile("" : "+w"(v.raw));
#else
  benchmark::DoNotOptimize(v);
#endif
}

// Runs `steps` rounds of multiply-adds, each chain on its own; returns how many
// operations.
double RunFloat(int64_t steps) {
  const DF d;
  VF acc[kChains];
  UNROLL
  for (int i = 0; i < kChains; ++i) acc[i] = hn::Set(d, static_cast<float>(i));
  auto x = hn::Set(d, 0.5f);
  const auto y = hn::Set(d, 1.0f);
  for (int64_t step = 0; step < steps; ++step) {
    UNROLL
    for (int i = 0; i < kChains; ++i) {
      HideFromCompiler(x);
      acc[i] = hn::MulAdd(x, acc[i], y);
    }
  }
  auto sum = acc[0];
  UNROLL
  for (int i = 1; i < kChains; ++i) sum = hn::Add(sum, acc[i]);
  benchmark::DoNotOptimize(hn::GetLane(sum));
  return 2.0 * kChains * static_cast<double>(kLanes) * static_cast<double>(steps);
}

#if HWY_TARGET == HWY_SCALAR

double RunEightBits(int64_t steps) {
  int32_t acc[kChains] = {};
  for (int64_t step = 0; step < steps; ++step) {
    for (int i = 0; i < kChains; ++i) {
      acc[i] += static_cast<int16_t>(step & 0xff) * i;
      benchmark::DoNotOptimize(acc[i]);
    }
  }
  return 2.0 * kChains * static_cast<double>(steps);
}

#else

void Consume(const VI* acc) {
  auto sum = acc[0];
  UNROLL
  for (int i = 1; i < kChains; ++i) sum = hn::Add(sum, acc[i]);
  benchmark::DoNotOptimize(hn::GetLane(sum));
}

double RunPairs(int64_t steps) {
  constexpr int kAccumulators = kChains / 2;
  Accumulator acc[kAccumulators];
  UNROLL
  for (int i = 0; i < kAccumulators; ++i) acc[i] = StartAt(hn::Zero(DI()));
  auto x = hn::Set(D16(), int16_t{3});
  const auto w = hn::Set(D16(), int16_t{2});
  for (int64_t step = 0; step < steps; ++step) {
    UNROLL
    for (int i = 0; i < kAccumulators; ++i) {
      HideFromCompiler(x);
      AddPairs<false>(x, w, acc[i]);
    }
  }
  VI sums[kChains];
  UNROLL
  for (int i = 0; i < kChains; ++i) sums[i] = acc[i / 2].Sum();
  Consume(sums);
  return 2.0 * 2 * kAccumulators * static_cast<double>(kLanes) * static_cast<double>(steps);
}

#if SYNAP_HAS_QUADS

// The processor's widest exact products of bytes, as convolutions use them: ARM's i8mm has
// matrices.
template <Quads kQuads>
double RunQuads(int64_t steps) {
  const DI di;
  constexpr bool kMatrices = HWY_TARGET == HWY_NEON && kQuads == Quads::kMixed;
  VI acc[kChains];
  UNROLL
  for (int i = 0; i < kChains; ++i) acc[i] = hn::Zero(di);
  auto x = hn::Set(di, 0x01020304);
  const auto w = hn::Set(di, 0x05060708);
  for (int64_t step = 0; step < steps; ++step) {
    UNROLL
    for (int i = 0; i < kChains; ++i) {
      HideFromCompiler(x);
#if HWY_TARGET == HWY_NEON
      if constexpr (kMatrices) AddMatrices(x, w, acc[i]);
#endif
      if constexpr (!kMatrices) AddQuads<kQuads>(x, w, acc[i]);
    }
  }
  Consume(acc);
  return 2.0 * (kMatrices ? 8 : 4) * kChains * static_cast<double>(kLanes) *
         static_cast<double>(steps);
}

double RunEightBits(int64_t steps) {
  auto* run = &RunPairs;
  WithCpuQuads([&](auto quads) { run = &RunQuads<quads()>; });
  return run(steps);
}

#else

double RunEightBits(int64_t steps) { return RunPairs(steps); }

#endif
#endif

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace synap_internal
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace synap_internal {
namespace {

HWY_EXPORT(RunFloat);
HWY_EXPORT(RunEightBits);

// The best rate of several runs of run(steps), which returns how much it did.
template <typename Run>
double BestRate(int64_t steps, Run run) {
  constexpr int kRuns = 20;
  double best = 0;
  for (int i = 0; i < kRuns; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    const double done = run(steps);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    best = std::max(best, done / took.count());
  }
  return best;
}

}  // namespace

double FloatPeak() {
  static const double peak =
      BestRate(200'000, [](int64_t steps) { return HWY_DYNAMIC_DISPATCH(RunFloat)(steps); });
  return peak;
}

double BytePeak() {
  static const double peak = BestRate(200'000, [](int64_t steps) {
    const WithCpuExtensions with;  // a benchmark may have switched them off
    return HWY_DYNAMIC_DISPATCH(RunEightBits)(steps);
  });
  return peak;
}

#if defined(__x86_64__)
namespace {

// As a convolution does it: four loads for four products, and of numbers, since products of zeros
// take less power and up to a fifth less time.
double RunMatrices(int64_t steps) {
  constexpr int64_t kMacs = kTileRows * 16 * 4 * kTileQuads;
  alignas(64) static uint8_t operands[4][1024];
  std::mt19937 random(1);
  for (auto& operand : operands) {
    for (uint8_t& value : operand) value = static_cast<uint8_t>(random());
  }
  AmxTiles tiles(kTileRows, kTileQuads);
  tiles.Zero<kSum00>();
  tiles.Zero<kSum01>();
  tiles.Zero<kSum10>();
  tiles.Zero<kSum11>();
  for (int64_t step = 0; step < steps; ++step) {
    tiles.Load<kX0>(operands[0], 64);
    tiles.Load<kX1>(operands[1], 64);
    tiles.Load<kW0>(operands[2], 64);
    tiles.Load<kW1>(operands[3], 64);
    tiles.Multiply<kSum00, kX0, kW0>();
    tiles.Multiply<kSum01, kX0, kW1>();
    tiles.Multiply<kSum10, kX1, kW0>();
    tiles.Multiply<kSum11, kX1, kW1>();
  }
  return 2.0 * 4 * static_cast<double>(kMacs) * static_cast<double>(steps);
}

}  // namespace
#endif

double MatrixPeak() {
  static const double peak = [] {
    const WithCpuExtensions with;  // a benchmark may have switched them off
    if (!CpuHasAmxInt8()) return 0.0;
#if defined(__x86_64__)
    return BestRate(20'000, &RunMatrices);
#else
    return 0.0;
#endif
  }();
  return peak;
}

double CopyPeak(size_t bytes) {
  static auto* const known = new std::map<size_t, double>;
  size_t half = 1024;
  while (half * 4 <= bytes) half *= 2;
  double& peak = (*known)[half];
  if (peak > 0) return peak;
  std::vector<uint8_t> from(half, 1), to(half);
  const auto repeats = static_cast<int64_t>(std::max<size_t>(1, (size_t{2} << 20) / half));
  peak = BestRate(repeats, [&](int64_t steps) {
    for (int64_t i = 0; i < steps; ++i) {
      std::memcpy(to.data(), from.data(), half);
      benchmark::ClobberMemory();
    }
    return 2.0 * static_cast<double>(half) * static_cast<double>(steps);
  });
  return peak;
}

}  // namespace synap_internal
#endif  // HWY_ONCE
