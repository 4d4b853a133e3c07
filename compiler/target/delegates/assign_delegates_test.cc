#include "compiler/target/delegates/assign_delegates.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "compiler/target/target.h"
#include "compiler/testing/four_layers.h"
#include "compiler/testing/run_pass.h"

namespace synap_internal {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// FourLayers(), before the nodes of b were fused.
Graph Imported() {
  return GraphOfBody(R"(
    input %x: float32[4]
    %a: float32[4] = relu(%x) from "Relu_1"
    %b: float32[4] = sigmoid(%a) from "Sigmoid_2"
    %m: float32[4] = neg(%b) from "Mul_7"
    %c: float32[4] = tanh(%a) from "Tanh_3"
    %d: float32[4] = exp(%m) from "9"
    output %d
    output %c)");
}

// An NPU that has no tanh, a GPU that has no exp.
TargetDelegates TestTarget() {
  TargetDelegates target;
  target.target = "BOARD";
  target.available = {Delegate::kNpu, Delegate::kCpu, Delegate::kGpu};
  target.why_not = [](const Op& op, Delegate delegate) -> std::string {
    const bool lacks = (delegate == Delegate::kNpu && op.LayerName() == "Tanh_3") ||
                       (delegate == Delegate::kGpu && op.LayerName() == "9");
    return lacks ? "it has no such function" : "";
  };
  return target;
}

absl::StatusOr<DelegateAssignment> Assign(const Graph& compiled, absl::string_view delegate,
                                          const TargetDelegates& target) {
  const auto metafile = ParseMetafile(absl::StrCat("delegate: ", delegate), {.path = "m.yaml"});
  if (!metafile.ok()) return metafile.status();
  return AssignDelegates(compiled, Imported(), *metafile, target);
}

// The delegates of a, the layer of b and m, c and d; or the error.
std::string Delegates(absl::string_view delegate, const TargetDelegates& target = TestTarget()) {
  const Graph compiled = FourLayers();
  const auto assignment = Assign(compiled, delegate, target);
  if (!assignment.ok()) return std::string(assignment.status().message());
  std::string text;
  for (const Op& op : compiled.ops()) {
    absl::StrAppend(&text, text.empty() ? "" : ", ", assignment->of.at(&op).Text());
  }
  return text;
}

TEST(AssignDelegatesTest, LaterRulesOverrideEarlierOnes) {
  EXPECT_EQ(Delegates("cpu num_threads=2"),
            "cpu num_threads=2, cpu num_threads=2, cpu num_threads=2, cpu num_threads=2");
  EXPECT_EQ(Delegates("{Tanh_3: gpu, '*': npu}"), "npu, npu, gpu, npu");
  EXPECT_EQ(Delegates("{'*': cpu, 'Relu_1...': gpu, '@9': npu}"), "cpu, gpu, gpu, npu");
}

TEST(AssignDelegatesTest, AFusedLayerFollowsTheLastRuleOfItsNodes) {
  EXPECT_EQ(Delegates("{'*': cpu, Sigmoid_2: npu, Mul_7: gpu}"), "cpu, gpu, cpu, cpu");
  EXPECT_EQ(Delegates("{'*': cpu, Mul_7: gpu, Sigmoid_2: npu}"), "cpu, npu, cpu, cpu");
  // An id that was in the imported graph only.
  EXPECT_EQ(Delegates("{'*': cpu, '@Mul_7': npu}"), "cpu, npu, cpu, cpu");
}

TEST(AssignDelegatesTest, DefaultMovesWhatTheNpuCantRunAndNotesIt) {
  const Graph compiled = FourLayers();
  for (const char* rules : {"default", "null", "{'*': cpu, Tanh_3: default}"}) {
    const auto assignment = Assign(compiled, rules, TestTarget());
    ASSERT_TRUE(assignment.ok()) << assignment.status();
    ASSERT_EQ(assignment->moved.size(), 1u);
    EXPECT_EQ(assignment->moved[0].Text(),
              "layer 'Tanh_3': runs on the cpu: it has no such function");
    EXPECT_EQ(assignment->moved[0].severity, Severity::kNote);
  }
  EXPECT_EQ(Delegates("default"), "npu, npu, cpu, npu");
  EXPECT_THAT(Assign(compiled, "cpu", TestTarget())->moved, IsEmpty());
}

TEST(AssignDelegatesTest, AnExplicitDelegateMustRunItsLayers) {
  EXPECT_EQ(Delegates("npu"),
            "m.yaml:1:1: delegate: the npu of BOARD can't run 'Tanh_3' (it has no such function); "
            "give it 'default' or 'cpu'");
  EXPECT_EQ(Delegates("{'*': npu, Tanh_3: cpu, '9': gpu}"),
            "m.yaml:1:35: delegate: the gpu of BOARD can't run '9' (it has no such function); "
            "give it 'default' or 'cpu'");
}

TEST(AssignDelegatesTest, ADelegateThatTheTargetLacksIsAnError) {
  TargetDelegates target = TestTarget();
  target.available = {Delegate::kCpu};
  EXPECT_EQ(Delegates("default", target), "cpu, cpu, cpu, cpu");
  EXPECT_EQ(Delegates("{'*': cpu, '9': npu}", target),
            "m.yaml:1:22: delegate: target BOARD has no npu, expected one of default, cpu");
}

TEST(AssignDelegatesTest, AGraphWithoutLayersHasTheDelegateOfAll) {
  const auto standard = [](absl::string_view delegate, const TargetDelegates& target) {
    const auto assignment =
        Assign(GraphOfBody("input %x: float32[4]\n output %x"), delegate, target);
    return assignment.ok() ? assignment->standard.Text()
                           : std::string(assignment.status().message());
  };
  TargetDelegates cpu_only = TestTarget();
  cpu_only.available = {Delegate::kCpu};
  EXPECT_EQ(standard("default", TestTarget()), "npu");
  EXPECT_EQ(standard("default", cpu_only), "cpu");
  EXPECT_EQ(standard("{'*': gpu, '9': npu}", TestTarget()), "gpu");
}

TEST(AssignDelegatesTest, OnlyTheNpuRunsSecureModels) {
  const std::string secure = "\nsecurity: {file: security.yaml}";
  for (const char* rules : {"default", "npu", "{'*': npu, Tanh_3: default}"}) {
    EXPECT_EQ(Delegates(rules + secure),
              "m.yaml:2:1: security: the npu of BOARD can't run 'Tanh_3' (it has no such "
              "function), expected all layers of a secure model there; change the network or the "
              "target, or leave 'security' out");
  }
  TargetDelegates target = TestTarget();
  target.why_not = [](const Op&, Delegate) -> std::string { return ""; };
  EXPECT_EQ(Delegates("default" + secure, target), "npu, npu, npu, npu");
  target.available = {Delegate::kCpu};
  EXPECT_EQ(Delegates("default" + secure, target),
            "m.yaml:2:1: security: target BOARD has no npu, which alone runs secure models; choose "
            "another target, or leave 'security' out");
}

TEST(AssignDelegatesTest, PatternsThatSelectNothingAreErrors) {
  EXPECT_EQ(Delegates("{'*': npu, Tanh_4: cpu}"),
            "m.yaml:1:22: delegate: the model has no layer 'Tanh_4' (did you mean 'Tanh_3'?)");
  EXPECT_THAT(Delegates("{'*': npu, '@99': cpu}"),
              HasSubstr("m.yaml:1:22: delegate: the model has no layer '@99'"));
  EXPECT_THAT(Delegates("{'*': cpu, '9...': gpu}"), HasSubstr("none comes after '9'"));
}

TEST(AssignDelegatesTest, TargetsSayWhatTheyHave) {
  EXPECT_THAT(DelegatesOf(DefaultTarget(), Graph()).available,
              ElementsAre(Delegate::kNpu, Delegate::kCpu, Delegate::kGpu));
}

}  // namespace
}  // namespace synap_internal
