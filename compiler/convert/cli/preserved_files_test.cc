#include "compiler/convert/cli/preserved_files.h"

#include <string>

#include "base/file.h"
#include "compiler/graph/graph.h"
#include "compiler/graph/text.h"
#include "compiler/import/import_options.h"
#include "compiler/import/onnx/import_onnx.h"
#include "gtest/gtest.h"

namespace synap_internal {
namespace {

std::string TestFile() {
  const auto graph = ParseGraph(R"(graph "g" layout="nchw" {
    input %x: float32[1x2]
    %y: float32[1x2] = relu(%x) from "relu"
    output %y
})");
  EXPECT_TRUE(graph.ok()) << graph.status();
  return SerializeGraph(*graph);
}

TEST(PreservedFilesTest, KeepsTheGraphAsItIsAndAsOnnx) {
  const std::string folder = testing::TempDir() + "/kept/build";
  Warnings warnings;
  const PreservedFiles files(folder, warnings);
  ASSERT_TRUE(files.Start().ok());
  const std::string sir = TestFile();
  ASSERT_TRUE(files.KeepGraph("model", "sir", sir).ok());
  ASSERT_TRUE(files.KeepLog("import: done\n").ok());
  EXPECT_EQ(*ReadFile(folder + "/model.sir"), sir);
  EXPECT_EQ(*ReadFile(folder + "/conversion_log.txt"), "import: done\n");
  const auto imported = ImportOnnx({folder + "/model.onnx"}, {});
  ASSERT_TRUE(imported.ok()) << imported.status();
  EXPECT_TRUE(imported->graph.ops().front().def->clamp != nullptr);
}

TEST(PreservedFilesTest, AnEarlierConversionsFilesDontStay) {
  const std::string folder = testing::TempDir() + "/again/build";
  Warnings warnings;
  const PreservedFiles files(folder, warnings);
  ASSERT_TRUE(files.Start().ok());
  ASSERT_TRUE(files.KeepGraph("model_quantized", "qsir", TestFile()).ok());
  ASSERT_TRUE(WriteFileAtomically(folder + "/mine.txt", "notes").ok());
  ASSERT_TRUE(files.KeepPasses("# after fold_constants\n").ok());
  EXPECT_TRUE(ReadFile(folder + "/passes.txt").ok());
  EXPECT_EQ(files.TensorsFolder(), folder + "/tensors");
  ASSERT_TRUE(CreateDirectories(files.TensorsFolder()).ok());
  ASSERT_TRUE(WriteFileAtomically(files.TensorsFolder() + "/y.npy", "old").ok());
  ASSERT_TRUE(files.Start().ok());
  EXPECT_FALSE(ReadFile(folder + "/passes.txt").ok());
  EXPECT_FALSE(ReadFile(files.TensorsFolder() + "/y.npy").ok());
  EXPECT_FALSE(ReadFile(folder + "/model_quantized.qsir").ok());
  EXPECT_FALSE(ReadFile(folder + "/model_quantized.onnx").ok());
  EXPECT_EQ(*ReadFile(folder + "/mine.txt"), "notes");
}

TEST(PreservedFilesTest, WithoutAFolderNothingIsKept) {
  Warnings warnings;
  const PreservedFiles files("", warnings);
  EXPECT_TRUE(files.Start().ok());
  EXPECT_TRUE(files.KeepGraph("model", "sir", "not a graph").ok());
  EXPECT_TRUE(files.KeepLog("text").ok());
  EXPECT_TRUE(files.KeepPasses("text").ok());
  EXPECT_EQ(files.TensorsFolder(), "");
}

}  // namespace
}  // namespace synap_internal
