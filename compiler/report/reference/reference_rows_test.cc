#include "compiler/report/reference/reference_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace synap_internal {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

std::string Error(const std::string& text) {
  return std::string(ParseReferenceRows(text, "rows.yaml").status().message());
}

TEST(ReferenceRowsTest, RowsTakeTheTestOfTheirSection) {
  const auto sections = ParseReferenceRows(
      "- title: Inputs\n"
      "  text: Before the table.\n"
      "  of: [a, b c]\n"
      "  test: //a:a_test A.B\n"
      "  rows:\n"
      "  - {name: x, meaning: m, default: 1, example: 'x: 2'}\n"
      "  - {form: y, example: e, test: //b/c:c_test C.D}\n"
      "- title: Text only\n",
      "rows.yaml");
  ASSERT_TRUE(sections.ok()) << sections.status();
  ASSERT_THAT(*sections, SizeIs(2));
  const ReferenceSection& inputs = sections->front();
  EXPECT_EQ(inputs.text, "Before the table.");
  EXPECT_THAT(inputs.of, ElementsAre("a", "b c"));
  ASSERT_THAT(inputs.rows, SizeIs(2));
  EXPECT_EQ(inputs.rows[0].test, "//a:a_test A.B");
  EXPECT_EQ(inputs.rows[0].fallback, "1");
  EXPECT_EQ(inputs.rows[0].location.line, 6);
  EXPECT_EQ(inputs.rows[1].form, "y");
  EXPECT_EQ(inputs.rows[1].test, "//b/c:c_test C.D");
}

TEST(ReferenceRowsTest, IncompleteRowsAreRefusedWithTheirPlace) {
  EXPECT_THAT(Error("- {title: t, rows: [{example: e, test: //a:a A.B}]}"),
              HasSubstr("rows.yaml:1:21: [0].rows[0]: expected either a 'name' or a 'form'"));
  EXPECT_THAT(Error("- {title: t, rows: [{name: n, form: f, example: e, test: //a:a A.B}]}"),
              HasSubstr("expected either a 'name' or a 'form'"));
  EXPECT_THAT(Error("- {title: t, rows: [{name: n, test: //a:a A.B}]}"),
              HasSubstr("n has no 'example'"));
  EXPECT_THAT(Error("- {title: t, rows: [{name: n, example: e}]}"),
              HasSubstr("found the test '', expected '//folder:target Suite.Name'"));
  EXPECT_THAT(Error("- {text: t}"), HasSubstr("found no 'title'"));
}

TEST(ReferenceRowsTest, TestsAreATargetAndAName) {
  const auto test = ParseTestName("//runtime/cli:synap_cli_test SynapCliTest.DumpsOutputs");
  ASSERT_TRUE(test.ok());
  EXPECT_EQ(test->source, "runtime/cli/synap_cli_test.cc");
  EXPECT_EQ(test->suite, "SynapCliTest");
  EXPECT_EQ(test->name, "DumpsOutputs");
  EXPECT_EQ(ParseTestName("//a:b DelegatesTest.test_bits")->source, "a/b.py");
  for (const char* const wrong : {"", "//a:b", "a:b C.D", "//a C.D", "//a:b C", "//a:b C.D E.F"}) {
    EXPECT_FALSE(ParseTestName(wrong).ok()) << wrong;
  }
}

}  // namespace
}  // namespace synap_internal
