#include "synap/input_data.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "runtime/testing/test_models.h"
#include "runtime/vision/image.h"
#include "runtime/vision/image_writer.h"
#include "runtime/vision/input_data_private.h"
#include "synap/logging.hpp"

namespace synaptics::synap {
namespace {

std::string Png(int width, int height) {
  return *::synap_internal::EncodePng(::synap_internal::MakeImage(width, height, 3));
}

TEST(InputDataTest, DecodesOnceForAllThreads) {
  const std::string png = Png(640, 480);
  const InputData data(png.data(), png.size(), InputType::encoded_image);
  std::vector<const uint8_t*> images(8);
  std::vector<std::thread> threads;
  for (const uint8_t*& image : images) {
    threads.emplace_back([&image, &data] { image = ::synap_internal::DecodedImage(data)->pixels; });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_NE(images[0], nullptr);
  EXPECT_EQ(std::set<const uint8_t*>(images.begin(), images.end()).size(), 1);
}

TEST(InputDataTest, DecodesAJpegWhileItIsReadTheFirstTimeAndKeepsItTheSecondTime) {
  const std::string jpeg = *::synap_internal::EncodeJpeg(::synap_internal::MakeImage(40, 30, 3));
  const InputData data(jpeg.data(), jpeg.size(), InputType::encoded_image);
  const auto first = ::synap_internal::OpenPixels(data);
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(first->pixels(), nullptr);
  const auto second = ::synap_internal::OpenPixels(data);
  ASSERT_NE(second, nullptr);
  EXPECT_EQ(second->pixels(), ::synap_internal::DecodedImage(data)->pixels);
  EXPECT_EQ(::synap_internal::OpenPixels(data)->pixels(), second->pixels());
}

TEST(InputDataTest, OpensNoDamagedImage) {
  testing::internal::CaptureStderr();
  const InputData data("\xff\xd8\xff", 3, InputType::encoded_image);
  EXPECT_EQ(::synap_internal::OpenPixels(data), nullptr);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), testing::HasSubstr("is not an image"));
}

TEST(InputDataTest, LogsWithoutItsMutex) {
  ::synap_internal::Image image = ::synap_internal::MakeImage(2, 1, 4);
  const std::string png = *::synap_internal::EncodePng(image);  // alpha of 0
  const InputData data(png.data(), png.size(), InputType::encoded_image);
  int width = 0;
  set_log_callback([&](LogLevel, const std::string&) { width = data.dimensions().w; });
  EXPECT_EQ(data.dimensions().h, 1);
  set_log_callback(nullptr);
  EXPECT_EQ(width, 2);
}

TEST(InputDataTest, RefusesNullPointers) {
  testing::internal::CaptureStderr();
  EXPECT_TRUE(InputData(nullptr, 5, InputType::raw).empty());
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              testing::MatchesRegex("E:SyNAP: Copy:[0-9]+: no data: a null pointer and 5 bytes\n"));
  const InputData image(nullptr, 3, InputType::image_8bits, {1, 1, 1, 3});
  EXPECT_TRUE(image.empty());
  EXPECT_FALSE(::synap_internal::DecodedImage(image).has_value());
  EXPECT_FALSE(InputData(nullptr, 0, InputType::raw).empty());
}

TEST(InputDataTest, RefusesLargerImagesThanOthersDecode) {
  // A side that is allowed, but 20000x10000 and the like aren't.
  const std::vector<uint8_t> pixels(65535 * 1025);
  EXPECT_TRUE(
      InputData(pixels.data(), pixels.size(), InputType::image_8bits, {1, 1025, 65535, 1}).empty());
}

TEST(InputDataTest, TakesPlanarPixels) {
  const InputData data("abcdef", 6, InputType::image_8bits, {1, 3, 1, 2}, Layout::nchw);
  EXPECT_EQ(data.layout(), Layout::nchw);
  EXPECT_THAT(data.shape(), testing::ElementsAre(1, 3, 1, 2));
  EXPECT_EQ(data.dimensions().c, 3);
  const ::synap_internal::ImageView image = *::synap_internal::DecodedImage(data);
  EXPECT_THAT(std::vector<uint8_t>(image.pixels, image.pixels + image.size()),
              testing::ElementsAre('a', 'c', 'e', 'b', 'd', 'f'));
}

TEST(InputDataTest, GivesInterleavedPixelsWithoutACopy) {
  const InputData data("abcdef", 6, InputType::image_8bits, {1, 1, 2, 3});
  EXPECT_EQ(::synap_internal::DecodedImage(data)->pixels, data.data());
}

TEST(InputDataTest, KnowsTheSizeOfYuvImages) {
  const std::string frame(24, '\0');
  const InputData named(::synap_internal::WriteTestFile("frame_4x4.nv12", frame));
  EXPECT_EQ(named.dimensions().w, 4);
  EXPECT_EQ(named.format(), "nv12");
  const InputData shaped(frame.data(), 24, InputType::nv21, {1, 2, 8, 1});
  EXPECT_EQ(shaped.dimensions().w, 8);
  EXPECT_EQ(shaped.dimensions().c, 3);
  EXPECT_EQ(shaped.format(), "nv21");
  EXPECT_TRUE(InputData(frame.data(), 24, InputType::nv12).dimensions().empty());
  EXPECT_FALSE(InputData(frame.data(), 24, InputType::nv12).empty());
  EXPECT_EQ((*::synap_internal::OpenYuv(shaped, 1, 1, 1))->width(), 8);
}

TEST(InputDataTest, RefusesYuvImagesOfAnotherSize) {
  const std::string frame(24, '\0');
  const std::vector<Shape> shapes = {{1, 4, 8, 1}, {1, 8, 3, 1}, {1, 3, 8, 1}, {24}, {2, 2, 4, 1}};
  for (const Shape& shape : shapes) {
    EXPECT_TRUE(InputData(frame.data(), 24, InputType::nv12, shape).empty()) << shape;
  }
}

TEST(InputDataTest, IsEmptyAfterItHasBeenMoved) {
  const std::string png = Png(2, 1);
  InputData first(png.data(), png.size(), InputType::encoded_image);
  const uint8_t* const image = ::synap_internal::DecodedImage(first)->pixels;
  const InputData second = std::move(first);
  EXPECT_EQ(::synap_internal::DecodedImage(second)->pixels, image);
  EXPECT_TRUE(first.empty());          // NOLINT(bugprone-use-after-move)
  EXPECT_TRUE(first.shape().empty());  // NOLINT(bugprone-use-after-move)
  EXPECT_FALSE(::synap_internal::DecodedImage(first).has_value());
}

}  // namespace
}  // namespace synaptics::synap
