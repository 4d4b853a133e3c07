#include "compiler/programs/provenance.h"

#include <cstddef>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "base/digest.h"
#include "base/status_macros.h"

namespace synap_internal {
namespace {

constexpr char kNone[] = "none";

}  // namespace

absl::StatusOr<std::string> ProvenanceText(const CompiledFiles& files) {
  std::string text =
      absl::StrCat("target: ", files.target, "\nprofiling: ", files.profiling ? "yes" : "no", "\n");
  for (const auto& [name, path] :
       {std::pair("graph", &files.graph), std::pair("metafile", &files.metafile),
        std::pair("model", &files.model), std::pair("info", &files.info)}) {
    std::string digest = kNone;
    if (!path->empty()) {
      ASSIGN_OR_RETURN(digest, DigestOfFile(*path));
    }
    absl::StrAppend(&text, name, ": ", digest, "\n");
  }
  return text;
}

absl::Status CheckProvenance(const std::string& provenance, const CompiledFiles& files) {
  ASSIGN_OR_RETURN(const std::string expected, ProvenanceText(files));
  if (provenance == expected) return absl::OkStatus();
  const std::vector<std::string> found_lines = absl::StrSplit(provenance, '\n');
  const std::vector<std::string> expected_lines = absl::StrSplit(expected, '\n');
  std::vector<std::string> differing;
  for (size_t i = 0; i < expected_lines.size() && i < found_lines.size(); ++i) {
    if (found_lines[i] == expected_lines[i]) continue;
    const std::vector<std::string> value = absl::StrSplit(expected_lines[i], ": ");
    differing.push_back(absl::StrCat(found_lines[i], ", expected ", value.back()));
  }
  if (differing.empty()) differing.push_back("the text has other lines than a provenance");
  return absl::FailedPreconditionError(absl::StrCat(
      files.model,
      ": it is made of something else than this build asks for: ", absl::StrJoin(differing, "; "),
      "; a cache gave another action's result: clear that cache, or build without it"));
}

}  // namespace synap_internal
