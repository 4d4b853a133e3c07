#include "runtime/cli/input_values.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "base/rounding.h"
#include "base/tensor_type.h"
#include "runtime/bundle/bundle.h"
#include "runtime/bundle/model_metadata.h"
#include "runtime/testing/test_models.h"

namespace synap_internal {
namespace {

using synaptics::synap::Network;
using synaptics::synap::Tensor;
using ::testing::Each;

constexpr int kItems = 200;

// A network whose output is its input of 200 items.
Network MakeNetwork(DataType type) {
  TensorMetadata x = MakeMetadata("x", {type, {1, kItems}, {}});
  if (IsFloat(type)) {
    x.scale = 2;
    x.mean = {1};
  }
  TensorMetadata y = MakeMetadata("y", {type, {kItems}, {}});
  const std::string bytes = MakeReshapeModel(x, y);
  Network network;
  EXPECT_TRUE(network.load_model(bytes.data(), bytes.size()));
  return network;
}

// The items after `argument` was assigned.
template <typename T>
std::vector<T> Assigned(DataType type, const std::string& argument) {
  Network network = MakeNetwork(type);
  std::ostringstream out;
  EXPECT_EQ(AssignInputs(network, {argument}, out), "");
  const auto* items = static_cast<const T*>(network.inputs[0].data());
  return {items, items + kItems};
}

TEST(InputValuesTest, RandomFloatsAreNormalizedPixels) {
  const std::vector<float> values = Assigned<float>(DataType::kFloat32, "random");
  for (const float value : values) {
    const float pixel = value * 2 + 1;  // the inverse of the normalization
    EXPECT_EQ(pixel, static_cast<uint8_t>(pixel));
  }
  EXPECT_GT(std::set<float>(values.begin(), values.end()).size(), 50);
}

TEST(InputValuesTest, RandomIndicesAreSmall) {
  const std::vector<int32_t> words = Assigned<int32_t>(DataType::kInt32, "random");
  EXPECT_THAT(words, Each(::testing::AllOf(::testing::Ge(0), ::testing::Le(255))));
  EXPECT_GT(*std::max_element(words.begin(), words.end()), 128);
  EXPECT_THAT(Assigned<int64_t>(DataType::kInt64, "random"),
              Each(::testing::AllOf(::testing::Ge(0), ::testing::Le(255))));
}

TEST(InputValuesTest, RandomBytesFillTheTypesOfQuantizedTensors) {
  const std::vector<int16_t> values = Assigned<int16_t>(DataType::kInt16, "random");
  EXPECT_LT(*std::min_element(values.begin(), values.end()), -1000);
  EXPECT_GT(*std::max_element(values.begin(), values.end()), 1000);
  EXPECT_GT(Assigned<uint8_t>(DataType::kUint8, "random"), std::vector<uint8_t>(kItems, 0));
}

TEST(InputValuesTest, ValuesAreNotNormalized) {
  EXPECT_THAT(Assigned<float>(DataType::kFloat32, "value:-7"), Each(-7));
  EXPECT_THAT(Assigned<uint16_t>(DataType::kFloat16, "value:-7"), Each(FloatToHalf(-7)));
  EXPECT_THAT(Assigned<uint16_t>(DataType::kFloat16, "zero"), Each(0));
  EXPECT_THAT(Assigned<int64_t>(DataType::kInt64, "value:-7"), Each(-7));
  EXPECT_THAT(Assigned<uint8_t>(DataType::kUint8, "value:300"), Each(300 - 256));
  EXPECT_THAT(Assigned<int16_t>(DataType::kInt16, "zero"), Each(0));
}

TEST(InputValuesTest, SaysWhyAFileIsNoScalar) {
  const TensorMetadata x = MakeMetadata("n", {DataType::kInt32, {1}, {}});
  const std::string bytes = MakeReshapeModel(x, MakeMetadata("y", {DataType::kInt32, {1, 1}, {}}));
  Network network;
  ASSERT_TRUE(network.load_model(bytes.data(), bytes.size()));
  std::ostringstream out;
  EXPECT_EQ(AssignInputs(network, {"none.bin"}, out),
            "none.bin: can't be read: No such file or directory");
  const std::string file = WriteTestFile("scalar.bin", "abc");
  EXPECT_EQ(AssignInputs(network, {file}, out),
            file + ": has 3 bytes, expected at least the 4 of the scalar 'n'");
  WriteTestFile("scalar.bin", std::string("\7\0\0\0\1", 5));
  EXPECT_EQ(AssignInputs(network, {file}, out), "");
  EXPECT_EQ(*static_cast<const int32_t*>(network.inputs[0].data()), 7);
}

TEST(InputValuesTest, PrintsALineForEachInput) {
  Network network = MakeNetwork(DataType::kInt16);
  std::ostringstream out;
  EXPECT_EQ(AssignInputs(network, {"zero"}, out), "");
  EXPECT_EQ(out.str(), "Input buffer: x size: 400 : zero\n");
}

// A network that takes nv12 pictures of 4x2 and a number.
Network MakePictureNetwork() {
  TensorMetadata luma = MakeMetadata("y", {DataType::kUint8, {1, 2, 4, 1}, {}});
  TensorMetadata chroma = MakeMetadata("uv", {DataType::kUint8, {1, 1, 2, 2}, {}});
  luma.layout = chroma.layout = TensorLayout::kNhwc;
  luma.data_format = "y8";
  chroma.data_format = "uv8";
  const TensorType out{DataType::kUint8, {1, 2, 4, 3}, QuantParams::Affine(1, 0)};
  ModelMetadata metadata;
  metadata.inputs = {luma, chroma};
  metadata.outputs = {MakeMetadata("out", out)};
  const std::string program = MakeProgram(
      "image_to_tensor", {{"type", std::string("nv12")}, {"size", std::vector<int64_t>{2, 4}}},
      {{luma.dtype, luma.shape, {}}, {chroma.dtype, chroma.shape, {}}}, out);
  const std::string bytes = WriteBundle(program, metadata).value();
  Network network;
  EXPECT_TRUE(network.load_model(bytes.data(), bytes.size()));
  return network;
}

TEST(InputValuesTest, OneFileIsForAllTensorsOfAPicture) {
  Network network = MakePictureNetwork();
  const std::string frame = WriteTestFile("frame_4x2.nv12", "abcdefghijkl");
  std::ostringstream out;
  EXPECT_EQ(AssignInputs(network, {frame}, out), "");
  EXPECT_EQ(out.str(),
            "Input buffer: y size: 8 : " + frame + "\nInput buffer: uv size: 4 : " + frame + "\n");
  EXPECT_EQ(network.inputs[1].data<uint8_t>()[3], 'l');
  const std::string luma = WriteTestFile("luma.bin", "ABCDEFGH");
  const std::string chroma = WriteTestFile("chroma.bin", "IJKL");
  EXPECT_EQ(AssignInputs(network, {luma, chroma}, out), "");
  EXPECT_EQ(network.inputs[0].data<uint8_t>()[0], 'A');
  EXPECT_EQ(AssignInputs(network, {luma}, out), "Error assigning input to tensor.");
}

TEST(InputValuesTest, SaysWhichArgumentsDoNotFit) {
  Network network = MakeNetwork(DataType::kFloat32);
  std::ostringstream out;
  EXPECT_EQ(AssignInputs(network, {"zero", "zero"}, out),
            "More data arguments than network inputs");
  EXPECT_EQ(AssignInputs(network, {"value:1.5"}, out),
            "A value:<n> must have an integer of 32 bits");
  EXPECT_EQ(AssignInputs(network, {}, out),
            "Fewer data arguments than network inputs: give a file, zero, random or value:<n> for "
            "each, or one file for all tensors of a picture");
  EXPECT_EQ(AssignInputs(network, {"missing.dat"}, out), "Error assigning input to tensor.");
}

}  // namespace
}  // namespace synap_internal
