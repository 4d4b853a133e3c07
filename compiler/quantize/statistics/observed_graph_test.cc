#include "compiler/quantize/statistics/observed_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "compiler/testing/run_pass.h"

namespace synap_internal {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

using Seen = std::vector<std::pair<std::string, std::vector<float>>>;

TEST(ObservedGraphTest, ShowsWhatEveryOpComputesInTheirOrder) {
  const Graph graph = GraphOfBody(R"(
    input %x: float32[3]
    %a: float32[3] = square(%x) from "a"
    %b: float32[3] = neg(%a) from "b"
    %c: float32[3] = add(%a, %x) from "c"
    output %b
    output %c)");
  const auto run = ObservedGraph::Create(graph, 1);
  ASSERT_TRUE(run.ok()) << run.status();
  ASSERT_EQ((*run)->inputs(), 1u);
  EXPECT_EQ((*run)->input(0).name, "x");
  const auto memory = (*run)->AllocateInputs();
  ASSERT_TRUE(memory.ok()) << memory.status();
  for (const float scale : {1.0f, 10.0f}) {
    const std::vector<float> values = {scale, -2 * scale, 0};
    std::copy(values.begin(), values.end(), reinterpret_cast<float*>((*memory)[0].data()));
    Seen seen;
    (*run)->Run({(*memory)[0].data()}, [&](const ProgramTensor& tensor, const void* data) {
      const auto* computed = static_cast<const float*>(data);
      seen.emplace_back(tensor.name, std::vector<float>(computed, computed + 3));
    });
    const float square = scale * scale;
    EXPECT_THAT(seen,
                ElementsAre(Pair("a", ElementsAre(square, 4 * square, 0)),
                            Pair("b", ElementsAre(-square, -4 * square, 0)),
                            Pair("c", ElementsAre(square + scale, 4 * square - 2 * scale, 0))));
  }
}

TEST(ObservedGraphTest, SamplesNeedInputsOfTheSameTypes) {
  const Graph real = GraphOfBody(R"(
    input %x: float32[2]
    %y: float32[2] = neg(%x) from "y"
    output %y)");
  const Graph quantized = GraphOfBody(R"(
    input %x: uint8[2]<affine 0.5 3>
    %y: float32[2] = dequantize(%x) from "y"
    output %y)");
  const auto same = ObservedGraph::Create(real, 1), other = ObservedGraph::Create(quantized, 1);
  ASSERT_TRUE(same.ok() && other.ok());
  EXPECT_TRUE(CheckSameInputs(real, **same).ok());
  EXPECT_THAT(std::string(CheckSameInputs(real, **other).message()),
              HasSubstr("input 'x' is float32 in the float network and uint8 in the quantized"));
}

}  // namespace
}  // namespace synap_internal
