#include "kernels/image_to_tensor/image_to_tensor.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "kernels/testing/conformance.h"

namespace synap_internal {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Bytes = std::vector<uint8_t>;
using Ints = std::vector<int64_t>;

const OpDef& ImageToTensor() { return ImageToTensorOps()[0]; }

Shape PlaneShape(const PictureTypeRow& type, int plane, int64_t height, int64_t width) {
  const PicturePlane& row = type.plane[plane];
  if (type.planar) return {1, row.channels, height, width};
  const int64_t part = row.halved ? 2 : 1;
  return {1, height / part, width / part, row.channels};
}

// A picture of random bytes.
OpCase RandomPicture(const PictureTypeRow& type, int64_t height, int64_t width, const Ints& size,
                     TestRandom& random) {
  OpCase picture{.name = std::string(type.name)};
  for (int i = 0; i < type.planes; ++i) {
    picture.inputs.push_back(
        RandomTensor({DataType::kUint8, PlaneShape(type, i, height, width), {}}, random));
  }
  picture.attributes = {{"type", std::string(type.name)}, {"size", size}};
  return picture;
}

// Adds the region's operands as Tensor::assign writes them.
void AddRegion(OpCase& picture, const std::vector<int32_t>& width_height_x_y) {
  const auto size = std::get<Ints>(picture.attributes["size"]);
  for (size_t i = 0; i < 4; ++i) {
    int64_t value = width_height_x_y[i];
    if (i < 2) value = value * 32768 / size[1 - i];
    picture.inputs.push_back(TestTensor({1}, std::vector<int32_t>{static_cast<int32_t>(value)}));
  }
}

// The bytes of red, green and blue (or gray) that the op makes.
std::vector<float> Values(const OpCase& picture) {
  return CheckConformance(ImageToTensor(), picture)[0].values<float>();
}

uint8_t PlaneAt(const OpCase& picture, int plane, int64_t y, int64_t x, int channel = 0) {
  const TestTensor& tensor = picture.inputs[static_cast<size_t>(plane)];
  const Shape& s = tensor.type().shape;
  return static_cast<const uint8_t*>(tensor.data())[(y * s[2] + x) * s[3] + channel];
}

double Saturated(double value) { return std::clamp(value, 0.0, 255.0); }

TEST(ImageToTensorTest, Nv12IsFullRangeInHalfFloats) {
  TestRandom random(1);
  for (const PictureType type : {PictureType::kNv12, PictureType::kNv21}) {
    const OpCase picture = RandomPicture(RowOf(type), 64, 96, {64, 96}, random);
    const std::vector<float> values = Values(picture);
    const int u_channel = type == PictureType::kNv12 ? 0 : 1;
    for (int64_t y = 0; y < 64; ++y) {
      for (int64_t x = 0; x < 96; ++x) {
        const double l = PlaneAt(picture, 0, y, x);
        const double u = PlaneAt(picture, 1, y / 2, x / 2, u_channel) - 128.0;
        const double v = PlaneAt(picture, 1, y / 2, x / 2, 1 - u_channel) - 128.0;
        const float* rgb = values.data() + (y * 96 + x) * 3;
        EXPECT_EQ(rgb[0], Saturated(std::nearbyint(l + 1.40625 * v)));
        EXPECT_EQ(rgb[1], Saturated(std::nearbyint(l - 0.345458984375 * u - 0.716796875 * v)));
        EXPECT_EQ(rgb[2], Saturated(std::nearbyint(l + 1.7783203125 * u)));
      }
    }
  }
}

TEST(ImageToTensorTest, Yuv420AndYuv444AreLimitedRange) {
  TestRandom random(2);
  for (const PictureType type : {PictureType::kYuv420, PictureType::kYuv444}) {
    const OpCase picture = RandomPicture(RowOf(type), 32, 48, {32, 48}, random);
    const std::vector<float> values = Values(picture);
    const int64_t part = type == PictureType::kYuv420 ? 2 : 1;
    for (int64_t y = 0; y < 32; ++y) {
      for (int64_t x = 0; x < 48; ++x) {
        const double l = 255 / 219.0 * (PlaneAt(picture, 0, y, x) - 16);
        const double u = PlaneAt(picture, 1, y / part, x / part) - 128.0;
        const double v = PlaneAt(picture, 2, y / part, x / part) - 128.0;
        const float* rgb = values.data() + (y * 48 + x) * 3;
        EXPECT_NEAR(rgb[0], Saturated(l + 1.596 * v), 1);
        EXPECT_NEAR(rgb[1], Saturated(l - 0.391 * u - 0.813 * v), 1);
        EXPECT_NEAR(rgb[2], Saturated(l + 2.018 * u), 1);
      }
    }
  }
  OpCase black{.name = "black",
               .inputs = {},
               .attributes = {{"type", std::string("yuv444")}, {"size", Ints{1, 2}}}};
  black.inputs = {TestTensor({1, 1, 2, 1}, Bytes{16, 235}),
                  TestTensor({1, 1, 2, 1}, Bytes{128, 128}),
                  TestTensor({1, 1, 2, 1}, Bytes{128, 128})};
  EXPECT_THAT(Values(black), ElementsAre(0, 0, 0, 255, 255, 255));
}

// The pixel of each type that has the bytes 10, 20, 30 of red, green and blue.
TEST(ImageToTensorTest, OrdersChannelsOfPixelsAndPlanes) {
  const auto values = [](const std::string& type, std::vector<TestTensor> planes, int64_t bgr) {
    return Values({.name = type,
                   .inputs = std::move(planes),
                   .attributes = {{"type", type}, {"size", Ints{1, 1}}, {"bgr", bgr}}});
  };
  const TestTensor rgb({1, 1, 1, 3}, Bytes{10, 20, 30});
  const TestTensor bgra({1, 1, 1, 4}, Bytes{30, 20, 10, 99});
  const TestTensor planar({1, 3, 1, 1}, Bytes{10, 20, 30});
  const auto plane = [](uint8_t value) { return TestTensor({1, 1, 1, 1}, Bytes{value}); };
  EXPECT_THAT(values("rgb", {rgb}, 0), ElementsAre(10, 20, 30));
  EXPECT_THAT(values("rgb", {rgb}, 1), ElementsAre(30, 20, 10));
  EXPECT_THAT(values("bgra", {bgra}, 0), ElementsAre(10, 20, 30));
  EXPECT_THAT(values("bgra", {bgra}, 1), ElementsAre(30, 20, 10));
  EXPECT_THAT(values("rgb888p", {planar}, 0), ElementsAre(10, 20, 30));
  EXPECT_THAT(values("rgb888p3", {plane(10), plane(20), plane(30)}, 1), ElementsAre(30, 20, 10));
  EXPECT_THAT(values("gray", {plane(40)}, 0), ElementsAre(40));
}

TEST(ImageToTensorTest, Nv12IsScaledToTheNearestPixel) {
  TestRandom random(3);
  const OpCase picture = RandomPicture(RowOf(PictureType::kNv12), 90, 160, {33, 47}, random);
  OpCase gray = picture;  // without colours
  auto* chroma = static_cast<uint8_t*>(gray.inputs[1].data());
  std::fill(chroma, chroma + 45 * 80 * 2, uint8_t{128});
  const std::vector<float> values = Values(gray);
  for (int64_t y = 0; y < 33; ++y) {
    for (int64_t x = 0; x < 47; ++x) {
      const auto row = static_cast<int64_t>(y * 90 / 33.0 + 1e-3);
      const auto column = static_cast<int64_t>(x * 160 / 47.0 + 1e-3);
      EXPECT_EQ(values[static_cast<size_t>(y * 47 + x) * 3], PlaneAt(gray, 0, row, column));
    }
  }
}

// Bilinear interpolation in double, at the centres of the output's pixels.
double Interpolated(const OpCase& gray, double y, double x, const Ints& begin, const Ints& size) {
  const auto at = [&](int64_t row, int64_t column) {
    row = std::clamp<int64_t>(row, 0, size[0] - 1) + begin[0];
    column = std::clamp<int64_t>(column, 0, size[1] - 1) + begin[1];
    return static_cast<double>(PlaneAt(gray, 0, row, column));
  };
  const auto row = static_cast<int64_t>(std::floor(y)),
             column = static_cast<int64_t>(std::floor(x));
  const double fy = y - std::floor(y), fx = x - std::floor(x);
  return (1 - fy) * ((1 - fx) * at(row, column) + fx * at(row, column + 1)) +
         fy * ((1 - fx) * at(row + 1, column) + fx * at(row + 1, column + 1));
}

void ExpectInterpolated(const OpCase& gray, const Ints& begin, const Ints& size) {
  const auto out = std::get<Ints>(gray.attributes.at("size"));
  const std::vector<float> values = Values(gray);
  double worst = 0;
  for (int64_t y = 0; y < out[0]; ++y) {
    for (int64_t x = 0; x < out[1]; ++x) {
      const double at_y = (y + 0.5) * size[0] / out[0] - 0.5;
      const double at_x = (x + 0.5) * size[1] / out[1] - 0.5;
      const double expected = Interpolated(gray, at_y, at_x, begin, size);
      const double error = std::abs(values[static_cast<size_t>(y * out[1] + x)] - expected);
      worst = std::max(worst, error);
    }
  }
  // Half of the last bit, and coordinates that are off by at most 64 / 32768 of a pixel of noise.
  EXPECT_LE(worst, 1.5) << gray.name;
}

TEST(ImageToTensorTest, OthersAreInterpolated) {
  TestRandom random(4);
  for (const Ints& size : {Ints{37, 61}, Ints{17, 23}, Ints{64, 5}, Ints{1, 1}, Ints{41, 53}}) {
    const OpCase gray = RandomPicture(RowOf(PictureType::kGray), 41, 53, size, random);
    ExpectInterpolated(gray, {0, 0}, {41, 53});
  }
}

TEST(ImageToTensorTest, ARegionIsScaledAlone) {
  TestRandom random(5);
  const std::vector<std::vector<int32_t>> regions = {
      // width, height, left, top
      {20, 10, 0, 0}, {20, 10, 33, 0}, {20, 10, 0, 31}, {20, 10, 33, 31},
      {53, 41, 0, 0}, {1, 1, 52, 40},  {7, 41, 11, 0},  {53, 3, 0, 19}};
  for (const std::vector<int32_t>& region : regions) {
    OpCase gray = RandomPicture(RowOf(PictureType::kGray), 41, 53, {15, 21}, random);
    gray.name = testing::PrintToString(region);
    AddRegion(gray, region);
    ExpectInterpolated(gray, {region[3], region[2]}, {region[1], region[0]});
  }
}

TEST(ImageToTensorTest, TheOperandTellsTheRegionsWidthExactly) {
  using image_to_tensor::Plan;
  TestRandom random(6);
  for (int i = 0; i < 100000; ++i) {
    Plan plan;
    plan.has_region = true;
    plan.height = plan.width = 65535;
    plan.out_width = random.Integer(1, 32768);
    plan.out_height = random.Integer(1, 2048);
    const int64_t width = random.Integer(1, 65535), height = random.Integer(1, 65535);
    const int32_t operands[] = {static_cast<int32_t>(width * 32768 / plan.out_width),
                                static_cast<int32_t>(height * 32768 / plan.out_height), 0, 0};
    const void* inputs[] = {nullptr, &operands[0], &operands[1], &operands[2], &operands[3]};
    const KernelArgs args{inputs, {}, nullptr, nullptr, 0};
    const auto region = image_to_tensor::RegionOf(plan, args);
    ASSERT_EQ(region.columns.size, width) << plan.out_width;
    ASSERT_EQ(region.rows.size, height) << plan.out_height;
  }
}

TEST(ImageToTensorTest, RegionsOutsideAreCutAtTheEdges) {
  constexpr int32_t kMax = std::numeric_limits<int32_t>::max();
  constexpr int32_t kMin = std::numeric_limits<int32_t>::min();
  const std::vector<std::vector<int32_t>> regions = {
      {kMax, kMax, kMax, kMax}, {kMin, kMin, kMin, kMin}, {0, 0, 0, 0}, {kMax, kMin, 0, kMax}};
  TestRandom random(7);
  for (const PictureTypeRow& type : kPictureTypes) {
    for (const std::vector<int32_t>& region : regions) {
      OpCase picture = RandomPicture(type, 6, 8, {3, 300}, random);
      for (const int32_t value : region) {
        picture.inputs.push_back(TestTensor({1}, std::vector<int32_t>{value}));
      }
      Values(picture);
    }
  }
}

// Odd pictures where the type has no plane of half size; outputs larger, smaller and as large.
TEST(ImageToTensorTest, AllTypesHaveTheSameBitsOnAllMachines) {
  TestRandom random(8);
  for (const PictureTypeRow& type : kPictureTypes) {
    const int64_t odd = type.has_halved_plane() ? 0 : 1;
    for (const Ints& size : {Ints{7, 129}, Ints{65, 33}, Ints{18 + odd, 70 + odd}}) {
      OpCase picture = RandomPicture(type, 18 + odd, 70 + odd, size, random);
      CheckConformance(ImageToTensor(), picture);
      AddRegion(picture, {31, 9, 5, 3});
      CheckConformance(ImageToTensor(), picture);
    }
  }
}

TEST(ImageToTensorTest, AllOutputTypesHaveTheSameBits) {
  const std::vector<TensorType> outputs = {
      {DataType::kUint8, {}, QuantParams::Affine(1 / 64.0f, 131)},
      {DataType::kInt8, {}, QuantParams::Affine(1 / 64.0f, -7)},
      {DataType::kInt8, {}, QuantParams::FixedPoint(6)},
      {DataType::kInt16, {}, QuantParams::FixedPoint(12)},
      {DataType::kInt16, {}, QuantParams::Affine(1 / 9999.0f, 0)},
      {DataType::kFloat16, {}, {}}};
  TestRandom random(9);
  for (const TensorType& output : outputs) {
    for (const PictureType type : {PictureType::kNv12, PictureType::kRgb, PictureType::kGray}) {
      OpCase picture = RandomPicture(RowOf(type), 10, 40, {9, 35}, random);
      picture.attributes["scale"] = std::vector<float>{58.0f};
      picture.attributes["mean"] = std::vector<float>{120.5f};
      if (output.dtype == DataType::kFloat16) picture.attributes["to"] = std::string("float16");
      picture.outputs = {output};
      CheckConformance(ImageToTensor(), picture);
    }
  }
}

TEST(ImageToTensorTest, NormalizesEachChannelAndQuantizes) {
  OpCase picture{.name = "rgb",
                 .inputs = {TestTensor({1, 1, 2, 3}, Bytes{0, 100, 255, 10, 200, 0})},
                 .attributes = {{"type", std::string("rgb")},
                                {"size", Ints{1, 2}},
                                {"mean", std::vector<float>{0, 100, 200}},
                                {"scale", std::vector<float>{1, 2, 4}}}};
  EXPECT_THAT(Values(picture), ElementsAre(0, 0, 13.75f, 10, 50, -50));
  picture.outputs = {{DataType::kInt8, {}, QuantParams::Affine(0.5f, 3)}};
  const auto bytes = CheckConformance(ImageToTensor(), picture)[0].values<int8_t>();
  // 13.75 / 0.5 + 3 = 30.5 rounds to even; 50 / 0.5 + 3 = 103; the last is -97.
  EXPECT_THAT(bytes, ElementsAre(3, 3, 30, 23, 103, -97));
  picture.attributes["scale"] = std::vector<float>{0.01f};
  const auto saturated = CheckConformance(ImageToTensor(), picture)[0].values<int8_t>();
  EXPECT_THAT(saturated, ElementsAre(3, 3, 127, 127, 127, -128));
}

std::string Refusal(std::vector<TestTensor> planes, Attributes attributes) {
  if (attributes.count("size") == 0) attributes["size"] = Ints{2, 2};
  return RefusalOf(
      ImageToTensor(),
      {.name = "refused", .inputs = std::move(planes), .attributes = std::move(attributes)});
}

TestTensor Plane(const Shape& shape, DataType dtype = DataType::kUint8, QuantParams quant = {}) {
  return TestTensor(TensorType{dtype, shape, std::move(quant)});
}

const Attributes kGray = {{"type", std::string("gray")}};
const Attributes kNv12 = {{"type", std::string("nv12")}};

TEST(ImageToTensorTest, RejectsOtherTypes) {  // image_to_tensor_c1
  EXPECT_THAT(Refusal({Plane({1, 2, 2, 3})}, {{"type", std::string("argb")}}),
              HasSubstr("type is 'argb', expected one of yuv444, yuv420, nv12, nv21, gray, rgb, "
                        "bgra, rgb888p, rgb888p3 (image_to_tensor_c1)"));
}

TEST(ImageToTensorTest, RejectsOtherPlanes) {  // image_to_tensor_c2
  const auto refusal = [](const TestTensor& plane) { return Refusal({plane}, kGray); };
  EXPECT_THAT(refusal(Plane({1, 2, 2, 3})), HasSubstr("expected uint8 1x2x2x1"));
  EXPECT_THAT(refusal(Plane({2, 2, 2, 1})), HasSubstr("(image_to_tensor_c2)"));
  EXPECT_THAT(refusal(Plane({2, 2})), HasSubstr("(image_to_tensor_c2)"));
  EXPECT_THAT(refusal(Plane({1, 0, 2, 1})), HasSubstr("expected 1 to 65535 rows and columns"));
  EXPECT_THAT(refusal(Plane({1, 2, 65536, 1})), HasSubstr("(image_to_tensor_c2)"));
  EXPECT_THAT(refusal(Plane({1, 2, 2, 1}, DataType::kInt8)), HasSubstr("plane 0 of gray is int8"));
  EXPECT_THAT(refusal(Plane({1, 2, 2, 1}, DataType::kUint8, QuantParams::Affine(1, 0))),
              HasSubstr("without a quantizer"));
  EXPECT_THAT(Refusal({Plane({1, 4, 5, 1}), Plane({1, 2, 2, 2})}, kNv12),
              HasSubstr("expected an even number of rows and of columns"));
  EXPECT_THAT(Refusal({Plane({1, 4, 6, 1}), Plane({1, 2, 2, 2})}, kNv12),
              HasSubstr("plane 1 of nv12 is uint8 1x2x2x2, expected uint8 1x2x3x2"));
}

TEST(ImageToTensorTest, RejectsOtherNumbersOfOperands) {  // image_to_tensor_c3
  const TestTensor y = Plane({1, 2, 2, 1}), number = Plane({1}, DataType::kInt32);
  EXPECT_THAT(Refusal({y}, kNv12), HasSubstr("has 1 operands for nv12, expected 2, or 6"));
  EXPECT_THAT(Refusal({y, number}, kGray), HasSubstr("(image_to_tensor_c3)"));
  EXPECT_THAT(Refusal({y, number, number, number, Plane({2}, DataType::kInt32)}, kGray),
              HasSubstr("operand 4 is int32 2, expected one int32 (image_to_tensor_c3)"));
  EXPECT_THAT(Refusal({y, number, number, Plane({1}, DataType::kInt64), number}, kGray),
              HasSubstr("(image_to_tensor_c3)"));
}

TEST(ImageToTensorTest, RejectsOtherSizes) {  // image_to_tensor_c4
  for (const Ints& size : {Ints{0, 1}, Ints{1, -1}, Ints{32769, 1}}) {
    Attributes attributes = kGray;
    attributes["size"] = size;
    EXPECT_THAT(Refusal({Plane({1, 2, 2, 1})}, attributes), HasSubstr("(image_to_tensor_c4)"));
  }
}

TEST(ImageToTensorTest, RejectsOtherNormalizations) {  // image_to_tensor_c5
  const auto refusal = [](const char* name, const std::vector<float>& values) {
    Attributes attributes = kGray;
    attributes[name] = values;
    return Refusal({Plane({1, 2, 2, 1})}, attributes);
  };
  EXPECT_THAT(refusal("mean", {1, 2, 3}), HasSubstr("mean has 3 and scale 1 values, expected 1"));
  EXPECT_THAT(refusal("scale", {1, 2}), HasSubstr("(image_to_tensor_c5)"));
  EXPECT_THAT(refusal("scale", {0}), HasSubstr("(image_to_tensor_c5)"));
}

TEST(ImageToTensorTest, RejectsOtherOutputs) {  // image_to_tensor_c6
  Attributes attributes = kGray;
  attributes["to"] = std::string("int32");
  EXPECT_THAT(Refusal({Plane({1, 2, 2, 1})}, attributes),
              HasSubstr("to is int32, expected float32, float16 or uint8 (image_to_tensor_c6)"));
  EXPECT_THAT(RefusalOf(ImageToTensor(),
                        {.name = "refused",
                         .inputs = {Plane({1, 2, 2, 1})},
                         .attributes = {{"type", std::string("gray")}, {"size", Ints{2, 2}}},
                         .outputs = {{DataType::kInt8, {}, {}}}}),
              HasSubstr("no kernel for uint8 to int8 without a quantizer"));
}

}  // namespace
}  // namespace synap_internal
