#include "compiler/report/reference/parser_fields.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "compiler/metafile/metafile.h"

namespace synap_internal {
namespace {

// No field and no word, nor near any, so that errors suggest none.
constexpr absl::string_view kUnknown = "qqqqqqqqqqqq";

// A section of the metafile: text before and after its fields, and the path in front of their
// names.
struct Section {
  std::string begin, end, path;
};

std::string ErrorOf(const Section& section, absl::string_view fields) {
  const auto parsed = ParseMetafile(absl::StrCat(section.begin, fields, section.end));
  return std::string(parsed.status().message());
}

// The list at the end of an error "..., expected one of a, b, c"; empty if it has none.
std::vector<std::string> ListedBy(absl::string_view error) {
  constexpr absl::string_view kList = "expected one of ";
  const size_t begin = error.rfind(kList);
  if (begin == absl::string_view::npos) return {};
  return absl::StrSplit(error.substr(begin + kList.size()), ", ");
}

// The names that the section's fields may have; empty if it is no section.
std::vector<std::string> NamesIn(const Section& section) {
  const std::string error = ErrorOf(section, absl::StrCat(kUnknown, ": 1"));
  if (!absl::StrContains(error, "unknown field")) return {};
  return ListedBy(error);
}

void AddFields(const Section& section, std::vector<ParserField>& fields) {
  const std::vector<std::string> names = NamesIn(section);
  for (const std::string& name : names) {
    fields.push_back({absl::StrCat(section.path, name),
                      ListedBy(ErrorOf(section, absl::StrCat(name, ": ", kUnknown)))});
  }
  for (const std::string& name : names) {
    const std::string path = absl::StrCat(section.path, name);
    AddFields({absl::StrCat(section.begin, name, ": {"), absl::StrCat("}", section.end),
               absl::StrCat(path, ".")},
              fields);
    AddFields({absl::StrCat(section.begin, name, ": [{"), absl::StrCat("}]", section.end),
               absl::StrCat(path, "[].")},
              fields);
  }
}

}  // namespace

std::vector<ParserField> ParserFields() {
  std::vector<ParserField> fields;
  AddFields({"{", "}", ""}, fields);
  return fields;
}

}  // namespace synap_internal
