#include "runtime/cli/synap_cli_ic.h"

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

// A "network" whose six confidences are the values of its 1 x 2 pixels in 1/255.
std::string WriteModel(const std::string& format = "") {
  TensorMetadata x =
      MakeMetadata("x", {DataType::kUint8, {1, 1, 2, 3}, QuantParams::Affine(1 / 255.0f, 0)});
  x.layout = TensorLayout::kNhwc;
  x.data_format = format;
  TensorMetadata y = x;
  y.name = "y";
  y.shape = {1, 6};
  y.layout = TensorLayout::kNone;
  y.data_format = "confidence_array";
  return WriteTestFile("model.synap", MakeReshapeModel(x, y));
}

std::string WritePicture() {
  Image image = MakeImage(2, 1, 3);
  image.pixels = {0, 51, 255, 102, 204, 0};
  return WriteTestFile("picture.png", *EncodePng(image));
}

class SynapCliIcTest : public testing::Test {
 protected:
  int Run(const std::vector<std::string>& args, bool is_terminal = false) {
    out_.str("");
    err_.str("");
    return SynapCliIc(args, is_terminal, out_, err_);
  }

  std::ostringstream out_;
  std::ostringstream err_;
};

// A square one, which gets bands in the network's input.
std::string WriteSquare() { return WriteTestFile("square.png", *EncodePng(MakeImage(8, 8, 3))); }

TEST_F(SynapCliIcTest, NotesBandsOnceUnlessTheModelWantsThem) {
  const std::string square = WriteSquare(), picture = WritePicture();
  ASSERT_EQ(Run({"-m", WriteModel(), picture}, /*is_terminal=*/true), 0);
  EXPECT_EQ(err_.str(), "");
  ASSERT_EQ(Run({"-m", WriteModel(), square, square}, /*is_terminal=*/true), 0);
  EXPECT_EQ(
      err_.str(),
      "Note: images keep their proportions, so this one of 8x8 got grey bands. Most "
      "classifiers are trained without bands: convert with 'format: rgb keep_proportions=0' for "
      "the input to stretch images instead\n");
  for (const char* format : {"rgb keep_proportions=0", "rgb keep_proportions=1"}) {
    ASSERT_EQ(Run({"-m", WriteModel(format), square}, /*is_terminal=*/true), 0);
    EXPECT_EQ(err_.str(), "") << format;
  }
}

TEST_F(SynapCliIcTest, PrintsJsonToFiles) {
  const std::string model = WriteModel(), picture = WritePicture();
  ASSERT_EQ(Run({"-m", model, "--top", "2", picture}), 0) << err_.str();
  EXPECT_THAT(err_.str(),
              MatchesRegex("Loading network: .*model.synap\nInput image: .*picture.png\n"
                           "Classification time: [0-9.]+ ms \\(pre:[0-9.]+, inf:[0-9.]+, "
                           "post:[0-9.]+\\)\n"));
  const nlohmann::json json = nlohmann::json::parse(out_.str());
  ASSERT_EQ(json["items"].size(), 2);
  EXPECT_EQ(json["items"][0]["class_index"], 2);
  EXPECT_EQ(json["items"][1]["class_index"], 4);
  EXPECT_NEAR(json["items"][1]["confidence"], 0.8, 1e-6);
  EXPECT_EQ(json["success"], true);
}

TEST_F(SynapCliIcTest, PrintsATableWithLabelsOnTerminals) {
  WriteTestFile("info.json", R"({"labels": ["zero", "one", "two", "three", "four"]})");
  ASSERT_EQ(Run({"-m", WriteModel(), WritePicture()}, /*is_terminal=*/true), 0) << err_.str();
  EXPECT_THAT(out_.str(), HasSubstr("Class  Confidence  Description\n"
                                    "    2      1.0000  two\n"
                                    "    4      0.8000  four\n"
                                    "    3      0.4000  three\n"
                                    "    1      0.2000  one\n"
                                    "    0      0.0000  zero\n"));
}

TEST_F(SynapCliIcTest, PrintsLabelsToFiles) {
  WriteTestFile("info.json", R"({"labels": ["zero", "one", "two", "three", "four"]})");
  ASSERT_EQ(Run({"-m", WriteModel(), "--top", "1", WritePicture()}), 0) << err_.str();
  const nlohmann::json json = nlohmann::json::parse(out_.str());
  EXPECT_EQ(json["items"][0]["label"], "two");
}

TEST_F(SynapCliIcTest, PrintsOneListForSeveralPictures) {
  const std::string model = WriteModel(), picture = WritePicture();
  ASSERT_EQ(Run({"-m", model, picture}), 0);
  const nlohmann::json one = nlohmann::json::parse(out_.str());
  ASSERT_EQ(Run({"-m", model, picture, picture}), 0);
  EXPECT_EQ(out_.str(), nlohmann::json({one, one}).dump(2) + "\n");
}

TEST_F(SynapCliIcTest, ShowsAllClassesWithTop0) {
  ASSERT_EQ(Run({"-m", WriteModel(), "--top", "0", WritePicture()}), 0) << err_.str();
  EXPECT_EQ(nlohmann::json::parse(out_.str())["items"].size(), 6);
}

TEST_F(SynapCliIcTest, RunsTwoNetworks) {
  // The first one's output is its input, an image of 2 x 1 pixels.
  TensorMetadata x = MakeMetadata("x", {DataType::kUint8, {1, 1, 2, 3}, {}});
  x.layout = TensorLayout::kNhwc;
  const std::string first = WriteTestFile("first.synap", MakeReshapeModel(x, x));
  ASSERT_EQ(SynapCliIc2({"-m", first, "-m2", WriteModel(), "-r", "2", "--top", "1", WritePicture()},
                        /*is_terminal=*/true, out_, err_),
            0)
      << err_.str();
  EXPECT_THAT(out_.str(), MatchesRegex("Loading network: .*first.synap\n"
                                       "Loading network: .*model.synap\n"
                                       "Input image: .*picture.png\n"
                                       "Classification time: .*\nClassification time: .*\n"
                                       "Class  Confidence  Description\n"
                                       "    2      1.0000.*\n"));
  EXPECT_EQ(SynapCliIc2({"-m", first, WritePicture()}, true, out_, err_), 1);
  EXPECT_THAT(err_.str(), HasSubstr("No model 2: give one with -m2\n"));
  EXPECT_EQ(Run({"-r", "2", WritePicture()}), 1);
  EXPECT_EQ(err_.str(), "Illegal option(s): -r\n");
}

TEST_F(SynapCliIcTest, SaysWhereLabelsComeFrom) {
  EXPECT_EQ(Run({"--help"}), 0);
  EXPECT_THAT(err_.str(), HasSubstr("info.json"));
}

TEST_F(SynapCliIcTest, FailsWithOneClearMessage) {
  const std::string model = WriteModel();
  EXPECT_EQ(Run({"-m", "none.synap", "x.jpg"}), 1);
  EXPECT_EQ(err_.str(), "Loading network: none.synap\nFailed to load model\n");
  EXPECT_EQ(Run({"-m", model, "none.jpg"}), 1);
  EXPECT_THAT(err_.str(), EndsWith("\nError, unable to read data from file: none.jpg\n"));
  EXPECT_EQ(Run({"-m", model, WriteTestFile("x.dat", "wrong size")}), 1);
  EXPECT_THAT(err_.str(), EndsWith("\nError assigning input to tensor.\n"));
  EXPECT_EQ(Run({"-m", model}), 1);
  EXPECT_EQ(err_.str(), "No input image\n");
  for (const char* roi : {"1,2,3", "0,0,0,4", "[1,2,3,4", "1,2,3,x"}) {
    EXPECT_EQ(Run({"-m", model, "--roi", roi, WritePicture()}), 1);
    EXPECT_THAT(err_.str(), HasSubstr("expected x,y,w,h"));
  }
}

}  // namespace
}  // namespace synap_internal
