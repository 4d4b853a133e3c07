#include "runtime/api/byte_normalizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/tensor_type.h"
#include "runtime/bundle/model_metadata.h"

namespace synap_internal {
namespace {

constexpr int64_t kHeight = 5, kWidth = 7;

TensorMetadata Metadata(DataType dtype, const QuantParams& quant, TensorLayout layout,
                        const std::vector<float>& mean, float scale) {
  TensorMetadata metadata;
  metadata.name = "x";
  metadata.dtype = dtype;
  metadata.quant = quant;
  metadata.layout = layout;
  metadata.shape = layout == TensorLayout::kNchw ? Shape({1, 3, kHeight, kWidth})
                                                 : Shape({1, kHeight, kWidth, 3});
  metadata.mean = mean;
  metadata.scale = scale;
  return metadata;
}

// Compares pieces of every length with the whole.
void ExpectTheBitsOfNormalize(const TensorMetadata& metadata) {
  SCOPED_TRACE(testing::Message() << Name(metadata.dtype) << ", " << metadata.mean.size()
                                  << " means, layout " << static_cast<int>(metadata.layout));
  const absl::StatusOr<Normalization> how = MakeNormalization(metadata, /*is_input=*/true);
  ASSERT_TRUE(how.ok()) << how.status();
  const auto count = static_cast<size_t>(metadata.shape.elements());
  std::vector<uint8_t> values(count);
  for (size_t i = 0; i < count; ++i) values[i] = static_cast<uint8_t>(i * 101 + 7);
  std::vector<double> expected(count);  // aligned for every type
  ASSERT_TRUE(Normalize(*how, values, expected.data()).ok());
  const absl::StatusOr<ByteNormalizer> normalizer = ByteNormalizer::Create(*how);
  ASSERT_TRUE(normalizer.ok()) << normalizer.status();
  for (size_t piece = 1; piece <= count; ++piece) {
    std::vector<double> data(count);
    for (size_t first = 0; first < count; first += piece) {
      const size_t size = std::min(piece, count - first);
      normalizer->Run(absl::MakeConstSpan(values).subspan(first, size), first, data.data());
    }
    // Not ==: some bits are those of no number.
    EXPECT_EQ(std::memcmp(data.data(), expected.data(), count * sizeof(double)), 0)
        << "pieces of " << piece;
  }
}

TEST(ByteNormalizerTest, HasTheBitsOfNormalizeForPiecesOfEveryLength) {
  const QuantParams affine = QuantParams::Affine(0.0123f, 3), fixed = QuantParams::FixedPoint(5);
  for (const TensorLayout layout : {TensorLayout::kNhwc, TensorLayout::kNchw}) {
    for (const std::vector<float>& mean :
         {std::vector<float>{116.5f}, {123.675f, 116.28f, 103.53f}}) {
      ExpectTheBitsOfNormalize(Metadata(DataType::kUint8, affine, layout, mean, 57.5f));
      ExpectTheBitsOfNormalize(Metadata(DataType::kInt8, affine, layout, mean, 57.5f));
      ExpectTheBitsOfNormalize(Metadata(DataType::kInt8, fixed, layout, mean, 57.5f));
      ExpectTheBitsOfNormalize(Metadata(DataType::kInt16, fixed, layout, mean, 57.5f));
      ExpectTheBitsOfNormalize(Metadata(DataType::kInt16, affine, layout, mean, 57.5f));
      ExpectTheBitsOfNormalize(Metadata(DataType::kInt32, {}, layout, mean, 0.5f));
      ExpectTheBitsOfNormalize(Metadata(DataType::kFloat16, {}, layout, mean, 57.5f));
      ExpectTheBitsOfNormalize(Metadata(DataType::kFloat32, {}, layout, mean, 57.5f));
      ExpectTheBitsOfNormalize(Metadata(DataType::kBool, {}, layout, {7}, 1));
    }
  }
}

// Pixels of up to 4 channels have loops of their own.
TEST(ByteNormalizerTest, HasTheBitsOfNormalizeForEveryNumberOfChannels) {
  const QuantParams affine = QuantParams::Affine(0.0123f, 3), fixed = QuantParams::FixedPoint(5);
  for (const TensorLayout layout : {TensorLayout::kNhwc, TensorLayout::kNchw}) {
    for (const int64_t channels : {1, 2, 4, 5}) {
      const std::vector<float> means = {103.5f, 116.25f, 123.5f, 7, 90};
      const std::vector<float> mean(means.begin(), means.begin() + channels);
      for (TensorMetadata metadata : {Metadata(DataType::kUint8, affine, layout, mean, 57.5f),
                                      Metadata(DataType::kInt16, fixed, layout, mean, 57.5f),
                                      Metadata(DataType::kInt32, {}, layout, mean, 0.5f),
                                      Metadata(DataType::kInt64, {}, layout, mean, 0.5f),
                                      Metadata(DataType::kFloat32, {}, layout, mean, 57.5f)}) {
        metadata.shape = layout == TensorLayout::kNchw ? Shape({1, channels, kHeight, kWidth})
                                                       : Shape({1, kHeight, kWidth, channels});
        ExpectTheBitsOfNormalize(metadata);
      }
    }
  }
}

TEST(ByteNormalizerTest, HasTheBitsOfThePixelMapping) {
  for (const TensorLayout layout : {TensorLayout::kNhwc, TensorLayout::kNchw}) {
    for (const DataType dtype : {DataType::kUint8, DataType::kFloat32, DataType::kFloat16}) {
      const QuantParams quant =
          dtype == DataType::kUint8 ? QuantParams::Affine(0.02f, 114) : QuantParams();
      TensorMetadata metadata = Metadata(dtype, quant, layout, {}, 1);
      metadata.pixels = PixelMapping{};
      metadata.pixels->mean = {123.675f, 116.28f, 103.53f};
      metadata.pixels->scale = {58.395f, 57.12f, 57.375f};
      ExpectTheBitsOfNormalize(metadata);
    }
  }
}

TEST(ByteNormalizerTest, RefusesWhatNormalizeRefuses) {
  Normalization how;
  how.dtype = DataType::kUint8;
  how.quant.scheme = QuantScheme::kPerChannelSymmetric;
  const std::vector<uint8_t> values(1);
  uint8_t data = 0;
  const absl::Status expected = Normalize(how, values, &data);
  EXPECT_FALSE(expected.ok());
  EXPECT_EQ(ByteNormalizer::Create(how).status(), expected);
}

}  // namespace
}  // namespace synap_internal
