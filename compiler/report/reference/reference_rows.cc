#include "compiler/report/reference/reference_rows.h"

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/status_macros.h"
#include "compiler/metafile/yaml_document.h"
#include "compiler/metafile/yaml_reader.h"

namespace synap_internal {
namespace {

YamlReader::Field TextField(const YamlReader& yaml, const char* name, std::string& out) {
  return {name, [&yaml, &out](const YamlValue& value) -> absl::Status {
            ASSIGN_OR_RETURN(out, yaml.String(value));
            return absl::OkStatus();
          }};
}

absl::Status ReadRow(const YamlReader& yaml, const YamlValue& value, const std::string& test,
                     ReferenceRow& row) {
  row.location = value.location;
  row.test = test;
  RETURN_IF_ERROR(yaml.ReadMap(
      value, {TextField(yaml, "name", row.name), TextField(yaml, "form", row.form),
              TextField(yaml, "meaning", row.meaning), TextField(yaml, "default", row.fallback),
              TextField(yaml, "example", row.example), TextField(yaml, "test", row.test)}));
  if (row.name.empty() == row.form.empty()) {
    return yaml.FieldError(value, "expected either a 'name' or a 'form'");
  }
  const std::string& name = row.name.empty() ? row.form : row.name;
  if (row.example.empty()) return yaml.FieldError(value, absl::StrCat(name, " has no 'example'"));
  const absl::StatusOr<TestName> parsed = ParseTestName(row.test);
  if (parsed.ok()) return absl::OkStatus();
  return yaml.FieldError(value, absl::StrCat(name, ": ", parsed.status().message()));
}

absl::Status ReadSection(const YamlReader& yaml, const YamlValue& value,
                         ReferenceSection& section) {
  section.location = value.location;
  std::string test;
  std::vector<YamlValue> rows;
  const auto read_of = [&](const YamlValue& list) -> absl::Status {
    ASSIGN_OR_RETURN(const std::vector<YamlValue> commands, yaml.List(list));
    for (const YamlValue& command : commands) {
      ASSIGN_OR_RETURN(section.of.emplace_back(), yaml.String(command));
    }
    return absl::OkStatus();
  };
  const auto read_rows = [&](const YamlValue& list) -> absl::Status {
    ASSIGN_OR_RETURN(rows, yaml.List(list));
    return absl::OkStatus();
  };
  RETURN_IF_ERROR(yaml.ReadMap(value, {TextField(yaml, "title", section.title),
                                       TextField(yaml, "text", section.text),
                                       TextField(yaml, "test", test),
                                       {"of", read_of},
                                       {"rows", read_rows}}));
  if (section.title.empty()) return yaml.FieldError(value, "found no 'title', expected one");
  for (const YamlValue& row : rows) {
    RETURN_IF_ERROR(ReadRow(yaml, row, test, section.rows.emplace_back()));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<ReferenceSection>> ParseReferenceRows(const std::string& text,
                                                                 const std::string& path) {
  const YamlReader yaml(path);
  std::vector<ReferenceSection> sections;
  const auto read = [&](const YAML::Node& root) -> absl::Status {
    ASSIGN_OR_RETURN(const std::vector<YamlValue> list,
                     yaml.List({root, "", LocationOf(root, {1, 1})}));
    for (const YamlValue& value : list) {
      RETURN_IF_ERROR(ReadSection(yaml, value, sections.emplace_back()));
    }
    return absl::OkStatus();
  };
  RETURN_IF_ERROR(ReadYaml(text, yaml, read));
  return sections;
}

absl::StatusOr<TestName> ParseTestName(absl::string_view test) {
  const std::vector<absl::string_view> words = absl::StrSplit(test, ' ');
  const std::vector<absl::string_view> label =
      absl::StrSplit(absl::StripPrefix(words[0], "//"), ':');
  const std::vector<absl::string_view> names = absl::StrSplit(words.back(), '.');
  if (!absl::StartsWith(test, "//") || words.size() != 2 || label.size() != 2 ||
      names.size() != 2) {
    return absl::InvalidArgumentError(
        absl::StrCat("found the test '", test, "', expected '//folder:target Suite.Name'"));
  }
  const char* const suffix = absl::StartsWith(names[1], "test_") ? ".py" : ".cc";
  return TestName{absl::StrCat(label[0], "/", label[1], suffix), std::string(names[0]),
                  std::string(names[1])};
}

}  // namespace synap_internal
