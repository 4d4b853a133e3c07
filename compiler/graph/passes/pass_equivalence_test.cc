// Random graphs compute the same with and without each pass, for every row of the pipeline's table.
// A failure prints the seed and the graphs; --seed=N --rounds=1 runs that graph alone.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/graph/lower.h"
#include "compiler/graph/passes/fold_constants.h"
#include "compiler/graph/passes/pipeline.h"
#include "compiler/graph/text.h"
#include "compiler/testing/random_choice.h"
#include "compiler/testing/random_graph.h"
#include "gtest/gtest.h"
#include "kernels/testing/conformance.h"
#include "runtime/executor/executor.h"

namespace synap_internal {
namespace {

uint64_t first_seed = 0;
uint64_t rounds = 150;  // random graphs of each kind

// What rounding a float32 otherwise may change, of the largest number in the graph: many roundings
// of 2^-24, one on top of the other. A wrong channel or limit changes far more.
constexpr float kRounding = 1e-4f;

// The outputs for pseudo-random inputs; the executor's error if there is no kernel for an op.
absl::StatusOr<std::vector<TestTensor>> OutputsOf(const Graph& graph) {
  Graph folded = graph.Clone();
  RETURN_IF_ERROR(FoldConstants(folded).status());
  ASSIGN_OR_RETURN(const auto lowered, LowerGraph(folded));
  ASSIGN_OR_RETURN(const auto executor, Executor::Create(lowered->program, {}));
  TestRandom random(7);
  std::vector<TestTensor> inputs, outputs;
  for (const Tensor* input : graph.inputs) inputs.push_back(RandomTensor(input->type, random));
  for (const Tensor* output : folded.outputs) outputs.emplace_back(output->type);
  std::vector<const void*> input_data;
  std::vector<void*> output_data;
  for (const TestTensor& input : inputs) input_data.push_back(input.data());
  for (TestTensor& output : outputs) output_data.push_back(output.data());
  executor->Run(input_data, output_data);
  return outputs;
}

std::vector<uint8_t> Bits(const TestTensor& tensor) {
  std::vector<uint8_t> bytes = tensor.bytes();
  MergeNans(tensor.type().dtype, absl::MakeSpan(bytes));
  return bytes;
}

// As numbers: integers in their own steps.
std::vector<double> Numbers(const TestTensor& tensor) {
  const auto convert = [](const auto& values) {
    return std::vector<double>(values.begin(), values.end());
  };
  switch (tensor.type().dtype) {
    case DataType::kFloat32:
      return convert(tensor.values<float>());
    case DataType::kUint8:
      return convert(tensor.values<uint8_t>());
    case DataType::kInt8:
      return convert(tensor.values<int8_t>());
    default: {
      const std::vector<uint8_t> bytes = tensor.bytes();
      return convert(bytes);
    }
  }
}

// The largest magnitude of all float32 values that the graph computes, at least 1.
double LargestNumber(const Graph& graph) {
  Graph all = graph.Clone();
  all.outputs.clear();
  for (const Tensor& tensor : all.tensors()) {
    if (tensor.producer != nullptr && tensor.type.dtype == DataType::kFloat32) {
      all.outputs.push_back(all.FindTensor(tensor.name));
    }
  }
  double largest = 1;
  const absl::StatusOr<std::vector<TestTensor>> outputs = OutputsOf(all);
  EXPECT_TRUE(outputs.ok()) << outputs.status();
  for (const TestTensor& output : outputs.value_or(std::vector<TestTensor>())) {
    for (const double value : Numbers(output)) largest = std::max(largest, std::fabs(value));
  }
  return largest;
}

// "" or where the outputs differ by more than allowed, one limit for each output.
std::string Difference(const std::vector<TestTensor>& expected,
                       const std::vector<TestTensor>& actual, const std::vector<double>& allowed) {
  if (expected.size() != actual.size()) return "another number of outputs";
  for (size_t o = 0; o < expected.size(); ++o) {
    if (expected[o].type().shape != actual[o].type().shape) return "another shape";
    const bool same_type = expected[o].type().dtype == actual[o].type().dtype;
    if (same_type && Bits(expected[o]) == Bits(actual[o])) continue;
    const std::vector<double> wanted = Numbers(expected[o]), found = Numbers(actual[o]);
    for (size_t i = 0; i < wanted.size(); ++i) {
      const bool both_nan = std::isnan(wanted[i]) && std::isnan(found[i]);
      const bool near = wanted[i] == found[i] || std::fabs(wanted[i] - found[i]) <= allowed[o];
      const bool exact = allowed[o] > 0 || std::signbit(wanted[i]) == std::signbit(found[i]);
      if (both_nan || (near && exact)) continue;
      return absl::StrCat("output ", o, ", element ", i, ": expected ", wanted[i], ", found ",
                          found[i], ", at most ", allowed[o], " off");
    }
  }
  return "";
}

std::string Difference(const Graph& before, const Graph& after,
                       const std::vector<double>& allowed) {
  const absl::Status valid = VerifyGraph(after);
  if (!valid.ok()) return valid.ToString();
  const auto expected = OutputsOf(before), actual = OutputsOf(after);
  if (!expected.ok()) return absl::StrCat("before: ", expected.status().ToString());
  if (!actual.ok()) return absl::StrCat("after: ", actual.status().ToString());
  return Difference(*expected, *actual, allowed);
}

// Runs the pass over a copy of the graph and compares. Returns the number of rewrites.
int CheckPass(const Pass& pass, const Graph& before, const std::vector<double>& allowed) {
  Graph after = before.Clone();
  const absl::StatusOr<int> rewrites = pass.run(after);
  EXPECT_TRUE(rewrites.ok()) << rewrites.status() << "\n" << PrintGraph(before);
  if (!rewrites.ok() || *rewrites == 0) return 0;
  EXPECT_EQ(Difference(before, after, allowed), "")
      << pass.name << "\nbefore: " << PrintGraph(before) << "after: " << PrintGraph(after);
  return *rewrites;
}

// The kinds of graphs in which what an effect allows can be told from a mistake.
std::vector<GraphKind> KindsFor(PassEffect effect) {
  switch (effect) {
    case PassEffect::kSameBits:
      return {std::begin(kAllGraphKinds), std::end(kAllGraphKinds)};
    case PassEffect::kSameWithinRounding:
      return {GraphKind::kSmooth};
    case PassEffect::kSameWithinOneStep:
      return {GraphKind::kConverted};
    case PassEffect::kLessQuantizationError:
      return {};  // RandomBoundedGraph
  }
  return {};
}

double AllowedBy(PassEffect effect, const Graph& graph) {
  if (effect == PassEffect::kSameWithinRounding) return kRounding * LargestNumber(graph);
  return effect == PassEffect::kSameWithinOneStep ? 1 : 0;
}

// One row for each pass of the table.
std::vector<Pass> DistinctPasses() {
  std::map<absl::string_view, Pass> passes;
  for (const Pass& pass : AllPasses()) passes.emplace(pass.name, pass);
  std::vector<Pass> list;
  for (const auto& [name, pass] : passes) list.push_back(pass);
  return list;
}

class PassEquivalenceTest : public testing::TestWithParam<Pass> {};

TEST_P(PassEquivalenceTest, RandomGraphsComputeTheSame) {
  const Pass& pass = GetParam();
  int rewrites = 0;
  for (uint64_t seed = first_seed; seed < first_seed + rounds && !HasFailure(); ++seed) {
    SCOPED_TRACE(absl::StrCat("--seed=", seed, " --rounds=1"));
    for (const GraphKind kind : KindsFor(pass.effect)) {
      const Graph graph = RandomGraph(kind, seed);
      const std::vector<double> allowed(graph.outputs.size(), AllowedBy(pass.effect, graph));
      rewrites += CheckPass(pass, graph, allowed);
    }
    if (pass.effect == PassEffect::kLessQuantizationError) {
      const BoundedGraph bounded = RandomBoundedGraph(seed);
      rewrites += CheckPass(pass, bounded.graph, {bounded.errors.begin(), bounded.errors.end()});
    }
  }
  // Else nothing was shown.
  EXPECT_TRUE(rewrites > 0 || rounds < 100)
      << "no random graph has anything for " << pass.name
      << "; add what it looks for to compiler/testing/random_graph.cc";
}

INSTANTIATE_TEST_SUITE_P(All, PassEquivalenceTest, testing::ValuesIn(DistinctPasses()),
                         [](const auto& pass) { return std::string(pass.param.name); });

TEST(PassOrderTest, AnyOrderOfExactPassesComputesTheSame) {
  std::vector<Pass> exact;
  for (const Pass& pass : DistinctPasses()) {
    if (pass.effect == PassEffect::kSameBits) exact.push_back(pass);
  }
  for (uint64_t seed = first_seed; seed < first_seed + rounds && !HasFailure(); ++seed) {
    for (const GraphKind kind : kAllGraphKinds) {
      RandomChoice choice(seed);
      const Graph before = RandomGraph(kind, seed);
      Graph after = before.Clone();
      std::string order;
      for (int i = 0; i < 6; ++i) {
        const Pass& pass = exact[choice.Below(exact.size())];
        absl::StrAppend(&order, " ", pass.name);
        const absl::StatusOr<int> rewrites = pass.run(after);
        ASSERT_TRUE(rewrites.ok()) << rewrites.status() << order << PrintGraph(before);
      }
      const std::vector<double> allowed(before.outputs.size(), 0);
      EXPECT_EQ(Difference(before, after, allowed), "")
          << "--seed=" << seed << " --rounds=1, passes:" << order
          << "\nbefore: " << PrintGraph(before) << "after: " << PrintGraph(after);
    }
  }
}

}  // namespace
}  // namespace synap_internal

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (absl::StartsWith(argument, "--seed=")) {
      synap_internal::first_seed = std::stoull(argument.substr(7));
    }
    if (absl::StartsWith(argument, "--rounds=")) {
      synap_internal::rounds = std::stoull(argument.substr(9));
    }
  }
  return RUN_ALL_TESTS();
}
