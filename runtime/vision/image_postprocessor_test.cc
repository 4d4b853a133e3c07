#include "synap/image_postprocessor.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/tensor_type.h"
#include "runtime/bundle/bundle.h"
#include "runtime/testing/test_models.h"
#include "synap/network.hpp"

namespace synaptics::synap {
namespace {

using ::synap_internal::MakeMetadata;
using ::synap_internal::TensorLayout;
using ::synap_internal::TensorMetadata;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using InternalType = ::synap_internal::DataType;

TensorMetadata Plane(const std::string& format, ::synap_internal::Shape shape,
                     TensorLayout layout = TensorLayout::kNhwc,
                     InternalType type = InternalType::kUint8) {
  TensorMetadata plane = MakeMetadata("plane " + format, {type, std::move(shape), {}});
  plane.layout = layout;
  plane.data_format = format;
  return plane;
}

// A network whose outputs are these planes, after it has run: byte j of output i is 10 i + j.
Network Produced(const std::vector<TensorMetadata>& planes) {
  std::vector<std::string> programs;
  std::vector<::synap_internal::BundlePart> parts;
  std::vector<::synap_internal::BundleEdge> outputs;
  for (const TensorMetadata& plane : planes) {
    programs.push_back(::synap_internal::MakeProgram("reshape", {{"shape", plane.shape.dims()}},
                                                     {{plane.dtype, {plane.shape.elements()}, {}}},
                                                     {plane.dtype, plane.shape, {}}));
  }
  for (size_t i = 0; i < planes.size(); ++i) {
    ::synap_internal::ModelMetadata metadata;
    metadata.inputs = {MakeMetadata("x", {planes[i].dtype, {planes[i].shape.elements()}, {}})};
    metadata.outputs = {planes[i]};
    parts.push_back({programs[i], metadata, {{-1, static_cast<int>(i)}}});
    outputs.push_back({static_cast<int>(i), 0});
  }
  const std::string bytes = ::synap_internal::WriteBundle(parts, outputs).value();
  Network net;
  EXPECT_TRUE(net.load_model(bytes.data(), bytes.size()));
  for (size_t i = 0; i < net.inputs.size(); ++i) {
    std::vector<uint8_t> data(net.inputs[i].size());
    for (size_t j = 0; j < data.size(); ++j) data[j] = static_cast<uint8_t>(10 * i + j);
    EXPECT_TRUE(net.inputs[i].assign(static_cast<const void*>(data.data()), data.size()));
  }
  EXPECT_TRUE(net.predict());
  return net;
}

ImagePostprocessor::Result Image(const std::vector<TensorMetadata>& planes) {
  return ImagePostprocessor().process(Produced(planes).outputs);
}

std::string Error(const std::vector<TensorMetadata>& planes) {
  testing::internal::CaptureStderr();
  EXPECT_FALSE(Image(planes).success);
  return testing::internal::GetCapturedStderr();
}

TEST(ImagePostprocessorTest, JoinsLumaAndChroma) {
  const TensorMetadata y = Plane("y8", {1, 2, 4, 1});
  const TensorMetadata uv = Plane("uv8", {1, 1, 2, 2}), vu = Plane("vu8", {1, 1, 2, 2});
  const ImagePostprocessor::Result nv12 = Image({y, uv});
  EXPECT_TRUE(nv12.success);
  EXPECT_THAT(nv12.data, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 10, 11, 12, 13));
  EXPECT_EQ(nv12.ext, "nv12");
  EXPECT_EQ(nv12.dim, (Dim2d{4, 2}));
  const ImagePostprocessor::Result nv21 = Image({vu, y});
  EXPECT_THAT(nv21.data, ElementsAre(10, 11, 12, 13, 14, 15, 16, 17, 0, 1, 2, 3));
  EXPECT_EQ(nv21.ext, "nv21");
}

TEST(ImagePostprocessorTest, TakesTheFormatFromTheTensor) {
  const ImagePostprocessor::Result bgr = Image({Plane("bgr keep=1", {1, 1, 2, 3})});
  EXPECT_THAT(bgr.data, ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_EQ(bgr.ext, "bgr");
  EXPECT_EQ(bgr.dim, (Dim2d{2, 1}));
  EXPECT_EQ(Image({Plane("", {1, 1, 2, 1})}).ext, "gray");
  EXPECT_EQ(Image({Plane("", {1, 1, 2, 3})}).ext, "rgb");
  EXPECT_EQ(Image({Plane("", {1, 1, 2, 4})}).ext, "bgra");
  EXPECT_EQ(Image({Plane("", {1, 1, 2, 2})}).ext, "dat");
  EXPECT_EQ(Image({Plane("", {6}, TensorLayout::kNone)}).dim, (Dim2d{0, 0}));
}

TEST(ImagePostprocessorTest, InterleavesPlanesOfItemsOfAnySize) {
  EXPECT_THAT(Image({Plane("rgb", {1, 3, 1, 2}, TensorLayout::kNchw)}).data,
              ElementsAre(0, 2, 4, 1, 3, 5));
  EXPECT_THAT(Image({Plane("rgb", {1, 3, 1, 2}, TensorLayout::kNchw, InternalType::kInt16)}).data,
              ElementsAre(0, 1, 4, 5, 8, 9, 2, 3, 6, 7, 10, 11));
  EXPECT_EQ(
      Image({Plane("rgb", {1, 3, 1, 2}, TensorLayout::kNchw, InternalType::kFloat32)}).data[4], 8);
}

TEST(ImagePostprocessorTest, SaysWhatIsNoImage) {
  const TensorMetadata y = Plane("y8", {1, 2, 4, 1}), uv = Plane("uv8", {1, 1, 2, 2});
  EXPECT_THAT(Error({y, y}), HasSubstr("formats are 'y8' and 'y8', expected 'y8' and 'uv8'"));
  EXPECT_THAT(Error({y, Plane("uv8", {1, 1, 4, 2})}),
              HasSubstr("tensor 'plane uv8': has 8 bytes of chroma, expected half of the 8"));
  EXPECT_THAT(Error({y, uv, uv}), HasSubstr("an image network has 1 or 2 outputs, not 3"));
  EXPECT_FALSE(ImagePostprocessor().process(Tensors()).success);
}

TEST(BinaryFileTest, WritesAndReads) {
  const std::string path = ::synap_internal::WriteTestFile("a.nv12", "");
  EXPECT_TRUE(binary_file_write(path, "abc", 3));
  EXPECT_THAT(binary_file_read(path), ElementsAre('a', 'b', 'c'));
  EXPECT_FALSE(binary_file_write("/nonexistent/a", "abc", 3));
  EXPECT_FALSE(binary_file_write(path, nullptr, 3));
  EXPECT_TRUE(binary_file_read("/nonexistent/a").empty());
}

}  // namespace
}  // namespace synaptics::synap
