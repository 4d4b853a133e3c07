#include "runtime/bundle/model_metadata.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace synap_internal {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string Model(const std::string& tensor) {
  return R"({"Inputs":{"in":)" + tensor + R"(},"Outputs":{}})";
}

std::string Error(const std::string& tensor) {
  return std::string(ParseModelMetadata(Model(tensor)).status().message());
}

TEST(ModelMetadataTest, PrintsWhatItParses) {
  ModelMetadata metadata;
  metadata.inputs.resize(2);
  metadata.inputs[0].name = "images";
  metadata.inputs[0].shape = {1, 3, 8, 8};
  metadata.inputs[0].layout = TensorLayout::kNchw;
  metadata.inputs[0].dtype = DataType::kUint8;
  metadata.inputs[0].quant = QuantParams::Affine(0.0039f, 3);
  metadata.inputs[0].data_format = "rgb keep_proportions=0";
  metadata.inputs[0].scale = 255;
  metadata.inputs[0].mean = {1, 2, 3};
  metadata.inputs[1].name = "images";  // the same: the ids must differ
  metadata.inputs[1].shape = {1};
  metadata.inputs[1].scalar = true;
  metadata.inputs[1].dtype = DataType::kInt32;
  metadata.inputs[1].security = TensorSecurity::kSecureIfInputSecure;
  metadata.outputs.resize(1);
  metadata.outputs[0].name = "out\xff";  // not UTF-8
  metadata.outputs[0].shape = {1, 10};
  metadata.outputs[0].dtype = DataType::kInt16;
  metadata.outputs[0].quant = QuantParams::FixedPoint(7);
  metadata.secure = true;

  const auto text = PrintModelMetadata(metadata);
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_THAT(*text, HasSubstr("\n        \"images:1\": {\n            \"name\": \"images\""));
  const auto read = ParseModelMetadata(*text);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(*PrintModelMetadata(*read), *text);
  ASSERT_EQ(read->inputs.size(), 2);
  EXPECT_EQ(read->inputs[0].quant, metadata.inputs[0].quant);
  EXPECT_EQ(read->inputs[0].shape, metadata.inputs[0].shape);
  EXPECT_EQ(read->inputs[0].layout, TensorLayout::kNchw);
  EXPECT_TRUE(read->inputs[1].scalar);
  EXPECT_EQ(read->inputs[1].security, TensorSecurity::kSecureIfInputSecure);
  EXPECT_EQ(read->outputs[0].quant, metadata.outputs[0].quant);
  EXPECT_TRUE(read->secure);
  EXPECT_FALSE(read->profiling);
}

TEST(ModelMetadataTest, ProfilingIsWrittenWhereItIsAskedFor) {
  ModelMetadata metadata;
  EXPECT_EQ(PrintModelMetadata(metadata)->find("profiling"), std::string::npos);
  metadata.profiling = true;
  EXPECT_TRUE(ParseModelMetadata(*PrintModelMetadata(metadata))->profiling);
  EXPECT_THAT(std::string(ParseModelMetadata(R"({"Inputs": {}, "Outputs": {}, "profiling": 1})")
                              .status()
                              .message()),
              HasSubstr("profiling is no truth value, expected true or false"));
}

TEST(ModelMetadataTest, AbsentNormalisationCopiesQuantizedData) {
  const auto metadata = ParseModelMetadata(Model(
      R"({"shape":[1,4],"dtype":"u8","quantizer":"asymmetric_affine",
          "quantize":{"scale":[0.25],"zero_point":[7]}})"));
  ASSERT_TRUE(metadata.ok()) << metadata.status();
  const TensorMetadata& tensor = metadata->inputs[0];
  EXPECT_EQ(tensor.name, "in");
  EXPECT_FLOAT_EQ(tensor.effective_scale(), 4);
  EXPECT_THAT(tensor.effective_mean(), ElementsAre(7));
}

TEST(ModelMetadataTest, WrittenNormalisationIsNotTheSameAsAbsent) {
  const auto metadata = ParseModelMetadata(Model(
      R"({"shape":[1,4],"dtype":"uint8","quantizer":"asymmetric_affine","scale":1,"mean":[0],
          "quantize":{"scale":0.25,"zero_point":7}})"));
  EXPECT_FLOAT_EQ(metadata->inputs[0].effective_scale(), 1);
  EXPECT_THAT(metadata->inputs[0].effective_mean(), ElementsAre(0));
}

// A picture of three channels with this member "pixels".
std::string Picture(const std::string& pixels) {
  return R"({"shape":[1,2,2,3],"format":"nhwc","dtype":"int8","quantizer":"asymmetric_affine",
             "quantize":{"scale":1,"zero_point":-128},"pixels":)" +
         pixels + "}";
}

TEST(ModelMetadataTest, PixelsAreReadAndWritten) {
  auto metadata = ParseModelMetadata(Model(Picture(R"({"mean":[127.5],"scale":[1,2,3]})")));
  ASSERT_TRUE(metadata.ok()) << metadata.status();
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(metadata->inputs[0].pixels.has_value());
    EXPECT_THAT(metadata->inputs[0].pixels->mean, ElementsAre(127.5f));
    EXPECT_THAT(metadata->inputs[0].pixels->scale, ElementsAre(1, 2, 3));
    EXPECT_FALSE(metadata->inputs[0].scale.has_value());
    metadata = ParseModelMetadata(*PrintModelMetadata(*metadata));
    ASSERT_TRUE(metadata.ok()) << metadata.status();
  }
  metadata = ParseModelMetadata(Model(Picture(R"("unknown")")));
  ASSERT_TRUE(metadata.ok()) << metadata.status();
  EXPECT_TRUE(metadata->inputs[0].pixels_unknown);
  EXPECT_THAT(*PrintModelMetadata(*metadata), HasSubstr(R"("pixels": "unknown")"));
}

TEST(ModelMetadataTest, PixelsThatCantBeAreRefused) {
  EXPECT_THAT(Error(Picture("7")), HasSubstr("pixels is no object, expected one or 'unknown'"));
  EXPECT_THAT(Error(Picture(R"({"scale":[1]})")),
              HasSubstr("pixels.mean isn't a list of one number, or of one for each channel"));
  EXPECT_THAT(Error(Picture(R"({"mean":[1,2],"scale":[1]})")), HasSubstr("pixels.mean isn't"));
  EXPECT_THAT(Error(Picture(R"({"mean":[0],"scale":[]})")), HasSubstr("pixels.scale isn't"));
  EXPECT_THAT(Error(Picture(R"({"mean":[0],"scale":[0]})")), HasSubstr("pixels.scale has a 0"));
  EXPECT_THAT(Error(Picture(R"({"mean":["x"],"scale":[1]})")), HasSubstr("pixels.mean"));
}

TEST(ModelMetadataTest, QtypeOverridesAllTypesButFloat32) {
  const std::string quantize =
      R"("quantizer":"dynamic_fixed_point","quantize":{"qtype":"i16","fl":3}})";
  EXPECT_EQ(
      ParseModelMetadata(Model(R"({"shape":[1],"dtype":"uint8",)" + quantize))->inputs[0].dtype,
      DataType::kInt16);
  const auto dequantized =
      ParseModelMetadata(Model(R"({"shape":[1],"dtype":"float32",)" + quantize));
  EXPECT_EQ(dequantized->inputs[0].dtype, DataType::kFloat32);
  EXPECT_FALSE(dequantized->inputs[0].quant.quantized());
}

TEST(ModelMetadataTest, KeepsTheOrderOfTensors) {
  const auto metadata = ParseModelMetadata(
      R"({"Inputs":{"z":{"shape":1,"dtype":"u8"},"a":{"shape":[2],"dtype":"u8"}},"Outputs":{}})");
  ASSERT_TRUE(metadata.ok()) << metadata.status();
  EXPECT_EQ(metadata->inputs[0].name, "z");
  EXPECT_TRUE(metadata->inputs[0].scalar);
  EXPECT_EQ(metadata->inputs[1].name, "a");
}

TEST(ModelMetadataTest, NamesTensorMemberAndExpectation) {
  EXPECT_THAT(Error(R"({"dtype":"u8"})"), HasSubstr("Inputs 'in': shape is missing"));
  EXPECT_THAT(Error(R"({"shape":[1,0],"dtype":"u8"})"),
              HasSubstr("a dimension of shape is 0, expected an integer from 1"));
  EXPECT_THAT(Error(R"({"shape":[1e99],"dtype":"u8"})"),
              HasSubstr("a dimension of shape is 1e+99"));
  EXPECT_THAT(Error(R"({"shape":[1]})"), HasSubstr("dtype is missing"));
  EXPECT_THAT(Error(R"({"shape":[1],"dtype":"int7"})"),
              HasSubstr("dtype is 'int7', expected one of byte, int8"));
  EXPECT_THAT(Error(R"({"shape":[1],"dtype":"u8","scale":0})"), HasSubstr("scale is 0"));
  EXPECT_THAT(Error(R"({"shape":[1],"dtype":"u8","quantizer":"asymmetric_affine",
                        "quantize":{"scale":-1}})"),
              HasSubstr("Inputs 'in':"));
  EXPECT_THAT(ParseModelMetadata("{}").status().message(), HasSubstr("no object 'Inputs'"));
  EXPECT_FALSE(ParseModelMetadata("[").ok());
}

TEST(ModelMetadataTest, RefusesToPrintWhatHasNoWord) {
  ModelMetadata metadata;
  metadata.outputs.resize(1);
  metadata.outputs[0].name = "indices";
  metadata.outputs[0].shape = {1};
  metadata.outputs[0].dtype = DataType::kInvalid;
  EXPECT_THAT(PrintModelMetadata(metadata).status().message(),
              HasSubstr("tensor 'indices' is invalid"));
}

TEST(ModelMetadataTest, Int64HasAWord) {
  ModelMetadata metadata;
  metadata.inputs.resize(1);
  metadata.inputs[0].name = "ids";
  metadata.inputs[0].shape = {1, 6};
  metadata.inputs[0].dtype = DataType::kInt64;
  const auto text = PrintModelMetadata(metadata);
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_THAT(*text, HasSubstr(R"("dtype": "int64")"));
  const auto parsed = ParseModelMetadata(*text);
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_EQ(parsed->inputs[0].dtype, DataType::kInt64);
}

}  // namespace
}  // namespace synap_internal
