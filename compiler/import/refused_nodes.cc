#include "compiler/import/refused_nodes.h"

#include <algorithm>
#include <cstddef>

#include "absl/strings/str_cat.h"

namespace synap_internal {

absl::Status RefusedNodes::ToStatus() const {
  if (errors_.empty()) return absl::OkStatus();
  if (errors_.size() == 1) return errors_[0];
  constexpr size_t kMostShown = 10;
  std::string text = absl::StrCat(errors_.size(), " nodes are refused");
  for (size_t i = 0; i < std::min(errors_.size(), kMostShown); ++i) {
    absl::StrAppend(&text, i == 0 ? ": " : "; ", errors_[i].message());
  }
  if (errors_.size() > kMostShown) absl::StrAppend(&text, "; ...");
  return absl::Status(errors_[0].code(), text);
}

}  // namespace synap_internal
