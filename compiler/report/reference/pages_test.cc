// Holds the rows of docs/metafile.md and docs/commands.md against the parsers, the programs' --help
// and the sources of the tests.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "base/file.h"
#include "compiler/metafile/fields.h"
#include "compiler/metafile/metafile.h"
#include "compiler/report/reference/documented_names.h"
#include "compiler/report/reference/help_options.h"
#include "compiler/report/reference/reference_rows.h"

namespace synap_internal {
namespace {

using ::testing::HasSubstr;

constexpr char kMetafileRows[] = "compiler/report/reference/metafile.yaml";
constexpr char kCommandRows[] = "compiler/report/reference/commands.yaml";

std::string Read(const std::string& path) {
  const absl::StatusOr<std::string> text = ReadFile(path);
  EXPECT_TRUE(text.ok()) << text.status();
  return text.ok() ? *text : "";
}

std::vector<ReferenceSection> Sections(const std::string& path) {
  auto sections = ParseReferenceRows(Read(path), path);
  EXPECT_TRUE(sections.ok()) << sections.status();
  if (sections.ok() && path == kMetafileRows) {
    EXPECT_TRUE(DescribeFields(*sections, path).ok());
  }
  return sections.ok() ? *sections : std::vector<ReferenceSection>();
}

CommandHelp Help() {
  const auto help = ParseHelp(Read("docs/commands_help.txt"));
  EXPECT_TRUE(help.ok()) << help.status();
  return help.ok() ? *help : CommandHelp();
}

absl::Status ParseExample(absl::string_view text) {
  MetafileOptions options;
  options.path = "example.yaml";
  options.environment = [](const std::string& name) { return name == "SCALE" ? "255" : ""; };
  options.read_file = [](const std::string&) { return std::string("[[],[],[],[1,2]]"); };
  return ParseMetafile(text, options).status();
}

// The parts of a row's name that its example must show: "scale" of "inputs[].scale".
std::vector<std::string> ShownParts(const ReferenceRow& row) {
  const std::vector<std::string> field_and_word = absl::StrSplit(row.name, ": ");
  const std::string& field = field_and_word.front();
  std::vector<std::string> parts = {field.substr(field.rfind('.') + 1)};
  if (field_and_word.size() > 1) parts.push_back(field_and_word[1]);
  return parts;
}

TEST(MetafilePageTest, HasARowForEachFieldAndWord) {
  const absl::Status names =
      CheckNames(MetafileNames(), AllRows(Sections(kMetafileRows)), kMetafileRows);
  EXPECT_TRUE(names.ok()) << names;
}

TEST(MetafilePageTest, EachExampleIsAMetafileWithTheRowsField) {
  for (const ReferenceRow& row : AllRows(Sections(kMetafileRows))) {
    const absl::Status parsed = ParseExample(row.example);
    EXPECT_TRUE(parsed.ok()) << row.example << ": " << parsed;
    if (row.name.empty()) continue;
    for (const std::string& part : ShownParts(row)) EXPECT_THAT(row.example, HasSubstr(part));
  }
}

TEST(MetafilePageTest, EachBlockOfYamlIsAMetafile) {
  std::vector<std::string> blocks = absl::StrSplit(Read("docs/metafile.md"), "```yaml\n");
  ASSERT_GT(blocks.size(), 1u);
  for (size_t i = 1; i < blocks.size(); ++i) {
    const absl::Status parsed = ParseExample(blocks[i].substr(0, blocks[i].find("```")));
    EXPECT_TRUE(parsed.ok()) << blocks[i] << ": " << parsed;
  }
}

TEST(MetafilePageTest, DefaultsAreTheFirstWordsOfTheirFields) {
  const std::vector<ReferenceRow> rows = AllRows(Sections(kMetafileRows));
  for (const MetafileField& field : MetafileFields()) {
    if (field.words.empty()) continue;
    const auto row = std::find_if(rows.begin(), rows.end(), [&](const ReferenceRow& candidate) {
      return candidate.name == field.path;
    });
    ASSERT_NE(row, rows.end()) << field.path;
    EXPECT_EQ(row->fallback, field.words.front()) << field.path;
  }
}

TEST(CommandsPageTest, HasARowForEachOption) {
  const absl::Status commands = CheckCommands(Help(), Sections(kCommandRows), kCommandRows);
  EXPECT_TRUE(commands.ok()) << commands;
}

TEST(CommandsPageTest, EachCommandHasASection) {
  const std::vector<ReferenceSection> sections = Sections(kCommandRows);
  for (const auto& [command, options] : Help()) {
    EXPECT_TRUE(std::any_of(sections.begin(), sections.end(),
                            [&, name = command](const ReferenceSection& section) {
                              return std::count(section.of.begin(), section.of.end(), name) > 0;
                            }))
        << command;
  }
}

// Whether `example` has the option, followed by a value exactly if it takes one.
void ExpectExampleOf(const HelpOption& option, const ReferenceRow& row) {
  const std::vector<std::string> words = absl::StrSplit(row.example, ' ', absl::SkipEmpty());
  const auto at =
      std::find_first_of(words.begin(), words.end(), option.names.begin(), option.names.end());
  if (at == words.end()) {
    // Arguments without a name, and options whose name may be left out, show the command.
    EXPECT_TRUE(option.takes_value && words.size() > 2 && absl::StartsWith(words[0], "synap"))
        << row.example;
    return;
  }
  EXPECT_EQ(at + 1 != words.end(), option.takes_value) << row.example;
  if (option.takes_value && !option.words.empty()) {
    EXPECT_GT(std::count(option.words.begin(), option.words.end(), at[1]), 0) << row.example;
  }
}

TEST(CommandsPageTest, ExamplesAreOfTheirOptions) {
  const CommandHelp help = Help();
  for (const ReferenceSection& section : Sections(kCommandRows)) {
    for (const ReferenceRow& row : section.rows) {
      if (row.name.empty()) continue;
      const HelpOption* const option = FindOption(help, section.of.front(), row.name);
      ASSERT_NE(option, nullptr) << row.name;
      ExpectExampleOf(*option, row);
    }
  }
}

// Whether the source defines the test: of GoogleTest, or of Python's unittest.
bool Defines(const std::string& source, const TestName& test) {
  if (absl::EndsWith(test.source, ".py")) {
    return absl::StrContains(source, absl::StrCat("\nclass ", test.suite, "(")) &&
           absl::StrContains(source, absl::StrCat("\n    def ", test.name, "(self)"));
  }
  const std::string names = absl::StrCat("(", test.suite, ", ", test.name, ")");
  for (const char* const macro : {"\nTEST", "\nTEST_F", "\nTEST_P"}) {
    if (absl::StrContains(source, absl::StrCat(macro, names))) return true;
  }
  return false;
}

TEST(DefinesTest, FindsWholeNamesOnly) {
  const TestName test = {"a/b_test.cc", "Suite", "Name"};
  EXPECT_TRUE(Defines("\nTEST_F(Suite, Name) {", test));
  EXPECT_FALSE(Defines("\nTEST_F(Suite, Names) {", test));
  const TestName method = {"a/b_test.py", "Suite", "test_x"};
  EXPECT_TRUE(Defines("\nclass Suite(TestCase):\n    def test_x(self):", method));
  EXPECT_FALSE(Defines("\nclass Suites(TestCase):\n    def test_x(self):", method));
}

// The tests that a page links: [Suite.Name](../folder/x_test.cc).
std::vector<TestName> LinkedTests(const std::string& page) {
  static const std::regex kLink(R"(\[(\w+)\.(\w+)\]\(\.\./([a-z0-9_/]+_test\.(?:cc|py))\))");
  std::vector<TestName> tests;
  for (std::sregex_iterator it(page.begin(), page.end(), kLink), end; it != end; ++it) {
    tests.push_back({(*it)[3], (*it)[1], (*it)[2]});
  }
  return tests;
}

TEST(PagesTest, EachTestIsThere) {
  for (const char* const path : {"docs/metafile.md", "docs/commands.md"}) {
    const std::vector<TestName> tests = LinkedTests(Read(path));
    EXPECT_GT(tests.size(), 100u) << path;
    for (const TestName& test : tests) {
      const absl::StatusOr<std::string> source = ReadFile(test.source);
      ASSERT_TRUE(source.ok()) << path << ": " << source.status()
                               << "; is its folder in compiler/report/reference/BUILD.bazel?";
      EXPECT_TRUE(Defines(*source, test))
          << path << ": " << test.source << " has no " << test.suite << "." << test.name;
    }
  }
}

}  // namespace
}  // namespace synap_internal
