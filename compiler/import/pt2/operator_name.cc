#include "compiler/import/pt2/operator_name.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace synap_internal::pt2_import {
namespace {

// Those that aren't called as TorchScript calls them.
constexpr std::pair<absl::string_view, absl::string_view> kNumberFunctions[] = {
    {"_operator.truediv", "aten::div"},  {"_operator.mod", "aten::remainder"},
    {"_operator.and_", "aten::__and__"}, {"_operator.or_", "aten::__or__"},
    {"_operator.not_", "aten::__not__"}, {"_operator.pos", "prim::unchecked_cast"},
    {"torch.sym_not", "aten::__not__"},  {"torch.sym_max", "prim::max"},
    {"torch.sym_min", "prim::min"},      {"torch.sym_int", "aten::Int"},
    {"torch.sym_float", "aten::Float"},  {"torch.sym_ite", "torch::sym_ite"},
    {"torch._sym_sqrt", "aten::sqrt"},   {"math.trunc", "aten::Int"},
    {"math.floor", "aten::floor"},       {"math.ceil", "aten::ceil"},
};

constexpr absl::string_view kRunners[] = {"wrap_with_autocast", "wrap_with_set_grad_enabled",
                                          "tag_activation_checkpoint", "invoke_subgraph"};

}  // namespace

std::string Operator::kind() const { return absl::StrCat(space, "::", name); }

std::string Operator::key() const {
  return overload.empty() || overload == "default" ? name : absl::StrCat(name, ".", overload);
}

bool Operator::RunsItsGraph() const {
  return space == "higher_order" &&
         std::find(std::begin(kRunners), std::end(kRunners), name) != std::end(kRunners);
}

Operator ParseTarget(absl::string_view target) {
  for (const auto& [function, kind] : kNumberFunctions) {
    if (function != target) continue;
    const std::pair<std::string, std::string> names = absl::StrSplit(kind, "::");
    return {names.first, names.second, "", true};
  }
  if (absl::ConsumePrefix(&target, "_operator.")) return {"aten", std::string(target), "", true};
  absl::ConsumePrefix(&target, "torch.ops.");
  const std::vector<std::string> parts = absl::StrSplit(target, absl::MaxSplits('.', 2));
  if (parts.size() < 2) return {"torch", std::string(target), ""};
  return {parts[0], parts[1], parts.size() > 2 ? parts[2] : ""};
}

}  // namespace synap_internal::pt2_import
