#include "runtime/cli/image_program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <string>

#include "base/tensor_type.h"
#include "runtime/bundle/model_metadata.h"
#include "runtime/testing/test_models.h"
#include "runtime/vision/image_writer.h"
#include "runtime/vision/input_data_private.h"
#include "synap/input_data.hpp"
#include "synap/network.hpp"
#include "synap/preprocessor.hpp"

namespace synap_internal {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;

using synaptics::synap::InputData;
using synaptics::synap::Network;
using synaptics::synap::Preprocessor;
using synaptics::synap::Rect;

// Takes pictures of 2x1 pixels.
class AssignImageTest : public testing::Test {
 protected:
  void SetUp() override {
    TensorMetadata x =
        MakeMetadata("x", {DataType::kUint8, {1, 1, 2, 3}, QuantParams::Affine(1 / 255.0f, 0)});
    x.layout = TensorLayout::kNhwc;
    const std::string model = MakeReshapeModel(x, x);
    ASSERT_TRUE(net_.load_model(model.data(), model.size()));
  }

  // Assigns the image and keeps what is logged.
  Assignment Assign(const InputData& image, const Preprocessor& preprocessor = Preprocessor()) {
    testing::internal::CaptureStderr();
    const Assignment assignment = AssignImage(preprocessor, image, net_.inputs, &assigned_);
    log_ = testing::internal::GetCapturedStderr();
    return assignment;
  }

  Network net_;
  Rect assigned_;
  std::string log_;
};

// A file of noise, whose damage is at its end, that a network of 2x1 pixels hardly looks at.
std::string WriteJpeg(const std::string& name, size_t missing) {
  Image image = MakeImage(40, 60, 3);
  for (size_t i = 0; i < image.pixels.size(); ++i) {
    image.pixels[i] = static_cast<uint8_t>(i * i * 31 >> 4);
  }
  const std::string bytes = *EncodeJpeg(image);
  return WriteTestFile(name, bytes.substr(0, bytes.size() - missing));
}

TEST_F(AssignImageTest, KeepsNoDecodedPicture) {
  const InputData image(WriteJpeg("picture.jpg", 0));
  EXPECT_EQ(Assign(image), Assignment::kDone);
  EXPECT_EQ(log_, "");
  EXPECT_EQ(assigned_.size.y, 60);
  EXPECT_EQ(image.dimensions().w, 40);
  EXPECT_EQ(image.dimensions().h, 60);
  EXPECT_FALSE(image.priv()->image.has_value());
  EXPECT_EQ(AssignmentError(Assignment::kDone, "picture.jpg"), "");
}

TEST_F(AssignImageTest, OfADamagedPictureOnlyTheDamageIsLogged) {
  for (const size_t missing : {10, 1000}) {
    const InputData image(WriteJpeg("picture.jpg", missing));
    EXPECT_EQ(Assign(image), Assignment::kUnreadable);
    EXPECT_THAT(log_, MatchesRegex("E:SyNAP: [^\n]*picture.jpg is not an image[^\n]*\n"));
  }
  EXPECT_EQ(AssignmentError(Assignment::kUnreadable, "picture.jpg"),
            "Error, unable to read data from file: picture.jpg");
}

TEST_F(AssignImageTest, SaysWhyTheNetworkRefusesAPicture) {
  Preprocessor with_region;
  with_region.set_roi({{0, 0}, {1, 1}});
  EXPECT_EQ(Assign(InputData(WriteJpeg("picture.jpg", 0)), with_region), Assignment::kRefused);
  EXPECT_THAT(log_, HasSubstr("No cropping tensors"));
  EXPECT_EQ(AssignmentError(Assignment::kRefused, "picture.jpg"),
            "Error assigning input to tensor.");
  EXPECT_EQ(Assign(InputData(WriteTestFile("x.dat", "wrong size"))), Assignment::kRefused);
  EXPECT_THAT(log_, HasSubstr("Shape mismatch"));
}

// Also if the network refuses it before it is decoded.
TEST_F(AssignImageTest, ADamagedPictureIsUnreadableForEveryNetwork) {
  TensorMetadata x = MakeMetadata("x", {DataType::kFloat32, {6}, {}});
  const std::string model = MakeReshapeModel(x, x);
  ASSERT_TRUE(net_.load_model(model.data(), model.size()));
  EXPECT_EQ(Assign(InputData(WriteJpeg("picture.jpg", 10))), Assignment::kUnreadable);
  EXPECT_THAT(log_, MatchesRegex("E:SyNAP: [^\n]*picture.jpg is not an image[^\n]*\n"));
  EXPECT_EQ(Assign(InputData(WriteJpeg("picture.jpg", 0))), Assignment::kRefused);
}

TEST_F(AssignImageTest, AMissingFileIsUnreadable) {
  EXPECT_EQ(Assign(InputData("none.jpg")), Assignment::kUnreadable);
}

}  // namespace
}  // namespace synap_internal
