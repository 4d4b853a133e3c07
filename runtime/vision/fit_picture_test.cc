#include "runtime/vision/fit_picture.h"

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

#include "absl/types/span.h"
#include "hwy/targets.h"
#include "runtime/vision/image_writer.h"
#include "runtime/vision/resize.h"

namespace synap_internal {
namespace {

Image RandomImage(int width, int height, int channels, std::mt19937& random) {
  Image image = MakeImage(width, height, channels);
  for (uint8_t& pixel : image.pixels) pixel = static_cast<uint8_t>(random());
  return image;
}

// Pixel by pixel, as ConvertChannelsOfRow says.
Image ToChannels(const Image& image, int channels, bool is_bgr) {
  if (image.channels == channels) return image;
  Image converted = MakeImage(image.width, image.height, channels);
  for (size_t i = 0; i < converted.pixels.size(); ++i) {
    const size_t c = i % static_cast<size_t>(channels);
    const uint8_t* from = &image.pixels[i / channels * image.channels];
    if (channels == 1) {
      const unsigned red = from[is_bgr ? 2 : 0], blue = from[is_bgr ? 0 : 2];
      converted.pixels[i] =
          static_cast<uint8_t>((19595 * red + 38470 * from[1] + 7471 * blue + 32768) >> 16);
    } else {
      converted.pixels[i] = c == 3 ? 255 : from[image.channels == 1 ? 0 : c];
    }
  }
  return converted;
}

Image TopLeft(const Image& image, int width, int height) {
  Image part = MakeImage(width, height, image.channels);
  for (int y = 0; y < height; ++y) std::copy_n(image.row(y), part.row_bytes(), part.row(y));
  return part;
}

// Crops, resizes and adds bands.
Image Letterbox(const Image& image, const PictureTensor& tensor) {
  const LetterboxPlan plan = PlanLetterbox(image.width, image.height, tensor.width, tensor.height,
                                           tensor.letterbox.keep_proportions);
  Image part = TopLeft(image, plan.source_width, plan.source_height);
  if (part.width != plan.width || part.height != plan.height) {
    part = Resize(part, plan.width, plan.height);
  }
  Image result = MakeImage(tensor.width, tensor.height, image.channels);
  std::fill(result.pixels.begin(), result.pixels.end(), tensor.letterbox.fill_color);
  const size_t left = static_cast<size_t>(plan.left) * image.channels;
  for (int y = 0; y < part.height; ++y) {
    std::copy_n(part.row(y), part.row_bytes(), result.row(plan.top + y) + left);
  }
  return result;
}

// FitPicture, one whole picture after the other, without its loops but those of Resize.
std::vector<uint8_t> FitStepByStep(const Image& picture, bool is_bgr, const PictureTensor& tensor) {
  const Image image = Letterbox(ToChannels(picture, tensor.channels, is_bgr), tensor);
  const auto channels = static_cast<size_t>(tensor.channels);
  const size_t plane = image.pixels.size() / channels;
  const bool swaps = is_bgr != tensor.is_bgr && channels >= 3;
  std::vector<uint8_t> fitted(image.pixels.size());
  for (size_t i = 0; i < plane; ++i) {
    for (size_t c = 0; c < channels; ++c) {
      const size_t from = swaps && c < 3 ? 2 - c : c;
      fitted[tensor.is_planar ? c * plane + i : i * channels + c] =
          image.pixels[i * channels + from];
    }
  }
  return fitted;
}

std::vector<uint8_t> Fit(ImageRows& picture, bool is_bgr, const PictureTensor& tensor) {
  std::vector<uint8_t> pixels(tensor.size());
  EXPECT_TRUE(FitPicture(picture, is_bgr, tensor, pixels.data()).ok());
  return pixels;
}

void ExpectTheSame(const Image& picture, bool is_bgr, const PictureTensor& tensor) {
  const std::vector<uint8_t> expected = FitStepByStep(picture, is_bgr, tensor);
  for (const int64_t target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    ViewRows rows(picture);
    EXPECT_TRUE(Fit(rows, is_bgr, tensor) == expected)
        << picture.width << "x" << picture.height << "x" << picture.channels << " to "
        << tensor.width << "x" << tensor.height << "x" << tensor.channels << ", "
        << hwy::TargetName(target);
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

TEST(FitPictureTest, EqualsTheStepsOneAfterTheOtherOnEveryTarget) {
  std::mt19937 random(1);
  const auto side = [&] { return 1 + static_cast<int>(random() % 90); };
  constexpr int kChannels[] = {1, 3, 4};
  for (int i = 0; i < 200; ++i) {
    const Image picture = RandomImage(side(), side(), kChannels[random() % 3], random);
    PictureTensor tensor;
    tensor.width = side();
    tensor.height = side();
    tensor.channels = kChannels[random() % 3];
    tensor.is_planar = random() % 2 == 0;
    tensor.is_bgr = random() % 2 == 0;
    tensor.letterbox.keep_proportions = static_cast<KeepProportions>(i % 3);
    tensor.letterbox.fill_color = static_cast<uint8_t>(random());
    ExpectTheSame(picture, random() % 2 == 0, tensor);
  }
}

TEST(FitPictureTest, ADecodedJpegIsFittedAsItsPixels) {
  std::mt19937 random(2);
  const std::string bytes = *EncodeJpeg(RandomImage(61, 83, 3, random));
  const absl::Span<const uint8_t> span(reinterpret_cast<const uint8_t*>(bytes.data()),
                                       bytes.size());
  const Image decoded = *DecodeImage(span, "bytes");
  for (const KeepProportions keep :
       {KeepProportions::kStretch, KeepProportions::kBands, KeepProportions::kCrop}) {
    for (const auto& [width, height] : {std::pair(30, 20), {61, 83}, {100, 83}, {7, 90}}) {
      PictureTensor tensor;
      tensor.width = width;
      tensor.height = height;
      tensor.channels = 3;
      tensor.is_planar = true;
      tensor.letterbox.keep_proportions = keep;
      const std::unique_ptr<ImageRows> rows = *OpenImageRows(span, "bytes");
      EXPECT_TRUE(Fit(*rows, false, tensor) == FitStepByStep(decoded, false, tensor))
          << width << "x" << height << ", keep_proportions=" << static_cast<int>(keep);
    }
  }
}

// The bottom that a crop leaves out is read, too.
TEST(FitPictureTest, FindsDamageOutsideOfTheCrop) {
  std::mt19937 random(3);
  const std::string whole = *EncodeJpeg(RandomImage(40, 400, 3, random));
  const absl::Span<const uint8_t> span(reinterpret_cast<const uint8_t*>(whole.data()),
                                       whole.size() - 20);
  PictureTensor tensor;
  tensor.width = tensor.height = 20;
  tensor.channels = 3;
  tensor.letterbox.keep_proportions = KeepProportions::kCrop;
  std::vector<uint8_t> pixels(tensor.size());
  const std::unique_ptr<ImageRows> rows = *OpenImageRows(span, "bytes");
  EXPECT_FALSE(FitPicture(*rows, false, tensor, pixels.data()).ok());
}

TEST(FitPictureTest, RefusesOtherNumbersOfChannels) {
  const Image image = MakeImage(2, 2, 3);
  ViewRows rows(image);
  PictureTensor tensor;
  tensor.width = tensor.height = 2;
  tensor.channels = 5;
  std::vector<uint8_t> pixels(tensor.size());
  EXPECT_EQ(FitPicture(rows, false, tensor, pixels.data()).status().message(),
            "unable to convert image from 3 to 5 channels");
}

}  // namespace
}  // namespace synap_internal
