#include "runtime/verify/recorded_tensors.h"

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/file.h"
#include "base/npy.h"
#include "base/tensor_type.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/bundle/bundle.h"
#include "runtime/bundle/text_bytes.h"
#include "runtime/verify/bundle_run.h"
#include "runtime/verify/two_layers.h"

namespace synap_internal {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class RecordedTensorsTest : public testing::Test {
 protected:
  RecordedTensorsTest() {
    std::filesystem::remove_all(folder_);
    std::memcpy(inputs_[0].data(), ramp_, sizeof(ramp_));
  }

  std::unique_ptr<BundleRun> Run(float addend) {
    bundles_.push_back(std::make_unique<Bundle>(*ReadBundle(AsBytes(TwoLayers(addend)))));
    return *BundleRun::Create(*bundles_.back(), {});
  }

  void Write(const std::string& name, const std::string& bytes) {
    ASSERT_TRUE(CreateDirectories(folder_).ok());
    ASSERT_TRUE(WriteFileAtomically(JoinPath(folder_, name), bytes).ok());
  }

  std::string CompareError() {
    return std::string(CompareWithFolder(*Run(1), inputs_, folder_).status().message());
  }

  const std::string folder_ = testing::TempDir() + "recorded";
  const float ramp_[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  InputValues inputs_ = InputValues(1, std::vector<uint8_t>(32));
  std::vector<std::unique_ptr<Bundle>> bundles_;
};

TEST_F(RecordedTensorsTest, AnotherRunOfTheSameModelIsEqual) {
  ASSERT_TRUE(RecordTensors(*Run(1), inputs_, folder_).ok());
  const absl::StatusOr<FolderComparison> result = CompareWithFolder(*Run(1), inputs_, folder_);
  ASSERT_TRUE(result.ok()) << result.status();
  ASSERT_EQ(result->tensors.size(), 3u);
  EXPECT_EQ(result->tensors[0].file, "layer_sum.npy");
  EXPECT_EQ(result->tensors[0].name, "layer/sum");
  EXPECT_EQ(result->tensors[0].layer, "add 'Add_0'");
  EXPECT_EQ(result->tensors[1].file, "y.npy");
  EXPECT_EQ(result->tensors[2].layer, "output 0");
  for (const ComparedTensor& tensor : result->tensors) EXPECT_EQ(tensor.difference.differing, 0);
  EXPECT_THAT(result->unused, IsEmpty());
}

TEST_F(RecordedTensorsTest, AnotherModelDiffersInOrderOfTheLayers) {
  ASSERT_TRUE(RecordTensors(*Run(1), inputs_, folder_).ok());
  const absl::StatusOr<FolderComparison> result = CompareWithFolder(*Run(1.25), inputs_, folder_);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->tensors[0].difference.differing, 8);
  EXPECT_EQ(result->tensors[0].difference.found, 1.25);
  EXPECT_EQ(result->tensors[0].difference.expected, 1);
}

TEST_F(RecordedTensorsTest, TheInputsOfARecordAreReadBack) {
  const std::unique_ptr<BundleRun> run = Run(1);
  ASSERT_TRUE(RecordTensors(*run, inputs_, folder_).ok());
  const absl::StatusOr<std::vector<std::string>> files = InputFilesOf(*run, folder_);
  ASSERT_TRUE(files.ok()) << files.status();
  EXPECT_THAT(*files, ElementsAre(JoinPath(folder_, "input_0.npy")));
  EXPECT_EQ(*ReadInputs(*run, *files), inputs_);
}

TEST_F(RecordedTensorsTest, FilesMayHaveRealOrStoredValuesAndTheOtherLayout) {
  const std::vector<float> nhwc = {1, 2, 3, 4, 5, 6, 7, 8};
  // All of channel 0, then all of channel 1.
  const std::vector<float> nchw = {1, 3, 5, 7, 2, 4, 6, 8};
  Write("layer_sum.npy", EncodeNpy(Shape({1, 2, 1, 4}), nchw));
  Write("y.bin", "\x0c\x0e\x10\x12\x14\x16\x18\x1a");
  Write("output_0.npy", EncodeNpy(Shape({4, 2}), nhwc));
  const absl::StatusOr<FolderComparison> result = CompareWithFolder(*Run(1), inputs_, folder_);
  ASSERT_TRUE(result.ok()) << result.status();
  ASSERT_EQ(result->tensors.size(), 3u);
  for (const ComparedTensor& tensor : result->tensors) EXPECT_EQ(tensor.difference.differing, 0);
}

TEST_F(RecordedTensorsTest, TheOtherLayoutIsKnownAmongDimensionsOfOne) {
  // [1,1,4,2] in another order has the same dimensions without ones only if both are 4 or 2.
  const absl::StatusOr<FolderComparison> before = CompareWithFolder(*Run(1), inputs_, folder_);
  EXPECT_FALSE(before.ok());
  Write("layer_sum.npy", EncodeNpy(Shape({4, 1, 1, 2}), {1, 2, 3, 4, 5, 6, 7, 8}));
  const absl::StatusOr<FolderComparison> flat = CompareWithFolder(*Run(1), inputs_, folder_);
  ASSERT_TRUE(flat.ok()) << flat.status();
  EXPECT_EQ(flat->tensors[0].difference.differing, 0);
}

TEST_F(RecordedTensorsTest, OtherFilesAreListed) {
  Write("y.bin", std::string(8, '\0'));
  Write("relu.npy", "");
  Write("notes.txt", "");
  const absl::StatusOr<FolderComparison> result = CompareWithFolder(*Run(1), inputs_, folder_);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_THAT(result->unused, ElementsAre("relu.npy"));
}

TEST_F(RecordedTensorsTest, FilesThatDontFitAreRefused) {
  EXPECT_THAT(CompareError(), HasSubstr("expected a folder with recorded tensors"));
  Write("notes.txt", "");
  EXPECT_THAT(CompareError(), HasSubstr("no .npy or .bin file has the name of a tensor, expected "
                                        "output_0.npy or layer_sum.npy"));
  Write("y.bin", "abc");
  EXPECT_THAT(CompareError(), HasSubstr("y.bin: it has 3 bytes, expected 8 (uint8 1x1x4x2) or 32"));
  Write("y.npy", "");
  EXPECT_THAT(CompareError(), HasSubstr("y.npy: y.bin is beside it"));
  std::filesystem::remove(JoinPath(folder_, "y.bin"));
  EXPECT_THAT(CompareError(), HasSubstr("y.npy: it is not a NumPy array file"));
  Write("y.npy", EncodeNpy(Shape({7}), std::vector<float>(7)));
  EXPECT_THAT(CompareError(), HasSubstr("y.npy: its shape is 7, expected 1x1x4x2"));
  const int32_t integers[8] = {};
  Write("y.npy", EncodeNpy(DataType::kInt32, Shape({1, 1, 4, 2}),
                           {reinterpret_cast<const uint8_t*>(integers), sizeof(integers)}));
  EXPECT_THAT(CompareError(), HasSubstr("y.npy: its type is '<i4', expected that of the tensor "
                                        "('u1', uint8) or real values (f4)"));
}

TEST_F(RecordedTensorsTest, InputsThatDontFitAreRefused) {
  const std::unique_ptr<BundleRun> run = Run(1);
  EXPECT_THAT(std::string(ReadInputs(*run, {}).status().message()),
              HasSubstr("found 0 files of inputs, expected 1"));
}

}  // namespace
}  // namespace synap_internal
