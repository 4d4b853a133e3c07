// Holds docs/api.md against the public headers and the tests that it names.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "base/file.h"

namespace synap_internal {
namespace {

// A row of a table: `declaration` | `Suite.Name`.
struct Row {
  std::string declaration;
  std::string test;
};

std::string Read(const std::string& path) {
  absl::StatusOr<std::string> text = ReadFile(path);
  EXPECT_TRUE(text.ok()) << text.status();
  return text.ok() ? *text : "";
}

std::vector<std::string> Files(const std::string& pattern) {
  absl::StatusOr<std::vector<std::string>> files = Glob(pattern);
  EXPECT_TRUE(files.ok() && !files->empty()) << pattern;
  return files.ok() ? *files : std::vector<std::string>();
}

// The rows under each heading ## `synap/x.hpp`, by the heading's file.
std::map<std::string, std::vector<Row>> Tables() {
  static const std::regex kRow("\\| `(.*)` \\| `(.*)` \\|");
  std::map<std::string, std::vector<Row>> tables;
  std::string file;
  for (const absl::string_view line : absl::StrSplit(Read("docs/api.md"), '\n')) {
    if (absl::StartsWith(line, "## `")) {
      file = absl::StrReplaceAll(line.substr(4), {{"`", ""}});
      tables[file];
    }
    std::smatch match;
    const std::string text(line);
    if (std::regex_match(text, match, kRow)) tables[file].push_back({match[1], match[2]});
  }
  return tables;
}

// A header without comments and with single blanks.
std::string Code(const std::string& file) {
  const std::string text =
      std::regex_replace(Read("runtime/include/" + file), std::regex("//[^\n]*"), "");
  std::string code = std::regex_replace(text, std::regex("\\s+"), " ");
  return absl::StrReplaceAll(code, {{"( ", "("}});
}

TEST(PublicHeadersTest, IncludeOnlyTheStandardLibraryAndEachOther) {
  static const std::regex kAllowed("#include (<[a-z_0-9]+>|\"synap/[a-z_0-9]+\\.hpp\")");
  for (const std::string& file : Files("runtime/include/synap/*.hpp")) {
    for (const absl::string_view line : absl::StrSplit(Read(file), '\n')) {
      if (!absl::StartsWith(line, "#include")) continue;
      EXPECT_TRUE(std::regex_match(std::string(line), kAllowed)) << file << ": " << line;
    }
  }
}

TEST(PublicHeadersTest, HaveTheDeclarationsOfTheTables) {
  for (const auto& [file, rows] : Tables()) {
    const std::string code = Code(file);
    EXPECT_FALSE(rows.empty()) << file;
    for (const Row& row : rows) {
      EXPECT_NE(code.find(row.declaration), std::string::npos) << file << ": " << row.declaration;
    }
  }
}

// The functions that a header declares, without those that every class has.
std::set<std::string> Functions(const std::string& code) {
  static const std::set<std::string> kOthers = {"if", "for", "return", "catch", "static_cast"};
  std::set<std::string> names;
  static const std::regex kFunction("[ *&]([a-z][a-z_0-9]*[a-z0-9])\\(");
  for (std::sregex_iterator it(code.begin(), code.end(), kFunction), end; it != end; ++it) {
    if (kOthers.count((*it)[1]) == 0) names.insert((*it)[1]);
  }
  return names;
}

TEST(PublicHeadersTest, HaveARowForEveryFunction) {
  const std::set<std::string> internal = {"priv", "try_emplace", "move"};
  const auto tables = Tables();
  for (const std::string& path : Files("runtime/include/synap/*.hpp")) {
    const std::string file = absl::StrCat("synap/", Basename(path));
    const auto table = tables.find(file);
    ASSERT_NE(table, tables.end()) << "docs/api.md has no table of " << file;
    std::string rows;
    for (const Row& row : table->second) absl::StrAppend(&rows, " ", row.declaration);
    for (const std::string& name : Functions(Code(file))) {
      EXPECT_TRUE(internal.count(name) > 0 || rows.find(name + "(") != std::string::npos)
          << "docs/api.md has no row of " << name << "() in " << file;
    }
  }
}

TEST(PublicHeadersTest, HaveTheExampleOfThePageAsATest) {
  const std::string page = Read("docs/api.md");
  const size_t begin = page.find("```c++\n") + 7, end = page.find("```\n", begin);
  const std::string tests = Read("runtime/include/documented_examples_test.cc");
  EXPECT_NE(tests.find(page.substr(begin, end - begin)), std::string::npos);
}

TEST(PublicHeadersTest, HaveTheTestsOfTheTables) {
  std::string tests;
  for (const char* pattern : {"runtime/*/*_test.cc", "runtime/vision/detector/*_test.cc"}) {
    for (const std::string& file : Files(pattern)) absl::StrAppend(&tests, Read(file));
  }
  for (const auto& [file, rows] : Tables()) {
    for (const Row& row : rows) {
      const std::string name = absl::StrReplaceAll(row.test, {{".", ", "}});
      const bool exists = tests.find(absl::StrCat("TEST(", name, ")")) != std::string::npos ||
                          tests.find(absl::StrCat("TEST_F(", name, ")")) != std::string::npos;
      EXPECT_TRUE(exists) << file << ": no test is called " << row.test;
    }
  }
}

}  // namespace
}  // namespace synap_internal
