#include "compiler/target/narrow_integers.h"

#include <memory>
#include <set>
#include <string>

#include "compiler/graph/lower.h"
#include "compiler/testing/run_pass.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace synap_internal {
namespace {

using testing::UnorderedElementsAre;

constexpr char kNetwork[] = R"(
    input %ids: int64[1x4]
    input %x: float32[1x4]
    const %one: int64[1x4] = [1, 1, 1, 1]
    const %end: int64[1x1] = [-2147483648]
    %word: int64[1x2] = slice(%ids) {sizes=[1, 2], starts=[0, 0]}
    %class: int64[1] = argmax(%x) {axis=1, keep_dims=0}
    %row: int64[1x1] = reshape(%class) {shape=[1, 1]}
    %both: int64[1x3] = concat(%word, %row) {axis=1}
    %rounded: int64[1x4] = cast(%x) {to="int64"}
    const %large: int64[1x1] = [2147483648]
    %begun: int64[1x5] = concat(%ids, %end) {axis=1}
    %cut: int64[1x5] = concat(%ids, %large) {axis=1}
    %sum: int64[1x4] = add(%ids, %one)
    %moved: int64[1x2] = slice(%sum) {sizes=[1, 2], starts=[0, 0]}
    %mixed: int64[1x5] = concat(%both, %moved) {axis=1}
    %framed: int64[1x6] = pad(%ids) {pads=[0, 1, 0, 1]}
    %wide: int64[1x6] = pad(%ids) {pads=[0, 1, 0, 1], value=4294967296.0}
    %real: float32[1x3] = cast(%both) {to="float32"}
    output %begun
    output %cut
    output %mixed
    output %framed
    output %wide
    output %real
    output %rounded)";

// Ids, indices, constants that fit, and copies of them.
const auto kNarrowNames =
    UnorderedElementsAre("ids", "word", "class", "row", "both", "framed", "one", "end", "begun");

TEST(NarrowIntegersTest, IdsIndicesSmallConstantsAndCopiesOfThemAreNarrow) {
  const Graph graph = GraphOfBody(kNetwork);
  std::set<std::string> names;
  for (const Tensor* tensor : NarrowIntegers(graph)) names.insert(tensor->name);
  EXPECT_THAT(names, kNarrowNames);
}

TEST(NarrowIntegersTest, ProgramsHaveTheSame) {
  const auto lowered = LowerGraph(GraphOfBody(kNetwork));
  ASSERT_TRUE(lowered.ok()) << lowered.status();
  const Program& program = (*lowered)->program;
  const std::vector<bool> narrow = NarrowIntegers(program);
  std::set<std::string> names;
  for (size_t i = 0; i < narrow.size(); ++i) {
    if (narrow[i]) names.insert(program.tensors[i].name);
  }
  EXPECT_THAT(names, kNarrowNames);
}

TEST(NarrowIntegersTest, BiasesOfInt16AreNot) {
  const Graph graph = GraphOfBody(R"(
    input %x: int16[1x2]<fixed 8>
    const %w: int16[1x2]<fixed 8> = [1, 2]
    const %b: int64[1]<fixed 16> = [3]
    %y: int16[1x1]<fixed 8> = fully_connected(%x, %w, %b)
    output %y)");
  EXPECT_THAT(NarrowIntegers(graph), testing::IsEmpty());
}

}  // namespace
}  // namespace synap_internal
