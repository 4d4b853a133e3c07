#include "compiler/import/onnx/conformance/expected_failures.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace synap_internal::onnx_import {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

TEST(ExpectedFailuresTest, ReadsCasesAndReasons) {
  const auto failures =
      ParseExpectedFailures("# strings\nnode/test_b: strings: all\n\nreal/test_a: big\n");
  ASSERT_TRUE(failures.ok()) << failures.status();
  EXPECT_THAT(*failures,
              ElementsAre(Pair("node/test_b", "strings: all"), Pair("real/test_a", "big")));
}

TEST(ExpectedFailuresTest, RefusesALineWithoutReason) {
  EXPECT_THAT(ParseExpectedFailures("\nnode/test_b\n").status().message(), HasSubstr("line 2"));
  EXPECT_THAT(ParseExpectedFailures("test_b: strings\n").status().message(), HasSubstr("line 1"));
}

TEST(ExpectedFailuresTest, RefusesACaseTwice) {
  EXPECT_THAT(ParseExpectedFailures("a/b: c\na/b: d").status().message(),
              HasSubstr("lists a/b again"));
}

}  // namespace
}  // namespace synap_internal::onnx_import
