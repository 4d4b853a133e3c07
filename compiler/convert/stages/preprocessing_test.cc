// Pictures into artifacts that convert them by themselves: from the metafile's `preprocess` through
// Preprocessor to the values that the network sees, beside those of the processor's own conversion.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/warnings.h"
#include "compiler/convert/stages/compile_stage.h"
#include "compiler/dataset/raw_image.h"
#include "compiler/graph/graph.h"
#include "compiler/metafile/metafile.h"
#include "compiler/target/target.h"
#include "compiler/testing/run_pass.h"
#include "runtime/vision/image.h"
#include "runtime/vision/image_writer.h"
#include "synap/buffer.hpp"
#include "synap/input_data.hpp"
#include "synap/network.hpp"
#include "synap/preprocessor.hpp"

namespace synap_internal {
namespace {

using synaptics::synap::Buffer;
using synaptics::synap::InputData;
using synaptics::synap::InputType;
using synaptics::synap::Layout;
using synaptics::synap::Network;
using synaptics::synap::Preprocessor;
using synaptics::synap::Rect;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr int kWidth = 96, kHeight = 64;  // of the network

// Gives its input of 96x64 pixels back as real numbers.
std::string Identity(const std::string& type, const std::string& op = "dequantize") {
  return absl::StrCat("graph \"g\" layout=\"nhwc\" {\n input %x: ", type,
                      "\n %y: float32[1x64x96x3] = ", op, "(%x)",
                      op == "cast" ? " {to=\"float32\"}" : "", " from \"n\"\n output %y\n}");
}

const std::string kUint8 = Identity("uint8[1x64x96x3]<affine 0.003921569 0>");

Network Compile(const std::string& graph, const std::string& input,
                const std::string& scale = "255") {
  const auto metafile = ParseMetafile(
      absl::StrCat("inputs: [{means: 0, scale: ", scale, ", ", input, "}]"), {.path = "m.yaml"});
  EXPECT_TRUE(metafile.ok()) << metafile.status();
  Warnings warnings;
  const absl::StatusOr<CompiledModel> model =
      CompileStage(GraphOf(graph), *metafile, **FindTarget("VS680"), {}, warnings);
  EXPECT_TRUE(model.ok()) << model.status();
  EXPECT_THAT(warnings.Texts(), testing::IsEmpty());
  Network net;
  if (model.ok()) {
    EXPECT_TRUE(net.load_model(model->synap.data(), model->synap.size()));
  }
  return net;
}

// A disk before colours that change slowly, as a photograph's do.
Image Scene(int width, int height) {
  Image image = MakeImage(width, height, 3);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const double across = (x + 0.5) / width, down = (y + 0.5) / height;
      const double distance = std::hypot((across - 0.4) * 1.5, down - 0.5);
      const double disk = 1 / (1 + std::exp((distance - 0.3) * 60));
      uint8_t* pixel = image.row(y) + 3 * x;
      pixel[0] = static_cast<uint8_t>(std::lround(60 + 140 * across + 50 * disk));
      pixel[1] = static_cast<uint8_t>(std::lround(200 - 120 * down - 60 * disk));
      pixel[2] = static_cast<uint8_t>(std::lround(90 + 80 * (1 - across) * down));
    }
  }
  return image;
}

std::string Frame(const Image& image, const std::string& format) {
  const absl::StatusOr<std::string> frame = EncodeRaw(image, format);
  EXPECT_TRUE(frame.ok()) << frame.status();
  return *frame;
}

InputData Data(const std::string& frame, InputType type) {
  return InputData(frame.data(), frame.size(), type);
}

InputData Pixels(const Image& image) {
  return InputData(image.pixels.data(), image.pixels.size(), InputType::image_8bits,
                   {1, image.height, image.width, image.channels}, Layout::nhwc, "rgb");
}

// The pixels that the network sees, as integers of 0 to 255.
Image Shown(Network& net) {
  EXPECT_TRUE(net.predict());
  Image image = MakeImage(kWidth, kHeight, 3);
  const float* values = net.outputs[0].as_float();
  for (size_t i = 0; i < image.pixels.size(); ++i) {
    image.pixels[i] = static_cast<uint8_t>(std::lround(values[i] * 255));
  }
  return image;
}

Image Shown(Network& net, const InputData& data, Rect roi = {}, Rect* assigned = nullptr) {
  Preprocessor preprocessor;
  preprocessor.set_roi(roi);
  EXPECT_TRUE(preprocessor.assign(net.inputs, data, 0, assigned));
  return Shown(net);
}

std::string Refusal(Network& net, const InputData& data, Rect roi = {}) {
  Preprocessor preprocessor;
  preprocessor.set_roi(roi);
  testing::internal::CaptureStderr();
  EXPECT_FALSE(preprocessor.assign(net.inputs, data));
  return testing::internal::GetCapturedStderr();
}

// Peak signal-to-noise ratio in dB; the picture is kept as <name>.png, to look at.
double Psnr(const std::string& name, const Image& image, const Image& expected) {
  const char* const folder = std::getenv("TEST_UNDECLARED_OUTPUTS_DIR");
  if (folder != nullptr) {
    EXPECT_TRUE(WriteImage(image, absl::StrCat(folder, "/", name, ".png")).ok());
  }
  double sum = 0;
  for (size_t i = 0; i < image.pixels.size(); ++i) {
    const double error = image.pixels[i] - expected.pixels[i];
    sum += error * error;
  }
  const double mean = sum / static_cast<double>(image.pixels.size());
  return mean == 0 ? 100 : 10 * std::log10(255 * 255 / mean);
}

// Frames of the network's size: both ways compute the same bits.
TEST(PreprocessingTest, FramesOfTheNetworksSizeAreAsOnTheProcessor) {
  const Image scene = Scene(kWidth, kHeight);
  for (const auto& [format, type] :
       {std::make_pair("nv12", InputType::nv12), std::make_pair("nv21", InputType::nv21)}) {
    const std::string frame = Frame(scene, format);
    Network there = Compile(kUint8, absl::StrCat("preprocess: {type: ", format, "}"));
    Network here = Compile(kUint8, "format: rgb");
    EXPECT_EQ(Shown(there, Data(frame, type)).pixels, Shown(here, Data(frame, type)).pixels);
  }
}

TEST(PreprocessingTest, BgrNetworksGetTheirOrder) {
  const Image scene = Scene(kWidth, kHeight);
  const InputData frame = Data(Frame(scene, "nv12"), InputType::nv12);
  Network there = Compile(kUint8, "format: bgr, preprocess: {type: nv12}");
  Network here = Compile(kUint8, "format: bgr");
  EXPECT_EQ(Shown(there, frame).pixels, Shown(here, frame).pixels);
}

// The processor resizes with a Mitchell filter, the network takes the nearest pixel of nv12 and
// interpolates between those of the others.
TEST(PreprocessingTest, LargerPicturesAreCloseToThoseOfTheProcessor) {
  const Image scene = Scene(320, 240);
  Network here = Compile(kUint8, "format: rgb keep_proportions=0");
  const Image expected = Shown(here, Pixels(scene));
  const auto shown = [&](const std::string& type, const InputData& data) {
    Network net = Compile(kUint8, absl::StrCat("preprocess: {type: ", type, ", size: [320, 240]}"));
    return Psnr(type, Shown(net, data), expected);
  };
  EXPECT_GE(shown("nv12", Data(Frame(scene, "nv12"), InputType::nv12)), 30);
  EXPECT_GE(shown("rgb", Pixels(scene)), 40);
  EXPECT_GE(shown("bgra", Pixels(scene)), 40);
  EXPECT_GE(shown("rgb888p", Pixels(scene)), 40);
  EXPECT_GE(shown("rgb888p3", Pixels(scene)), 40);
}

// Planes of limited range BT.601, made here from the same scene.
std::string LimitedRangePlanes(const Image& scene, int part) {
  std::string planes[3];
  for (int y = 0; y < scene.height; ++y) {
    for (int x = 0; x < scene.width; ++x) {
      const uint8_t* p = scene.row(y) + 3 * x;
      const double luma = 0.299 * p[0] + 0.587 * p[1] + 0.114 * p[2];
      planes[0] += static_cast<char>(std::lround(16 + luma * 219 / 255));
      if (y % part != 0 || x % part != 0) continue;
      planes[1] += static_cast<char>(std::lround(128 + (p[2] - luma) / 1.772 * 224 / 255));
      planes[2] += static_cast<char>(std::lround(128 + (p[0] - luma) / 1.402 * 224 / 255));
    }
  }
  return planes[0] + planes[1] + planes[2];
}

TEST(PreprocessingTest, PlanesOfLimitedRangeComeAsOneBlock) {
  const Image scene = Scene(320, 240);
  Network here = Compile(kUint8, "format: rgb keep_proportions=0");
  const Image expected = Shown(here, Pixels(scene));
  for (const std::string type : {"yuv420", "yuv444"}) {
    Network net = Compile(kUint8, absl::StrCat("preprocess: {type: ", type, ", size: [320, 240]}"));
    const std::string planes = LimitedRangePlanes(scene, type == "yuv420" ? 2 : 1);
    const Image shown = Shown(net, Data(planes, InputType::raw));
    EXPECT_GE(Psnr(type, shown, expected), 35) << type;
    EXPECT_THAT(Refusal(net, Data(planes + "x", InputType::raw)),
                HasSubstr(absl::StrCat(planes.size() + 1, " bytes of data for 3 planes, expected ",
                                       planes.size())));
  }
}

TEST(PreprocessingTest, GrayPicturesAreInterpolatedToo) {
  const std::string graph = R"(graph "g" layout="nchw" {
    input %x: uint8[1x1x2x2]<affine 0.003921569 0>
    %y: float32[1x1x2x2] = dequantize(%x) from "n"
    output %y
  })";
  Network net = Compile(graph, "preprocess: {type: gray, size: [4, 4]}");
  const std::vector<uint8_t> pixels = {10, 20, 0, 0, 30, 40, 0, 0, 5, 5, 8, 8, 5, 5, 8, 8};
  ASSERT_TRUE(Preprocessor().assign(
      net.inputs, InputData(pixels.data(), pixels.size(), InputType::image_8bits, {1, 4, 4, 1},
                            Layout::nhwc, "gray")));
  ASSERT_TRUE(net.predict());
  const float* values = net.outputs[0].as_float();
  std::vector<long> shown;
  for (int i = 0; i < 4; ++i) shown.push_back(std::lround(values[i] * 255));
  EXPECT_THAT(shown, ElementsAre(25, 0, 5, 8));
}

// Every type of network: pixels between 0 and 1 as far as its step and range go.
TEST(PreprocessingTest, NetworksOfAllTypesSeeTheSamePicture) {
  const Image scene = Scene(kWidth, kHeight);
  const InputData frame = Data(Frame(scene, "nv12"), InputType::nv12);
  Network first = Compile(kUint8, "preprocess: {type: nv12}");
  const Image expected = Shown(first, frame);
  for (const std::string& graph :
       {Identity("int8[1x64x96x3]<affine 0.003921569 -128>"),
        Identity("int16[1x64x96x3]<fixed 14>"), Identity("float16[1x64x96x3]", "cast"),
        Identity("float32[1x64x96x3]", "abs")}) {
    Network net = Compile(graph, "preprocess: {type: nv12}");
    EXPECT_EQ(Shown(net, frame).pixels, expected.pixels) << graph;
  }
}

// The part of a nv12 frame inside `roi`, whose numbers are even.
std::string CutOut(const std::string& frame, int width, int height, const Rect& roi) {
  std::string part;
  for (int y = 0; y < roi.size.y; ++y) {
    part += frame.substr((roi.origin.y + y) * width + roi.origin.x, roi.size.x);
  }
  for (int y = 0; y < roi.size.y / 2; ++y) {
    const int row = height + roi.origin.y / 2 + y;  // the chroma plane's rows are as long
    part += frame.substr(row * width + roi.origin.x, roi.size.x);
  }
  return part;
}

// In place of the whole picture the network sees the region, and results are relative to it.
TEST(PreprocessingTest, ARegionOfAFrameFillsTheNetwork) {
  const Image scene = Scene(320, 240);
  Network net = Compile(kUint8, "preprocess: {type: nv12, size: [320, 240], crop: true}");
  const InputData frame = Data(Frame(scene, "nv12"), InputType::nv12);
  Rect assigned;
  const Image whole = Shown(net, frame, {}, &assigned);
  EXPECT_EQ(assigned, (Rect{{0, 0}, {320, 240}}));
  Network uncropped = Compile(kUint8, "preprocess: {type: nv12, size: [320, 240]}");
  EXPECT_EQ(whole.pixels, Shown(uncropped, frame).pixels);
  Network here = Compile(kUint8, "preprocess: {type: nv12}");
  for (const Rect& roi : {Rect{{0, 0}, {96, 64}}, Rect{{224, 176}, {96, 64}},
                          Rect{{224, 0}, {96, 64}}, Rect{{100, 82}, {96, 64}}}) {
    const Image shown = Shown(net, frame, roi, &assigned);
    EXPECT_EQ(assigned, roi);
    // Regions of the network's size aren't scaled.
    const std::string part = CutOut(Frame(scene, "nv12"), 320, 240, roi);
    EXPECT_EQ(shown.pixels, Shown(here, Data(part, InputType::nv12)).pixels);
  }
  EXPECT_THAT(Refusal(net, frame, {{225, 0}, {96, 64}}),
              HasSubstr("is outside of the image, expected a part of 320x240"));
}

// A picture of another size is resized on the processor first; the region is in its pixels.
TEST(PreprocessingTest, ARegionOfAResizedPictureIsInThePicturesPixels) {
  const Image scene = Scene(640, 480);
  Network net = Compile(kUint8,
                        "format: rgb keep_proportions=0, preprocess: {type: rgb, size: [320, 240], "
                        "crop: true}");
  Rect assigned;
  const Image shown = Shown(net, Pixels(scene), {{200, 100}, {192, 128}}, &assigned);
  EXPECT_EQ(assigned, (Rect{{200, 100}, {192, 128}}));
  Image part = MakeImage(192, 128, 3);
  for (int y = 0; y < 128; ++y) std::memcpy(part.row(y), scene.row(y + 100) + 600, 3 * 192);
  Network here = Compile(kUint8, "format: rgb keep_proportions=0");
  EXPECT_GE(Psnr("region", shown, Shown(here, Pixels(part))), 40);
}

TEST(PreprocessingTest, AFrameInABufferIsReadWhereItLies) {
  const std::string frame = Frame(Scene(320, 240), "nv12");
  Network copied = Compile(kUint8, "preprocess: {type: nv12, size: [320, 240]}");
  Network shared = Compile(kUint8, "preprocess: {type: nv12, size: [320, 240]}");
  Buffer camera(frame.size());
  Buffer luma(camera, 0, 320 * 240), chroma(camera, 320 * 240, 320 * 240 / 2);
  ASSERT_TRUE(shared.inputs[0].set_buffer(&luma));
  ASSERT_TRUE(shared.inputs[1].set_buffer(&chroma));
  std::memcpy(camera.data(), frame.data(), frame.size());
  EXPECT_EQ(Shown(shared).pixels, Shown(copied, Data(frame, InputType::nv12)).pixels);
  std::memset(camera.data(), 128, frame.size());
  EXPECT_THAT(Shown(shared).pixels, Each(128));
}

// The artifact has no other layer than the conversion and what the network itself does.
TEST(PreprocessingTest, AModelMayOnlyConvert) {
  Network net = Compile(R"(graph "rgb" layout="nhwc" {
    input %x: uint8[1x64x96x3]
    %y: uint8[1x64x96x3] = reshape(%x) {shape=[1, 64, 96, 3]} from "n"
    output %y
  })",
                        "preprocess: {type: nv12, size: [320, 240]}", "1");
  const std::string frame = Frame(Scene(320, 240), "nv12");
  ASSERT_TRUE(Preprocessor().assign(net.inputs, Data(frame, InputType::nv12)));
  ASSERT_TRUE(net.predict());
  Network other = Compile(kUint8, "preprocess: {type: nv12, size: [320, 240]}");
  const Image expected = Shown(other, Data(frame, InputType::nv12));
  const auto* pixels = net.outputs[0].data<uint8_t>();
  ASSERT_NE(pixels, nullptr);
  EXPECT_EQ(std::vector<uint8_t>(pixels, pixels + expected.pixels.size()), expected.pixels);
}

TEST(PreprocessingTest, SaysWhatTheNetworkDoesNotTake) {
  const Image scene = Scene(320, 240);
  Network net = Compile(kUint8, "preprocess: {type: nv12, size: [320, 240]}");
  const std::string frame = Frame(scene, "nv12");
  EXPECT_THAT(Refusal(net, Pixels(scene)),
              HasSubstr("Format mismatch: rgb data for the planes y8, uv8, expected a frame of "
                        "these planes; 'synap image_to_raw' makes nv12"));
  EXPECT_THAT(Refusal(net, Data(frame, InputType::nv21)), HasSubstr("Format mismatch: nv21 data"));
  EXPECT_THAT(Refusal(net, InputData(frame.data(), frame.size(), InputType::nv12, {1, 320, 240, 3},
                                     Layout::nhwc)),
              HasSubstr("a frame of 240x320, expected 320x240 (width x height)"));
  EXPECT_THAT(Refusal(net, Data(frame.substr(1), InputType::nv12)), HasSubstr("Shape mismatch"));
  EXPECT_THAT(Refusal(net, Data(frame, InputType::nv12), {{0, 0}, {96, 64}}),
              HasSubstr("No cropping tensors at index: 2, expected four scalars; convert the model "
                        "with 'crop: true'"));
}

}  // namespace
}  // namespace synap_internal
