#include "compiler/import/unsupported_ops.h"

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace synap_internal {

void UnsupportedOps::Add(const std::string& op, const std::string& node, const std::string& place,
                         const std::string& advice) {
  const auto [it, added] = index_.emplace(op, ops_.size());
  if (added) ops_.push_back({op, {}, advice});
  ops_[it->second].nodes.push_back({node, place});
}

std::string UnsupportedOps::Places(const std::vector<Node>& nodes) {
  constexpr size_t kMaxShown = 5;
  std::vector<std::string> shown;
  absl::flat_hash_set<std::string> places;
  for (const Node& node : nodes) {
    if (shown.size() == kMaxShown) break;
    if (!node.place.empty() && !places.insert(node.place).second) continue;
    // Nodes without results have no name.
    const bool is_named = !node.name.empty() || node.place.empty();
    const std::string name = is_named ? absl::StrCat("'", node.name, "'") : "";
    shown.push_back(absl::StrCat(name, is_named && !node.place.empty() ? " " : "", node.place));
  }
  const size_t more = nodes.size() - shown.size();
  return absl::StrCat(absl::StrJoin(shown, ", "),
                      more == 0 ? "" : absl::StrCat(" and ", more, " more"));
}

std::string UnsupportedOps::Text(const Op& op) const {
  return absl::StrCat(op.name, " (", op.nodes.size(), " ", node_word_,
                      op.nodes.size() == 1 ? ": " : "s: ", Places(op.nodes),
                      op.advice.empty() ? "" : "; ", op.advice, ")");
}

absl::Status UnsupportedOps::ToStatus() const {
  if (ops_.empty()) return absl::OkStatus();
  const auto append = [this](std::string* out, const Op& op) { out->append(Text(op)); };
  return absl::UnimplementedError(
      absl::StrCat(ops_.size(), " ", op_word_, ops_.size() == 1 ? " is" : "s are",
                   " not supported: ", absl::StrJoin(ops_, ", ", append)));
}

}  // namespace synap_internal
