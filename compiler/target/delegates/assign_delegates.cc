#include "compiler/target/delegates/assign_delegates.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "compiler/graph/layer_patterns.h"

namespace synap_internal {
namespace {

std::vector<const Op*> OpsFrom(const Graph& graph, const std::set<std::string>& origins) {
  std::vector<const Op*> found;
  for (const Op& op : graph.ops()) {
    const bool is_from =
        std::any_of(op.origins.begin(), op.origins.end(),
                    [&](const std::string& origin) { return origins.count(origin) > 0; });
    if (is_from) found.push_back(&op);
  }
  return found;
}

// The compiled layers of a pattern: found among them or, for a node that has become a part of
// another layer or is gone, by way of the graph that the user knows.
absl::StatusOr<std::vector<const Op*>> CompiledLayersOf(const Graph& compiled,
                                                        const Graph& imported,
                                                        absl::string_view pattern) {
  absl::StatusOr<std::vector<const Op*>> layers = LayersOf(compiled, pattern);
  if (layers.ok()) return layers;
  ASSIGN_OR_RETURN(const std::vector<const Op*> known, LayersOf(imported, pattern));
  // All that comes after the layer was fused into it.
  if (!absl::IsNotFound(layers.status())) return std::vector<const Op*>();
  std::set<std::string> origins;
  for (const Op* op : known) origins.insert(op->origins.begin(), op->origins.end());
  return OpsFrom(compiled, origins);
}

absl::Status CheckAvailable(const Metafile& metafile, const DelegateRule& rule,
                            const TargetDelegates& target) {
  if (rule.delegate == Delegate::kDefault || target.Has(rule.delegate)) return absl::OkStatus();
  const auto name = [](std::string* out, Delegate delegate) {
    absl::StrAppend(out, Name(delegate));
  };
  return absl::InvalidArgumentError(absl::StrCat(metafile.Where(rule.location),
                                                 ": delegate: target ", target.target, " has no ",
                                                 Name(rule.delegate), ", expected one of default, ",
                                                 absl::StrJoin(target.available, ", ", name)));
}

// `default` is the CPU where there is no NPU.
absl::Status CheckSecureTarget(const Metafile& metafile, const TargetDelegates& target) {
  if (!metafile.security.secure || target.Has(Delegate::kNpu)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(metafile.Where(metafile.security.location), ": security: target ", target.target,
                   " has no npu, which alone runs secure models; choose another target, or leave ",
                   "'security' out"));
}

class Assigner {
 public:
  Assigner(const Graph& compiled, const Metafile& metafile, const TargetDelegates& target)
      : compiled_(compiled), metafile_(metafile), target_(target) {}

  absl::StatusOr<DelegateAssignment> Run(const Graph& imported) {
    RETURN_IF_ERROR(CheckDelegates(metafile_, target_));
    static const DelegateRule kStandard{"*", Delegate::kDefault, "", {}};
    assignment_.standard = AskedFor(kStandard);
    for (const Op& op : compiled_.ops()) rule_of_[&op] = &kStandard;
    for (const DelegateRule& rule : metafile_.delegates) {
      if (rule.pattern == "*") assignment_.standard = AskedFor(rule);
      const absl::StatusOr<std::vector<const Op*>> layers =
          CompiledLayersOf(compiled_, imported, rule.pattern);
      if (!layers.ok()) {
        return Annotate(layers.status(),
                        absl::StrCat(metafile_.Where(rule.location), ": delegate"));
      }
      for (const Op* op : *layers) rule_of_[op] = &rule;
    }
    for (const Op& op : compiled_.ops()) Assign(op, *rule_of_.at(&op));
    RETURN_IF_ERROR(CheckRefused());
    return std::move(assignment_);
  }

 private:
  AssignedDelegate AskedFor(const DelegateRule& rule) const {
    const bool is_default = rule.delegate == Delegate::kDefault;
    return {is_default ? target_.available.front() : rule.delegate, rule.options};
  }

  void Assign(const Op& op, const DelegateRule& rule) {
    AssignedDelegate& assigned = assignment_.of[&op];
    assigned = AskedFor(rule);
    const std::string why = target_.why_not(op, assigned.delegate);
    if (why.empty()) return;
    if (rule.delegate != Delegate::kDefault || metafile_.security.secure) {
      refused_.push_back({&rule, absl::StrCat("'", op.LayerName(), "' (", why, ")")});
      return;
    }
    assigned.delegate = Delegate::kCpu;
    assignment_.moved.push_back(
        {AtNode("layer", op.LayerName()), absl::StrCat("runs on the cpu: ", why), Severity::kNote});
  }

  // Names all layers of a secure model that the NPU can't run.
  absl::Status CheckRefusedOfSecure() const {
    const auto layer = [](std::string* out,
                          const std::pair<const DelegateRule*, std::string>& row) {
      absl::StrAppend(out, row.second);
    };
    return absl::InvalidArgumentError(
        absl::StrCat(metafile_.Where(metafile_.security.location), ": security: the npu of ",
                     target_.target, " can't run ", absl::StrJoin(refused_, ", ", layer),
                     ", expected all layers of a secure model there; change the network or the "
                     "target, or leave ",
                     "'security' out"));
  }

  // Names all layers of the first rule that gives a delegate what it can't run.
  absl::Status CheckRefused() const {
    if (refused_.empty()) return absl::OkStatus();
    if (metafile_.security.secure) return CheckRefusedOfSecure();
    const DelegateRule* rule = refused_.front().first;
    std::vector<std::string> layers;
    for (const auto& [other, layer] : refused_) {
      if (other == rule) layers.push_back(layer);
    }
    return absl::InvalidArgumentError(
        absl::StrCat(metafile_.Where(rule->location), ": delegate: the ", Name(rule->delegate),
                     " of ", target_.target, " can't run ", absl::StrJoin(layers, ", "), "; give ",
                     layers.size() == 1 ? "it" : "them", " 'default' or 'cpu'"));
  }

  const Graph& compiled_;
  const Metafile& metafile_;
  const TargetDelegates& target_;
  std::map<const Op*, const DelegateRule*> rule_of_;
  std::vector<std::pair<const DelegateRule*, std::string>> refused_;
  DelegateAssignment assignment_;
};

}  // namespace

std::string AssignedDelegate::Text() const {
  return absl::StrCat(Name(delegate), options.empty() ? "" : " ", options);
}

absl::Status CheckDelegates(const Metafile& metafile, const TargetDelegates& target) {
  RETURN_IF_ERROR(CheckSecureTarget(metafile, target));
  for (const DelegateRule& rule : metafile.delegates) {
    RETURN_IF_ERROR(CheckAvailable(metafile, rule, target));
  }
  return absl::OkStatus();
}

absl::StatusOr<DelegateAssignment> AssignDelegates(const Graph& compiled, const Graph& imported,
                                                   const Metafile& metafile,
                                                   const TargetDelegates& target) {
  return Assigner(compiled, metafile, target).Run(imported);
}

}  // namespace synap_internal
