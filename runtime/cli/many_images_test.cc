// The programs that take a list of images show the same for any number of threads, of which each
// runs a network of its own if there are as many images.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <ostream>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/file.h"
#include "base/tensor_type.h"
#include "runtime/bundle/model_metadata.h"
#include "runtime/cli/synap_cli_ic.h"
#include "runtime/cli/synap_cli_ip.h"
#include "runtime/cli/synap_cli_od.h"
#include "runtime/testing/test_models.h"
#include "runtime/vision/image_writer.h"
#include "synap/threads.hpp"

namespace synap_internal {
namespace {

constexpr int kPictures = 7;

// A "network" whose output of that shape and format is its input, an image of 2 x 1 pixels.
std::string WriteModel(const std::string& file, const Shape& shape, const std::string& format) {
  TensorMetadata x =
      MakeMetadata("x", {DataType::kUint8, {1, 1, 2, 3}, QuantParams::Affine(1 / 255.0f, 0)});
  x.layout = TensorLayout::kNhwc;
  TensorMetadata y = x;
  y.name = "y";
  y.shape = shape;
  if (shape.rank() != 4) y.layout = TensorLayout::kNone;
  y.data_format = format;
  return WriteTestFile(file, MakeReshapeModel(x, y));
}

// Pictures that differ, of two sizes: the square ones get grey bands.
std::vector<std::string> WritePictures() {
  std::vector<std::string> paths;
  for (int i = 0; i < kPictures; ++i) {
    Image image = MakeImage(2, i % 3 == 1 ? 2 : 1, 3);
    for (size_t p = 0; p < image.pixels.size(); ++p) {
      image.pixels[p] = static_cast<uint8_t>(37 * static_cast<size_t>(i) + 41 * p + 5);
    }
    paths.push_back(WriteTestFile(absl::StrCat("picture", i, ".png"), *EncodePng(image)));
  }
  return paths;
}

using Program =
    std::function<int(const std::vector<std::string>& args, std::ostream& out, std::ostream& err)>;

// What a run shows, but for times.
struct Shown {
  int exit_code = 0;
  std::string out, err, log;
};

bool operator==(const Shown& a, const Shown& b) {
  return a.exit_code == b.exit_code && a.out == b.out && a.err == b.err && a.log == b.log;
}

std::ostream& operator<<(std::ostream& stream, const Shown& shown) {
  return stream << shown.exit_code << "\n" << shown.out << "\n" << shown.err << "\n" << shown.log;
}

Shown ShownBy(const Program& program, std::vector<std::string> args,
              const std::vector<std::string>& pictures, int threads) {
  static const std::regex kTime("time: .*");
  args.insert(args.end(), {"--threads", absl::StrCat(threads)});
  args.insert(args.end(), pictures.begin(), pictures.end());
  std::ostringstream out, err;
  testing::internal::CaptureStderr();
  Shown shown;
  shown.exit_code = program(args, out, err);
  shown.log = testing::internal::GetCapturedStderr();
  shown.out = std::regex_replace(out.str(), kTime, "time");
  shown.err = std::regex_replace(err.str(), kTime, "time");
  return shown;
}

// Expects the same from any number of threads, for good pictures and for lists with bad ones.
// Returns what the program shows for the good ones.
Shown ExpectSame(const Program& program, const std::vector<std::string>& args) {
  const std::vector<std::string> good = WritePictures();
  const std::string damaged = WriteTestFile("damaged.png", ReadFile(good[0])->substr(0, 40));
  std::vector<std::string> two_damaged = good;
  two_damaged[3] = damaged;
  two_damaged[5] = "none.png";
  std::vector<std::string> one_tensor = good;
  one_tensor[4] = WriteTestFile("x.dat", "wrong size");
  for (const auto& pictures : {good, two_damaged, one_tensor}) {
    const Shown one = ShownBy(program, args, pictures, 1);
    EXPECT_EQ(one.exit_code, pictures == good ? 0 : 1) << one;
    for (const int threads : {2, 3, kPictures, kPictures + 1}) {
      for (int repetition = 0; repetition < 5; ++repetition) {
        EXPECT_EQ(ShownBy(program, args, pictures, threads), one) << threads;
      }
    }
  }
  return ShownBy(program, args, good, 1);
}

class ManyImagesTest : public testing::Test {
 protected:
  // Whatever another process of this user locks.
  void SetUp() override { setenv("XDG_RUNTIME_DIR", std::getenv("TEST_TMPDIR"), 1); }
  void TearDown() override { synaptics::synap::set_thread_count(0); }
};

TEST_F(ManyImagesTest, Classification) {
  const Program program = [](const auto& args, std::ostream& out, std::ostream& err) {
    return SynapCliIc(args, /*is_terminal=*/false, out, err);
  };
  const Shown shown =
      ExpectSame(program, {"-m", WriteModel("model.synap", {1, 6}, "confidence_array")});
  // Only the first of the pictures with bands is told.
  const size_t note = shown.err.find("\nNote: ");
  EXPECT_NE(note, std::string::npos) << shown.err;
  EXPECT_EQ(shown.err.find("\nNote: ", note + 1), std::string::npos) << shown.err;
}

// The metadata has no checksum, about which each load of a network warns.
TEST_F(ManyImagesTest, TheWarningsOfALoadAreShownOnce) {
  const Program program = [](const auto& args, std::ostream& out, std::ostream& err) {
    return SynapCliIc(args, /*is_terminal=*/false, out, err);
  };
  const TensorType x{DataType::kUint8, {1, 1, 2, 3}, QuantParams::Affine(1 / 255.0f, 0)};
  const TensorType y{DataType::kUint8, {1, 6}, x.quant};
  ModelMetadata metadata;
  metadata.inputs = {MakeMetadata("x", x)};
  metadata.inputs[0].layout = TensorLayout::kNhwc;
  metadata.outputs = {MakeMetadata("y", y)};
  metadata.outputs[0].data_format = "confidence_array";
  const std::string model = WriteTestFile(
      "model.nb", MakeProgram("reshape", {{"shape", std::vector<int64_t>{1, 6}}}, {x}, y));
  const std::string meta = WriteTestFile("model.json", *PrintModelMetadata(metadata));
  const Shown shown = ExpectSame(program, {"-m", model, "--meta", meta});
  EXPECT_THAT(shown.log, testing::MatchesRegex("W:SyNAP: [^\n]*has no 'checksum'[^\n]*\n"));
}

TEST_F(ManyImagesTest, ClassificationByTwoNetworks) {
  const Program program = [](const auto& args, std::ostream& out, std::ostream& err) {
    return SynapCliIc2(args, /*is_terminal=*/true, out, err);
  };
  const std::string first = WriteModel("first.synap", {1, 1, 2, 3}, "");
  const std::string second = WriteModel("model.synap", {1, 6}, "confidence_array");
  ExpectSame(program, {"-m", first, "-m2", second, "-r", "2"});
}

TEST_F(ManyImagesTest, Detection) {
  const Program program = [](const auto& args, std::ostream& out, std::ostream& err) {
    return SynapCliOd(args, /*is_terminal=*/false, out, err);
  };
  ExpectSame(program,
             {"-m", WriteModel("model.synap", {1, 1, 6}, "yolov5"), "--score-threshold", "0.01"});
}

TEST_F(ManyImagesTest, ImagesOfImages) {
  const Program program = [](const auto& args, std::ostream& out, std::ostream& err) {
    return SynapCliIp(args, out, err);
  };
  const std::string model = WriteModel("model.synap", {1, 1, 2, 3}, "");
  const std::string folder = Dirname(model);
  const std::vector<std::string> pictures = WritePictures();
  for (const int threads : {1, 3}) {
    const std::string out_dir = JoinPath(folder, absl::StrCat("threads", threads));
    const Shown shown =
        ShownBy(program, {"-m", model, "--dump-raw", "--out-dir", out_dir}, pictures, threads);
    EXPECT_EQ(shown.exit_code, 0) << shown;
  }
  for (int i = 0; i < kPictures; ++i) {
    for (const std::string& file :
         {absl::StrCat("outimage", i, "_2x1.rgb"), absl::StrCat("raw", i, ".dat")}) {
      const auto one = ReadFile(JoinPath(folder, "threads1/" + file));
      const auto three = ReadFile(JoinPath(folder, "threads3/" + file));
      ASSERT_TRUE(one.ok() && three.ok()) << one.status() << three.status();
      EXPECT_EQ(*one, *three) << file;
    }
  }
  ExpectSame(program, {"-m", model, "--out-dir", JoinPath(folder, "images")});
  // Nothing is written for a picture after one that fails.
  std::vector<std::string> damaged = pictures;
  damaged[1] = "none.png";
  const std::string out_dir = JoinPath(folder, "damaged");
  EXPECT_EQ(ShownBy(program, {"-m", model, "--out-dir", out_dir}, damaged, 3).exit_code, 1);
  EXPECT_TRUE(ReadFile(JoinPath(out_dir, "outimage0_2x1.rgb")).ok());
  EXPECT_FALSE(ReadFile(JoinPath(out_dir, "outimage1_2x1.rgb")).ok());
}

}  // namespace
}  // namespace synap_internal
