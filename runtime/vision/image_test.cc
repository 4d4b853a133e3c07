#include "runtime/vision/image.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/file.h"
#include "runtime/vision/image_writer.h"

namespace synap_internal {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
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

TEST(JpegTest, ConvertsTheColoursOfPrinting) {
  ImageNotes notes;
  const absl::StatusOr<Image> cmyk = LoadImage(Path("cmyk.jpg"), &notes);
  ASSERT_TRUE(cmyk.ok()) << cmyk.status();
  EXPECT_TRUE(notes.is_cmyk);
  ASSERT_EQ(cmyk->channels, 3);
  // C, M, Y, K are 200, 150, 100 and 51; 255 is no ink.
  EXPECT_THAT(absl::MakeConstSpan(cmyk->pixels).first(3), ElementsAre(40, 30, 20));
  // As rgb.jpg, but for 204, 130, 95 of ink; K is 204.
  EXPECT_THAT(absl::MakeConstSpan(Load("ycck.jpg").pixels).first(3), ElementsAre(41, 100, 128));
}

// The stored image is 1 2 3 over 4 5 6.
TEST(OrientationTest, TurnsAllEightUpright) {
  const std::vector<uint8_t> upright[] = {
      {1, 2, 3, 4, 5, 6}, {3, 2, 1, 6, 5, 4}, {6, 5, 4, 3, 2, 1}, {4, 5, 6, 1, 2, 3},
      {1, 4, 2, 5, 3, 6}, {4, 1, 5, 2, 6, 3}, {6, 3, 5, 2, 4, 1}, {3, 6, 2, 5, 1, 4}};
  for (int i = 1; i <= 8; ++i) {
    const Image image = Load(absl::StrCat("oriented", i, ".png"));
    EXPECT_EQ(image.width, i < 5 ? 3 : 2) << i;
    EXPECT_EQ(image.height, i < 5 ? 2 : 3) << i;
    EXPECT_EQ(image.pixels, upright[i - 1]) << i;
  }
  EXPECT_THAT(Load("oriented_late.png").pixels, ElementsAreArray(upright[5]));
}

TEST(OrientationTest, SurvivesDamageAfterThePixels) {
  absl::StatusOr<std::string> bytes = ReadFile(Path("oriented6.png"));
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  bytes->resize(bytes->size() - 12);  // the last chunk
  const absl::StatusOr<Image> image = Decode(*bytes);
  ASSERT_TRUE(image.ok()) << image.status();
  EXPECT_EQ(image->width, 2);
  EXPECT_EQ(image->height, 3);
  EXPECT_EQ(image->pixels, Load("oriented6.png").pixels);
}

// The stored image has 68 left and 218 right.
TEST(OrientationTest, TurnsJpegs) {
  const Image clockwise = Load("oriented6.jpg");
  EXPECT_EQ(clockwise.width, 8);
  ASSERT_EQ(clockwise.height, 16);
  EXPECT_EQ(clockwise.row(0)[0], 68);
  EXPECT_EQ(clockwise.row(15)[7], 218);
  const Image counterclockwise = Load("oriented8.jpg");
  ASSERT_EQ(counterclockwise.height, 16);
  EXPECT_EQ(counterclockwise.row(0)[0], 218);
  EXPECT_EQ(counterclockwise.row(15)[7], 68);
  EXPECT_EQ(Load("oriented_rgb420.jpg").width, 18);
}

TEST(OrientationTest, DamagedExifChangesNothing) {
  const Image stored = Load("gray.jpg");
  for (int i = 0; i < 12; ++i) {
    const Image image = Load(absl::StrCat("hostile_exif", i, ".jpg"));
    EXPECT_EQ(image.width, 16) << i;
    EXPECT_EQ(image.pixels, stored.pixels) << i;
  }
  EXPECT_THAT(Load("hostile_exif.png").pixels, ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST(BmpTest, DecodesPalettes) {
  const Image bits1 = Load("1.bmp");
  ASSERT_EQ(bits1.channels, 3);
  ASSERT_EQ(bits1.width, 10);
  // The file begins with the bottom row, 1000000001; the top one is 0000000110.
  EXPECT_EQ(bits1.row(1)[0], 40);
  EXPECT_EQ(bits1.row(1)[3], 10);
  EXPECT_EQ(bits1.row(1)[27], 40);
  EXPECT_EQ(bits1.row(0)[20], 30);
  EXPECT_EQ(bits1.row(0)[21], 40);
  EXPECT_THAT(Load("4.bmp").pixels, ElementsAre(10, 20, 30, 40, 50, 60, 70, 80, 90));
  EXPECT_THAT(Load("8.bmp").pixels, ElementsAre(70, 80, 90, 40, 50, 60, 10, 20, 30,  //
                                                10, 20, 30, 40, 50, 60, 70, 80, 90));
  EXPECT_THAT(Load("8_core.bmp").pixels, ElementsAre(2, 1, 0, 5, 4, 3));
}

TEST(BmpTest, DecodesColoursFromTheBottomOrTheTop) {
  EXPECT_THAT(Load("24.bmp").pixels, ElementsAre(12, 11, 10, 15, 14, 13, 18, 17, 16,  //
                                                 2, 1, 0, 5, 4, 3, 8, 7, 6));
  EXPECT_THAT(Load("24_top_down.bmp").pixels, ElementsAre(2, 1, 0, 5, 4, 3, 8, 7, 6,  //
                                                          12, 11, 10, 15, 14, 13, 18, 17, 16));
  EXPECT_EQ(Load("24_no_padding.bmp").pixels, Load("24.bmp").pixels);
  EXPECT_THAT(Load("32.bmp").pixels, ElementsAre(6, 5, 4, 3, 2, 1));
}

TEST(BmpTest, DecodesMasks) {
  // 5 bits: 31 is 255, 16 is 131.6.
  EXPECT_THAT(Load("16.bmp").pixels, ElementsAre(255, 0, 0, 0, 132, 132));
  // 6 bits: 32 is 129.5.
  EXPECT_THAT(Load("16_masks.bmp").pixels, ElementsAre(255, 0, 0, 0, 130, 0));
  ImageNotes notes;
  const absl::StatusOr<Image> alpha = LoadImage(Path("32_alpha.bmp"), &notes);
  ASSERT_TRUE(alpha.ok()) << alpha.status();
  EXPECT_EQ(alpha->channels, 4);
  EXPECT_THAT(alpha->pixels, ElementsAre(1, 2, 3, 255, 4, 5, 6, 128));
  EXPECT_TRUE(notes.has_transparency);
}

TEST(BmpTest, SaysWhatItCannotRead) {
  EXPECT_EQ(Error("rle8.bmp"),
            absl::StrCat(Path("rle8.bmp"),
                         " is not an image: its pixels are run-length encoded, expected "
                         "uncompressed ones; save it as PNG"));
  EXPECT_THAT(Error("embedded_png.bmp"), HasSubstr("its compression is 5 with 24 bits"));
  EXPECT_THAT(Error("gap_in_mask.bmp"), HasSubstr("has gaps"));
  EXPECT_THAT(Error("no_mask.bmp"), HasSubstr("its mask of a channel is 0"));
  EXPECT_THAT(Error("short_palette.bmp"), HasSubstr("pixel 1,0 has colour 15 of a palette of 3"));
  EXPECT_THAT(Error("huge_palette.bmp"), HasSubstr("has 4294967295 colours, expected at most 256"));
  EXPECT_THAT(Error("truncated.bmp"), HasSubstr("its data end early: 73 bytes, expected 75 for"));
  EXPECT_THAT(Error("huge_header.bmp"), HasSubstr("60000x60000 is above the limit of"));
  EXPECT_THAT(Error("large_header.bmp"), HasSubstr("its data end early"));
  EXPECT_THAT(Error("least_height.bmp"), HasSubstr("4x2147483648 is above the limit of"));
  EXPECT_THAT(Error("no_width.bmp"), HasSubstr("its size is 0x1"));
  EXPECT_THAT(Error("bits3.bmp"), HasSubstr("its pixels have 3 bits"));
  EXPECT_THAT(Error("odd_header.bmp"), HasSubstr("its header has 41 bytes"));
  EXPECT_THAT(Error("pixels_in_header.bmp"), HasSubstr("begin at byte 20, in its header"));
  EXPECT_THAT(Error("only_magic.bmp"), HasSubstr("its data end in its header"));
}

TEST(ImageTest, DamagedImagesAreErrorsWithTheFilesName) {
  EXPECT_EQ(Error("empty.bin"), absl::StrCat(Path("empty.bin"), " is not an image: it is empty"));
  EXPECT_THAT(Error("make_corpus.py"),
              HasSubstr("is not an image: its first bytes are not those of a JPEG, PNG or BMP"));
  EXPECT_THAT(Error("truncated.jpg"), HasSubstr("truncated.jpg is not an image: "));
  EXPECT_THAT(Error("truncated.png"), HasSubstr("truncated.png is not an image: "));
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
  for (const std::string name : {"rgb.png", "rgb420.jpg", "24.bmp", "32_alpha.bmp"}) {
    const absl::StatusOr<std::string> bytes = ReadFile(Path(name));
    ASSERT_TRUE(bytes.ok());
    // The end markers of a PNG say nothing about its pixels, nor does what fills up a BMP's rows.
    const size_t unused = name == "rgb.png" ? 16 : name == "24.bmp" ? 3 : 0;
    const size_t needed = bytes->size() - unused;
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

TEST(PngTest, NotesTransparencyAlsoWhereItIsLeftOut) {
  const auto transparent = [](const std::string& name) {
    ImageNotes notes;
    EXPECT_TRUE(LoadImage(Path(name), &notes).ok());
    return notes.has_transparency;
  };
  EXPECT_TRUE(transparent("rgba.png"));
  EXPECT_TRUE(transparent("palette_alpha.png"));
  EXPECT_TRUE(transparent("gray_alpha.png"));
  EXPECT_FALSE(transparent("gray_alpha_opaque.png"));
  EXPECT_FALSE(transparent("rgb.png"));
}

}  // namespace
}  // namespace synap_internal
