#include "compiler/start/model_facts.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace synap_internal {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(ReadFactsTest, ReadsThePropertiesOfUltralytics) {
  ModelStatements statements;
  statements.producer = "pytorch 2.4";
  statements.properties = {{"stride", "32"},
                           {"names", "{0: 'person', 1: 'car'}"},
                           {"task", "pose"},
                           {"kpt_shape", "[17, 3]"}};
  const ModelFacts facts = ReadFacts(statements);
  EXPECT_TRUE(facts.by_ultralytics);
  EXPECT_EQ(facts.task, "pose");
  EXPECT_THAT(facts.labels, ElementsAre("person", "car"));
  EXPECT_THAT(facts.points, ElementsAre(17, 3));
}

TEST(ReadFactsTest, ReadsTheDictionaryInsideOtherFormats) {
  ModelStatements statements;
  statements.producer = "MLIR Converted.";
  statements.texts = {{"temp_meta.txt", "{'stride': 32, 'names': {0: 'x'}}"}};
  const ModelFacts facts = ReadFacts(statements);
  EXPECT_TRUE(facts.by_ultralytics);
  EXPECT_EQ(facts.task, "detect");
  EXPECT_EQ(facts.producer, "mlir converted.");
  EXPECT_THAT(facts.labels, ElementsAre("x"));
}

TEST(ReadFactsTest, ReadsTheFileWithTheClasses) {
  ModelStatements statements;
  statements.texts = {{"labels.txt", "background\r\ntench\n\n"}, {"readme.txt", "no classes"}};
  EXPECT_THAT(ReadFacts(statements).labels, IsEmpty());
  statements.labels = "labels.txt";
  EXPECT_THAT(ReadFacts(statements).labels, ElementsAre("background", "tench"));
  EXPECT_FALSE(ReadFacts(statements).by_ultralytics);
}

}  // namespace
}  // namespace synap_internal
