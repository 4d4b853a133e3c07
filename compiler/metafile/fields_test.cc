#include "compiler/metafile/fields.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace synap_internal {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using ::testing::Not;
using ::testing::StartsWith;

std::vector<std::string> Paths() {
  std::vector<std::string> paths;
  for (const MetafileField& field : MetafileFields()) paths.push_back(field.path);
  return paths;
}

std::vector<std::string> WordsOf(const std::string& path) {
  for (const MetafileField& field : MetafileFields()) {
    if (field.path == path) return field.words;
  }
  ADD_FAILURE() << "no field " << path;
  return {};
}

TEST(MetafileFieldsTest, AreThoseOfEveryLevelOnce) {
  const std::vector<std::string> paths = Paths();
  EXPECT_THAT(paths, IsSupersetOf({"delegate", "inputs", "inputs[].scale", "inputs[].preprocess",
                                   "inputs[].preprocess.size", "outputs[].dequantize", "security",
                                   "security.file", "quantization.options.divergence_nbins",
                                   "quantization.budget.latency"}));
  EXPECT_EQ(std::set<std::string>(paths.begin(), paths.end()).size(), paths.size());
}

TEST(MetafileFieldsTest, FreeTextAndMapsOfLayersAreNoSections) {
  for (const char* const section :
       {"custom", "delegate", "quantization.data_type", "inputs[].means", "quantization.dataset"}) {
    EXPECT_THAT(Paths(), Contains(std::string(section)));
    EXPECT_THAT(Paths(), Not(Contains(StartsWith(std::string(section) + "."))));
    EXPECT_THAT(Paths(), Not(Contains(StartsWith(std::string(section) + "[]"))));
  }
}

TEST(MetafileFieldsTest, WordsAreThoseThatTheFieldTakes) {
  EXPECT_THAT(WordsOf("delegate"), ElementsAre("default", "npu", "gpu", "cpu"));
  EXPECT_THAT(WordsOf("quantization.mode"), ElementsAre("standard", "full"));
  EXPECT_THAT(WordsOf("inputs[].preprocess.type"), Contains("nv12"));
  EXPECT_THAT(WordsOf("inputs[].format"), IsEmpty());
  EXPECT_THAT(WordsOf("inputs[].scale"), IsEmpty());
}

}  // namespace
}  // namespace synap_internal
