#include "compiler/convert/cli/named_passes.h"

#include <string>

#include "base/file.h"
#include "compiler/graph/text.h"
#include "gtest/gtest.h"

namespace synap_internal {
namespace {

constexpr char kText[] = R"(# A convolution, its padding and its activation.
graph "tiny" layout="nchw" {
  input %x: float32[1x2x3x1]
  const %w: float32[1x1x1x1] = [4.0]
  %p: float32[1x4x3x1] = pad(%x) {pads=[0, 2, 0, 0, 0, 0, 0, 0]} from "p"
  %c: float32[1x4x3x1] = conv2d(%p, %w) from "c"
  %y: float32[1x4x3x1] = relu(%c) from "y"
  output %y
}
)";

std::string FileWith(const std::string& name, const std::string& bytes) {
  std::string path = testing::TempDir() + name;
  EXPECT_TRUE(WriteFileAtomically(path, bytes).ok());
  return path;
}

TEST(NamedPassesTest, RunsThemOverText) {
  const auto graph = RunNamedPasses(FileWith("text.sir", kText), {"fold_pads", "fuse_clamp"}, {});
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(PrintGraph(*graph), R"(graph "tiny" layout="nchw" {
  input %x: float32[1x2x3x1]
  const %w: float32[1x1x1x1] = [4.0]
  %y: float32[1x4x3x1] = conv2d(%x, %w) {max=inf, min=0.0, pads=[2, 0, 0, 0]} from "c", "p", "y"
  output %y
}
)");
}

TEST(NamedPassesTest, RunsThemOverAGraphFile) {
  const std::string path = FileWith("file.sir", SerializeGraph(*ParseGraph(kText)));
  const auto graph = RunNamedPasses(path, {"fuse_clamp"}, {});
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(graph->ops().size(), 2u);
}

TEST(NamedPassesTest, WithoutNamesTheGraphIsTheFiles) {
  const auto graph = RunNamedPasses(FileWith("same.sir", kText), {}, {});
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(PrintGraph(*graph), PrintGraph(*ParseGraph(kText)));
}

TEST(NamedPassesTest, UnknownNamesAreOneError) {
  const auto status = RunNamedPasses("there_is_no_such_file", {"fold_pds", "nothing"}, {}).status();
  EXPECT_EQ(std::string(status.message()).substr(0, 66),
            "unknown passes 'fold_pds' (did you mean 'fold_pads'?), 'nothing', ");
}

TEST(NamedPassesTest, ErrorsNameTheFile) {
  const std::string path = FileWith("wrong.sir", "graph \"g\" layout=\"nchw\" {\n  output %x\n}\n");
  EXPECT_EQ(RunNamedPasses(path, {}, {}).status().message(),
            path + ": line 3, column 1: tensor %x is not declared");
}

TEST(PassTableTest, HasARowForEachPass) {
  const std::string table = PassTable();
  for (const Pass& pass : AllPasses()) {
    EXPECT_NE(table.find(std::string(pass.why_here)), std::string::npos) << pass.name;
  }
}

}  // namespace
}  // namespace synap_internal
