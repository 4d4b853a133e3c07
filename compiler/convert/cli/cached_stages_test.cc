#include "compiler/convert/cli/cached_stages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/file.h"
#include "base/npy.h"
#include "base/shape.h"
#include "compiler/graph/graph.h"
#include "compiler/import/onnx/test_model.h"
#include "runtime/security/key_files.h"

namespace synap_internal {
namespace {

using onnx_import::TestModel;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// What a conversion told its user.
struct Told {
  std::string log;
  std::vector<std::string> warnings;
};

class CachedStagesTest : public testing::Test {
 protected:
  CachedStagesTest() {
    EXPECT_TRUE(CreateDirectories(folder_).ok());
    const std::vector<float> values = {1, 2, 3, 4};
    Write("sample.npy", EncodeNpy(Shape{1, 4}, values));
    Write("meta.yaml", "quantization:\n  dataset: [ 'sample.npy' ]\n");
  }

  std::string Path(const std::string& name) const { return folder_ + "/" + name; }
  void Write(const std::string& name, absl::string_view content) const {
    ASSERT_TRUE(WriteFileAtomically(Path(name), content).ok());
  }

  // y = x + location, whose values are in weights.bin if `external`.
  void WriteModel(bool external) const {
    TestModel model;
    model.Input("x", {1, 4}).Floats("location", {4}, {1, 2, 3, 4});
    model.Node("Add", {"x", "location"}, {"y"}).Output("y");
    if (external) {
      onnx::TensorProto* weights = model.graph().mutable_initializer(0);
      weights->clear_float_data();
      weights->clear_raw_data();
      weights->set_data_location(onnx::TensorProto::EXTERNAL);
      onnx::StringStringEntryProto* entry = weights->add_external_data();
      entry->set_key("location");
      entry->set_value("weights.bin");
    }
    Write("model.onnx", model.Bytes());
  }

  Told Convert(const std::string& meta = "meta.yaml", uint64_t cache_bytes = kDefaultCacheBytes,
               const EncryptionKey* encryption = nullptr) const {
    const Metafile metafile = LoadMetafile(Path(meta)).value();
    ProgressLine progress(/*silent=*/true);
    Warnings warnings;
    CachedStagesOptions options;
    options.files.model = Path("model.onnx");
    options.cache = Path("cache");
    options.cache_bytes = cache_bytes;
    options.encryption = encryption;
    CachedStages stages(metafile, options, progress, warnings);
    const auto sir = stages.ImportedGraph();
    EXPECT_TRUE(sir.ok()) << sir.status();
    if (!sir.ok()) return {};
    const auto calibrated = stages.Calibrated(*sir);
    EXPECT_TRUE(calibrated.ok()) << calibrated.status();
    if (!calibrated.ok()) return {};
    const auto quantized = stages.Quantized(*calibrated);
    EXPECT_TRUE(quantized.ok()) << quantized.status();
    return {stages.log(), warnings.Texts()};
  }

  const std::string folder_ =
      testing::TempDir() + "/" + testing::UnitTest::GetInstance()->current_test_info()->name();
};

constexpr char kAllFromTheCache[] = "import: from the cache\ncalibrate: from the cache\n";

TEST_F(CachedStagesTest, ASecondConversionGivesTheSameWarnings) {
  WriteModel(/*external=*/false);
  const Told first = Convert();
  EXPECT_THAT(first.log, Not(HasSubstr("from the cache")));
  EXPECT_THAT(first.warnings, testing::Contains(HasSubstr("meta.yaml:2:")));
  const Told second = Convert();
  EXPECT_EQ(second.log, kAllFromTheCache);
  EXPECT_EQ(second.warnings, first.warnings);
}

TEST_F(CachedStagesTest, ACommentInTheMetafileRunsNothingAgain) {
  WriteModel(/*external=*/false);
  const Told first = Convert();
  Write("meta.yaml", "# A comment.\nquantization:\n  dataset: [ 'sample.npy' ]\n");
  const Told second = Convert();
  EXPECT_EQ(second.log, kAllFromTheCache);
  ASSERT_EQ(second.warnings.size(), first.warnings.size());
  for (const std::string& warning : second.warnings) {
    EXPECT_THAT(warning, Not(HasSubstr("meta.yaml:2:")));  // it is line 3 now
  }
}

// Else warnings out of the cache would name the other one.
TEST_F(CachedStagesTest, TheSameSampleInAnotherFolderIsCalibratedAgain) {
  WriteModel(/*external=*/false);
  Convert();
  ASSERT_TRUE(CreateDirectories(Path("other")).ok());
  Write("other/sample.npy", *ReadFile(Path("sample.npy")));
  Write("other/meta.yaml", *ReadFile(Path("meta.yaml")));
  EXPECT_THAT(Convert("other/meta.yaml").log, HasSubstr("import: from the cache\ncalibrate: done"));
}

TEST_F(CachedStagesTest, ExternalDataIsPartOfTheKey) {
  WriteModel(/*external=*/true);
  const float weights[4] = {1, 2, 3, 4};
  const absl::string_view bytes(reinterpret_cast<const char*>(weights), sizeof(weights));
  Write("weights.bin", bytes);
  Convert();
  EXPECT_EQ(Convert().log, kAllFromTheCache);
  std::string other(bytes);
  other[3] ^= 1;
  Write("weights.bin", other);
  EXPECT_THAT(Convert().log, Not(HasSubstr("import: from the cache")));
}

TEST_F(CachedStagesTest, ACacheOfNoBytesIsNeitherReadNorWritten) {
  WriteModel(/*external=*/false);
  Convert("meta.yaml", 0);
  EXPECT_FALSE(std::filesystem::exists(Path("cache")));
  Convert();
  EXPECT_THAT(Convert("meta.yaml", 0).log, Not(HasSubstr("from the cache")));
}

TEST_F(CachedStagesTest, NothingOfASecureModelIsKeptInClear) {
  WriteModel(/*external=*/false);
  Write("secure.yaml", "security: {file: keys}\n" + *ReadFile(Path("meta.yaml")));
  Convert("secure.yaml");
  EXPECT_FALSE(std::filesystem::exists(Path("cache")));
  const EncryptionKey key = *ParseEncryptionKey(std::string(64, 'a'));
  Convert("secure.yaml", kDefaultCacheBytes, &key);
  EXPECT_EQ(Convert("secure.yaml", kDefaultCacheBytes, &key).log, kAllFromTheCache);
  for (const auto& entry : std::filesystem::directory_iterator(Path("cache"))) {
    EXPECT_THAT(*ReadFile(entry.path().string()), Not(HasSubstr("location"))) << entry.path();
  }
  EXPECT_THAT(Convert().log, Not(HasSubstr("from the cache")));
}

TEST_F(CachedStagesTest, NamesInTheFileCantCommandATerminal) {
  TestModel model;
  model.Input("x\x1b[2J", {1, 4}).Node("Relu", {"x\x1b[2J"}, {"gr\xc3\xbcn"});
  model.Output("gr\xc3\xbcn");
  Write("model.onnx", model.Bytes());
  const Metafile metafile = LoadMetafile(Path("meta.yaml")).value();
  ProgressLine progress(/*silent=*/true);
  Warnings warnings;
  CachedStagesOptions options;
  options.files.model = Path("model.onnx");
  const auto sir = CachedStages(metafile, options, progress, warnings).ImportedGraph();
  ASSERT_TRUE(sir.ok()) << sir.status();
  const Graph graph = CachedStages::Parse(*sir).value();
  EXPECT_EQ(graph.inputs[0]->name, "x\\u001b[2J");
  EXPECT_EQ(graph.outputs[0]->name, "gr\xc3\xbcn");
  EXPECT_THAT(warnings.Texts(Severity::kNote), testing::Contains(HasSubstr("x\\u001b[2J")));
}

TEST_F(CachedStagesTest, AFolderThatCantBeWrittenIsNoError) {
  WriteModel(/*external=*/false);
  Write("cache", "a file instead of a folder");
  EXPECT_THAT(Convert().log, HasSubstr("can't cache: "));
}

TEST_F(CachedStagesTest, AChangedSampleRunsCalibrationOnly) {
  WriteModel(/*external=*/false);
  Convert();
  Write("sample.npy", EncodeNpy(Shape{1, 4}, std::vector<float>{4, 3, 2, 1}));
  const Told second = Convert();
  EXPECT_THAT(second.log, HasSubstr("import: from the cache\ncalibrate: done"));
}

}  // namespace
}  // namespace synap_internal
