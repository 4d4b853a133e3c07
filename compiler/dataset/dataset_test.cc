#include "compiler/dataset/dataset.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/file.h"
#include "base/npy.h"
#include "runtime/vision/image_writer.h"

namespace synap_internal {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Ge;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Lt;

std::vector<DataType> Floats(size_t inputs) {
  return std::vector<DataType>(inputs, DataType::kFloat32);
}

// Files in a folder of the test's own, and metafiles that lie there.
class DatasetTest : public ::testing::Test {
 protected:
  DatasetTest() {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    dir_ = absl::StrCat(::testing::TempDir(), "/", test->name());
    EXPECT_TRUE(CreateDirectories(absl::StrCat(dir_, "/q/sub")).ok());
  }

  std::string Path(absl::string_view name) const { return absl::StrCat(dir_, "/", name); }

  void Write(absl::string_view name, absl::string_view content = "") const {
    ASSERT_TRUE(CreateDirectories(Dirname(Path(name))).ok());
    ASSERT_TRUE(WriteFileAtomically(Path(name), content).ok());
  }

  void WritePng(absl::string_view name, int width, int height, int channels,
                std::vector<uint8_t> pixels) const {
    ASSERT_TRUE(WriteImage({width, height, channels, std::move(pixels)}, Path(name)).ok());
  }

  Metafile Meta(absl::string_view text) const {
    const auto metafile = ParseMetafile(text, {.path = Path("m.yaml")});
    EXPECT_TRUE(metafile.ok()) << metafile.status();
    return metafile.ok() ? *metafile : Metafile();
  }

  Dataset Resolve(absl::string_view text, size_t inputs) const {
    const auto dataset = ResolveDataset(Meta(text), Floats(inputs));
    EXPECT_TRUE(dataset.ok()) << dataset.status();
    return dataset.ok() ? *dataset : Dataset();
  }

  std::vector<std::string> WarningsAbout(absl::string_view text, size_t inputs) const {
    Warnings warnings;
    warnings.AddAll(Resolve(text, inputs).warnings);
    return warnings.Texts();
  }

  std::string ResolveError(absl::string_view text, size_t inputs) const {
    return std::string(ResolveDataset(Meta(text), Floats(inputs)).status().message());
  }

  // The values of input 0 for one file (or, for "", random).
  absl::StatusOr<std::vector<float>> Load(absl::string_view text, SampleTensor tensor,
                                          absl::string_view file) const {
    const auto loader = SampleLoader::Create(Meta(text), 0, std::move(tensor));
    if (!loader.ok()) return loader.status();
    return LoadAs<float>(*loader, file);
  }

  template <typename T>
  absl::StatusOr<std::vector<T>> LoadAs(const SampleLoader& loader, absl::string_view file) const {
    EXPECT_EQ(loader.bytes() % sizeof(T), 0u);
    std::vector<T> values(loader.bytes() / sizeof(T));
    const absl::Status status =
        loader.Load({"sample", {file.empty() ? "" : Path(file)}}, values.data());
    if (!status.ok()) return status;
    return values;
  }

  // The same for an input of another type.
  template <typename T>
  absl::StatusOr<std::vector<T>> LoadAs(absl::string_view text, const SampleTensor& tensor,
                                        absl::string_view file) const {
    const auto loader = SampleLoader::Create(Meta(text), 0, tensor);
    if (!loader.ok()) return loader.status();
    return LoadAs<T>(*loader, file);
  }

  // A .npy of integers of 8 bytes.
  void WriteIntegers(absl::string_view name, const std::vector<int64_t>& values) const {
    std::string header = absl::StrCat("{'descr': '<i8', 'fortran_order': False, 'shape': (1, ",
                                      values.size(), "), }\n");
    std::string file = absl::StrCat("\x93NUMPY", std::string("\1\0", 2),
                                    std::string(1, static_cast<char>(header.size())),
                                    std::string(1, '\0'), header);
    file.append(reinterpret_cast<const char*>(values.data()), 8 * values.size());
    Write(name, file);
  }

 private:
  std::string dir_;
};

TEST_F(DatasetTest, SortsAndPairsTheFilesOfAllInputs) {
  for (const char* name : {"q/b.jpg", "q/a.PNG", "q/B.jpeg", "q/1.npy", "q/2.npy", "q/3.npy"}) {
    Write(name);
  }
  const Dataset dataset = Resolve("quantization: {dataset: ['q/*.[jP]*', 'q/?.npy', random]}", 3);
  ASSERT_EQ(dataset.samples.size(), 3u);
  EXPECT_EQ(dataset.samples[0].name, "B.jpeg");
  EXPECT_THAT(dataset.samples[1].files, ElementsAre(Path("q/a.PNG"), Path("q/2.npy"), ""));
  EXPECT_EQ(dataset.samples[2].name, "b.jpg");
}

TEST_F(DatasetTest, SampleNamesBeginAtTheFirstWildcard) {
  Write("q/a.jpg");
  Write("q/sub/a.jpg");
  EXPECT_EQ(Resolve("quantization: {dataset: '*/*.jpg'}", 1).samples[0].name, "q/a.jpg");
  EXPECT_EQ(Resolve("quantization: {dataset: 'q/s*/a.jpg'}", 1).samples[0].name, "sub/a.jpg");
  EXPECT_EQ(Resolve("quantization: {dataset: q/sub/a.jpg}", 1).samples[0].name, "a.jpg");
}

TEST_F(DatasetTest, TheMetafilesFolderIsNoPattern) {
  Write("q/[a]*b/x.jpg");
  Write("q/[a]*b/y.jpg");
  const auto metafile =
      ParseMetafile("quantization: {dataset: '*.jpg'}", {.path = Path("q/[a]*b/m.yaml")});
  ASSERT_TRUE(metafile.ok()) << metafile.status();
  const auto dataset = ResolveDataset(*metafile, {DataType::kFloat32});
  ASSERT_TRUE(dataset.ok()) << dataset.status();
  ASSERT_EQ(dataset->samples.size(), 2u);
  EXPECT_EQ(dataset->samples[0].name, "x.jpg");
  EXPECT_THAT(dataset->samples[0].files, ElementsAre(Path("q/[a]*b/x.jpg")));
}

TEST_F(DatasetTest, AFolderStandsForItsSamples) {
  for (const char* file : {"b.jpg", "a.PNG", "notes.txt", ".c.jpg", "sub/c.jpg"}) {
    Write(absl::StrCat("q/photos/", file));
  }
  for (const char* folder : {"q/photos", "q/photos/", "q/ph*s"}) {
    const Dataset dataset = Resolve(absl::StrCat("quantization: {dataset: ", folder, "}"), 1);
    ASSERT_EQ(dataset.samples.size(), 2u) << folder;
    EXPECT_EQ(dataset.samples[0].name, "a.PNG") << folder;
    EXPECT_THAT(dataset.samples[1].files, ElementsAre(Path("q/photos/b.jpg"))) << folder;
  }
  EXPECT_THAT(ResolveError("quantization: {dataset: q}", 1),
              HasSubstr("dataset 'q' of input 0 is a folder without samples, expected .jpg"));
}

TEST_F(DatasetTest, AFolderIsNoSample) {
  Write("q/one/a.jpg");
  Write("q/two/a.jpg");
  EXPECT_THAT(
      ResolveError("quantization: {dataset: 'q/*'}", 1),
      HasSubstr("dataset 'q/*' of input 0 matches folders, expected files; add /* for those in "
                "them"));
}

TEST_F(DatasetTest, NamesMayHaveBlanks) {
  Write("q/my pictures/one two.jpg");
  Write("q/my pictures/three\t.jpg");
  const Dataset dataset = Resolve("quantization: {dataset: 'q/my pictures/*.jpg'}", 1);
  ASSERT_EQ(dataset.samples.size(), 2u);
  EXPECT_EQ(dataset.samples[0].name, "one two.jpg");
  EXPECT_THAT(dataset.samples[0].files, ElementsAre(Path("q/my pictures/one two.jpg")));
  EXPECT_EQ(dataset.samples[1].name, "three\t.jpg");
}

TEST_F(DatasetTest, RandomAloneIsOneSample) {
  const Dataset dataset = Resolve("quantization: {dataset: [random, random]}", 2);
  ASSERT_EQ(dataset.samples.size(), 1u);
  EXPECT_THAT(dataset.samples[0].files, ElementsAre("", ""));
}

TEST_F(DatasetTest, AnUnquantizedMetafileHasNoSamples) {
  EXPECT_THAT(Resolve("quantization: {dataset: null}", 1).samples, IsEmpty());
}

TEST_F(DatasetTest, SaysWhichGlobMatchesNothing) {
  EXPECT_EQ(ResolveError("inputs: [{name: images, shape: [1, 3, 8, 8]}]\n"
                         "quantization:\n  dataset: qdataset/*.jpg\n",
                         1),
            absl::StrCat(Path("m.yaml"),
                         ":3:3: dataset 'qdataset/*.jpg' of input 'images' matches no file"));
}

TEST_F(DatasetTest, RefusesFilesThatDoNotGoTogether) {
  for (const char* name : {"q/a.jpg", "q/b.npy", "q/c.npy", "q/f.txt"}) Write(name);
  EXPECT_THAT(ResolveError("quantization: {dataset: 'q/[ab]*'}", 1),
              HasSubstr("matches both images and .npy"));
  EXPECT_THAT(ResolveError("quantization: {dataset: q/f.*}", 1),
              HasSubstr("f.txt', expected .jpg"));
  EXPECT_THAT(ResolveError("quantization: {dataset: [q/*.jpg, q/*.npy]}", 2),
              HasSubstr("of input 1 matches 2 files, expected as many as input 0 has: 1"));
  EXPECT_THAT(ResolveError("quantization: {dataset: q/*.jpg}", 2),
              HasSubstr("expected 2, found 1"));
}

TEST_F(DatasetTest, WarnsOfNormalizationThatNpyFilesDoNotGet) {
  Write("q/a.npy");
  Write("q/b.npy");
  EXPECT_THAT(WarningsAbout("inputs: [{scale: 2}]\nquantization: {dataset: q/*}", 1),
              ElementsAre(HasSubstr("means and scale of input 0 are not applied to .npy files")));
}

TEST_F(DatasetTest, WarnsOfImagesWithoutNormalization) {
  Write("q/a.png");
  Write("q/b.png");
  EXPECT_THAT(WarningsAbout("quantization: {dataset: q/*}", 1),
              ElementsAre(HasSubstr("m.yaml:1:16: images go into input 0 with values from "
                                    "0 to 255: give it the 'means' and 'scale'")));
  EXPECT_THAT(WarningsAbout("inputs: [{scale: 1}]\nquantization: {dataset: q/*}", 1), IsEmpty());
}

TEST_F(DatasetTest, BytesNeedNoNormalization) {
  Write("q/a.png");
  Write("q/b.png");
  const auto dataset = ResolveDataset(Meta("quantization: {dataset: q/*}"), {DataType::kUint8});
  ASSERT_TRUE(dataset.ok()) << dataset.status();
  EXPECT_TRUE(dataset->warnings.empty());
}

TEST_F(DatasetTest, WarnsOfPairsWithDifferentNames) {
  for (const char* file : {"a/1.npy", "a/2.npy", "b/1.npy", "b/2.npy", "c/02.npy", "c/1.npy"}) {
    Write(file);
  }
  EXPECT_THAT(WarningsAbout("quantization: {dataset: [a/*, b/*]}", 2), IsEmpty());
  EXPECT_THAT(WarningsAbout("quantization: {dataset: [a/*, random]}", 2), IsEmpty());
  EXPECT_THAT(WarningsAbout("quantization: {dataset: [a/*, c/*]}", 2),
              ElementsAre(AllOf(HasSubstr("a/1.npy' and '"), HasSubstr("c/02.npy' are one sample"),
                                HasSubstr("paired in sorted order"))));
}

TEST_F(DatasetTest, WarnsOfASingleFile) {
  Write("q/a.npy");
  EXPECT_THAT(WarningsAbout("quantization: {dataset: q/*}", 1),
              ElementsAre(HasSubstr("the dataset of input 0 is a single file")));
  EXPECT_THAT(WarningsAbout("quantization: {dataset: random}", 1), IsEmpty());
}

TEST_F(DatasetTest, NormalizesImagesInTheTensorsLayout) {
  WritePng("q/a.png", 2, 1, 3, {10, 20, 30, 40, 50, 60});
  const std::string meta = "inputs: [{means: [10, 0, 30], scale: 2}]";
  EXPECT_THAT(*Load(meta, {"x", Shape{1, 3, 1, 2}, true}, "q/a.png"),
              ElementsAre(0, 15, 10, 25, 0, 15));
  EXPECT_THAT(*Load(meta, {"x", Shape{1, 1, 2, 3}, false}, "q/a.png"),
              ElementsAre(0, 10, 0, 15, 25, 15));
}

TEST_F(DatasetTest, SwapsRedAndBlueBeforeTheMeansApply) {
  WritePng("q/a.png", 1, 1, 3, {10, 20, 30});
  EXPECT_THAT(
      *Load("inputs: [{means: [1, 2, 3], format: bgr}]", {"x", Shape{1, 3, 1, 1}, true}, "q/a.png"),
      ElementsAre(29, 18, 7));
}

TEST_F(DatasetTest, KeepsProportionsWithBandsUnlessToldOtherwise) {
  WritePng("q/a.png", 2, 1, 1, {10, 10});
  const SampleTensor tensor = {"x", Shape{1, 1, 4, 2}, true};
  EXPECT_THAT(*Load("{}", tensor, "q/a.png"), ElementsAre(128, 128, 10, 10, 128, 128, 128, 128));
  EXPECT_THAT(*Load("inputs: [{format: rgb keep_proportions=0}]", tensor, "q/a.png"), Each(10));
  EXPECT_EQ(Load("inputs: [{format: rgb fill_color=0}]", tensor, "q/a.png")->front(), 0);
}

TEST_F(DatasetTest, GivesTheSameImageToAllOfABatch) {
  WritePng("q/a.png", 1, 1, 3, {1, 2, 3});
  EXPECT_THAT(*Load("{}", {"x", Shape{2, 3, 1, 1}, true}, "q/a.png"),
              ElementsAre(1, 2, 3, 1, 2, 3));
}

TEST_F(DatasetTest, ConvertsPicturesToTheChannelsOfTheInput) {
  WritePng("q/gray.png", 1, 1, 1, {7});
  WritePng("q/rgb.png", 1, 1, 3, {255, 0, 0});
  WritePng("q/rgba.png", 1, 1, 4, {1, 2, 3, 0});
  const SampleTensor colour = {"x", Shape{1, 3, 1, 1}, true};
  EXPECT_THAT(*Load("{}", colour, "q/gray.png"), ElementsAre(7, 7, 7));
  EXPECT_THAT(*Load("{}", colour, "q/rgba.png"), ElementsAre(1, 2, 3));
  EXPECT_THAT(*Load("inputs: [{format: bgr}]", colour, "q/rgba.png"), ElementsAre(3, 2, 1));
  EXPECT_THAT(*Load("{}", {"x", Shape{1, 1, 1, 1}, true}, "q/rgb.png"), ElementsAre(76));
  EXPECT_THAT(*Load("{}", {"x", Shape{1, 1, 1, 4}, false}, "q/rgb.png"),
              ElementsAre(255, 0, 0, 255));
}

TEST_F(DatasetTest, OneInputTakesPicturesOfEveryKind) {
  const std::string folder = "testdata/fuzz/image/";
  const auto loader = SampleLoader::Create(Meta("{}"), 0, {"x", Shape{1, 3, 4, 4}, true});
  ASSERT_TRUE(loader.ok()) << loader.status();
  std::vector<float> values(loader->bytes() / sizeof(float));
  for (const char* name : {"gray.png",      "gray1.png",    "gray16.png",      "gray_alpha.png",
                           "rgb16.png",     "rgba.png",     "palette.png",     "palette_alpha.png",
                           "gray.jpg",      "rgb420.jpg",   "progressive.jpg", "cmyk.jpg",
                           "ycck.jpg",      "1.bmp",        "4.bmp",           "8.bmp",
                           "16.bmp",        "24.bmp",       "24_top_down.bmp", "32_alpha.bmp",
                           "oriented6.jpg", "oriented5.png"}) {
    const absl::Status status = loader->Load({name, {folder + name}}, values.data());
    EXPECT_TRUE(status.ok()) << status;
  }
}

TEST_F(DatasetTest, PicturesAreUpright) {
  const auto loader = SampleLoader::Create(Meta("{}"), 0, {"x", Shape{1, 1, 3, 2}, true});
  ASSERT_TRUE(loader.ok()) << loader.status();
  std::vector<float> values(6);
  PictureFit fit;
  ASSERT_TRUE(loader->Load({"s", {"testdata/fuzz/image/oriented6.png"}}, values.data(), &fit).ok());
  EXPECT_THAT(values, ElementsAre(4, 1, 5, 2, 6, 3));
  EXPECT_EQ(fit.covered, 1);
}

TEST_F(DatasetTest, TellsWhereThePictureLies) {
  WritePng("q/wide.png", 4, 2, 1, std::vector<uint8_t>(8));
  const auto place = [&](const std::string& format) {
    const auto loader =
        SampleLoader::Create(Meta("inputs: [{format: 'gray keep_proportions=" + format + "'}]"), 0,
                             {"x", Shape{1, 1, 8, 8}, true});
    EXPECT_TRUE(loader.ok()) << loader.status();
    std::vector<float> values(64);
    PictureFit fit;
    EXPECT_TRUE(loader->Load({"s", {Path("q/wide.png")}}, values.data(), &fit).ok());
    return std::vector<double>{fit.place.left, fit.place.top, fit.place.width, fit.place.height};
  };
  EXPECT_THAT(place("0"), ElementsAre(0, 0, 8, 8));
  EXPECT_THAT(place("1"), ElementsAre(0, 2, 8, 4));
}

TEST_F(DatasetTest, PicturesGoIntoIntegersAsInferenceAssignsThem) {
  WritePng("q/a.png", 2, 2, 1, {0, 10, 127, 255});
  const SampleTensor bytes = {"x", Shape{1, 1, 2, 2}, true, DataType::kUint8};
  EXPECT_THAT(*LoadAs<uint8_t>("{}", bytes, "q/a.png"), ElementsAre(0, 10, 127, 255));
  EXPECT_THAT(*LoadAs<uint8_t>("inputs: [{means: 7, scale: 2}]", bytes, "q/a.png"),
              ElementsAre(0, 2, 60, 124));
  const SampleTensor integers = {"x", Shape{2, 1, 2, 2}, true, DataType::kInt32};
  EXPECT_THAT(*LoadAs<int32_t>("inputs: [{means: 127.5}]", integers, "q/a.png"),
              ElementsAre(-127, -117, 0, 128, -127, -117, 0, 128));
  const SampleTensor small = {"x", Shape{1, 1, 2, 2}, true, DataType::kInt8};
  EXPECT_THAT(*LoadAs<int8_t>("{}", small, "q/a.png"), ElementsAre(0, 10, 127, 127));
  const SampleTensor truth = {"x", Shape{1, 1, 2, 2}, true, DataType::kBool};
  EXPECT_THAT(*LoadAs<uint8_t>("inputs: [{scale: 255}]", truth, "q/a.png"),
              ElementsAre(0, 0, 0, 1));
  const SampleTensor half = {"x", Shape{1, 1, 2, 2}, true, DataType::kFloat16};
  EXPECT_THAT(*LoadAs<uint16_t>("{}", half, "q/a.png"), ElementsAre(0, 0x4900, 0x57f0, 0x5bf8));
}

TEST_F(DatasetTest, NpyFilesGoIntoIntegersExactly) {
  WriteIntegers("q/a.npy", {16777217, -2, 0});
  const SampleTensor tensor = {"x", Shape{1, 3}, true, DataType::kInt64};
  EXPECT_THAT(*LoadAs<int64_t>("{}", tensor, "q/a.npy"), ElementsAre(16777217, -2, 0));
  const SampleTensor narrow = {"x", Shape{1, 3}, true, DataType::kInt16};
  EXPECT_THAT(std::string(LoadAs<int16_t>("{}", narrow, "q/a.npy").status().message()),
              HasSubstr("a.npy: element 0 is 16777217, expected whole numbers from -32768 to "
                        "32767 (int16)"));
}

TEST_F(DatasetTest, RowsThatATableLacksAreRefused) {
  WriteIntegers("q/good.npy", {9, -10, 0});
  WriteIntegers("q/bad.npy", {9, 10, 0});
  WritePng("q/a.png", 1, 1, 1, {0});
  const SampleTensor tensor = {"tokens", Shape{1, 3}, true, DataType::kInt32, 10};
  EXPECT_THAT(*LoadAs<int32_t>("{}", tensor, "q/good.npy"), ElementsAre(9, -10, 0));
  EXPECT_THAT(
      std::string(LoadAs<int32_t>("{}", tensor, "q/bad.npy").status().message()),
      HasSubstr("bad.npy: element 1 is 10, expected -10 to 9 for input 'tokens', an index into "
                "a table of 10 rows"));
}

TEST_F(DatasetTest, RandomIntegersAreOnesThatAnInputCanTake) {
  const std::vector<uint8_t> bytes =
      *LoadAs<uint8_t>("{}", {"x", Shape{1, 1000}, true, DataType::kUint8}, "");
  EXPECT_GT(std::set<uint8_t>(bytes.begin(), bytes.end()).size(), 240u);
  const std::vector<uint8_t> truths =
      *LoadAs<uint8_t>("{}", {"x", Shape{1, 1000}, true, DataType::kBool}, "");
  EXPECT_THAT(std::set<uint8_t>(truths.begin(), truths.end()), ElementsAre(0, 1));
  const std::vector<int64_t> rows =
      *LoadAs<int64_t>("{}", {"x", Shape{1, 1000}, true, DataType::kInt64, 3}, "");
  EXPECT_THAT(std::set<int64_t>(rows.begin(), rows.end()), ElementsAre(0, 1, 2));
  EXPECT_EQ(
      LoadAs<int32_t>("{}", {"x", Shape{1, 4}, true, DataType::kInt32}, "").status().message(),
      "dataset 'random': input 'x' is int32, and nothing says which integers it takes; give it "
      ".npy files of real samples");
}

TEST_F(DatasetTest, RefusesImagesThatDoNotFit) {
  WritePng("q/gray.png", 1, 1, 1, {1});
  EXPECT_THAT(
      std::string(Load("{}", {"x", Shape{1, 2, 1, 1}, true}, "q/gray.png").status().message()),
      AllOf(HasSubstr("gray.png: unable to convert image from 1 to 2 channels"),
            HasSubstr("1x2x1x1, nchw")));
  EXPECT_THAT(std::string(Load("{}", {"x", Shape{1, 3}, true}, "q/gray.png").status().message()),
              HasSubstr("expected 4 dimensions for an image; use .npy files"));
  EXPECT_THAT(
      std::string(Load("inputs: [{means: [1, 2]}]", {"x", Shape{1, 3, 1, 1}, true}, "q/gray.png")
                      .status()
                      .message()),
      HasSubstr("inputs[0].means: found 2 values, expected 1 or 3"));
}

TEST_F(DatasetTest, TakesNpyFilesAsTheyAre) {
  Write("q/a.npy", EncodeNpy(Shape{1, 2, 2}, std::vector<float>{1, 2, 3, 4}));
  const std::string meta = "inputs: [{scale: 2}]";
  EXPECT_THAT(*Load(meta, {"x", Shape{1, 2, 2}, true}, "q/a.npy"), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(*Load(meta, {"x", Shape{1, 1, 2, 2}, true}, "q/a.npy"), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(std::string(Load(meta, {"x", Shape{1, 4}, true}, "q/a.npy").status().message()),
              HasSubstr("a.npy: has the shape 1x2x2, expected 1x4 of input 'x'"));
}

TEST_F(DatasetTest, ANumberThatIsNotFiniteIsFound) {
  Write("q/a.npy", EncodeNpy(Shape{1, 2}, std::vector<float>{1, NAN}));
  EXPECT_THAT(std::string(Load("{}", {"x", Shape{1, 2}, true}, "q/a.npy").status().message()),
              HasSubstr("a.npy: element 1 is nan in float32, expected finite numbers"));
}

TEST_F(DatasetTest, RandomValuesAreUniformAndTheSameOnEveryRun) {
  const SampleTensor tensor = {"x", Shape{1, 1000}, true};
  const std::vector<float> values = *Load("{}", tensor, "");
  EXPECT_EQ(values, *Load("{}", tensor, ""));
  EXPECT_NE(values, *Load("{}", {"y", Shape{1, 1000}, true}, ""));
  EXPECT_THAT(values, Each(AllOf(Ge(0), Lt(1))));
  double sum = 0;
  for (const float value : values) sum += value;
  EXPECT_NEAR(sum / 1000, 0.5, 0.05);
}

// Build rules compute the same function: FNV-1a 64 of "a" is 0xaf63dc4c8601ec8c, of "foobar"
// 0x85944171f73967e8.
TEST(ShardOfTest, IsFnv1aModuloTheShards) {
  EXPECT_EQ(ShardOf("a", 1000), static_cast<int>(0xaf63dc4c8601ec8cu % 1000));
  EXPECT_EQ(ShardOf("foobar", 7), static_cast<int>(0x85944171f73967e8u % 7));
  EXPECT_EQ(ShardOf("anything", 1), 0);
}

TEST(ShardOfTest, SpreadsNumberedNamesOverAllShards) {
  std::set<int> used;
  for (int i = 0; i < 64; ++i) used.insert(ShardOf(absl::StrCat("image_", i, ".jpg"), 8));
  EXPECT_EQ(used.size(), 8u);
}

}  // namespace
}  // namespace synap_internal
