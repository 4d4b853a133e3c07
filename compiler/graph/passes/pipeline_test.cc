#include "compiler/graph/passes/pipeline.h"

#include <set>
#include <string>
#include <vector>

#include "compiler/graph/text.h"
#include "compiler/testing/run_pass.h"
#include "gtest/gtest.h"

namespace synap_internal {
namespace {

TEST(PassesTest, EveryRowHasANameAFunctionAndAReason) {
  std::set<absl::string_view> reasons;
  for (const Pass& pass : AllPasses()) {
    EXPECT_FALSE(pass.name.empty());
    EXPECT_NE(pass.run, nullptr) << pass.name;
    EXPECT_TRUE(reasons.insert(pass.why_here).second) << pass.name << ": " << pass.why_here;
  }
}

TEST(PassesTest, StagesAreTheTablesParts) {
  size_t rows = 0;
  for (const PassStage stage :
       {PassStage::kImport, PassStage::kRestore, PassStage::kEqualize, PassStage::kCompile}) {
    const absl::Span<const Pass> passes = PassesOf(stage);
    EXPECT_FALSE(passes.empty()) << Name(stage);
    for (const Pass& pass : passes) EXPECT_EQ(pass.stage, stage) << pass.name;
    rows += passes.size();
  }
  EXPECT_EQ(rows, AllPasses().size());
}

TEST(PassesTest, RowsOfOneNameAreOnePass) {
  for (const Pass& a : AllPasses()) {
    for (const Pass& b : AllPasses()) {
      if (a.name != b.name) continue;
      EXPECT_TRUE(a.run == b.run && a.effect == b.effect) << a.name;
    }
  }
}

TEST(FindPassesTest, KeepsTheOrder) {
  const auto passes = FindPasses({"fuse_clamp", "fold_pads", "fuse_clamp"});
  ASSERT_TRUE(passes.ok()) << passes.status();
  ASSERT_EQ(passes->size(), 3u);
  EXPECT_EQ((*passes)[0].name, "fuse_clamp");
  EXPECT_EQ((*passes)[1].name, "fold_pads");
  EXPECT_EQ((*passes)[2].name, "fuse_clamp");
}

TEST(FindPassesTest, OneErrorNamesEveryUnknownPassAndAllThatThereAre) {
  const std::string message(FindPasses({"fuse_clmp", "fold_pads", "qqqqqq"}).status().message());
  EXPECT_EQ(message.substr(0, message.find(", expected")),
            "unknown passes 'fuse_clmp' (did you mean 'fuse_clamp'?), 'qqqqqq'");
  for (const Pass& pass : AllPasses()) {
    EXPECT_NE(message.find(std::string(pass.name)), std::string::npos) << pass.name;
  }
}

TEST(CheckPassOptionsTest, FindsUnknownNamesInAnyOption) {
  PassOptions options;
  options.print_after = {"all", "fold_pads"};
  options.stop_after = "fuse_clamp";
  EXPECT_TRUE(CheckPassOptions(options).ok());
  options.stop_after = "fold_pod";
  EXPECT_EQ(std::string(CheckPassOptions(options).message()).substr(0, 55),
            "unknown pass 'fold_pod' (did you mean 'fold_pads'?), ex");
  options = {};
  options.print_after = {"nothing"};
  EXPECT_FALSE(CheckPassOptions(options).ok());
}

constexpr absl::string_view kGraph = R"(
    input %x: float32[1x2x3x1]
    const %w: float32[1x1x1x1] = [4.0]
    %p: float32[1x4x3x1] = pad(%x) {pads=[0, 2, 0, 0, 0, 0, 0, 0]} from "p"
    %c: float32[1x4x3x1] = conv2d(%p, %w) from "c"
    %y: float32[1x4x3x1] = relu(%c) from "y"
    output %y)";

TEST(RunPassesTest, RunsPassesInOrderAndPrintsOnRequest) {
  Graph graph = GraphOfBody(kGraph);
  std::string printed;
  PassOptions options;
  options.print_after = {"fold_pads"};
  options.timing = true;
  options.print = [&](absl::string_view text) { printed += std::string(text); };
  const auto passes = FindPasses({"fold_pads", "fuse_clamp"});
  ASSERT_TRUE(RunPasses(*passes, options, graph).ok());
  EXPECT_EQ(graph.ops().size(), 1u);
  EXPECT_EQ(printed.substr(0, 51), "fold_pads                           1 rewrites     ");
  EXPECT_NE(printed.find("# after fold_pads\ngraph \"test\""), std::string::npos) << printed;
  EXPECT_NE(printed.find("fuse_clamp                          1 rewrites"), std::string::npos);
  EXPECT_EQ(printed.find("# after fuse_clamp"), std::string::npos);
}

TEST(RunPassesTest, StopsAfterAPass) {
  Graph graph = GraphOfBody(kGraph);
  PassOptions options;
  options.stop_after = "fold_pads";
  ASSERT_TRUE(RunPasses(PassesOf(PassStage::kImport), options, graph).ok());
  EXPECT_EQ(graph.ops().size(), 2u);
}

absl::StatusOr<int> BreakTheGraph(Graph& graph) {
  graph.FindTensor("y")->type.shape = Shape({13});
  return 1;
}

absl::StatusOr<int> Fail(Graph&) { return absl::InternalError("no memory"); }

TEST(RunPassesTest, ErrorsNameThePass) {
  Graph graph = GraphOfBody(kGraph);
  EXPECT_EQ(RunPasses({{"fails", Fail, PassStage::kImport, ""}}, {}, graph).message(),
            "fails: no memory");
  const absl::Status broken =
      RunPasses({{"breaks", BreakTheGraph, PassStage::kImport, ""}}, {}, graph);
  EXPECT_EQ(std::string(broken.message()).substr(0, 14), "after breaks: ");
}

}  // namespace
}  // namespace synap_internal
