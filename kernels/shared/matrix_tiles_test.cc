#include "kernels/shared/matrix_tiles.h"

#include <random>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "kernels/shared/cpu_extensions.h"

namespace synap_internal {
namespace {

using ::testing::Each;
using ::testing::ElementsAreArray;

struct Operands {
  int64_t rows, quads, stride;
  std::vector<uint8_t> x;  // [rows][stride]
  std::vector<int8_t> w;   // [quads][16][4]
};

Operands RandomOperands(int64_t rows, int64_t quads, int64_t stride, std::mt19937& random) {
  Operands operands{rows, quads, stride, {}, {}};
  // No byte after the last row's last quad: what isn't there mustn't be read.
  operands.x.resize(static_cast<size_t>((rows - 1) * stride + 4 * quads));
  operands.w.resize(static_cast<size_t>(quads * 64));
  for (uint8_t& value : operands.x) value = static_cast<uint8_t>(random());
  for (int8_t& value : operands.w) value = static_cast<int8_t>(random());
  return operands;
}

std::vector<int32_t> Expected(const Operands& o, int32_t times) {
  std::vector<int32_t> sums;
  for (int64_t row = 0; row < o.rows; ++row) {
    for (int64_t output = 0; output < 16; ++output) {
      int32_t sum = 0;
      for (int64_t k = 0; k < 4 * o.quads; ++k) {
        sum += o.x[static_cast<size_t>(row * o.stride + k)] *
               o.w[static_cast<size_t>(k / 4 * 64 + output * 4 + k % 4)];
      }
      sums.push_back(sum * times);
    }
  }
  return sums;
}

template <class Tiles>
void CheckProducts() {
  std::mt19937 random(1);
  for (const int64_t rows : {1, 7, 16}) {
    for (const int64_t quads : {1, 6, 16}) {
      const Operands a = RandomOperands(rows, quads, 4 * quads, random);
      const Operands b = RandomOperands(rows, quads, 4 * quads + 5, random);
      Tiles tiles(rows, quads);
      tiles.template Zero<kSum00>();
      tiles.template Zero<kSum11>();
      tiles.template Load<kX0>(a.x.data(), a.stride);
      tiles.template Load<kW0>(a.w.data(), 64);
      tiles.template Load<kX1>(b.x.data(), b.stride);
      tiles.template LoadOnce<kW1>(b.w.data(), 64);
      tiles.template Multiply<kSum00, kX0, kW0>();
      tiles.template Multiply<kSum11, kX1, kW1>();
      tiles.template Multiply<kSum11, kX1, kW1>();
      std::vector<int32_t> once(static_cast<size_t>(rows * 16)), twice(once.size()), zero(once);
      tiles.template Store<kSum00>(once.data());
      tiles.template Store<kSum11>(twice.data());
      EXPECT_THAT(once, ElementsAreArray(Expected(a, 1))) << rows << " rows, " << quads << " quads";
      EXPECT_THAT(twice, ElementsAreArray(Expected(b, 2))) << rows << " rows, " << quads;
      // One row for all.
      const std::vector<int32_t> start(16, -7);
      tiles.template Load<kSum01>(start.data(), 0);
      tiles.template Multiply<kSum01, kX0, kW0>();
      std::vector<int32_t> from_start(once.size());
      tiles.template Store<kSum01>(from_start.data());
      for (int32_t& sum : from_start) sum += 7;
      EXPECT_THAT(from_start, ElementsAreArray(once)) << rows << " rows, " << quads << " quads";
      tiles.template Zero<kSum11>();
      zero.assign(zero.size(), 1);
      tiles.template Store<kSum11>(zero.data());
      EXPECT_THAT(zero, Each(0));
    }
  }
}

TEST(MatrixTilesTest, EmulationMultipliesUnsignedBySignedBytes) { CheckProducts<EmulatedTiles>(); }

#if defined(__x86_64__)
TEST(MatrixTilesTest, AmxMultipliesUnsignedBySignedBytes) {
  if (!CpuHasAmxInt8()) GTEST_SKIP() << "no AMX here";
  CheckProducts<AmxTiles>();
}
#endif

TEST(MatrixTilesTest, TheUnitIsOffWithoutOtherExtensionsToo) {
  const WithEmulatedMatrixUnit emulated;
  const MatrixUnit unit = CpuMatrixUnit();
  EXPECT_EQ(unit, CpuHasAvx512Vnni() ? MatrixUnit::kEmulated : MatrixUnit::kNone);
  {
    const WithoutMatrixUnit without;
    EXPECT_EQ(CpuMatrixUnit(), MatrixUnit::kNone);
  }
  EXPECT_EQ(CpuMatrixUnit(), unit);
  const WithoutCpuExtensions without;
  EXPECT_EQ(CpuMatrixUnit(), MatrixUnit::kNone);
  EXPECT_FALSE(CpuHasAmxInt8());
}

}  // namespace
}  // namespace synap_internal
