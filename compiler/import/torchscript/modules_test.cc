// Modules of testdata/torchscript against what PyTorch computes: by libtorch where
// the test is told a reader, else from what that has written of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/file.h"
#include "compiler/import/evaluate_graph.h"
#include "compiler/import/torchscript/import_torchscript.h"

namespace synap_internal {
namespace {

// An input or output of a module.
struct Values {
  std::vector<int64_t> dims;
  std::vector<float> values;
  float step = 0;  // of the quantizer; 0: real numbers
};

struct Expectation {
  Values input;
  std::vector<Values> outputs;
};

std::string LineOf(absl::string_view& bytes) {
  const size_t end = bytes.find('\n');
  const std::string line(bytes.substr(0, end));
  bytes.remove_prefix(end + 1);
  return line;
}

Values ReadValues(absl::string_view dims, absl::string_view& bytes) {
  Values values;
  size_t count = 1;
  for (const absl::string_view dim : absl::StrSplit(dims, ',', absl::SkipEmpty())) {
    EXPECT_TRUE(absl::SimpleAtoi(dim, &values.dims.emplace_back()));
    count *= static_cast<size_t>(values.dims.back());
  }
  values.values.resize(count);
  std::memcpy(values.values.data(), bytes.data(), count * sizeof(float));
  bytes.remove_prefix(count * sizeof(float));
  return values;
}

Expectation ReadExpectation(const std::string& name) {
  const auto file = ReadFile(absl::StrCat("testdata/torchscript/", name, ".values"));
  EXPECT_TRUE(file.ok()) << file.status();
  Expectation expected;
  float step = 0;
  for (absl::string_view bytes = *file; !bytes.empty();) {
    const std::string line = LineOf(bytes);
    const std::pair<std::string, std::string> words = absl::StrSplit(line, ' ');
    if (words.first == "step") {
      EXPECT_TRUE(absl::SimpleAtof(words.second, &step));
    } else if (words.first == "input") {
      expected.input = ReadValues(words.second, bytes);
    } else {
      expected.outputs.push_back(ReadValues(words.second, bytes));
      expected.outputs.back().step = step;
    }
  }
  return expected;
}

absl::StatusOr<Graph> Import(const std::string& name, const ImportOptions& options) {
  const char* reader = std::getenv("READER");
  if (reader != nullptr) {
    ModelFiles files;
    files.model = absl::StrCat("testdata/torchscript/", name, ".pt");
    files.reader = reader;
    absl::StatusOr<ImportedModel> imported = kTorchscriptFramework.import(files, options);
    if (!imported.ok()) return imported.status();
    return std::move(imported->graph);
  }
  const auto bytes = ReadFile(absl::StrCat("testdata/fuzz/torchscript/", name, ".pb"));
  if (!bytes.ok()) return bytes.status();
  return ImportTorchscriptGraph(*bytes, name, options);
}

float RangeOf(const std::vector<float>& values) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return std::max(*high - *low, std::abs(*high));
}

void ExpectNear(const Values& expected, const std::vector<float>& found, const std::string& what) {
  ASSERT_EQ(found.size(), expected.values.size()) << what;
  const float tolerance =
      expected.step > 0 ? 1.01f * expected.step : 1e-5f * RangeOf(expected.values);
  for (size_t i = 0; i < found.size(); ++i) {
    ASSERT_NEAR(found[i], expected.values[i], tolerance) << what << " at " << i;
  }
}

class ModulesTest : public ::testing::TestWithParam<const char*> {};

TEST_P(ModulesTest, ComputesWhatPyTorchComputes) {
  const Expectation expected = ReadExpectation(GetParam());
  ImportOptions options;
  options.inputs = {{"", Shape(expected.input.dims)}};
  const absl::StatusOr<Graph> graph = Import(GetParam(), options);
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(graph->inputs[0]->name, "input0");
  const auto outputs = EvaluateGraph(*graph, {expected.input.values});
  ASSERT_TRUE(outputs.ok()) << outputs.status();
  ASSERT_EQ(outputs->size(), expected.outputs.size());
  for (size_t i = 0; i < outputs->size(); ++i) {
    EXPECT_EQ(graph->outputs[i]->type.shape, Shape(expected.outputs[i].dims)) << "output " << i;
    ExpectNear(expected.outputs[i], (*outputs)[i], absl::StrCat("output ", i));
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, ModulesTest,
    ::testing::Values("activations_scripted", "arithmetic_traced", "attentions_traced",
                      "control_flow_scripted", "convolutions_traced", "matrices_traced",
                      "normalization_traced", "pooling_traced", "quantized_scripted",
                      "recurrent_traced", "reductions_traced", "resampling_traced", "slices_traced",
                      "yolov5_head_traced", "yolov5_head_in_place_traced", "yolov8_head_traced"),
    [](const auto& module) { return std::string(module.param); });

TEST(ForeignOperatorTest, IsRefusedByName) {
  ImportOptions options;
  options.inputs = {{"", Shape({1, 3, 9, 8})}};
  const absl::Status status = Import("detector_traced", options).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnimplemented);
  EXPECT_NE(status.message().find("1 operator is not supported: torchvision::nms (1 node: '"),
            absl::string_view::npos)
      << status;
}

TEST(ModulePathsTest, HaveTheContainersOfTheModules) {
  ImportOptions options;
  options.inputs = {{"", Shape(ReadExpectation("control_flow_scripted").input.dims)}};
  const absl::StatusOr<Graph> graph = Import("control_flow_scripted", options);
  ASSERT_TRUE(graph.ok()) << graph.status();
  std::string origins;
  for (const auto& op : graph->ops()) {
    for (const std::string& origin : op.origins) absl::StrAppend(&origins, origin, " ");
  }
  EXPECT_NE(origins.find("layers.0"), std::string::npos) << origins;
  EXPECT_NE(origins.find("layers.1"), std::string::npos) << origins;
}

// What the reader refuses or keeps a module from; there is nothing of it in what it writes.
class HostileModuleTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (std::getenv("READER") == nullptr) GTEST_SKIP() << "needs libtorch";
    options_.inputs = {{"", Shape({4})}};
  }

  ImportOptions options_;
};

TEST_F(HostileModuleTest, AttributesThatForwardSetsAreRefusedByName) {
  const absl::Status status = Import("stateful_scripted", options_).status();
  EXPECT_NE(status.message().find("forward() sets the attribute 'calls'"), absl::string_view::npos)
      << status;
}

TEST_F(HostileModuleTest, OperatorsThatLibtorchLacksAreListed) {
  const absl::Status status = Import("unknown_operators_traced", options_).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnimplemented) << status;
  for (const char* part : {"operators of a newer PyTorch or of a library, which libtorch ",
                           "synap_test::first", "synap_test::second"}) {
    EXPECT_NE(status.message().find(part), absl::string_view::npos) << status;
  }
}

TEST_F(HostileModuleTest, NoFileIsMade) {
  const absl::Status status = Import("file_writer_scripted", options_).status();
  EXPECT_NE(status.message().find("1 operator is not supported: aten::from_file"),
            absl::string_view::npos)
      << status;
  EXPECT_FALSE(ReadFile("written_by_a_module").ok());
}

TEST_F(HostileModuleTest, NoFileIsRead) {
  const absl::Status status = Import("file_reader_scripted", options_).status();
  EXPECT_NE(status.message().find("1 operator is not supported: aten::from_file"),
            absl::string_view::npos)
      << status;
}

TEST_F(HostileModuleTest, MemoryFollowsTheSizeOfTheFile) {
  const auto graph = kTorchscriptFramework.reader->run("testdata/torchscript/hoarder_scripted.pt",
                                                       std::getenv("READER"));
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_NE(graph->find("aten::ones"), std::string::npos) << "8 GiB were folded";
}

}  // namespace
}  // namespace synap_internal
