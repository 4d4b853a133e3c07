#include "compiler/testing/run_pass.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/visit_type.h"
#include "compiler/graph/lower.h"
#include "compiler/graph/text.h"
#include "gtest/gtest.h"
#include "kernels/testing/conformance.h"
#include "runtime/executor/executor.h"

namespace synap_internal {
namespace {

template <typename T>
std::vector<float> AsFloats(const TestTensor& tensor) {
  const std::vector<T> values = tensor.values<T>();
  return std::vector<float>(values.begin(), values.end());
}

std::vector<float> ValuesOf(const TestTensor& tensor) {
  if (tensor.type().dtype == DataType::kFloat32) return tensor.values<float>();
  std::vector<float> values;
  const bool is_integer = VisitIntegers(
      tensor.type().dtype, [&](auto zero) { values = AsFloats<decltype(zero)>(tensor); });
  CHECK(is_integer);
  return values;
}

float RangeWidth(const std::vector<float>& values) {
  if (values.empty()) return 0;
  const auto [min, max] = std::minmax_element(values.begin(), values.end());
  return std::max(*max - *min, std::fabs(*max));
}

}  // namespace

Graph GraphOf(absl::string_view text) {
  absl::StatusOr<Graph> graph = ParseGraph(text);
  if (!graph.ok()) {
    ADD_FAILURE() << graph.status() << "\n" << text;
    return Graph();
  }
  return *std::move(graph);
}

Graph GraphOfBody(absl::string_view body) {
  return GraphOf(absl::StrCat("graph \"test\" layout=\"nchw\" {\n", body, "\n}\n"));
}

std::vector<std::vector<float>> RunOnRandomInputs(const Graph& graph) {
  const auto lowered = LowerGraph(graph);
  EXPECT_TRUE(lowered.ok()) << lowered.status();
  if (!lowered.ok()) return {};
  const auto executor = Executor::Create((*lowered)->program, {});
  EXPECT_TRUE(executor.ok()) << executor.status();
  if (!executor.ok()) return {};
  TestRandom random(7);
  std::vector<TestTensor> inputs, outputs;
  std::vector<const void*> input_data;
  std::vector<void*> output_data;
  for (const Tensor* input : graph.inputs) inputs.push_back(RandomTensor(input->type, random));
  for (const Tensor* output : graph.outputs) outputs.emplace_back(output->type);
  for (const TestTensor& input : inputs) input_data.push_back(input.data());
  for (TestTensor& output : outputs) output_data.push_back(output.data());
  (*executor)->Run(input_data, output_data);
  std::vector<std::vector<float>> values;
  for (const TestTensor& output : outputs) values.push_back(ValuesOf(output));
  return values;
}

void ExpectPass(PassFunction pass, absl::string_view before, absl::string_view after,
                float tolerance) {
  Graph graph = GraphOfBody(before);
  const std::vector<std::vector<float>> expected = RunOnRandomInputs(graph);
  const absl::StatusOr<int> rewrites = pass(graph);
  ASSERT_TRUE(rewrites.ok()) << rewrites.status();
  EXPECT_GT(*rewrites, 0);
  ASSERT_TRUE(VerifyGraph(graph).ok()) << VerifyGraph(graph) << "\n" << PrintGraph(graph);
  const Graph wanted = GraphOfBody(after);
  EXPECT_EQ(PrintGraph(graph), PrintGraph(wanted));
  EXPECT_TRUE(SerializeGraph(graph) == SerializeGraph(wanted)) << "long constants differ";
  const std::vector<std::vector<float>> actual = RunOnRandomInputs(graph);
  ASSERT_EQ(expected.size(), actual.size());
  for (size_t o = 0; o < expected.size(); ++o) {
    const float allowed = tolerance * RangeWidth(expected[o]);
    for (size_t i = 0; i < expected[o].size(); ++i) {
      ASSERT_NEAR(expected[o][i], actual[o][i], allowed) << "output " << o << ", element " << i;
    }
  }
}

void ExpectNoRewrite(PassFunction pass, absl::string_view body) {
  Graph graph = GraphOfBody(body);
  const std::string before = PrintGraph(graph);
  const absl::StatusOr<int> rewrites = pass(graph);
  ASSERT_TRUE(rewrites.ok()) << rewrites.status();
  EXPECT_EQ(*rewrites, 0);
  EXPECT_EQ(PrintGraph(graph), before);
}

}  // namespace synap_internal
