#include "runtime/cli/synap_cli_ip.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <sstream>

#include "base/file.h"
#include "base/tensor_type.h"
#include "runtime/testing/test_models.h"
#include "runtime/vision/image_writer.h"

namespace synap_internal {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;

// A network whose output is its input, an image of 2 x 1 pixels.
std::string WriteModel(const std::string& format, TensorLayout layout = TensorLayout::kNhwc) {
  TensorMetadata x = MakeMetadata("x", {DataType::kUint8, {1, 1, 2, 3}, {}});
  x.layout = TensorLayout::kNhwc;
  TensorMetadata y = x;
  y.name = "y";
  y.layout = layout;
  y.data_format = format;
  return WriteTestFile("model.synap", MakeReshapeModel(x, y));
}

std::string WritePicture() {
  Image image = MakeImage(2, 1, 3);
  image.pixels = {1, 2, 3, 250, 251, 252};
  return WriteTestFile("picture.png", *EncodePng(image));
}

// Runs in the test's own folder.
class SynapCliIpTest : public testing::Test {
 protected:
  SynapCliIpTest() : picture_(WritePicture()) { EXPECT_EQ(chdir(Dirname(picture_).c_str()), 0); }

  int Run(const std::vector<std::string>& args) {
    out_.str("");
    err_.str("");
    return SynapCliIp(args, out_, err_);
  }

  const std::string picture_;
  std::ostringstream out_;
  std::ostringstream err_;
};

TEST_F(SynapCliIpTest, WritesAFileForEachImage) {
  const std::string model = WriteModel("");
  ASSERT_EQ(Run({"-m", model, picture_, picture_}), 0) << err_.str();
  EXPECT_THAT(out_.str(), MatchesRegex("Loading network: .*model.synap\n"
                                       "Input image: .*picture.png\n"
                                       "Inference time: [0-9]+\\.[0-9][0-9] ms\n"
                                       "Writing output to file: outimage0_2x1.rgb\n"
                                       "Input image: .*picture.png\n"
                                       "Inference time: [0-9]+\\.[0-9][0-9] ms\n"
                                       "Writing output to file: outimage1_2x1.rgb\n"));
  EXPECT_EQ(*ReadFile("outimage1_2x1.rgb"), "\x01\x02\x03\xFA\xFB\xFC");
}

TEST_F(SynapCliIpTest, TakesTheFormatOfTheOutputAsTheSuffix) {
  ASSERT_EQ(Run({"-m", WriteModel("bgr"), "--out-dir", "new/folder", "--dump-raw", picture_}), 0)
      << err_.str();
  EXPECT_THAT(out_.str(), HasSubstr("Writing output to file: new/folder/outimage0_2x1.bgr\n"
                                    "Writing output to file: new/folder/raw0.dat\n"));
  EXPECT_EQ(*ReadFile("new/folder/raw0.dat"), "\x01\x02\x03\xFA\xFB\xFC");
}

TEST_F(SynapCliIpTest, FailsWithOneClearMessage) {
  const std::string model = WriteModel("");
  EXPECT_EQ(Run({"-m", "none.synap", picture_}), 1);
  EXPECT_EQ(err_.str(), "Failed to load model\n");
  EXPECT_EQ(Run({"-m", model}), 1);
  EXPECT_EQ(err_.str(), "No input image\n");
  EXPECT_EQ(Run({"-m", model, "none.png"}), 1);
  EXPECT_EQ(err_.str(), "Error, unable to read data from file: none.png\n");
  EXPECT_EQ(Run({"-m", model, "--roi", "0,0,1,1", picture_}), 1);
  EXPECT_EQ(err_.str(), "Error assigning input to tensor.\n");
  EXPECT_EQ(Run({"-m", model, "--roi", "0,0,1", picture_}), 1);
  EXPECT_EQ(err_.str(),
            "Option --roi has the value '0,0,1', expected x,y,w,h with a positive size\n");
  EXPECT_EQ(Run({"-m", model, "--out-dir", picture_, picture_}), 1);
  EXPECT_THAT(err_.str(), HasSubstr("picture.png"));
  EXPECT_EQ(Run({"--bogus"}), 1);
  EXPECT_EQ(err_.str(), "Illegal option(s): --bogus\n");
  EXPECT_EQ(Run({"--help"}), 0);
  EXPECT_THAT(err_.str(), HasSubstr("--out-dir <folder>"));
}

}  // namespace
}  // namespace synap_internal
