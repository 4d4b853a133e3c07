#include "runtime/vision/image_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/file.h"
#include "runtime/vision/image_writer.h"

namespace synap_internal {
namespace {

using ::testing::HasSubstr;

std::string Bytes(const std::string& name) {
  const absl::StatusOr<std::string> bytes = ReadFile(absl::StrCat("testdata/fuzz/image/", name));
  EXPECT_TRUE(bytes.ok()) << bytes.status();
  return bytes.ok() ? *bytes : "";
}

absl::Span<const uint8_t> Span(const std::string& bytes) {
  return {reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()};
}

// The pixels of all rows, which are read `step` at a time.
absl::StatusOr<std::vector<uint8_t>> ReadAll(ImageRows& image, int step) {
  std::vector<uint8_t> pixels;
  for (int y = 0; y < image.height(); y += step) {
    std::vector<const uint8_t*> rows(static_cast<size_t>(std::min(step, image.height() - y)));
    const absl::Status status = image.Read(absl::MakeSpan(rows));
    if (!status.ok()) return status;
    for (const uint8_t* row : rows) pixels.insert(pixels.end(), row, row + image.row_bytes());
  }
  return pixels;
}

// A JPEG of noise.
std::string Jpeg(int width, int height, int channels) {
  std::mt19937 random(1);
  Image image = MakeImage(width, height, channels);
  for (uint8_t& pixel : image.pixels) pixel = static_cast<uint8_t>(random());
  return *EncodeJpeg(image);
}

TEST(ImageRowsTest, AStreamedJpegHasTheDecodedPixels) {
  for (const std::string& bytes : {Jpeg(67, 45, 3), Jpeg(33, 50, 1), Bytes("rgb420.jpg"),
                                   Bytes("progressive.jpg"), Bytes("gray.jpg")}) {
    const absl::StatusOr<Image> decoded = DecodeImage(Span(bytes), "bytes");
    ASSERT_TRUE(decoded.ok()) << decoded.status();
    for (const int step : {1, 7, 16, 40}) {
      absl::StatusOr<std::unique_ptr<ImageRows>> rows = StreamImage(Span(bytes), "bytes");
      ASSERT_TRUE(rows.ok()) << rows.status();
      ASSERT_NE(*rows, nullptr);
      EXPECT_EQ((*rows)->width(), decoded->width);
      EXPECT_EQ((*rows)->channels(), decoded->channels);
      const absl::StatusOr<std::vector<uint8_t>> pixels = ReadAll(**rows, step);
      ASSERT_TRUE(pixels.ok()) << pixels.status();
      EXPECT_TRUE(*pixels == decoded->pixels) << step << " rows at a time";
      EXPECT_TRUE((*rows)->Finish().ok());
    }
  }
}

TEST(ImageRowsTest, OtherImagesAreDecodedWhole) {
  for (const char* name : {"rgb.png", "rgba.png", "24.bmp", "cmyk.jpg", "oriented6.jpg"}) {
    const std::string bytes = Bytes(name);
    const absl::StatusOr<std::unique_ptr<ImageRows>> none = StreamImage(Span(bytes), name);
    ASSERT_TRUE(none.ok()) << none.status();
    EXPECT_EQ(*none, nullptr) << name;
    ImageNotes notes, expected_notes;
    const absl::StatusOr<std::unique_ptr<ImageRows>> rows =
        OpenImageRows(Span(bytes), name, &notes);
    const absl::StatusOr<Image> decoded = DecodeImage(Span(bytes), name, &expected_notes);
    ASSERT_TRUE(rows.ok() && decoded.ok()) << name;
    EXPECT_EQ(*ReadAll(**rows, 1), decoded->pixels) << name;
    EXPECT_EQ(notes.channels, decoded->channels);
    EXPECT_EQ(notes.is_cmyk, expected_notes.is_cmyk);
    EXPECT_EQ(notes.has_transparency, expected_notes.has_transparency);
  }
}

TEST(ImageRowsTest, NotesTheChannelsOfAStreamedJpeg) {
  const std::string bytes = Jpeg(9, 9, 1);
  ImageNotes notes;
  notes.is_cmyk = true;
  ASSERT_TRUE(OpenImageRows(Span(bytes), "bytes", &notes).ok());
  EXPECT_EQ(notes.channels, 1);
  EXPECT_FALSE(notes.is_cmyk);
}

// Wherever the bytes end, and also if nobody asks for the rows that are missing.
TEST(ImageRowsTest, EveryPrefixOfAJpegIsTheErrorOfDecodingIt) {
  const std::string whole = Bytes("rgb420.jpg");
  for (size_t size = 0; size < whole.size(); ++size) {
    const std::string bytes = whole.substr(0, size);
    const absl::StatusOr<Image> decoded = DecodeImage(Span(bytes), "bytes");
    const absl::StatusOr<std::unique_ptr<ImageRows>> rows = OpenImageRows(Span(bytes), "bytes");
    const absl::Status status = rows.ok() ? (*rows)->Finish() : rows.status();
    EXPECT_FALSE(status.ok()) << size;
    EXPECT_EQ(status, decoded.status()) << size;
  }
}

TEST(ImageRowsTest, FinishReadsTheRest) {
  const std::string whole = Jpeg(40, 100, 3);
  const std::string bytes = whole.substr(0, whole.size() - 10);
  const absl::StatusOr<std::unique_ptr<ImageRows>> rows = OpenImageRows(Span(bytes), "bytes");
  ASSERT_TRUE(rows.ok()) << rows.status();
  const uint8_t* row = nullptr;
  EXPECT_TRUE((*rows)->Read(absl::MakeSpan(&row, 1)).ok());
  EXPECT_THAT(std::string((*rows)->Finish().message()), HasSubstr("bytes is not an image: "));
}

TEST(ImageRowsTest, RowsOfAnImageInMemoryAreNotCopied) {
  const Image image = MakeImage(3, 2, 4);
  ViewRows rows(image);
  EXPECT_EQ(rows.pixels(), image.pixels.data());
  const uint8_t* both[2] = {};
  ASSERT_TRUE(rows.Read(absl::MakeSpan(both)).ok());
  EXPECT_EQ(both[1], image.row(1));
}

}  // namespace
}  // namespace synap_internal
