#include "kernels/shared/data_movement/data_movement.h"

#include <numeric>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace synap_internal {
namespace {

using ::testing::HasSubstr;

TEST(CheckStoredAlikeTest, NamesBothTypes) {
  const std::vector<TensorType> input = {{DataType::kUint8, {2}, QuantParams::Affine(0.5f, 3)}};
  const std::vector<TensorType> output = {{DataType::kUint8, {2}, QuantParams::Affine(0.5f, 4)}};
  EXPECT_TRUE(CheckStoredAlike({input, input, {}, {}}).ok());
  EXPECT_THAT(CheckStoredAlike({input, output, {}, {}}).ToString(),
              HasSubstr("uint8 scale=0.5 zero_point=4, expected that of the input"));
}

TEST(CopyStridedElementsTest, CopiesEverySize) {
  for (int64_t size = 1; size <= 70; ++size) {
    std::vector<uint8_t> input(static_cast<size_t>(3 * (size + 2)));
    std::iota(input.begin(), input.end(), uint8_t{0});
    std::vector<uint8_t> output(static_cast<size_t>(3 * (size + 1)), 0xEE);
    CopyStridedElements(input.data(), size + 2, output.data(), size + 1, size, 3);
    for (int64_t i = 0; i < 3 * (size + 1); ++i) {
      const int64_t row = i / (size + 1), byte = i % (size + 1);
      const uint8_t expected =
          byte == size ? 0xEE : input[static_cast<size_t>(row * (size + 2) + byte)];
      ASSERT_EQ(output[static_cast<size_t>(i)], expected) << size << " at " << i;
    }
  }
}

}  // namespace
}  // namespace synap_internal
