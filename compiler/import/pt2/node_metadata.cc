#include "compiler/import/pt2/node_metadata.h"

#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace synap_internal::pt2_import {
namespace {

// A text of the node's metadata; empty if it has none.
std::string MetadataOf(const Json& node, absl::string_view key) {
  const Json* metadata = Find(node, "metadata");
  const Json* text = metadata == nullptr ? nullptr : Find(*metadata, key);
  return text != nullptr && text->is_string() ? text->get<std::string>() : "";
}

// `File "/home/me/model.py", line 31, in forward` -> "model.py:31"; empty for other lines and for
// PyTorch's own code.
std::string PlaceOfFrame(absl::string_view line) {
  line = absl::StripLeadingAsciiWhitespace(line);
  if (!absl::ConsumePrefix(&line, "File \"")) return "";
  const std::vector<absl::string_view> parts =
      absl::StrSplit(line, absl::MaxSplits("\", line ", 1));
  if (parts.size() < 2 || absl::StrContains(parts[0], "-packages/torch/") ||
      absl::StartsWith(parts[0], "torch/")) {
    return "";
  }
  const absl::string_view file = parts[0].substr(parts[0].find_last_of('/') + 1);
  return absl::StrCat(file, ":", parts[1].substr(0, parts[1].find(',')));
}

}  // namespace

// "L__self__,,M;L__self__c,features.0,torch.nn.Conv2d" -> "features.0"
std::string ModuleOf(const Json& node) {
  const std::string stack = MetadataOf(node, "nn_module_stack");
  const std::vector<std::string> modules = absl::StrSplit(stack, ';');
  const std::vector<std::string> parts = absl::StrSplit(modules.back(), ',');
  // A path of PyTorch's own for nodes of no module.
  const bool has_path = parts.size() > 1 && !absl::StartsWith(parts[1], "_empty_nn_module_stack");
  return has_path ? parts[1] : "";
}

std::string SourceOf(const Json& node) {
  const std::string trace = MetadataOf(node, "stack_trace");
  std::string innermost;
  for (const absl::string_view line : absl::StrSplit(trace, '\n')) {
    std::string place = PlaceOfFrame(line);
    if (!place.empty()) innermost = std::move(place);
  }
  return innermost;
}

}  // namespace synap_internal::pt2_import
