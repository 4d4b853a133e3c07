#include "compiler/import/unsupported_ops.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace synap_internal {

void UnsupportedOps::Add(const std::string& op, const std::string& node) {
  const auto [it, added] = index_.emplace(op, ops_.size());
  if (added) ops_.push_back({op, {}});
  ops_[it->second].second.push_back(absl::StrCat("'", node, "'"));
}

absl::Status UnsupportedOps::ToStatus() const {
  if (ops_.empty()) return absl::OkStatus();
  std::vector<std::string> lines;
  for (const auto& [op, nodes] : ops_) {
    constexpr size_t kMaxShown = 5;
    const bool all = nodes.size() <= kMaxShown;
    const auto end = all ? nodes.end() : nodes.begin() + kMaxShown;
    lines.push_back(absl::StrCat(op, " (", nodes.size(), " ", node_word_,
                                 nodes.size() == 1 ? ": " : "s: ",
                                 absl::StrJoin(nodes.begin(), end, ", "), all ? "" : ", ...", ")"));
  }
  return absl::UnimplementedError(absl::StrCat(ops_.size(), " ", op_word_,
                                               ops_.size() == 1 ? " is" : "s are",
                                               " not supported: ", absl::StrJoin(lines, ", ")));
}

}  // namespace synap_internal
