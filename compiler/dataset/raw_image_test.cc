#include "compiler/dataset/raw_image.h"

#include <cstdlib>

#include "gtest/gtest.h"

namespace synap_internal {
namespace {

Image Gradient(int width, int height) {
  Image image = MakeImage(width, height, 3);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      uint8_t* at = image.row(y) + x * 3;
      at[0] = static_cast<uint8_t>(x * 8);
      at[1] = static_cast<uint8_t>(y * 8);
      at[2] = static_cast<uint8_t>(200 - x * 4);
    }
  }
  return image;
}

RawOptions Options(const std::string& format, int width, int height) {
  RawOptions options;
  options.format = format;
  options.width = width;
  options.height = height;
  return options;
}

TEST(RawImageTest, FormatsWithoutLossReadBackExactly) {
  const Image image = Gradient(6, 4);
  for (const char* format : {"rgb", "bgr", "bgra", "rgbp"}) {
    const auto data = EncodeRaw(image, format);
    ASSERT_TRUE(data.ok()) << data.status();
    const auto read = DecodeRaw(*data, Options(format, 6, 4));
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_EQ(read->pixels, image.pixels) << format;
  }
}

TEST(RawImageTest, YuvReadsBackClosely) {
  const Image image = Gradient(16, 16);
  for (const char* format : {"nv12", "nv21"}) {
    const auto data = EncodeRaw(image, format);
    ASSERT_TRUE(data.ok()) << data.status();
    EXPECT_EQ(data->size(), 16u * 16 * 3 / 2);
    const auto read = DecodeRaw(*data, Options(format, 16, 16));
    ASSERT_TRUE(read.ok()) << read.status();
    for (size_t i = 0; i < image.pixels.size(); ++i) {
      EXPECT_LE(std::abs(read->pixels[i] - image.pixels[i]), 8) << format << " " << i;
    }
  }
}

TEST(RawImageTest, PureColorsHaveTheValuesOfTheStandard) {
  Image red = MakeImage(2, 2, 3);
  for (size_t p = 0; p < 4; ++p) red.pixels[p * 3] = 255;
  const auto data = EncodeRaw(red, "nv12");
  ASSERT_TRUE(data.ok());
  // BT.601, full range: Y 76, U 85, V 255.
  EXPECT_EQ(static_cast<uint8_t>((*data)[0]), 76);
  EXPECT_EQ(static_cast<uint8_t>((*data)[4]), 85);
  EXPECT_EQ(static_cast<uint8_t>((*data)[5]), 255);
}

TEST(RawImageTest, TenBitsArePackedFromTheLowEnd) {
  // 4 values 1023, 0, 512, 4 -> 255, 0, 128, 1
  const std::string bytes("\xFF\x03\x00\x20\x01", 5);
  RawOptions options = Options("gray", 4, 1);
  options.dtype = "uint10";
  const auto read = DecodeRaw(bytes, options);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->pixels, (std::vector<uint8_t>{255, 0, 128, 1}));
}

TEST(RawImageTest, Nv15IsNv12WithTenBits) {
  const Image image = Gradient(6, 2);
  const auto data = EncodeRaw(image, "nv15");
  ASSERT_TRUE(data.ok()) << data.status();
  EXPECT_EQ(data->size(), 25);  // 18 values
  const auto read = DecodeRaw(*data, Options("nv15", 6, 2));
  ASSERT_TRUE(read.ok()) << read.status();
  const auto expected = DecodeRaw(*EncodeRaw(image, "nv12"), Options("nv12", 6, 2));
  EXPECT_EQ(read->pixels, expected->pixels);
  EXPECT_FALSE(EncodeRaw(Gradient(5, 2), "nv15").ok());
}

TEST(RawImageTest, ScaleAndBiasAreApplied) {
  RawOptions options = Options("gray", 2, 1);
  options.bias = 10;
  options.scale = 2;
  const auto read = DecodeRaw(std::string("\x05\x64", 2), options);
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->pixels, (std::vector<uint8_t>{30, 220}));
}

TEST(RawImageTest, AWrongSizeNamesBoth) {
  const auto read = DecodeRaw("12345", Options("rgb", 2, 1));
  EXPECT_EQ(read.status().message(), "has 5 bytes, expected 6 for 6 uint8 values");
  EXPECT_FALSE(EncodeRaw(Gradient(3, 2), "nv12").ok());
}

TEST(RawImageTest, TheSizeStandsInTheName) {
  EXPECT_EQ(*SizeInName("a_b/image_640x480.rgb"), (std::array<int, 2>{640, 480}));
  EXPECT_EQ(*SizeInName("x_rgb@32x16_out.rgb"), (std::array<int, 2>{32, 16}));
  EXPECT_FALSE(SizeInName("image.rgb").ok());
  EXPECT_FALSE(ParseSize("99999x99999").ok());
  EXPECT_FALSE(ParseSize("0x5").ok());
}

}  // namespace
}  // namespace synap_internal
