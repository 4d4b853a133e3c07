#include "runtime/cli/synap_cli_od.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "nlohmann/json.hpp"
#include "runtime/testing/test_models.h"
#include "runtime/vision/image_writer.h"

namespace synap_internal {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;

// A "network" whose output, a list of one detection, is its input image of
// 1 x 2 pixels: x, y, w, h, confidence and score of one class, in 1/255.
std::string WriteModel(const std::string& format) {
  TensorMetadata x =
      MakeMetadata("x", {DataType::kUint8, {1, 1, 2, 3}, QuantParams::Affine(1 / 255.0f, 0)});
  x.layout = TensorLayout::kNhwc;
  TensorMetadata y = x;
  y.name = "y";
  y.shape = {1, 1, 6};
  y.layout = TensorLayout::kNone;
  y.data_format = format;
  return WriteTestFile("model.synap", MakeReshapeModel(x, y));
}

std::string WritePicture() {
  Image image = MakeImage(2, 1, 3);
  image.pixels = {128, 128, 255, 255, 255, 204};
  return WriteTestFile("picture.png", *EncodePng(image));
}

class SynapCliOdTest : public testing::Test {
 protected:
  int Run(const std::vector<std::string>& args, bool is_terminal = false) {
    out_.str("");
    err_.str("");
    return SynapCliOd(args, is_terminal, out_, err_);
  }

  std::ostringstream out_;
  std::ostringstream err_;
};

TEST_F(SynapCliOdTest, PrintsJsonToFiles) {
  const std::string model = WriteModel("yolov5");
  const std::string picture = WritePicture();
  ASSERT_EQ(Run({"-m", model, picture}), 0) << err_.str();
  EXPECT_THAT(err_.str(),
              MatchesRegex("Loading network: " + model + "\n \nInput image: " + picture +
                           " \\(w = 2, h = 1, c = 3\\)\nDetection time: [0-9]+\\.[0-9][0-9] ms "
                           "\\(pre:[0-9]+, inf:[0-9]+, post:[0-9]+\\)\n"));
  const nlohmann::json json = nlohmann::json::parse(out_.str());
  ASSERT_EQ(json["items"].size(), 1);
  EXPECT_NEAR(json["items"][0]["confidence"], 0.8, 1e-6);
  EXPECT_EQ(json["items"][0]["bounding_box"]["size"]["x"], 2);
}

TEST_F(SynapCliOdTest, PrintsOneListForSeveralPictures) {
  const std::string model = WriteModel("yolov5"), picture = WritePicture();
  ASSERT_EQ(Run({"-m", model, picture}), 0);
  const nlohmann::json one = nlohmann::json::parse(out_.str());
  ASSERT_EQ(Run({"-m", model, picture, picture}), 0);
  EXPECT_EQ(out_.str(), nlohmann::json({one, one}).dump(2) + "\n");
}

TEST_F(SynapCliOdTest, PrintsJsonOfThePicturesBeforeOneThatFails) {
  const std::string model = WriteModel("yolov5"), picture = WritePicture();
  EXPECT_EQ(Run({"-m", model, picture, "none.jpg", picture}), 1);
  EXPECT_EQ(nlohmann::json::parse(out_.str()).size(), 1);
  EXPECT_EQ(Run({"-m", model, "none.jpg", picture}), 1);
  EXPECT_EQ(out_.str(), "[]\n");
  EXPECT_EQ(Run({"-m", model, "none.jpg"}), 1);
  EXPECT_EQ(out_.str(), "");
}

TEST_F(SynapCliOdTest, PrintsATableOnTerminals) {
  const std::string model = WriteModel("yolov5");
  ASSERT_EQ(Run({"-m", model, WritePicture()}, /*is_terminal=*/true), 0);
  EXPECT_EQ(err_.str(), "");
  EXPECT_THAT(out_.str(), HasSubstr("Loading network: " + model + "\n \nInput image: "));
  EXPECT_THAT(out_.str(), HasSubstr("#   Score  Class   Position"));
  EXPECT_THAT(out_.str(), HasSubstr("\n0    0.80      0     0,   0      2,   1  "));
}

TEST_F(SynapCliOdTest, HasThresholds) {
  ASSERT_EQ(Run({"-m", WriteModel("yolov5"), "--score-threshold", "0.9", WritePicture()}), 0);
  EXPECT_THAT(out_.str(), HasSubstr("\"items\": []"));
}

TEST_F(SynapCliOdTest, FailsWithOneClearMessage) {
  const std::string model = WriteModel("yolov5");
  EXPECT_EQ(Run({"-m", "none.synap", "x.jpg"}), 1);
  EXPECT_EQ(err_.str(), "Loading network: none.synap\nFailed to load model\n");
  EXPECT_EQ(Run({"-m", model, "none.jpg"}), 1);
  EXPECT_THAT(err_.str(), EndsWith("\nError, unable to read data from file: none.jpg\n"));
  EXPECT_EQ(Run({"-m", model, WriteTestFile("bad.jpg", "no image")}), 1);
  EXPECT_THAT(err_.str(), HasSubstr("unable to read data from file"));
  EXPECT_EQ(Run({"-m", model, WriteTestFile("x.dat", "wrong size")}), 1);
  EXPECT_THAT(err_.str(), EndsWith("\nError assigning input to tensor.\n"));
  EXPECT_EQ(Run({"-m", model}), 1);
  EXPECT_EQ(err_.str(), "No input image\n");
  EXPECT_EQ(Run({"-m", WriteModel("unknown"), WritePicture()}), 1);
  EXPECT_THAT(err_.str(), EndsWith("\nFailed to initialize detector\n"));
  EXPECT_EQ(Run({"--out", "x"}), 1);
  EXPECT_EQ(err_.str(), "Illegal option(s): --out\n");
}

TEST_F(SynapCliOdTest, RunsTwoNetworks) {
  // The first one's output, the upper row of the second one's input, is its input of 2 x 1 pixels.
  TensorMetadata x = MakeMetadata("x", {DataType::kUint8, {1, 1, 2, 3}, {}});
  x.layout = TensorLayout::kNhwc;
  const std::string first = WriteTestFile("first.synap", MakeReshapeModel(x, x));
  TensorMetadata y = MakeMetadata("y", {DataType::kUint8, {1, 2, 6}, {}});
  y.quant = QuantParams::Affine(1 / 255.0f, 0);
  y.data_format = "yolov5";
  x.shape = {1, 2, 2, 3};
  x.quant = y.quant;
  const std::string second = WriteTestFile("second.synap", MakeReshapeModel(x, y));
  ASSERT_EQ(SynapCliOd2({"-m", first, "-m2", second, "--partial", WritePicture()},
                        /*is_terminal=*/true, out_, err_),
            0)
      << err_.str();
  // In the image, which is the upper half of the second network's input.
  EXPECT_THAT(out_.str(), HasSubstr("\n0    0.80      0     0,   0      2,   2  "));
  EXPECT_EQ(SynapCliOd2({"-m", first, "-m2", second, WritePicture()}, true, out_, err_), 1);
  EXPECT_THAT(err_.str(), HasSubstr("with --partial an output may be smaller\n"));
}

TEST_F(SynapCliOdTest, ShowsItsHelp) {
  EXPECT_EQ(Run({"--help"}), 0);
  EXPECT_THAT(err_.str(), HasSubstr("--iou-with-min"));
  EXPECT_THAT(err_.str(), HasSubstr("info.json"));
  EXPECT_EQ(out_.str(), "");
}

}  // namespace
}  // namespace synap_internal
