#include "synap/preprocessor.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "runtime/bundle/bundle.h"
#include "runtime/testing/test_models.h"
#include "runtime/vision/image.h"
#include "runtime/vision/image_writer.h"
#include "synap/buffer.hpp"
#include "synap/network.hpp"

namespace synaptics::synap {
namespace {

using ::synap_internal::TensorLayout;
using ::synap_internal::TensorMetadata;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;

// A network with one uint8 input of that kind that isn't normalized.
Network MakeNetwork(::synap_internal::Shape shape, TensorLayout layout, const std::string& format) {
  TensorMetadata x = ::synap_internal::MakeMetadata(
      "x", {::synap_internal::DataType::kUint8, std::move(shape), {}});
  x.layout = layout;
  x.data_format = format;
  TensorMetadata y = x;
  y.name = "y";
  y.shape = {x.shape.elements()};
  y.layout = TensorLayout::kNone;
  const std::string bytes = ::synap_internal::MakeReshapeModel(x, y);
  Network net;
  EXPECT_TRUE(net.load_model(bytes.data(), bytes.size()));
  return net;
}

::synap_internal::Shape Shape4(int64_t a, int64_t b, int64_t c) { return {1, a, b, c}; }

std::vector<uint8_t> Data(Tensor& tensor) {
  const auto* data = static_cast<const uint8_t*>(tensor.data());
  return std::vector<uint8_t>(data, data + tensor.size());
}

InputData Pixels(const std::vector<uint8_t>& pixels, int height, int width, int channels,
                 const std::string& format = "rgb") {
  return InputData(pixels.data(), pixels.size(), InputType::image_8bits,
                   {1, height, width, channels}, Layout::nhwc, format);
}

// What assigning writes to stderr.
std::string Error(Network& net, const InputData& data) {
  testing::internal::CaptureStderr();
  EXPECT_FALSE(Preprocessor().assign(net.inputs[0], data));
  return testing::internal::GetCapturedStderr();
}

TEST(PreprocessorTest, CopiesImagesOfTheTensorsSize) {
  Network net = MakeNetwork({1, 1, 2, 3}, TensorLayout::kNhwc, "");
  Rect rect;
  ASSERT_TRUE(Preprocessor().assign(net.inputs[0], Pixels({1, 2, 3, 4, 5, 6}, 1, 2, 3), &rect));
  EXPECT_THAT(Data(net.inputs[0]), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_EQ(rect, (Rect{{0, 0}, {2, 1}}));
}

TEST(PreprocessorTest, ReordersToPlanesAndToBgr) {
  Network planar = MakeNetwork({1, 3, 1, 2}, TensorLayout::kNchw, "bgr");
  const InputData rgb = Pixels({1, 2, 3, 4, 5, 6}, 1, 2, 3);
  ASSERT_TRUE(Preprocessor().assign(planar.inputs[0], rgb));
  EXPECT_THAT(Data(planar.inputs[0]), ElementsAre(3, 6, 2, 5, 1, 4));
  Network net = MakeNetwork({1, 1, 2, 3}, TensorLayout::kNhwc, "rgb");
  ASSERT_TRUE(Preprocessor().assign(net.inputs[0], Pixels({1, 2, 3, 4, 5, 6}, 1, 2, 3, "bgr")));
  EXPECT_THAT(Data(net.inputs[0]), ElementsAre(3, 2, 1, 6, 5, 4));
}

TEST(PreprocessorTest, BgrBecomesRgbUnlessTheTensorWantsBgr) {
  const InputData bgr = Pixels({1, 2, 3, 4, 5, 6}, 1, 2, 3, "bgr");
  for (const char* format : {"", "rgb", "keep_proportions=0"}) {
    Network net = MakeNetwork({1, 1, 2, 3}, TensorLayout::kNhwc, format);
    ASSERT_TRUE(Preprocessor().assign(net.inputs[0], bgr));
    EXPECT_THAT(Data(net.inputs[0]), ElementsAre(3, 2, 1, 6, 5, 4)) << format;
  }
  Network net = MakeNetwork({1, 1, 2, 3}, TensorLayout::kNhwc, "bgr");
  ASSERT_TRUE(Preprocessor().assign(net.inputs[0], bgr));
  EXPECT_THAT(Data(net.inputs[0]), ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST(PreprocessorTest, PixelsWithoutASizeAreAnImageOfTheTensorsSize) {
  Network net = MakeNetwork({1, 3, 1, 2}, TensorLayout::kNchw, "");
  const InputData bgr(::synap_internal::WriteTestFile("frame.bgr", "abcdef"));
  ASSERT_TRUE(Preprocessor().assign(net.inputs[0], bgr));
  EXPECT_THAT(Data(net.inputs[0]), ElementsAre('c', 'f', 'b', 'e', 'a', 'd'));
  const InputData wrong(::synap_internal::WriteTestFile("frame.rgb", "abcdefg"));
  EXPECT_THAT(Error(net, wrong), HasSubstr("7 bytes of data, expected 6"));
}

TEST(PreprocessorTest, ConvertsGrayColourAndAlpha) {
  Network colour = MakeNetwork({1, 1, 2, 3}, TensorLayout::kNhwc, "rgb");
  ASSERT_TRUE(Preprocessor().assign(colour.inputs[0], Pixels({7, 9}, 1, 2, 1, "gray")));
  EXPECT_THAT(Data(colour.inputs[0]), ElementsAre(7, 7, 7, 9, 9, 9));
  ASSERT_TRUE(
      Preprocessor().assign(colour.inputs[0], Pixels({1, 2, 3, 0, 4, 5, 6, 255}, 1, 2, 4, "bgra")));
  EXPECT_THAT(Data(colour.inputs[0]), ElementsAre(3, 2, 1, 6, 5, 4));
  Network gray = MakeNetwork({1, 1, 1, 1}, TensorLayout::kNhwc, "gray");
  ASSERT_TRUE(Preprocessor().assign(gray.inputs[0], Pixels({255, 0, 0}, 1, 1, 3)));
  EXPECT_THAT(Data(gray.inputs[0]), ElementsAre(76));
  ASSERT_TRUE(Preprocessor().assign(gray.inputs[0], Pixels({0, 0, 255}, 1, 1, 3, "bgr")));
  EXPECT_THAT(Data(gray.inputs[0]), ElementsAre(76));
  Network bgra = MakeNetwork({1, 1, 1, 4}, TensorLayout::kNhwc, "bgra");
  ASSERT_TRUE(Preprocessor().assign(bgra.inputs[0], Pixels({1, 2, 3}, 1, 1, 3)));
  EXPECT_THAT(Data(bgra.inputs[0]), ElementsAre(3, 2, 1, 255));
}

TEST(PreprocessorTest, AssignsPicturesUprightAndInTheTensorsChannels) {
  Network net = MakeNetwork({1, 3, 2, 3}, TensorLayout::kNhwc, "rgb");
  Rect rect;
  const InputData turned("testdata/fuzz/image/oriented6.png");
  ASSERT_TRUE(Preprocessor().assign(net.inputs[0], turned, &rect));
  EXPECT_EQ(turned.dimensions().w, 2);
  EXPECT_EQ(rect, (Rect{{0, 0}, {2, 3}}));
  EXPECT_THAT(Data(net.inputs[0]),
              ElementsAre(4, 4, 4, 1, 1, 1, 5, 5, 5, 2, 2, 2, 6, 6, 6, 3, 3, 3));
  const InputData bmp("testdata/fuzz/image/4.bmp");
  EXPECT_EQ(bmp.dimensions().w, 3);
  EXPECT_TRUE(Preprocessor().assign(net.inputs[0], bmp));
}

TEST(InputDataTest, WarnsOfWhatPixelsDoNotShow) {
  testing::internal::CaptureStderr();
  EXPECT_FALSE(InputData("testdata/fuzz/image/cmyk.jpg").dimensions().empty());
  EXPECT_FALSE(InputData("testdata/fuzz/image/gray_alpha.png").dimensions().empty());
  EXPECT_FALSE(InputData("testdata/fuzz/image/rgb.png").dimensions().empty());
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_THAT(said, HasSubstr("cmyk.jpg is a CMYK image"));
  EXPECT_THAT(said, HasSubstr("gray_alpha.png has transparent pixels"));
  EXPECT_EQ(said.find("rgb.png"), std::string::npos);
}

TEST(PreprocessorTest, AddsCentredBandsAndReportsThem) {
  Network net = MakeNetwork({1, 4, 4, 1}, TensorLayout::kNhwc, "gray fill_color=9");
  const std::vector<uint8_t> pixels(8 * 4, 200);
  Rect rect;
  ASSERT_TRUE(Preprocessor().assign(net.inputs[0], Pixels(pixels, 4, 8, 1, "gray"), &rect));
  EXPECT_EQ(rect, (Rect{{0, -2}, {8, 8}}));
  EXPECT_THAT(Data(net.inputs[0]), ElementsAre(9, 9, 9, 9, 200, 200, 200, 200,  //
                                               200, 200, 200, 200, 9, 9, 9, 9));
}

TEST(PreprocessorTest, MayStretch) {
  Network net = MakeNetwork({1, 4, 4, 1}, TensorLayout::kNhwc, "gray keep_proportions=0");
  Rect rect;
  const std::vector<uint8_t> pixels(8 * 4, 200);
  ASSERT_TRUE(Preprocessor().assign(net.inputs[0], Pixels(pixels, 4, 8, 1), &rect));
  EXPECT_EQ(rect, (Rect{{0, 0}, {8, 4}}));
  EXPECT_THAT(Data(net.inputs[0]), ElementsAreArray(std::vector<uint8_t>(16, 200)));
}

TEST(PreprocessorTest, DecodesImageFiles) {
  ::synap_internal::Image image = ::synap_internal::MakeImage(2, 1, 3);
  image.pixels = {1, 2, 3, 4, 5, 6};
  const std::string path =
      ::synap_internal::WriteTestFile("i.PNG", *::synap_internal::EncodePng(image));
  const InputData data(path);
  EXPECT_EQ(data.type(), InputType::encoded_image);
  EXPECT_EQ(data.dimensions().w, 2);
  EXPECT_THAT(data.shape(), ElementsAre(1, 1, 2, 3));
  Network net = MakeNetwork({1, 1, 2, 3}, TensorLayout::kNhwc, "rgb");
  ASSERT_TRUE(Preprocessor().assign(net.inputs, data));
  EXPECT_THAT(Data(net.inputs[0]), ElementsAre(1, 2, 3, 4, 5, 6));
}

std::string Jpeg(int width, int height) {
  ::synap_internal::Image image = ::synap_internal::MakeImage(width, height, 3);
  for (size_t i = 0; i < image.pixels.size(); ++i) image.pixels[i] = static_cast<uint8_t>(i * 5);
  return *::synap_internal::EncodeJpeg(image);
}

// The first time its rows are decoded on their way, afterwards before.
TEST(PreprocessorTest, AssignsAJpegTheSameEachTime) {
  const std::string jpeg = Jpeg(50, 40);
  const InputData data(jpeg.data(), jpeg.size(), InputType::encoded_image);
  Network net = MakeNetwork({1, 3, 20, 30}, TensorLayout::kNchw, "bgr");
  Rect first, second;
  ASSERT_TRUE(Preprocessor().assign(net.inputs[0], data, &first));
  const std::vector<uint8_t> pixels = Data(net.inputs[0]);
  EXPECT_EQ(data.dimensions().w, 50);
  EXPECT_EQ(data.dimensions().h, 40);
  EXPECT_EQ(data.dimensions().c, 3);
  const std::vector<uint8_t> zeros(pixels.size());
  ASSERT_TRUE(net.inputs[0].assign(zeros.data(), zeros.size()));
  ASSERT_TRUE(Preprocessor().assign(net.inputs[0], data, &second));
  EXPECT_EQ(Data(net.inputs[0]), pixels);
  EXPECT_EQ(first, second);
}

TEST(PreprocessorTest, ADamagedJpegIsAnErrorEachTime) {
  const std::string jpeg = Jpeg(50, 400);
  const InputData data(jpeg.data(), jpeg.size() - 20, InputType::encoded_image);
  Network net = MakeNetwork({1, 20, 30, 3}, TensorLayout::kNhwc, "rgb");
  for (int i = 0; i < 2; ++i) {
    const std::string error = Error(net, data);
    EXPECT_THAT(error, HasSubstr("image in memory is not an image: "));
    EXPECT_THAT(error, HasSubstr("tensor 'x': no image to assign"));
  }
  testing::internal::CaptureStderr();
  EXPECT_TRUE(data.dimensions().empty());
  testing::internal::GetCapturedStderr();
}

// Row by row into the tensor, as the whole picture at once.
TEST(PreprocessorTest, NormalizesPicturesAsBytes) {
  const std::string jpeg = Jpeg(50, 40);
  const InputData data(jpeg.data(), jpeg.size(), InputType::encoded_image);
  for (const TensorLayout layout : {TensorLayout::kNhwc, TensorLayout::kNchw}) {
    const bool is_planar = layout == TensorLayout::kNchw;
    Network bytes = MakeNetwork(is_planar ? Shape4(3, 20, 30) : Shape4(20, 30, 3), layout, "rgb");
    ASSERT_TRUE(Preprocessor().assign(bytes.inputs[0], data));
    const std::vector<uint8_t> pixels = Data(bytes.inputs[0]);
    TensorMetadata x =
        ::synap_internal::MakeMetadata("x", {::synap_internal::DataType::kFloat32,
                                             is_planar ? Shape4(3, 20, 30) : Shape4(20, 30, 3),
                                             {}});
    x.layout = layout;
    x.mean = {1, 20, 300};
    x.scale = 3;
    TensorMetadata y = x;
    y.name = "y";
    y.shape = {x.shape.elements()};
    y.layout = TensorLayout::kNone;
    y.mean = {};
    const std::string model = ::synap_internal::MakeReshapeModel(x, y);
    Network net;
    ASSERT_TRUE(net.load_model(model.data(), model.size()));
    // A buffer that isn't aligned for floats, and the tensor's own.
    Buffer whole(pixels.size() * sizeof(float) + 1);
    Buffer odd(whole, 1, pixels.size() * sizeof(float));
    for (Buffer* buffer : {static_cast<Buffer*>(nullptr), &odd}) {
      if (buffer != nullptr) {
        ASSERT_TRUE(net.inputs[0].set_buffer(buffer));
      }
      ASSERT_TRUE(net.inputs[0].assign(pixels.data(), pixels.size()));
      const std::vector<uint8_t> expected = Data(net.inputs[0]);
      const std::vector<uint8_t> zeros(expected.size());
      ASSERT_TRUE(net.inputs[0].assign(static_cast<const void*>(zeros.data()), zeros.size()));
      ASSERT_TRUE(Preprocessor().assign(net.inputs[0], data));
      EXPECT_EQ(Data(net.inputs[0]), expected);
    }
  }
}

TEST(PreprocessorTest, CopiesRawDataOfTheRightSize) {
  Network net = MakeNetwork({4}, TensorLayout::kNone, "");
  const InputData data(::synap_internal::WriteTestFile("x.dat", "abcd"));
  ASSERT_TRUE(Preprocessor().assign(net.inputs[0], data));
  EXPECT_EQ(std::memcmp(net.inputs[0].data(), "abcd", 4), 0);
  EXPECT_THAT(Error(net, InputData("abc", 3, InputType::raw)),
              HasSubstr("Shape mismatch: 3 bytes of data, expected 4"));
}

TEST(PreprocessorTest, SaysWhatItCannotConvert) {
  Network net = MakeNetwork({1, 1, 2, 3}, TensorLayout::kNhwc, "rgb");
  EXPECT_THAT(Error(net, Pixels({1, 2, 3, 4}, 1, 2, 2)),
              HasSubstr("unable to convert image from 2 to 3 channels"));
  Network flat = MakeNetwork({6}, TensorLayout::kNone, "");
  EXPECT_THAT(Error(flat, Pixels({1, 2, 3}, 1, 1, 3)), HasSubstr("Layout mismatch"));
  Network bad = MakeNetwork({1, 1, 2, 3}, TensorLayout::kNhwc, "rgb fill_color=red");
  EXPECT_THAT(Error(bad, Pixels({1, 2, 3}, 1, 1, 3)), HasSubstr("'fill_color' is 'red'"));
  EXPECT_THAT(Error(net, InputData("not a png", 9, InputType::encoded_image)),
              HasSubstr("is not an image"));
  EXPECT_THAT(Error(net, InputData("/nonexistent.jpg")), HasSubstr("no data to assign"));
}

// A network of two inputs of that type, 2x2 of luma and 1x1 of chroma.
Network MakeYuvNetwork(::synap_internal::DataType type, const ::synap_internal::QuantParams& quant,
                       bool pixels_unknown = false) {
  std::vector<::synap_internal::BundlePart> parts;
  std::string programs[2];
  const ::synap_internal::Shape shapes[] = {{1, 2, 2, 1}, {1, 1, 1, 2}};
  for (int i = 0; i < 2; ++i) {
    TensorMetadata x =
        ::synap_internal::MakeMetadata(i == 0 ? "luma" : "chroma", {type, shapes[i], quant});
    x.layout = TensorLayout::kNhwc;
    x.pixels_unknown = pixels_unknown && i == 0;
    const ::synap_internal::TensorType out = {type, {shapes[i].elements()}, quant};
    programs[i] = ::synap_internal::MakeProgram("reshape", {{"shape", out.shape.dims()}},
                                                {{type, shapes[i], quant}}, out);
    ::synap_internal::ModelMetadata metadata;
    metadata.inputs = {x};
    metadata.outputs = {::synap_internal::MakeMetadata("y", out)};
    parts.push_back({programs[i], metadata, {{-1, i}}});
  }
  const std::string bytes = ::synap_internal::WriteBundle(parts, {{{0, 0}, {1, 0}}}).value();
  Network net;
  EXPECT_TRUE(net.load_model(bytes.data(), bytes.size()));
  return net;
}

TEST(PreprocessorTest, CopiesNv12IntoBytes) {
  Network net = MakeYuvNetwork(::synap_internal::DataType::kUint8, {});
  const uint8_t frame[] = {1, 2, 3, 200, 5, 250};
  ASSERT_TRUE(Preprocessor().assign(net.inputs, InputData(frame, 6, InputType::nv12)));
  EXPECT_THAT(Data(net.inputs[0]), ElementsAre(1, 2, 3, 200));
  EXPECT_THAT(Data(net.inputs[1]), ElementsAre(5, 250));
}

TEST(PreprocessorTest, ConvertsYuvToColourAndGray) {
  // 2x2 of one pure red: Y 76, U 85, V 255.
  const uint8_t nv12[] = {76, 76, 76, 76, 85, 255}, nv21[] = {76, 76, 76, 76, 255, 85};
  Network colour = MakeNetwork({1, 1, 1, 3}, TensorLayout::kNhwc, "rgb");
  Rect rect;
  ASSERT_TRUE(Preprocessor().assign(colour.inputs[0],
                                    InputData(nv12, 6, InputType::nv12, {1, 2, 2, 1}), &rect));
  EXPECT_THAT(Data(colour.inputs[0]), ElementsAre(255, 0, 0));
  EXPECT_EQ(rect, (Rect{{0, 0}, {2, 2}}));
  Network planar = MakeNetwork({1, 3, 2, 2}, TensorLayout::kNchw, "bgr");
  ASSERT_TRUE(Preprocessor().assign(planar.inputs, InputData(nv21, 6, InputType::nv21)));
  EXPECT_THAT(Data(planar.inputs[0]), ElementsAre(0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 255, 255));
  Network gray = MakeNetwork({1, 2, 2, 1}, TensorLayout::kNhwc, "gray");
  ASSERT_TRUE(Preprocessor().assign(gray.inputs, InputData(nv12, 6, InputType::nv12)));
  EXPECT_THAT(Data(gray.inputs[0]), ElementsAre(76, 76, 76, 76));
  EXPECT_THAT(Error(colour, InputData(nv12, 6, InputType::nv12)),
              HasSubstr("6 bytes of nv12 data of unknown size, expected 0 for 1x1"));
  Network luma = MakeNetwork({1, 2, 2, 1}, TensorLayout::kNhwc, "y8");
  EXPECT_THAT(Error(luma, InputData(nv12, 6, InputType::nv12)),
              HasSubstr("nv12 data for one tensor, expected two, y8 and uv8 or vu8"));
}

TEST(PreprocessorTest, ReordersPlanarPixels) {
  Network net = MakeNetwork({1, 1, 2, 3}, TensorLayout::kNhwc, "bgr");
  const InputData planar("abcdef", 6, InputType::image_8bits, {1, 3, 1, 2}, Layout::nchw);
  ASSERT_TRUE(Preprocessor().assign(net.inputs[0], planar));
  EXPECT_THAT(Data(net.inputs[0]), ElementsAre('e', 'c', 'a', 'f', 'd', 'b'));
}

TEST(PreprocessorTest, RefusesNv12WhereNothingSaysWhatBytesStandFor) {
  const ::synap_internal::QuantParams quant = ::synap_internal::QuantParams::Affine(1 / 128.0f, 0);
  const uint8_t frame[] = {1, 2, 3, 200, 5, 250};
  const auto error = [&](Network net) {
    testing::internal::CaptureStderr();
    EXPECT_FALSE(Preprocessor().assign(net.inputs, InputData(frame, 6, InputType::nv12)));
    return testing::internal::GetCapturedStderr();
  };
  EXPECT_THAT(error(MakeYuvNetwork(::synap_internal::DataType::kInt8, quant)),
              HasSubstr("tensor 'chroma': takes no pictures"));
  EXPECT_THAT(error(MakeYuvNetwork(::synap_internal::DataType::kInt16, quant)),
              HasSubstr("tensor 'chroma': takes no pictures"));
  EXPECT_THAT(error(MakeYuvNetwork(::synap_internal::DataType::kUint8, quant, true)),
              HasSubstr("tensor 'luma': takes no pictures"));
}

TEST(PreprocessorTest, RefusesARegionWithoutCropTensors) {
  Network net = MakeNetwork({1, 1, 2, 3}, TensorLayout::kNhwc, "rgb");
  Preprocessor preprocessor;
  preprocessor.set_roi({{0, 0}, {1, 1}});
  testing::internal::CaptureStderr();
  EXPECT_FALSE(preprocessor.assign(net.inputs, Pixels({1, 2, 3, 4, 5, 6}, 1, 2, 3)));
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("No cropping tensors at index: 1"));
}

TEST(PreprocessorTest, RefusesARegionForATensorAlone) {
  Network net = MakeNetwork({1, 1, 2, 3}, TensorLayout::kNhwc, "rgb");
  Preprocessor preprocessor;
  preprocessor.set_roi({{0, 0}, {1, 1}});
  testing::internal::CaptureStderr();
  EXPECT_FALSE(preprocessor.assign(net.inputs[0], Pixels({1, 2, 3, 4, 5, 6}, 1, 2, 3)));
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("call assign(network.inputs"));
  preprocessor.set_roi({});
  EXPECT_TRUE(preprocessor.assign(net.inputs[0], Pixels({1, 2, 3, 4, 5, 6}, 1, 2, 3)));
}

// A network that takes nv12 images of 4x2, chroma first, and the four scalars of a region.
Network MakeCroppingNetwork() {
  using InternalType = ::synap_internal::DataType;
  std::vector<TensorMetadata> inputs = {
      ::synap_internal::MakeMetadata("chroma", {InternalType::kUint8, {1, 1, 2, 2}, {}}),
      ::synap_internal::MakeMetadata("luma", {InternalType::kUint8, {1, 2, 4, 1}, {}})};
  for (TensorMetadata& image : inputs) image.layout = TensorLayout::kNhwc;
  for (const char* name : {"width", "height", "x", "y"}) {
    inputs.push_back(::synap_internal::MakeMetadata(name, {InternalType::kInt32, {1}, {}}));
  }
  std::vector<std::string> programs;
  std::vector<::synap_internal::BundleEdge> outputs;
  for (const TensorMetadata& x : inputs) {
    const ::synap_internal::TensorType out = {x.dtype, {1, x.shape.elements()}, {}};
    programs.push_back(::synap_internal::MakeProgram("reshape", {{"shape", out.shape.dims()}},
                                                     {{x.dtype, x.shape, {}}}, out));
  }
  std::vector<::synap_internal::BundlePart> parts;
  for (int i = 0; i < 6; ++i) {
    const TensorMetadata& x = inputs[i];
    ::synap_internal::ModelMetadata metadata;
    metadata.inputs = {x};
    metadata.outputs = {
        ::synap_internal::MakeMetadata("y", {x.dtype, {1, x.shape.elements()}, {}})};
    parts.push_back({programs[i], metadata, {{-1, i}}});
    outputs.push_back({i, 0});
  }
  const std::string bytes = ::synap_internal::WriteBundle(parts, outputs).value();
  Network net;
  EXPECT_TRUE(net.load_model(bytes.data(), bytes.size()));
  return net;
}

std::vector<int32_t> Region(Network& net) {
  std::vector<int32_t> region;
  for (size_t i = 2; i < 6; ++i) region.push_back(*net.inputs[i].data<int32_t>());
  return region;
}

const std::vector<uint8_t> kFrame = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};  // nv12, 4x2

TEST(PreprocessorTest, UsesTheWholeImageWithoutARegion) {
  Network net = MakeCroppingNetwork();
  ASSERT_TRUE(
      Preprocessor().assign(net.inputs, InputData(kFrame.data(), kFrame.size(), InputType::nv12)));
  EXPECT_THAT(Data(net.inputs[0]), ElementsAre(9, 10, 11, 12));
  EXPECT_THAT(Region(net), ElementsAre(4, 2, 0, 0));
}

TEST(PreprocessorTest, RefusesARegionOutsideOfTheImage) {
  Network net = MakeCroppingNetwork();
  const InputData frame(kFrame.data(), kFrame.size(), InputType::nv12);
  Preprocessor preprocessor;
  preprocessor.set_roi({{1, 1}, {3, 1}});
  ASSERT_TRUE(preprocessor.assign(net.inputs, frame));
  EXPECT_THAT(Region(net), ElementsAre(3, 1, 1, 1));
  const Rect outside[] = {{{1, 1}, {4, 1}},  {{0, 0}, {4, 3}},         {{-1, 0}, {2, 2}},
                          {{0, 0}, {-2, 1}}, {{INT32_MAX, 0}, {1, 1}}, {{0, 1}, {1, INT32_MAX}}};
  for (const Rect& roi : outside) {
    preprocessor.set_roi(roi);
    testing::internal::CaptureStderr();
    EXPECT_FALSE(preprocessor.assign(net.inputs, frame)) << roi.origin.x << " " << roi.size.x;
    EXPECT_THAT(testing::internal::GetCapturedStderr(),
                HasSubstr("is outside of the image, expected a part of 4x2"));
  }
}

TEST(InputDataTest, ReadsTheSizeOfPixelsFromTheName) {
  const InputData named(::synap_internal::WriteTestFile("frame_2x1.bgr", "abcdef"));
  EXPECT_THAT(named.shape(), ElementsAre(1, 1, 2, 3));
  EXPECT_EQ(named.format(), "bgr");
  EXPECT_EQ(named.layout(), Layout::nhwc);
  const InputData wrong(::synap_internal::WriteTestFile("frame_3x1.bgr", "abcdef"));
  EXPECT_TRUE(wrong.dimensions().empty());
  EXPECT_EQ(wrong.size(), 6);
}

TEST(InputDataTest, IsEmptyForUnknownFiles) {
  EXPECT_TRUE(InputData("picture.webp").empty());
  EXPECT_TRUE(InputData("picture").empty());
  EXPECT_TRUE(InputData("abc", 3, InputType::image_8bits, {1, 1, 2, 3}).empty());
  EXPECT_EQ(InputData(::synap_internal::WriteTestFile("v.yuv420sp", "x")).type(), InputType::nv21);
}

}  // namespace
}  // namespace synaptics::synap
