#include "compiler/export/onnx/parse_profile.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/types/span.h"
#include "base/file.h"
#include "base/status_macros.h"
#include "compiler/export/onnx/opset.h"
#include "compiler/metafile/yaml_document.h"
#include "compiler/metafile/yaml_reader.h"
#include "onnx/onnx_pb.h"

namespace synap_internal {
namespace {

constexpr int64_t kMaxProfileRank = 64;

// Element types in lower case, without UNDEFINED.
std::vector<std::string> ElementTypes() {
  std::vector<std::string> names;
  for (int type = 1; onnx::TensorProto::DataType_IsValid(type); ++type) {
    names.push_back(absl::AsciiStrToLower(
        onnx::TensorProto_DataType_Name(static_cast<onnx::TensorProto_DataType>(type))));
  }
  return names;
}

class ProfileReader {
 public:
  ProfileReader(std::string path, ExportProfile& profile)
      : yaml_(std::move(path)), profile_(profile) {}

  const YamlReader& yaml() const { return yaml_; }

  absl::Status Read(const YAML::Node& root) {
    const YamlValue document = {root, "", LocationOf(root, {1, 1})};
    RETURN_IF_ERROR(yaml_.ReadMap(
        document, {Text("tool", profile_.tool),
                   {"wishes", [this](const YamlValue& list) { return Wishes(list); }},
                   {"limits", [this](const YamlValue& list) { return Limits(list); }}}));
    if (profile_.tool.empty()) {
      return yaml_.Error(document.location,
                         "the profile has no 'tool', expected the tool's name and version");
    }
    const bool is_symmetric = profile_.eight_bits == EightBitForm::kSymmetricInt8;
    if (is_symmetric && profile_.biases != BiasForm::kFloat) {
      return yaml_.Error(document.location,
                         "symmetric_int8 changes the scales that biases are quantized with, "
                         "expected a wish 'biases: float' beside it");
    }
    const bool changes_types = is_symmetric || profile_.sixteen_bits == SixteenBitForm::kUint16;
    if (!changes_types || profile_.ends == EndForm::kFloat) return absl::OkStatus();
    return yaml_.Error(document.location,
                       "symmetric_int8 and uint16 change the types of inputs and outputs, expected "
                       "a wish 'ends: float' beside them");
  }

 private:
  using Field = YamlReader::Field;

  Field Text(std::string name, std::string& out) const {
    return {std::move(name), [this, &out](const YamlValue& value) -> absl::Status {
              ASSIGN_OR_RETURN(out, yaml_.String(value));
              return absl::OkStatus();
            }};
  }

  // A wish for one of `words`, whose place among them is the enumerator.
  template <typename Form>
  Field Wanted(std::string name, absl::Span<const absl::string_view> words, Form& out,
               std::vector<std::string>& wishes) const {
    return {name, [this, name, words, &out, &wishes](const YamlValue& value) -> absl::Status {
              ASSIGN_OR_RETURN(const size_t index, yaml_.Word(value, {words.begin(), words.end()}));
              out = static_cast<Form>(index);
              wishes.push_back(name);
              return absl::OkStatus();
            }};
  }

  Field WantedOpset(std::vector<std::string>& wishes) const {
    return {"opset", [this, &wishes](const YamlValue& value) -> absl::Status {
              ASSIGN_OR_RETURN(profile_.opset, yaml_.Integer(value, onnx_export::kOldestOpset,
                                                             onnx_export::kNewestOpset));
              wishes.emplace_back("opset");
              return absl::OkStatus();
            }};
  }

  Field WantedComposition(std::vector<std::string>& wishes) const {
    return {"compose", [this, &wishes](const YamlValue& value) -> absl::Status {
              std::vector<std::string> known;
              for (const ComposableOperator& row : kComposable) known.emplace_back(row.op_type);
              ASSIGN_OR_RETURN(const std::vector<YamlValue> list, yaml_.List(value));
              for (const YamlValue& item : list) {
                ASSIGN_OR_RETURN(const size_t index, yaml_.Word(item, known));
                profile_.compose.push_back(known[index]);
              }
              wishes.emplace_back("compose");
              return absl::OkStatus();
            }};
  }

  absl::Status OneWish(const YamlValue& value) const {
    std::vector<std::string> wishes;
    ProfileWish wish;
    RETURN_IF_ERROR(yaml_.ReadMap(
        value, {WantedOpset(wishes),
                WantedComposition(wishes),
                Wanted("ends", kEndWords, profile_.ends, wishes),
                Wanted("biases", kBiasWords, profile_.biases, wishes),
                Wanted("eight_bits", kEightBitWords, profile_.eight_bits, wishes),
                Wanted("sixteen_bits", kSixteenBitWords, profile_.sixteen_bits, wishes),
                Wanted("clamps", kClampWords, profile_.clamps, wishes),
                {"preferred",
                 [&](const YamlValue& flag) -> absl::Status {
                   ASSIGN_OR_RETURN(wish.preferred, yaml_.Bool(flag));
                   return absl::OkStatus();
                 }},
                Text("sentence", wish.sentence)}));
    if (wishes.size() != 1) {
      return yaml_.FieldError(
          value, absl::StrCat("a wish has ", wishes.size(),
                              " forms, expected one of opset, ends, biases, "
                              "eight_bits, sixteen_bits, clamps and compose, with its sentence"));
    }
    if (wish.sentence.empty()) {
      return yaml_.FieldError(value, "a wish has no sentence, expected one that says why");
    }
    if (!profile_.Reason(wishes[0]).empty()) {
      return yaml_.FieldError(value,
                              absl::StrCat("a second wish for '", wishes[0], "', expected one"));
    }
    wish.field = wishes[0];
    profile_.wishes.push_back(std::move(wish));
    return absl::OkStatus();
  }

  absl::Status Wishes(const YamlValue& value) const {
    ASSIGN_OR_RETURN(const std::vector<YamlValue> list, yaml_.List(value));
    for (const YamlValue& item : list) RETURN_IF_ERROR(OneWish(item));
    return absl::OkStatus();
  }

  absl::Status Operators(const YamlValue& value, NodeCondition& when) const {
    ASSIGN_OR_RETURN(const std::vector<YamlValue> list, yaml_.List(value));
    for (const YamlValue& item : list) {
      ASSIGN_OR_RETURN(when.operators.emplace_back(), yaml_.String(item));
    }
    return absl::OkStatus();
  }

  absl::Status Types(const YamlValue& value, NodeCondition& when) const {
    ASSIGN_OR_RETURN(const std::vector<YamlValue> list, yaml_.List(value));
    for (const YamlValue& item : list) {
      ASSIGN_OR_RETURN(const size_t index, yaml_.Word(item, ElementTypes()));
      when.types.push_back(static_cast<int>(index) + 1);
    }
    return absl::OkStatus();
  }

  absl::Status Condition(const YamlValue& value, NodeCondition& when) const {
    return yaml_.ReadMap(
        value, {{"operators", [&](const YamlValue& list) { return Operators(list, when); }},
                {"types", [&](const YamlValue& list) { return Types(list, when); }},
                {"rank_above",
                 [&](const YamlValue& rank) -> absl::Status {
                   ASSIGN_OR_RETURN(when.rank_above, yaml_.Integer(rank, 0, kMaxProfileRank));
                   return absl::OkStatus();
                 }},
                {"dynamic", [&](const YamlValue& dynamic) -> absl::Status {
                   ASSIGN_OR_RETURN(when.dynamic, yaml_.Bool(dynamic));
                   return absl::OkStatus();
                 }}});
  }

  absl::Status Limits(const YamlValue& value) const {
    ASSIGN_OR_RETURN(const std::vector<YamlValue> list, yaml_.List(value));
    for (const YamlValue& item : list) {
      ProfileLimit limit;
      RETURN_IF_ERROR(yaml_.ReadMap(
          item, {{"when", [&](const YamlValue& when) { return Condition(when, limit.when); }},
                 {"effect",
                  [&](const YamlValue& word) -> absl::Status {
                    ASSIGN_OR_RETURN(const size_t index,
                                     yaml_.Word(word, {std::begin(kLimitEffectWords),
                                                       std::end(kLimitEffectWords)}));
                    limit.effect = static_cast<LimitEffect>(index);
                    return absl::OkStatus();
                  }},
                 Text("sentence", limit.sentence)}));
      if (limit.sentence.empty()) {
        return yaml_.FieldError(item, "a limit has no sentence, expected one that says why");
      }
      const NodeCondition& when = limit.when;
      if (when.operators.empty() && when.types.empty() && !when.rank_above.has_value() &&
          !when.dynamic) {
        return yaml_.FieldError(item,
                                "a limit has no condition, expected one of operators, types, "
                                "rank_above and dynamic in 'when'");
      }
      profile_.limits.push_back(std::move(limit));
    }
    return absl::OkStatus();
  }

  const YamlReader yaml_;
  ExportProfile& profile_;
};

absl::StatusOr<std::string> NameOfFile(const std::string& path) {
  std::string name(absl::StripSuffix(Basename(path), ".yaml"));
  const bool is_name = !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return absl::ascii_islower(byte) || absl::ascii_isdigit(byte) || c == '_' || c == '-';
  });
  if (is_name) return name;
  return absl::InvalidArgumentError(
      absl::StrCat(path, ": the file's name holds '", name,
                   "' as a profile's name, expected lower-case letters, digits, - and _"));
}

}  // namespace

absl::StatusOr<ExportProfile> ParseProfile(const ProfileFile& file) {
  ExportProfile profile;
  ASSIGN_OR_RETURN(profile.name, NameOfFile(file.path));
  ProfileReader reader(file.path, profile);
  RETURN_IF_ERROR(ReadYaml(file.text, reader.yaml(),
                           [&](const YAML::Node& root) { return reader.Read(root); }));
  return profile;
}

}  // namespace synap_internal
