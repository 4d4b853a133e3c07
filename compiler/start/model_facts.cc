#include "compiler/start/model_facts.h"

#include <map>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "compiler/import/text_dictionary.h"

namespace synap_internal {
namespace {

std::vector<std::string> Lines(absl::string_view text) {
  std::vector<std::string> lines;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    lines.emplace_back(absl::StripAsciiWhitespace(line));
  }
  while (!lines.empty() && lines.back().empty()) lines.pop_back();
  return lines;
}

std::string Value(const std::map<std::string, std::string>& entries, const std::string& key) {
  const auto it = entries.find(key);
  return it == entries.end() ? "" : it->second;
}

// The entries that Ultralytics writes: properties of ONNX files, a dictionary inside of others.
std::map<std::string, std::string> UltralyticsEntries(const FileMetadata& metadata) {
  const auto is_theirs = [](const std::map<std::string, std::string>& entries) {
    return entries.contains("stride") && entries.contains("names");
  };
  if (is_theirs(metadata.properties)) return metadata.properties;
  for (const auto& [name, text] : metadata.texts) {
    std::map<std::string, std::string> entries = ParseDictionary(text);
    if (is_theirs(entries)) return entries;
  }
  return {};
}

}  // namespace

ModelFacts ReadFacts(const FileMetadata& metadata) {
  ModelFacts facts;
  facts.producer = absl::AsciiStrToLower(absl::StripAsciiWhitespace(metadata.producer));
  facts.inputs = metadata.inputs;
  const auto labels = metadata.texts.find(metadata.labels);
  if (labels != metadata.texts.end()) facts.labels = Lines(labels->second);
  const std::map<std::string, std::string> entries = UltralyticsEntries(metadata);
  if (entries.empty()) return facts;
  facts.by_ultralytics = true;
  facts.labels = ParseNames(Value(entries, "names"));
  facts.task = Value(entries, "task");
  if (facts.task.empty()) facts.task = "detect";  // YOLOv5's don't name it
  facts.points = ParseIntegers(Value(entries, "kpt_shape"));
  return facts;
}

}  // namespace synap_internal
