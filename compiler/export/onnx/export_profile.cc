#include "compiler/export/onnx/export_profile.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "base/check.h"
#include "base/file.h"
#include "base/nearest_name.h"
#include "base/status_macros.h"
#include "compiler/export/onnx/profile_files.h"

namespace synap_internal {
namespace {

std::vector<std::string> NamesOfProfiles() {
  std::vector<std::string> names;
  for (const ProfileFile& file : ProfileFiles()) {
    names.emplace_back(absl::StripSuffix(file.path, ".yaml"));
  }
  return names;
}

}  // namespace

absl::string_view ExportProfile::Reason(absl::string_view field) const {
  for (const ProfileWish& wish : wishes) {
    if (wish.field == field) return wish.sentence;
  }
  return "";
}

bool ExportProfile::Insists(absl::string_view field) const {
  return std::any_of(wishes.begin(), wishes.end(), [&](const ProfileWish& wish) {
    return wish.field == field && !wish.preferred;
  });
}

bool ExportProfile::MayHave(absl::string_view op_type) const {
  const auto* row =
      std::find_if(std::begin(kComposable), std::end(kComposable),
                   [&](const ComposableOperator& known) { return known.op_type == op_type; });
  CHECK(row != std::end(kComposable));
  return opset >= row->since && std::find(compose.begin(), compose.end(), op_type) == compose.end();
}

std::string ProfileNames() { return absl::StrJoin(NamesOfProfiles(), ", "); }

absl::StatusOr<ExportProfile> FindOrLoadProfile(const std::string& name_or_path) {
  if (absl::StrContains(name_or_path, '/') || absl::EndsWith(name_or_path, ".yaml")) {
    ASSIGN_OR_RETURN(std::string text, ReadFile(name_or_path));
    return ParseProfile({name_or_path, std::move(text)});
  }
  const std::vector<std::string> names = NamesOfProfiles();
  for (const ProfileFile& file : ProfileFiles()) {
    if (absl::StripSuffix(file.path, ".yaml") == name_or_path) return ParseProfile(file);
  }
  return absl::NotFoundError(absl::StrCat("no tool is called '", name_or_path, "'",
                                          DidYouMean(name_or_path, names), ", expected one of ",
                                          absl::StrJoin(names, ", "), " or a profile's file"));
}

}  // namespace synap_internal
