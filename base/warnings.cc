#include "base/warnings.h"

#include "absl/strings/str_cat.h"

namespace synap_internal {

WarningPlace AtNode(absl::string_view kind, absl::string_view name) {
  WarningPlace place;
  place.node = absl::StrCat(kind, " '", name, "'");
  return place;
}

std::string Warning::Text() const {
  std::string text = place.file;
  if (place.line > 0) absl::StrAppend(&text, ":", place.line, ":", place.column);
  if (!text.empty()) absl::StrAppend(&text, ": ");
  if (!place.node.empty()) absl::StrAppend(&text, place.node, ": ");
  return absl::StrCat(text, sentence);
}

void Warnings::Add(Warning warning) {
  if (listener_) listener_(warning);
  warnings_.push_back(std::move(warning));
}

void Warnings::AddAll(const std::vector<Warning>& warnings) {
  for (const Warning& warning : warnings) Add(warning);
}

std::vector<std::string> Warnings::Texts(Severity severity) const {
  std::vector<std::string> texts;
  for (const Warning& warning : warnings_) {
    if (warning.severity == severity) texts.push_back(warning.Text());
  }
  return texts;
}

}  // namespace synap_internal
