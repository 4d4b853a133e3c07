#include "compiler/report/reference/documented_names.h"

#include <algorithm>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "compiler/metafile/fields.h"

namespace synap_internal {

std::vector<std::string> MetafileNames() {
  std::vector<std::string> names;
  for (const MetafileField& field : MetafileFields()) {
    names.push_back(field.path);
    for (const std::string& word : field.words)
      names.push_back(absl::StrCat(field.path, ": ", word));
  }
  return names;
}

absl::Status DescribeFields(std::vector<ReferenceSection>& sections, const std::string& path) {
  const std::vector<MetafileField> fields = MetafileFields();
  for (ReferenceSection& section : sections) {
    for (ReferenceRow& row : section.rows) {
      for (const MetafileField& field : fields) {
        if (field.path != row.name) continue;
        if (!row.meaning.empty() || !row.fallback.empty()) {
          return absl::InvalidArgumentError(absl::StrCat(
              path, ": line ", row.location.line, ": '", row.name,
              "' has its meaning and default in compiler/metafile/fields.cc; remove those here"));
        }
        row.meaning = field.sentence;
        row.fallback = field.fallback;
      }
    }
  }
  return absl::OkStatus();
}

std::vector<ReferenceRow> AllRows(const std::vector<ReferenceSection>& sections) {
  std::vector<ReferenceRow> rows;
  for (const ReferenceSection& section : sections) {
    rows.insert(rows.end(), section.rows.begin(), section.rows.end());
  }
  return rows;
}

absl::Status CheckNames(const std::vector<std::string>& known,
                        const std::vector<ReferenceRow>& rows, const std::string& where) {
  std::set<std::string> missing(known.begin(), known.end());
  std::vector<std::string> faults;
  std::set<std::string> seen;
  for (const ReferenceRow& row : rows) {
    if (row.name.empty()) continue;
    if (!seen.insert(row.name).second) {
      faults.push_back(absl::StrCat("line ", row.location.line, ": '", row.name,
                                    "' has another row already; remove one"));
    } else if (missing.erase(row.name) == 0) {
      faults.push_back(absl::StrCat("line ", row.location.line, ": the code has no '", row.name,
                                    "'; remove the row"));
    }
  }
  for (const std::string& name : missing) {
    faults.push_back(absl::StrCat("'", name, "' has no row; write one"));
  }
  if (faults.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(where, ": ", absl::StrJoin(faults, absl::StrCat("\n", where, ": "))));
}

absl::Status CheckCommands(const CommandHelp& help, const std::vector<ReferenceSection>& sections,
                           const std::string& path) {
  std::vector<std::string> faults;
  for (const auto& [command, options] : help) {
    std::vector<std::string> known;
    for (const HelpOption& option : options) known.push_back(option.names.back());
    std::vector<ReferenceRow> rows;
    for (const ReferenceSection& section : sections) {
      if (std::count(section.of.begin(), section.of.end(), command) == 0) continue;
      rows.insert(rows.end(), section.rows.begin(), section.rows.end());
    }
    const absl::Status status = CheckNames(known, rows, absl::StrCat(path, ": ", command));
    if (!status.ok()) faults.emplace_back(status.message());
  }
  for (const ReferenceSection& section : sections) {
    for (const ReferenceRow& row : section.rows) {
      if (row.name.empty() || !section.of.empty()) continue;
      faults.push_back(absl::StrCat(path, ": line ", row.location.line, ": '", row.name,
                                    "' is in a section without 'of', expected a 'form'"));
    }
    for (const std::string& command : section.of) {
      if (help.count(command) > 0) continue;
      faults.push_back(absl::StrCat(path, ": line ", section.location.line, ": there is no '",
                                    command, "'; remove the section"));
    }
  }
  if (faults.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrJoin(faults, "\n"));
}

const HelpOption* FindOption(const CommandHelp& help, const std::string& command,
                             const std::string& name) {
  const auto found = help.find(command);
  if (found == help.end()) return nullptr;
  for (const HelpOption& option : found->second) {
    if (option.names.back() == name) return &option;
  }
  return nullptr;
}

}  // namespace synap_internal
