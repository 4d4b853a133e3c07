#include "compiler/start/model_facts.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace synap_internal {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(ReadFactsTest, ReadsThePropertiesOfUltralytics) {
  FileMetadata metadata;
  metadata.producer = "pytorch 2.4";
  metadata.properties = {{"stride", "32"},
                         {"names", "{0: 'person', 1: 'car'}"},
                         {"task", "pose"},
                         {"kpt_shape", "[17, 3]"}};
  const ModelFacts facts = ReadFacts(metadata);
  EXPECT_TRUE(facts.by_ultralytics);
  EXPECT_EQ(facts.task, "pose");
  EXPECT_THAT(facts.labels, ElementsAre("person", "car"));
  EXPECT_THAT(facts.points, ElementsAre(17, 3));
}

TEST(ReadFactsTest, ReadsTheDictionaryInsideOtherFormats) {
  FileMetadata metadata;
  metadata.producer = "MLIR Converted.";
  metadata.texts = {{"temp_meta.txt", "{'stride': 32, 'names': {0: 'x'}}"}};
  const ModelFacts facts = ReadFacts(metadata);
  EXPECT_TRUE(facts.by_ultralytics);
  EXPECT_EQ(facts.task, "detect");
  EXPECT_EQ(facts.producer, "mlir converted.");
  EXPECT_THAT(facts.labels, ElementsAre("x"));
}

TEST(ReadFactsTest, ReadsTheFileWithTheClasses) {
  FileMetadata metadata;
  metadata.texts = {{"labels.txt", "background\r\ntench\n\n"}, {"readme.txt", "no classes"}};
  EXPECT_THAT(ReadFacts(metadata).labels, IsEmpty());
  metadata.labels = "labels.txt";
  EXPECT_THAT(ReadFacts(metadata).labels, ElementsAre("background", "tench"));
  EXPECT_FALSE(ReadFacts(metadata).by_ultralytics);
}

}  // namespace
}  // namespace synap_internal
