#include "runtime/vision/image.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "base/file.h"
#include "runtime/vision/channel_order.h"
#include "runtime/vision/image_writer.h"

namespace synap {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string Path(const std::string& name) { return absl::StrCat("testdata/fuzz/image/", name); }

Image Load(const std::string& name) {
  const absl::StatusOr<Image> image = LoadImage(Path(name));
  EXPECT_TRUE(image.ok()) << image.status();
  return image.ok() ? *image : Image();
}

std::string Error(const std::string& name) {
  const absl::StatusOr<Image> image = LoadImage(Path(name));
  EXPECT_FALSE(image.ok()) << name;
  return std::string(image.status().message());
}

absl::StatusOr<Image> Decode(const std::string& bytes) {
  return DecodeImage({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()}, "bytes");
}

Image Pattern(int width, int height, int channels) {
  Image image = MakeImage(width, height, channels);
  for (size_t i = 0; i < image.pixels.size(); ++i) image.pixels[i] = static_cast<uint8_t>(i * 37);
  return image;
}

TEST(PngTest, GrayStaysGray) {
  EXPECT_THAT(Load("gray.png").pixels, ElementsAre(0, 50, 100, 255, 1, 2, 3, 4));
  EXPECT_EQ(Load("gray.png").width, 4);
  EXPECT_THAT(Load("gray1.png").pixels, ElementsAre(255, 0, 255, 0, 255, 0, 255, 0, 255));
  EXPECT_THAT(Load("gray16.png").pixels, ElementsAre(0x80, 0xff));
  EXPECT_THAT(Load("gray_alpha.png").pixels, ElementsAre(7, 9));
}

TEST(PngTest, ColourKeepsItsChannels) {
  EXPECT_THAT(Load("rgba.png").pixels, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
  EXPECT_EQ(Load("rgba.png").channels, 4);
  EXPECT_EQ(Load("rgb.png").channels, 3);
  EXPECT_EQ(Load("rgb.png").row(2)[3], 12);
  EXPECT_THAT(Load("rgb16.png").pixels, ElementsAre(1, 0x80, 0xff));
}

TEST(PngTest, PalettesBecomeColour) {
  EXPECT_THAT(Load("palette.png").pixels, ElementsAre(255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 0, 0));
  const Image alpha = Load("palette_alpha.png");
  EXPECT_EQ(alpha.channels, 4);
  EXPECT_EQ(alpha.pixels[3], 0);
  EXPECT_EQ(alpha.pixels[7], 0x80);
}

// A block of one value has the value (DC * quantizer) / 8 + 128, here DC + 128.
TEST(JpegTest, DecodesGrayExactly) {
  const Image image = Load("gray.jpg");
  EXPECT_EQ(image.channels, 1);
  ASSERT_EQ(image.width, 16);
  EXPECT_EQ(image.row(3)[0], 68);
  EXPECT_EQ(image.row(7)[15], 218);
}

TEST(JpegTest, DecodesColourToRgb) {
  const Image image = Load("rgb.jpg");
  ASSERT_EQ(image.channels, 3);
  // Y = 148, Cb - 128 = -30, Cr - 128 = 40.
  EXPECT_EQ(image.pixels[0], 204);  // 148 + 1.402 * 40
  EXPECT_EQ(image.pixels[1], 130);  // 148 + 0.344136 * 30 - 0.714136 * 40 = 129.76
  EXPECT_EQ(image.pixels[2], 95);   // 148 - 1.772 * 30 = 94.84
}

TEST(JpegTest, ReadsSubsampledAndProgressiveImages) {
  EXPECT_EQ(Load("rgb420.jpg").height, 18);
  EXPECT_EQ(Load("progressive.jpg").row(15)[15], 129);
}

TEST(ImageTest, DamagedImagesAreErrorsWithTheFilesName) {
  EXPECT_EQ(Error("empty.bin"), absl::StrCat(Path("empty.bin"), " is not an image: it is empty"));
  EXPECT_THAT(Error("make_corpus.py"), HasSubstr("is not an image: its first bytes are neither"));
  EXPECT_THAT(Error("truncated.jpg"), HasSubstr("truncated.jpg is not an image: "));
  EXPECT_THAT(Error("truncated.png"), HasSubstr("truncated.png is not an image: "));
  EXPECT_THAT(Error("cmyk.jpg"), HasSubstr("(CMYK), expected RGB or gray"));
  for (const char* name : {"no_pixels.png", "bad_crc.png", "only_magic.jpg", "only_magic.png"}) {
    EXPECT_THAT(Error(name), HasSubstr("is not an image: "));
  }
}

TEST(ImageTest, SizesThatTheDataCannotHaveAreRefusedBeforeMemoryIsTaken) {
  EXPECT_THAT(Error("huge_header.png"), HasSubstr("above the limit of"));
  EXPECT_THAT(Error("large_header.png"), HasSubstr("data end early"));
  EXPECT_THAT(Error("large_header.jpg"), HasSubstr("above the limit of"));
  EXPECT_THAT(Error("wide_header.jpg"), HasSubstr("is not an image: "));
}

TEST(ImageTest, TextThatInflatesWithoutEndIsRefused) {
  EXPECT_THAT(Error("text_bomb.png"), HasSubstr("is not an image: "));
}

TEST(ImageTest, EveryPrefixOfAnImageIsAnError) {
  for (const std::string name : {"rgb.png", "rgb420.jpg"}) {
    const absl::StatusOr<std::string> bytes = ReadFile(Path(name));
    ASSERT_TRUE(bytes.ok());
    // The end markers of a PNG say nothing about its pixels.
    const size_t needed = bytes->size() - (name == "rgb.png" ? 16 : 0);
    for (size_t size = 0; size < needed; ++size) {
      EXPECT_FALSE(Decode(bytes->substr(0, size)).ok()) << name << " " << size;
    }
  }
}

TEST(ImageWriterTest, PngKeepsEveryPixel) {
  for (const int channels : {1, 3, 4}) {
    const Image image = Pattern(5, 3, channels);
    const absl::StatusOr<std::string> bytes = EncodePng(image);
    ASSERT_TRUE(bytes.ok()) << bytes.status();
    const absl::StatusOr<Image> again = Decode(*bytes);
    ASSERT_TRUE(again.ok()) << again.status();
    EXPECT_EQ(again->channels, channels);
    EXPECT_EQ(again->pixels, image.pixels);
  }
}

TEST(ImageWriterTest, JpegIsCloseAndDropsAlpha) {
  Image image = MakeImage(16, 16, 4);
  std::fill(image.pixels.begin(), image.pixels.end(), 77);
  const absl::StatusOr<std::string> bytes = EncodeJpeg(image, 90);
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  const absl::StatusOr<Image> again = Decode(*bytes);
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(again->channels, 3);
  EXPECT_THAT(again->pixels, Each(77));
}

TEST(ImageWriterTest, RefusesWhatItCannotWrite) {
  EXPECT_FALSE(EncodePng(Pattern(2, 2, 2)).ok());
  EXPECT_FALSE(EncodeJpeg(Pattern(2, 2, 3), 0).ok());
  EXPECT_THAT(std::string(WriteImage(Pattern(2, 2, 3), "a.bmp").message()),
              HasSubstr("a.bmp: an image's name must end in .png, .jpg or .jpeg"));
}

TEST(ImageWriterTest, WritesByTheFilesSuffix) {
  const std::string path = absl::StrCat(::testing::TempDir(), "/out.PNG");
  ASSERT_TRUE(WriteImage(Pattern(3, 2, 3), path).ok());
  EXPECT_EQ(LoadImage(path)->pixels, Pattern(3, 2, 3).pixels);
}

TEST(ChannelOrderTest, SwapsRedAndBlueOfColourOnly) {
  Image image = {2, 1, 3, {1, 2, 3, 4, 5, 6}};
  SwapRedAndBlue(image);
  EXPECT_THAT(image.pixels, ElementsAre(3, 2, 1, 6, 5, 4));
  Image gray = {3, 1, 1, {1, 2, 3}};
  SwapRedAndBlue(gray);
  EXPECT_THAT(gray.pixels, ElementsAre(1, 2, 3));
}

TEST(ChannelOrderTest, MakesPlanesOfPixels) {
  EXPECT_THAT(ToPlanar({2, 2, 2, {1, 5, 2, 6, 3, 7, 4, 8}}), ElementsAre(1, 2, 3, 4, 5, 6, 7, 8));
}

}  // namespace
}  // namespace synap
