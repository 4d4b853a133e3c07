#include "compiler/graph/layer_patterns.h"

#include <set>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/nearest_name.h"
#include "base/status_macros.h"

namespace synap_internal {
namespace {

constexpr absl::string_view kFollowers = "...";

// "12" is a name of "Conv_12".
bool HasName(absl::string_view origin, absl::string_view name) {
  if (origin == name) return true;
  return absl::EndsWith(origin, name) && origin.size() > name.size() + 1 &&
         origin.find('_') == origin.size() - name.size() - 1;
}

absl::StatusOr<std::vector<const Op*>> LayersNamed(const Graph& graph, absl::string_view name) {
  std::vector<const Op*> exact, stripped;
  std::vector<std::string> known;
  for (const Op& op : graph.ops()) {
    known.insert(known.end(), op.origins.begin(), op.origins.end());
    for (const std::string& origin : op.origins) {
      if (!HasName(origin, name)) continue;
      (origin == name ? exact : stripped).push_back(&op);
      break;
    }
  }
  if (!exact.empty()) return exact;
  if (!stripped.empty()) return stripped;
  return absl::NotFoundError(
      absl::StrCat("the model has no layer '", name, "'", DidYouMean(name, known)));
}

absl::StatusOr<std::vector<const Op*>> LayersWithId(const Graph& graph, absl::string_view id) {
  std::vector<const Op*> found;
  std::vector<std::string> known;
  for (const Op& op : graph.ops()) {
    if (op.LayerName() == id) found.push_back(&op);
    known.push_back(absl::StrCat("@", op.LayerName()));
  }
  if (!found.empty()) return found;
  const std::string wanted = absl::StrCat("@", id);
  const std::string range = known.empty()
                                ? std::string()
                                : absl::StrCat(", '", known.front(), "' to '", known.back(), "'");
  return absl::NotFoundError(
      absl::StrCat("the model has no layer '", wanted, "'", DidYouMean(wanted, known),
                   ", expected an id as quantization_info.yaml prints it", range));
}

std::vector<const Op*> Followers(const std::vector<const Op*>& layers) {
  const std::set<const Op*> excluded(layers.begin(), layers.end());
  std::set<const Op*> seen;
  std::vector<const Op*> found, next = layers;
  while (!next.empty()) {
    const Op* op = next.back();
    next.pop_back();
    for (const Tensor* output : op->outputs) {
      for (const Op* user : output->users) {
        if (!seen.insert(user).second) continue;
        next.push_back(user);
        if (excluded.count(user) == 0) found.push_back(user);
      }
    }
  }
  return found;
}

}  // namespace

absl::StatusOr<std::vector<const Op*>> LayersOf(const Graph& graph, absl::string_view pattern) {
  if (pattern == "*") {
    std::vector<const Op*> all;
    for (const Op& op : graph.ops()) all.push_back(&op);
    return all;
  }
  absl::string_view name = pattern;
  const bool followers = absl::ConsumeSuffix(&name, kFollowers);
  absl::string_view id = name;
  const bool has_id = absl::ConsumePrefix(&id, "@");
  ASSIGN_OR_RETURN(std::vector<const Op*> layers,
                   has_id ? LayersWithId(graph, id) : LayersNamed(graph, name));
  if (followers) layers = Followers(layers);
  if (!layers.empty()) return layers;
  return absl::InvalidArgumentError(absl::StrCat("rule '", pattern,
                                                 "' selects no layer: none comes after '", name,
                                                 "'; remove the rule, or name an earlier layer"));
}

}  // namespace synap_internal
