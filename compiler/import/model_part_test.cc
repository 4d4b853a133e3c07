#include "compiler/import/model_part.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace synap_internal {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// x, z -> first -> a -> second -> b; a -> third -> c
ModelGraph Example() {
  ModelGraph graph;
  graph.values = {"x", "z", "a", "b", "c"};
  graph.nodes = {{{0, 1}, {2}}, {{2}, {3}}, {{2}, {4}}};
  graph.inputs = {0, 1};
  graph.outputs = {3, 4};
  graph.aliases = {{"first", 2}, {"second", 3}, {"third", 4}};
  return graph;
}

ImportOptions Options(const std::vector<std::string>& inputs,
                      const std::vector<std::string>& outputs) {
  ImportOptions options;
  for (const std::string& name : inputs) options.inputs.push_back({name, std::nullopt});
  options.outputs = outputs;
  return options;
}

std::string ErrorOf(const ModelGraph& graph, const ImportOptions& options) {
  return std::string(FindModelPart(graph, options).status().message());
}

std::vector<size_t> ValuesOf(const std::vector<PartInput>& inputs) {
  std::vector<size_t> values;
  for (const PartInput& input : inputs) values.push_back(input.value);
  return values;
}

TEST(ModelPartTest, IsTheModelsByDefault) {
  const auto part = FindModelPart(Example(), {});
  ASSERT_TRUE(part.ok()) << part.status();
  EXPECT_THAT(ValuesOf(part->inputs), ElementsAre(0, 1));
  EXPECT_THAT(part->outputs, ElementsAre(3, 4));
  EXPECT_THAT(part->nodes, ElementsAre(0, 1, 2));
}

TEST(ModelPartTest, LeavesOutWhatNoOutputNeeds) {
  ModelGraph graph = Example();
  graph.nodes[0].reads = {0};
  const auto part = FindModelPart(graph, Options({}, {"c"}));
  ASSERT_TRUE(part.ok()) << part.status();
  EXPECT_THAT(ValuesOf(part->inputs), ElementsAre(0));
  EXPECT_THAT(part->nodes, ElementsAre(0, 2));
}

TEST(ModelPartTest, CutsAtTheInputsOfTheMetafile) {
  const auto part = FindModelPart(Example(), Options({"a"}, {"second"}));
  ASSERT_TRUE(part.ok()) << part.status();
  EXPECT_THAT(ValuesOf(part->inputs), ElementsAre(2));
  EXPECT_THAT(part->outputs, ElementsAre(3));
  EXPECT_THAT(part->nodes, ElementsAre(1));
}

TEST(ModelPartTest, InputsWithoutNamesAreThoseAtTheirPosition) {
  const auto part = FindModelPart(Example(), Options({"z", ""}, {}));
  EXPECT_EQ(part.status().message(), "input 'z' is listed twice");
  EXPECT_THAT(ValuesOf(FindModelPart(Example(), Options({"", ""}, {}))->inputs), ElementsAre(0, 1));
  EXPECT_EQ(ErrorOf(Example(), Options({"", "", ""}, {})), "has 2 inputs, the metafile 3");
}

TEST(ModelPartTest, OfEqualNamesTheLastValueCounts) {
  ModelGraph graph = Example();
  graph.values[3] = "a";
  EXPECT_THAT(FindModelPart(graph, Options({}, {"a"}))->outputs, ElementsAre(3));
}

TEST(ModelPartTest, SortsNodes) {
  ModelGraph graph = Example();
  graph.nodes = {{{2}, {3}}, {{2}, {4}}, {{0, 1}, {2}}};
  EXPECT_THAT(FindModelPart(graph, {})->nodes, ElementsAre(2, 0, 1));
}

TEST(ModelPartTest, NamesUnknownAndRepeatedValues) {
  const auto unknown = FindModelPart(Example(), Options({}, {"secnd"})).status();
  EXPECT_EQ(unknown.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(unknown.message()),
              HasSubstr("output 'secnd' is not a tensor of the model (did you mean 'second'"));
  EXPECT_THAT(ErrorOf(Example(), Options({"nowhere"}, {})), HasSubstr("input 'nowhere' is not"));
  EXPECT_EQ(ErrorOf(Example(), Options({}, {"b", "second"})), "output 'b' is listed twice");
  ModelGraph graph = Example();
  graph.outputs.clear();
  EXPECT_EQ(ErrorOf(graph, {}), "has no outputs");
}

TEST(ModelPartTest, OutputsMustFollowFromTheInputs) {
  EXPECT_EQ(ErrorOf(Example(), Options({"x"}, {})),
            "the outputs also depend on input 'z', which is not among the inputs of the metafile");
}

TEST(ModelPartTest, NamesTheNodesOfACycle) {
  ModelGraph graph = Example();
  graph.nodes[0].reads = {3};
  EXPECT_EQ(ErrorOf(graph, {}), "has a cycle: 'first' -> 'second' -> 'first'");
  // Cut open.
  EXPECT_THAT(FindModelPart(graph, Options({"b"}, {"c"}))->nodes, ElementsAre(0, 2));
}

}  // namespace
}  // namespace synap_internal
