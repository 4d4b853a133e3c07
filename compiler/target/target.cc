#include "compiler/target/target.h"

#include <algorithm>
#include <list>
#include <mutex>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "base/check.h"
#include "base/file.h"
#include "base/nearest_name.h"
#include "base/status_macros.h"
#include "compiler/target/parse_target.h"
#include "compiler/target/target_files.h"

namespace synap_internal {
namespace {

template <typename T>
bool Contains(const std::vector<T>& values, const T& value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

// "VS680 (or VS680A0, DOLPHIN)".
std::string NameWithAliases(const Target& target) {
  if (target.aliases.empty()) return target.name;
  return absl::StrCat(target.name, " (or ", absl::StrJoin(target.aliases, ", "), ")");
}

// All targets, those with a name or an alias near `name` first.
std::string TargetsNearest(absl::string_view name) {
  std::vector<std::string> names;
  for (const Target& target : AllTargets()) {
    names.push_back(target.name);
    names.insert(names.end(), target.aliases.begin(), target.aliases.end());
  }
  std::vector<const Target*> sorted;
  const auto add = [&sorted](const Target& target) {
    if (!Contains(sorted, &target)) sorted.push_back(&target);
  };
  for (const std::string& near : NearestNames(name, names)) {
    for (const Target& target : AllTargets()) {
      if (target.name == near || Contains(target.aliases, near)) add(target);
    }
  }
  for (const Target& target : AllTargets()) add(target);
  return absl::StrJoin(sorted, ", ", [](std::string* out, const Target* target) {
    absl::StrAppend(out, NameWithAliases(*target));
  });
}

// "uint8, int8 and int16".
std::string TypeList(const std::vector<DataType>& types) {
  std::string text;
  for (size_t i = 0; i < types.size(); ++i) {
    absl::StrAppend(&text, i == 0 ? "" : i + 1 == types.size() ? " and " : ", ", Name(types[i]));
  }
  return text;
}

// `target` for the rest of the program.
const Target* Kept(Target target) {
  static std::mutex mutex;
  static auto* const loaded = new std::list<Target>();  // whose elements keep their addresses
  const std::lock_guard<std::mutex> lock(mutex);
  loaded->push_back(std::move(target));
  return &loaded->back();
}

// Path of the file that describes target `name`; "" if the folder has none.
std::string FileOfTarget(const std::string& name, const std::string& folder) {
  for (const std::string& file : NamesIn(folder)) {
    if (!absl::EndsWith(file, ".yaml")) continue;
    const absl::StatusOr<std::vector<std::string>> names = NamesOfFile(file);
    if (names.ok() && names->front() == name) return JoinPath(folder, file);
  }
  return "";
}

}  // namespace

bool LayerCondition::Holds(const LayerFacts& layer) const {
  const auto above = [](const std::optional<int64_t>& bound, int64_t value) {
    return !bound.has_value() || value > *bound;
  };
  const auto has_type = [&](DataType type) { return Contains(layer.types, type); };
  return (layers.empty() || Contains(layers, layer.kind)) &&
         (types.empty() || std::any_of(types.begin(), types.end(), has_type)) &&
         above(kernel_above, layer.kernel) && above(stride_above, layer.stride) &&
         above(dilation_above, layer.dilation) &&
         above(kernel_and_dilation_above, layer.kernel + layer.dilation) &&
         above(rank_above, layer.rank);
}

bool EngineSpec::RunsKind(LayerKind kind) const { return layers.empty() || Contains(layers, kind); }

bool Target::has_npu() const {
  return std::any_of(engines.begin(), engines.end(),
                     [](const EngineSpec& spec) { return IsNpu(spec.engine); });
}

const EngineSpec* Target::Find(Engine engine) const {
  for (const EngineSpec& spec : engines) {
    if (spec.engine == engine) return &spec;
  }
  return nullptr;
}

double Target::PeakMacRate(DataType type) const {
  double peak = 0;
  for (const EngineSpec& spec : engines) {
    const auto rate = spec.mac_rate.find(type);
    if (rate != spec.mac_rate.end()) peak = std::max(peak, rate->second);
  }
  return peak;
}

std::optional<std::string> WhyNot(const Target& target, Engine engine, const LayerFacts& layer) {
  const EngineSpec* spec = target.Find(engine);
  if (spec == nullptr) return absl::StrCat(target.name, " has no ", Name(engine));
  if (!spec->RunsKind(layer.kind)) {
    return absl::StrCat("the ", Name(engine), " doesn't run layers of the kind ",
                        absl::StrReplaceAll(WordOf(layer.kind), {{"_", " "}}));
  }
  for (const DataType type : layer.types) {
    if (spec->types.empty() || Contains(spec->types, type)) continue;
    return absl::StrCat("the ", Name(engine), " computes ", TypeList(spec->types), ", not ",
                        Name(type));
  }
  for (const TargetLimit& limit : target.limits) {
    if (limit.engine == engine && !limit.helper.has_value() && limit.when.Holds(layer)) {
      return limit.sentence;
    }
  }
  return std::nullopt;
}

std::optional<std::string> WhyNotNpu(const Target& target, const LayerFacts& layer) {
  if (!target.has_npu()) return absl::StrCat(target.name, " has no NPU");
  std::vector<std::string> reasons;
  for (const EngineSpec& spec : target.engines) {
    if (!IsNpu(spec.engine)) continue;
    std::optional<std::string> reason = WhyNot(target, spec.engine, layer);
    if (!reason.has_value()) return std::nullopt;
    if (!Contains(reasons, *reason)) reasons.push_back(*std::move(reason));
  }
  return absl::StrJoin(reasons, "; ");
}

const TargetLimit* FindHelp(const Target& target, Engine engine, const LayerFacts& layer) {
  for (const TargetLimit& limit : target.limits) {
    if (limit.engine == engine && limit.helper.has_value() && limit.when.Holds(layer)) {
      return &limit;
    }
  }
  return nullptr;
}

absl::Span<const Target> AllTargets() {
  static const auto* const targets = [] {
    absl::StatusOr<std::vector<Target>> parsed = ParseTargets(TargetFiles(), {});
    CHECK(parsed.ok());
    return new std::vector<Target>(*std::move(parsed));
  }();
  return *targets;
}

const Target& DefaultTarget() {
  const absl::Span<const Target> targets = AllTargets();
  const auto found = std::find_if(targets.begin(), targets.end(),
                                  [](const Target& target) { return target.is_default; });
  CHECK(found != targets.end());
  return *found;
}

std::string TargetNames() {
  // Every command's help holds them, and every command is told its help: no file is parsed for it.
  std::vector<std::string> names;
  for (const TargetFile& file : TargetFiles()) {
    const absl::StatusOr<std::vector<std::string>> of_file = NamesOfFile(file.path);
    CHECK(of_file.ok());
    names.push_back(of_file->front());
  }
  return absl::StrJoin(names, ", ");
}

absl::StatusOr<const Target*> FindTarget(absl::string_view name) {
  const std::string wanted = absl::AsciiStrToUpper(name);
  for (const Target& target : AllTargets()) {
    if (target.name == wanted || Contains(target.aliases, wanted)) return &target;
  }
  // The wording of other toolkits, which scripts look for.
  return absl::NotFoundError(absl::StrCat("Invalid target specified: ", name,
                                          ". Available targets: ", TargetsNearest(name)));
}

absl::StatusOr<const Target*> FindOrLoadTarget(const std::string& name_or_path) {
  const bool is_path =
      absl::StrContains(name_or_path, '/') || absl::EndsWith(name_or_path, ".yaml");
  if (!is_path) return FindTarget(name_or_path);
  ASSIGN_OR_RETURN(std::string text, ReadFile(name_or_path));
  const TargetFile file = {name_or_path, std::move(text)};
  for (const TargetFile& known : TargetFiles()) {
    if (Basename(known.path) != Basename(file.path) || known.text != file.text) continue;
    ASSIGN_OR_RETURN(const std::vector<std::string> names, NamesOfFile(file.path));
    return FindTarget(names.front());
  }
  ASSIGN_OR_RETURN(std::vector<Target> targets, ParseTargets({&file, 1}, AllTargets()));
  return Kept(std::move(targets.front()));
}

absl::StatusOr<const Target*> LoadTarget(const std::string& path) {
  std::vector<TargetFile> files;
  std::set<std::string> read;  // names, of one folder; a circle is ParseTargets' to refuse
  for (std::string next = path; !next.empty() && read.insert(Basename(next)).second;) {
    ASSIGN_OR_RETURN(std::string text, ReadFile(next));
    files.push_back({next, std::move(text)});
    next = FileOfTarget(InheritedName(files.back()), Dirname(path));
  }
  ASSIGN_OR_RETURN(std::vector<Target> targets, ParseTargets(files, {}));
  return Kept(std::move(targets.front()));
}

}  // namespace synap_internal
