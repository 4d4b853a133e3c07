#include "compiler/quantize/ranges/recurrences.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "compiler/testing/run_pass.h"

namespace synap_internal {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> Names(const std::vector<const Op*>& ops) {
  std::vector<std::string> names;
  for (const Op* op : ops) names.push_back(op->output()->name);
  return names;
}

// Weights of layers of 2 values, and what most of the networks begin with.
constexpr absl::string_view kBegin = R"(
    input %x: float32[1x2]
    input %h: float32[1x2]
    const %w: float32[2x2] = [1.0, 2.0, 3.0, 4.0]
    const %one: float32[1] = [1.0]
    %of_x: float32[1x2] = fully_connected(%x, %w)
    %normal: float32[1x2] = relu(%of_x)
    %new: float32[1x2] = fully_connected(%normal, %w)
    %old: float32[1x2] = fully_connected(%h, %w)
    %gates: float32[1x2] = add(%new, %old)
    )";

class FindRecurrencesTest : public ::testing::Test {
 protected:
  // kBegin and `rest`.
  void Find(absl::string_view rest) {
    graph_ = GraphOfBody(absl::StrCat(kBegin, rest));
    found_ = FindRecurrences(graph_);
  }

  std::vector<std::string> Inputs() const {
    std::vector<std::string> names;
    for (const Tensor* input : found_.inputs) names.push_back(input->name);
    return names;
  }

  Graph graph_;
  Recurrences found_;
};

TEST_F(FindRecurrencesTest, AnLstmsCellGoesFromItsLayersToBothStates) {
  Find(R"(
    input %c: float32[1x1]
    %i: float32[1x1] = slice(%gates) {sizes=[1, 1], starts=[0, 0], steps=[1, 1]}
    %g: float32[1x1] = slice(%gates) {sizes=[1, 1], starts=[0, 1], steps=[1, 1]}
    %in: float32[1x1] = sigmoid(%i)
    %cell: float32[1x1] = tanh(%g)
    %kept: float32[1x1] = mul(%in, %c)
    %added: float32[1x1] = mul(%in, %cell)
    %next: float32[1x1] = add(%kept, %added)
    %shown: float32[1x1] = tanh(%next)
    %o: float32[1x2] = fully_connected(%normal, %w)
    %o1: float32[1x1] = slice(%o) {sizes=[1, 1], starts=[0, 0], steps=[1, 1]}
    %out: float32[1x1] = sigmoid(%o1)
    %hidden: float32[1x1] = mul(%out, %shown)
    %both: float32[1x2] = concat(%hidden, %next) {axis=1}
    %last: float32[1x2] = fully_connected(%both, %w)
    output %last)");
  EXPECT_THAT(Names(found_.cells), ElementsAre("gates", "i", "g", "in", "cell", "kept", "added",
                                               "next", "shown", "o1", "out", "hidden", "both"));
  EXPECT_THAT(Names(found_.input_layers), ElementsAre("new", "o"));
  EXPECT_THAT(Names(found_.recurrent_layers), ElementsAre("old"));
  EXPECT_THAT(Names(found_.moves), IsEmpty());
  EXPECT_THAT(Inputs(), ElementsAre("h", "c"));
}

TEST_F(FindRecurrencesTest, AGrusStateIsFoundInEachOfItsForms) {
  constexpr absl::string_view kGates = R"(
    %z: float32[1x2] = sigmoid(%gates)
    %n: float32[1x2] = tanh(%gates)
    )";
  const std::string forms[] = {
      "%d: float32[1x2] = sub(%h, %n)\n%p: float32[1x2] = mul(%z, %d)\n"
      "%s: float32[1x2] = add(%n, %p)\noutput %s",
      "%d: float32[1x2] = sub(%one, %z)\n%p: float32[1x2] = mul(%d, %n)\n"
      "%q: float32[1x2] = mul(%z, %h)\n%s: float32[1x2] = add(%p, %q)\noutput %s"};
  for (const std::string& form : forms) {
    Find(absl::StrCat(kGates, form));
    EXPECT_THAT(Names(found_.cells), ::testing::Contains("s")) << form;
    EXPECT_THAT(Names(found_.recurrent_layers), ElementsAre("old")) << form;
    EXPECT_THAT(Inputs(), ElementsAre("h")) << form;
  }
}

TEST_F(FindRecurrencesTest, ALayerOfFeaturesAndStateTogetherIsRecurrent) {
  Find(R"(
    const %v: float32[2x4] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]
    %z: float32[1x2] = sigmoid(%gates)
    %n: float32[1x2] = tanh(%gates)
    %d: float32[1x2] = sub(%h, %n)
    %p: float32[1x2] = mul(%z, %d)
    %s: float32[1x2] = add(%n, %p)
    %xs: float32[1x4] = concat(%normal, %s) {axis=1}
    %all: float32[1x2] = fully_connected(%xs, %v)
    %z2: float32[1x2] = sigmoid(%all)
    %n2: float32[1x2] = tanh(%all)
    %d2: float32[1x2] = sub(%s, %n2)
    %p2: float32[1x2] = mul(%z2, %d2)
    %s2: float32[1x2] = add(%n2, %p2)
    output %s2)");
  EXPECT_THAT(Names(found_.recurrent_layers), ElementsAre("old", "all"));
  EXPECT_THAT(Names(found_.moves), ElementsAre("xs"));
}

TEST_F(FindRecurrencesTest, BlendsAndActivationsAreNoCells) {
  const std::string others[] = {
      // Two values, each weighted by its own sigmoid.
      "%a: float32[1x2] = sigmoid(%new)\n%b: float32[1x2] = mul(%a, %new)\n"
      "%c: float32[1x2] = sigmoid(%old)\n%d: float32[1x2] = mul(%c, %old)\n"
      "%s: float32[1x2] = add(%b, %d)\noutput %s",
      // A mask between results of two layers.
      "%m: float32[1x2] = sigmoid(%gates)\n%t: float32[1x2] = tanh(%new)\n"
      "%r: float32[1x2] = sub(%one, %m)\n%a: float32[1x2] = mul(%m, %t)\n"
      "%b: float32[1x2] = mul(%r, %old)\n%s: float32[1x2] = add(%a, %b)\noutput %s"};
  for (const std::string& other : others) {
    Find(other);
    EXPECT_THAT(Names(found_.cells), IsEmpty()) << other;
    EXPECT_THAT(Names(found_.recurrent_layers), IsEmpty()) << other;
    EXPECT_THAT(Inputs(), IsEmpty()) << other;
  }
}

}  // namespace
}  // namespace synap_internal
