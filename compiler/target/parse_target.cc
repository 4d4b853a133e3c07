#include "compiler/target/parse_target.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/file.h"
#include "base/nearest_name.h"
#include "base/status_macros.h"
#include "compiler/metafile/yaml_document.h"
#include "compiler/metafile/yaml_reader.h"
#include "compiler/target/latency_parameters.h"

namespace synap_internal {
namespace {

// Among the aliases in a file's name: the target of commands that were given none.
constexpr char kDefault[] = "DEFAULT";
constexpr int64_t kMaxCount = 1 << 16;
constexpr int64_t kMaxLimit = 1 << 20;

bool IsPositive(double number) { return number > 0; }

// Reader of the file's fields into a target that holds the inherited ones already.
class TargetReader {
 public:
  TargetReader(std::string path, Target& target) : yaml_(std::move(path)), target_(target) {}

  const YamlReader& yaml() const { return yaml_; }

  absl::Status Read(const YAML::Node& root) {
    return yaml_.ReadMap(
        {root, "", LocationOf(root, {1, 1})},
        {{"inherits", [](const YamlValue&) { return absl::OkStatus(); }},  // was read before
         {"engines", [this](const YamlValue& value) { return Engines(value); }},
         {"memory", [this](const YamlValue& value) { return Memory(value); }},
         {"limits", [this](const YamlValue& value) { return Limits(value); }},
         {"latency", [this](const YamlValue& value) { return Latency(value); }}});
  }

 private:
  using Field = YamlReader::Field;

  // A positive number in `unit`s.
  Field Amount(std::string name, double unit, double& out) const {
    return {std::move(name), [this, unit, &out](const YamlValue& value) -> absl::Status {
              ASSIGN_OR_RETURN(const double number,
                               yaml_.Number(value, "a number above 0", IsPositive));
              out = number * unit;
              return absl::OkStatus();
            }};
  }

  Field Bound(std::string name, std::optional<int64_t>& out) const {
    return {std::move(name), [this, &out](const YamlValue& value) -> absl::Status {
              ASSIGN_OR_RETURN(out, yaml_.Integer(value, 0, kMaxLimit));
              return absl::OkStatus();
            }};
  }

  absl::StatusOr<Engine> ReadEngine(const YamlValue& value) const {
    std::vector<std::string> words;
    for (const EngineRow& row : kEngines) words.emplace_back(row.word);
    ASSIGN_OR_RETURN(const size_t index, yaml_.Word(value, words));
    return kEngines[index].engine;
  }

  Field Kinds(std::string name, std::vector<LayerKind>& out) const {
    return {std::move(name), [this, &out](const YamlValue& value) -> absl::Status {
              std::vector<std::string> words;
              for (const LayerKindRow& row : kLayerKinds) words.emplace_back(row.word);
              out.clear();
              ASSIGN_OR_RETURN(const std::vector<YamlValue> list, yaml_.List(value));
              for (const YamlValue& item : list) {
                ASSIGN_OR_RETURN(const size_t index, yaml_.Word(item, words));
                out.push_back(kLayerKinds[index].kind);
              }
              return absl::OkStatus();
            }};
  }

  static std::vector<std::string> TypeNames() {
    std::vector<std::string> names;
    for (const DataTypeRow& row : kDataTypes) {
      if (row.type != DataType::kInvalid) names.emplace_back(row.name);
    }
    return names;
  }

  Field Types(std::string name, std::vector<DataType>& out) const {
    return {std::move(name), [this, &out](const YamlValue& value) -> absl::Status {
              out.clear();
              ASSIGN_OR_RETURN(const std::vector<YamlValue> list, yaml_.List(value));
              for (const YamlValue& item : list) {
                ASSIGN_OR_RETURN(const size_t index, yaml_.Word(item, TypeNames()));
                out.push_back(kDataTypes[index + 1].type);
              }
              return absl::OkStatus();
            }};
  }

  absl::Status Rates(const YamlValue& value, std::map<DataType, double>& rates) const {
    std::vector<Field> fields;
    for (const DataTypeRow& row : kDataTypes) {
      if (row.type == DataType::kInvalid) continue;
      fields.push_back(
          {std::string(row.name), [this, &rates, &row](const YamlValue& rate) -> absl::Status {
             ASSIGN_OR_RETURN(const double number,
                              yaml_.Number(rate, "a number above 0", IsPositive));
             rates[row.type] = number * 1e9;
             return absl::OkStatus();
           }});
    }
    return yaml_.ReadMap(value, fields);
  }

  EngineSpec& EngineOf(Engine engine) {
    for (EngineSpec& spec : target_.engines) {
      if (spec.engine == engine) return spec;
    }
    target_.engines.push_back({.engine = engine});
    return target_.engines.back();
  }

  absl::Status Engines(const YamlValue& value) {
    std::vector<Field> fields;
    for (const EngineRow& row : kEngines) {
      fields.push_back({std::string(row.word), [this, &row](const YamlValue& fields_of_engine) {
                          return OneEngine(fields_of_engine, EngineOf(row.engine));
                        }});
    }
    return yaml_.ReadMap(value, fields);
  }

  absl::Status OneEngine(const YamlValue& value, EngineSpec& spec) const {
    return yaml_.ReadMap(
        value, {{"count",
                 [&](const YamlValue& count) -> absl::Status {
                   ASSIGN_OR_RETURN(const int64_t number, yaml_.Integer(count, 1, kMaxCount));
                   spec.count = static_cast<int>(number);
                   return absl::OkStatus();
                 }},
                Amount("megahertz", 1e6, spec.hertz),
                Kinds("layers", spec.layers),
                Types("types", spec.types),
                {"giga_macs_per_second",
                 [&](const YamlValue& rates) { return Rates(rates, spec.mac_rate); }}});
  }

  absl::Status Memory(const YamlValue& value) {
    return yaml_.ReadMap(value,
                         {Amount("megabytes_per_second", 1e6, target_.memory_bytes_per_second),
                          {"on_chip_kilobytes", [&](const YamlValue& kilobytes) -> absl::Status {
                             ASSIGN_OR_RETURN(const int64_t number,
                                              yaml_.Integer(kilobytes, 1, int64_t{1} << 30));
                             target_.on_chip_bytes = number * 1024;
                             return absl::OkStatus();
                           }}});
  }

  absl::Status Limits(const YamlValue& value) {
    target_.limits.clear();
    ASSIGN_OR_RETURN(const std::vector<YamlValue> list, yaml_.List(value));
    for (const YamlValue& item : list) {
      TargetLimit limit;
      RETURN_IF_ERROR(OneLimit(item, limit));
      if (limit.sentence.empty()) {
        return yaml_.FieldError(item, "a limit has no sentence, expected one that says why");
      }
      target_.limits.push_back(std::move(limit));
    }
    return absl::OkStatus();
  }

  absl::Status OneLimit(const YamlValue& value, TargetLimit& limit) const {
    bool has_engine = false;
    RETURN_IF_ERROR(yaml_.ReadMap(
        value, {{"engine",
                 [&](const YamlValue& word) -> absl::Status {
                   has_engine = true;
                   ASSIGN_OR_RETURN(limit.engine, ReadEngine(word));
                   return absl::OkStatus();
                 }},
                {"when", [&](const YamlValue& when) { return Condition(when, limit.when); }},
                {"helper",
                 [&](const YamlValue& word) -> absl::Status {
                   ASSIGN_OR_RETURN(limit.helper, ReadEngine(word));
                   return absl::OkStatus();
                 }},
                {"sentence", [&](const YamlValue& text) -> absl::Status {
                   ASSIGN_OR_RETURN(limit.sentence, yaml_.String(text));
                   return absl::OkStatus();
                 }}}));
    if (has_engine) return absl::OkStatus();
    return yaml_.FieldError(value, "a limit names no engine, expected 'engine: nn' or another one");
  }

  absl::Status Condition(const YamlValue& value, LayerCondition& when) const {
    return yaml_.ReadMap(
        value, {Kinds("layers", when.layers), Types("types", when.types),
                Bound("kernel_above", when.kernel_above), Bound("stride_above", when.stride_above),
                Bound("dilation_above", when.dilation_above),
                Bound("kernel_and_dilation_above", when.kernel_and_dilation_above),
                Bound("rank_above", when.rank_above)});
  }

  absl::Status Latency(const YamlValue& value) {
    std::vector<Field> fields;
    for (const LatencyParameterRow& row : LatencyParameterRows()) {
      const std::string name(row.name);
      fields.push_back({name, [this, name](const YamlValue& price) -> absl::Status {
                          ASSIGN_OR_RETURN(target_.latency[name],
                                           yaml_.Number(price, "a number above 0", IsPositive));
                          return absl::OkStatus();
                        }});
    }
    return yaml_.ReadMap(value, fields);
  }

  const YamlReader yaml_;
  Target& target_;
};

// Layers run on the NPU by default, then on the CPU; the GPU runs those that ask for it.
int Rank(Engine engine) {
  if (IsNpu(engine)) return 0;
  return engine == Engine::kCpu ? 1 : 2;
}

// The engines of a delegate keep the order of the file.
void SortEngines(std::vector<EngineSpec>& engines) {
  std::stable_sort(engines.begin(), engines.end(), [](const EngineSpec& a, const EngineSpec& b) {
    return Rank(a.engine) < Rank(b.engine);
  });
}

// Every target has a CPU, which runs all layers.
absl::Status CheckComplete(const Target& target, const YamlReader& yaml) {
  const EngineSpec* cpu = target.Find(Engine::kCpu);
  if (cpu == nullptr || target.memory_bytes_per_second == 0) {
    return yaml.Error(
        {},
        "the target lacks a CPU or the speed of its memory, expected at least engines with "
        "'cpu' and memory with 'megabytes_per_second', or 'inherits: <a target>'");
  }
  const bool is_limited =
      std::any_of(target.limits.begin(), target.limits.end(), [](const TargetLimit& limit) {
        return limit.engine == Engine::kCpu && !limit.helper.has_value();
      });
  if (cpu->layers.empty() && cpu->types.empty() && !is_limited) return absl::OkStatus();
  return yaml.Error({},
                    "the CPU is limited, expected one that runs all layers in all types; "
                    "remove its 'layers', 'types' and limits");
}

// Parses files in the order in which they inherit from each other.
class TargetSet {
 public:
  TargetSet(absl::Span<const TargetFile> files, absl::Span<const Target> known)
      : files_(files), known_(known), parsed_(files.size()), begun_(files.size()) {}

  absl::StatusOr<std::vector<Target>> Run() {
    for (const Target& target : known_) RETURN_IF_ERROR(AddNames(target, "the compiler's targets"));
    for (const TargetFile& file : files_) {
      Target target;
      ASSIGN_OR_RETURN(target.aliases, NamesOfFile(file.path));
      target.name = target.aliases.front();
      target.aliases.erase(target.aliases.begin());
      target.is_default = std::erase(target.aliases, kDefault) > 0;
      RETURN_IF_ERROR(AddNames(target, file.path));
      named_.push_back(std::move(target));
    }
    for (size_t i = 0; i < files_.size(); ++i) RETURN_IF_ERROR(Parse(i));
    std::vector<Target> targets;
    for (std::optional<Target>& target : parsed_) targets.push_back(*std::move(target));
    return targets;
  }

 private:
  absl::Status AddNames(const Target& target, const std::string& place) {
    std::vector<std::string> names = target.aliases;
    names.push_back(target.name);
    if (target.is_default) names.emplace_back(kDefault);
    for (const std::string& name : names) {
      const auto [known, added] = places_.emplace(name, place);
      if (added) continue;
      return absl::InvalidArgumentError(absl::StrCat(place, ": the name ", name, " is taken by ",
                                                     known->second,
                                                     ", expected another one; rename the file"));
    }
    return absl::OkStatus();
  }

  absl::Status Parse(size_t i) {
    if (parsed_[i].has_value()) return absl::OkStatus();
    begun_[i] = true;
    const TargetFile& file = files_[i];
    Target target;
    TargetReader reader(file.path, target);
    const auto read = [&](const YAML::Node& root) -> absl::Status {
      RETURN_IF_ERROR(Inherit(root, reader.yaml(), target));
      return reader.Read(root);
    };
    RETURN_IF_ERROR(ReadYaml(file.text, reader.yaml(), read));
    SortEngines(target.engines);
    RETURN_IF_ERROR(CheckComplete(target, reader.yaml()));
    target.name = named_[i].name;
    target.aliases = named_[i].aliases;
    target.is_default = named_[i].is_default;
    parsed_[i] = std::move(target);
    return absl::OkStatus();
  }

  // Copies what the file's `inherits` names.
  absl::Status Inherit(const YAML::Node& root, const YamlReader& yaml, Target& target) {
    if (!root.IsMap() || !root["inherits"].IsDefined()) return absl::OkStatus();
    const YamlValue value = {root["inherits"], "inherits", LocationOf(root["inherits"], {1, 1})};
    ASSIGN_OR_RETURN(const std::string name, yaml.String(value));
    const auto is_wanted = [wanted = absl::AsciiStrToUpper(name)](const Target& other) {
      return other.name == wanted;
    };
    const auto known = std::find_if(known_.begin(), known_.end(), is_wanted);
    if (known != known_.end()) {
      target = *known;
      return absl::OkStatus();
    }
    const auto named = std::find_if(named_.begin(), named_.end(), is_wanted);
    if (named == named_.end()) {
      std::vector<std::string> names;
      for (const auto& [other, place] : places_) names.push_back(other);
      return yaml.FieldError(
          value, absl::StrCat("no target is called '", name, "'", DidYouMean(name, names),
                              ", expected the name of one"));
    }
    const auto parent = static_cast<size_t>(std::distance(named_.begin(), named));
    if (begun_[parent] && !parsed_[parent].has_value()) {
      return yaml.FieldError(value, absl::StrCat("'", name,
                                                 "' inherits from this target, expected no "
                                                 "circle; describe one of them by itself"));
    }
    RETURN_IF_ERROR(Parse(parent));
    target = *parsed_[parent];
    return absl::OkStatus();
  }

  const absl::Span<const TargetFile> files_;
  const absl::Span<const Target> known_;
  std::vector<Target> named_;  // name and aliases of each file
  std::vector<std::optional<Target>> parsed_;
  std::vector<bool> begun_;
  std::map<std::string, std::string> places_;  // name or alias -> where it is from
};

}  // namespace

absl::StatusOr<std::vector<std::string>> NamesOfFile(const std::string& path) {
  const std::string stem = std::string(absl::StripSuffix(Basename(path), ".yaml"));
  std::vector<std::string> names = absl::StrSplit(absl::AsciiStrToUpper(stem), '.');
  for (const std::string& name : names) {
    const bool is_name =
        !name.empty() && name.size() <= 64 && std::all_of(name.begin(), name.end(), [](char c) {
          return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-';
        });
    if (!is_name) {
      return absl::InvalidArgumentError(absl::StrCat(
          path, ": the file's name holds '", name,
          "' as a target's name, expected letters, digits, - and _, as in vs680.vs680a0.yaml"));
    }
  }
  return names;
}

std::string InheritedName(const TargetFile& file) {
  std::string name;
  const auto read = [&](const YAML::Node& root) {
    if (root.IsMap() && root["inherits"].IsDefined() && root["inherits"].IsScalar()) {
      name = absl::AsciiStrToUpper(root["inherits"].Scalar());
    }
    return absl::OkStatus();
  };
  (void)ReadYaml(file.text, YamlReader(file.path), read);  // ParseTargets tells its errors
  return name;
}

absl::StatusOr<std::vector<Target>> ParseTargets(absl::Span<const TargetFile> files,
                                                 absl::Span<const Target> known) {
  return TargetSet(files, known).Run();
}

}  // namespace synap_internal
