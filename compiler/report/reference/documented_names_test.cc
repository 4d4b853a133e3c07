#include "compiler/report/reference/documented_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace synap_internal {
namespace {

using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using ::testing::Not;

ReferenceRow Row(const std::string& name) {
  ReferenceRow row;
  row.name = name;
  return row;
}

TEST(MetafileNamesTest, AreFieldsAndTheirWords) {
  EXPECT_THAT(MetafileNames(), IsSupersetOf({"delegate", "delegate: npu", "inputs[].scale"}));
}

TEST(DescribeFieldsTest, TheMeaningOfAFieldIsThatOfItsTable) {
  std::vector<ReferenceSection> sections(1);
  sections[0].rows = {Row("optimize"), Row("delegate: npu")};
  ASSERT_TRUE(DescribeFields(sections, "rows.yaml").ok());
  EXPECT_EQ(sections[0].rows[0].fallback, "true");
  EXPECT_THAT(sections[0].rows[0].meaning, HasSubstr("changes of precision"));
  EXPECT_EQ(sections[0].rows[1].meaning, "");
  EXPECT_THAT(DescribeFields(sections, "rows.yaml").message(),
              HasSubstr("rows.yaml: line 0: 'optimize' has its meaning and default in"));
}

TEST(CheckNamesTest, ListsWhatIsMissingUnknownOrTwice) {
  const ReferenceRow a = Row("a"), b = Row("b");
  ReferenceRow form;
  form.form = "f";
  EXPECT_TRUE(CheckNames({"a", "b"}, {a, form, b}, "rows.yaml").ok());
  const std::string error(CheckNames({"a", "c"}, {a, b, a}, "rows.yaml").message());
  EXPECT_THAT(error, HasSubstr("rows.yaml: line 0: the code has no 'b'; remove the row"));
  EXPECT_THAT(error, HasSubstr("rows.yaml: line 0: 'a' has another row already"));
  EXPECT_THAT(error, HasSubstr("rows.yaml: 'c' has no row; write one"));
  EXPECT_THAT(error, Not(HasSubstr("'a' has no row")));
}

TEST(CheckCommandsTest, EachCommandHasTheRowsOfAllItsSections) {
  const CommandHelp help = {{"x", {{{"-a", "--all"}}, {{"--b"}}}}, {"y", {{{"--all"}}}}};
  ReferenceSection both, one;
  both.of = {"x", "y"};
  both.rows = {Row("--all")};
  one.of = {"x"};
  one.rows = {Row("--b")};
  EXPECT_TRUE(CheckCommands(help, {both, one}, "rows.yaml").ok());
  EXPECT_THAT(CheckCommands(help, {both}, "rows.yaml").message(),
              HasSubstr("rows.yaml: x: '--b' has no row"));
  one.of = {"y"};
  EXPECT_THAT(CheckCommands(help, {both, one}, "rows.yaml").message(),
              HasSubstr("rows.yaml: y: line 0: the code has no '--b'"));
  one.of = {};
  EXPECT_THAT(CheckCommands(help, {both, one}, "rows.yaml").message(),
              HasSubstr("'--b' is in a section without 'of'"));
  one.of = {"z"};
  EXPECT_THAT(CheckCommands(help, {both, one}, "rows.yaml").message(),
              HasSubstr("there is no 'z'; remove the section"));
  EXPECT_EQ(FindOption(help, "x", "--all")->names.size(), 2u);
  EXPECT_EQ(FindOption(help, "y", "--b"), nullptr);
}

}  // namespace
}  // namespace synap_internal
