// Programs of testdata/pt2 against what PyTorch computes, and files that are none.
#include "compiler/import/pt2/import_pt2.h"

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/file.h"
#include "compiler/import/evaluate_graph.h"
#include "compiler/import/pt2/schemas.h"
#include "compiler/import/pt2/zip_checksums.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace synap_internal {
namespace {

using ::testing::HasSubstr;

constexpr char kBlocks[] = "testdata/pt2/blocks.pt2";

absl::StatusOr<ImportedModel> ImportFile(const std::string& path,
                                         const ImportOptions& options = {}) {
  ModelFiles files;
  files.model = path;
  return kPt2Framework.import(files, options);
}

// The input and the outputs.
std::vector<std::vector<float>> ReadValues(const std::string& path) {
  const std::string bytes = *ReadFile(path);
  std::vector<std::vector<float>> all;
  for (absl::string_view rest = bytes; !rest.empty();) {
    const absl::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(line.size() + 1);
    size_t count = 1;
    std::string dims(line.substr(line.find(' ') + 1));
    for (char* at = dims.data(); *at != '\0';) {
      count *= std::strtoul(at, &at, 10);
      if (*at == ',') ++at;
    }
    std::vector<float>& values = all.emplace_back(count);
    std::memcpy(values.data(), rest.data(), count * sizeof(float));
    rest.remove_prefix(count * sizeof(float));
  }
  return all;
}

struct Program {
  const char* name;
  const char* values;
  Shape input;
};

class ProgramsTest : public ::testing::TestWithParam<Program> {};

TEST_P(ProgramsTest, ComputeWhatPyTorchComputes) {
  const std::vector<std::vector<float>> values = ReadValues(GetParam().values);
  const auto model = ImportFile(absl::StrCat("testdata/pt2/", GetParam().name, ".pt2"));
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_EQ(model->graph.inputs[0]->type.shape, GetParam().input);
  const auto outputs = EvaluateGraph(model->graph, {values[0]});
  ASSERT_TRUE(outputs.ok()) << outputs.status();
  ASSERT_EQ(outputs->size() + 1, values.size());
  for (size_t i = 0; i < outputs->size(); ++i) {
    const std::vector<float>& expected = values[i + 1];
    ASSERT_EQ((*outputs)[i].size(), expected.size());
    for (size_t k = 0; k < expected.size(); ++k) {
      ASSERT_NEAR((*outputs)[i][k], expected[k], 2e-5f) << "output " << i << " at " << k;
    }
  }
}

constexpr char kBlockValues[] = "testdata/pt2/blocks.values";

INSTANTIATE_TEST_SUITE_P(
    All, ProgramsTest,
    ::testing::Values(Program{"blocks", kBlockValues, Shape({1, 3, 6, 5})},
                      Program{"blocks_core", kBlockValues, Shape({1, 3, 6, 5})},
                      Program{"attentions", "testdata/torchscript/attentions_traced.values",
                              Shape({1, 4, 7, 6})}),
    [](const auto& program) { return std::string(program.param.name); });

TEST(InputsTest, HaveTheNamesOfForwardsParameters) {
  const auto model = ImportFile(kBlocks);
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_EQ(model->graph.inputs[0]->name, "image");
}

TEST(InputsTest, MayBeIntegers) {
  const std::vector<std::vector<float>> values = ReadValues("testdata/pt2/tokens.values");
  const auto model = ImportFile("testdata/pt2/tokens.pt2");
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_EQ(model->graph.inputs[0]->type, (TensorType{DataType::kInt64, Shape({6}), {}}));
  EXPECT_EQ(model->graph.inputs[1]->type, (TensorType{DataType::kInt32, Shape({1, 2}), {}}));
  const auto outputs = EvaluateGraph(model->graph, {values[0], values[1]});
  ASSERT_TRUE(outputs.ok()) << outputs.status();
  for (size_t i = 0; i < outputs->size(); ++i) {
    EXPECT_THAT((*outputs)[i], ::testing::Pointwise(::testing::FloatNear(1e-6f), values[2 + i]));
  }
}

TEST(InputsTest, MayBeNestedAndOfBytesAndOpen) {
  const std::vector<std::vector<float>> values = ReadValues("testdata/pt2/modes.values");
  const auto model = ImportFile("testdata/pt2/modes.pt2");
  ASSERT_TRUE(model.ok()) << model.status();
  const std::vector<Tensor*>& inputs = model->graph.inputs;
  EXPECT_EQ(inputs[0]->type, (TensorType{DataType::kFloat32, Shape({1, 6, 4}), {}}));
  EXPECT_EQ(inputs[1]->type, (TensorType{DataType::kBool, Shape({1, 6, 1}), {}}));
  EXPECT_EQ(inputs[2]->type, (TensorType{DataType::kInt32, Shape({3}), {}}));
  EXPECT_THAT(model->notes, ::testing::Contains(HasSubstr("input 'x': the file leaves its shape")));
  const auto outputs = EvaluateGraph(model->graph, {values[0], values[1], values[2]});
  ASSERT_TRUE(outputs.ok()) << outputs.status();
  for (size_t i = 0; i < outputs->size(); ++i) {
    EXPECT_THAT((*outputs)[i], ::testing::Pointwise(::testing::FloatNear(1e-5f), values[3 + i]));
  }
}

TEST(InputsTest, MayBeOfAnotherSizeWhereTheFileLeavesItOpen) {
  ImportOptions options;
  options.inputs = {{"x", Shape({1, 8, 4})}, {"inputs_mask", Shape({1, 8, 1})}, {"inputs_pixels"}};
  const auto model = ImportFile("testdata/pt2/modes.pt2", options);
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_EQ(model->graph.outputs[0]->type.shape, Shape({1, 4, 4}));
  EXPECT_THAT(model->notes, ::testing::IsEmpty());
}

// run_decompositions() leaves a check of the inverse, which a token orders.
TEST(TokensTest, AreNoInputs) {
  const std::vector<std::vector<float>> values = ReadValues("testdata/pt2/effects_core.values");
  const auto model = ImportFile("testdata/pt2/effects_core.pt2");
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_EQ(model->graph.inputs.size(), 1u);
  const auto outputs = EvaluateGraph(model->graph, {values[0]});
  ASSERT_TRUE(outputs.ok()) << outputs.status();
  EXPECT_THAT((*outputs)[0], ::testing::Pointwise(::testing::FloatNear(1e-5f), values[1]));
}

TEST(SchemaTest, OperatorsInPlaceHaveThatOfTheOthers) {
  EXPECT_NE(pt2_import::FindSchema("addmm"), nullptr);
  EXPECT_EQ(pt2_import::FindSchema("addmm_"), pt2_import::FindSchema("addmm"));
  EXPECT_EQ(pt2_import::FindSchema("add_.Tensor"), pt2_import::FindSchema("add.Tensor"));
  EXPECT_NE(pt2_import::FindSchema("dropout_"), pt2_import::FindSchema("dropout"));
}

// The error about a file of these bytes, which begins with its path.
std::string ErrorOf(const std::string& bytes) {
  const std::string path = absl::StrCat(::testing::TempDir(), "/hostile.pt2");
  std::FILE* file = std::fopen(path.c_str(), "wb");
  std::fwrite(bytes.data(), 1, bytes.size(), file);
  std::fclose(file);
  const absl::Status status = ImportFile(path).status();
  EXPECT_THAT(std::string(status.message()), ::testing::StartsWith(path)) << status;
  return std::string(status.message());
}

TEST(HostileProgramTest, WhatIsNoArchiveIsRefused) {
  EXPECT_THAT(ErrorOf(""), HasSubstr("it is empty"));
  EXPECT_THAT(ErrorOf("text"), HasSubstr("is not a ZIP archive"));
}

TEST(HostileProgramTest, TruncatedFilesAreRefused) {
  const std::string bytes = *ReadFile(kBlocks);
  for (size_t size = 0; size < bytes.size(); size += 997) {
    EXPECT_FALSE(ErrorOf(bytes.substr(0, size)).empty());
  }
}

TEST(HostileProgramTest, ChangedEntriesAreRefused) {
  const std::string bytes = *ReadFile(kBlocks);
  EXPECT_THAT(ErrorOf(absl::StrReplaceAll(bytes, {{"models/model.json", "models/model.jsox"}})),
              HasSubstr("is an archive of something else"));
  EXPECT_THAT(ErrorOf(absl::StrReplaceAll(bytes, {{"weights/weight_0", "weights/weight_x"}})),
              HasSubstr("has no entry 'data/weights/weight_0'"));
  const std::string other =
      absl::StrReplaceAll(bytes, {{"torch.ops.aten.conv2d", "torch.ops.aten.konv2d"}});
  EXPECT_THAT(ErrorOf(other), HasSubstr("'models/model.json' is damaged"));
  EXPECT_THAT(ErrorOf(pt2_import::WithChecksums(other)),
              HasSubstr("1 operator is not supported: aten::konv2d"));
}

}  // namespace
}  // namespace synap_internal
