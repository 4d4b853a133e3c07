#include "compiler/metafile/read_values.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/file.h"
#include "compiler/metafile/delegate_options.h"
#include "compiler/metafile/variables.h"

namespace synap_internal {
namespace {

constexpr int64_t kMaxDimension = int64_t{1} << 31;
constexpr size_t kMaxRank = 8;

// A number, or a list of one per `part`.
absl::Status ReadNumbers(const YamlReader& yaml, const YamlValue& value, absl::string_view part,
                         std::vector<double>& numbers) {
  const std::string expected = absl::StrCat("a number, or a list of one per ", part);
  if (!value.node.IsSequence()) {
    const auto number = yaml.Number(value);
    if (!number.ok()) return yaml.WrongValue(value, expected);
    numbers = {*number};
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(const std::vector<YamlValue> list, yaml.List(value));
  for (const YamlValue& item : list) {
    ASSIGN_OR_RETURN(numbers.emplace_back(), yaml.Number(item));
  }
  if (!numbers.empty()) return absl::OkStatus();
  return yaml.FieldError(value, absl::StrCat("found an empty list, expected ", expected));
}

// The pairs of a map of layers; one value for all layers is that of '*'.
absl::StatusOr<std::vector<std::pair<std::string, YamlValue>>> LayerPairs(const YamlReader& yaml,
                                                                          const YamlValue& value) {
  if (value.node.IsMap()) return yaml.Pairs(value);
  return std::vector<std::pair<std::string, YamlValue>>{{"*", value}};
}

absl::StatusOr<DelegateRule> ParseDelegate(const YamlReader& yaml, const YamlValue& value) {
  const std::string text = value.node.IsScalar() ? value.node.Scalar() : "";
  const std::vector<std::string> parts = absl::StrSplit(text, ' ', absl::SkipEmpty());
  YamlValue first = value;
  if (!parts.empty()) first.node = YAML::Node(parts.front());
  ASSIGN_OR_RETURN(const size_t index, yaml.Word(first, WordsOf<Delegate>()));
  DelegateRule rule;
  rule.delegate = Words<Delegate>::kRows[index].value;
  rule.options = absl::StrJoin(parts.begin() + 1, parts.end(), " ");
  rule.location = value.location;
  const absl::Status options = CheckDelegateOptions(rule.delegate, rule.options);
  if (!options.ok()) return yaml.FieldError(value, options.message());
  return rule;
}

constexpr absl::string_view kNone = "none";
constexpr absl::string_view kFloat32 = "float32";
constexpr int64_t kMaxSide = 65535;

// An error at the place of the section's field `name`.
absl::Status ErrorAt(const FieldInput& in, absl::string_view name, absl::string_view message) {
  ASSIGN_OR_RETURN(const auto pairs, in.yaml.Pairs(in.value));
  for (const auto& [field, value] : pairs) {
    if (field == name) return in.yaml.FieldError(value, message);
  }
  return in.yaml.FieldError(in.value, message);
}

absl::Status CheckPicture(const FieldInput& in, const PreprocessFields& fields,
                          const PictureTypeRow& picture) {
  const bool is_odd = !fields.size.empty() && (fields.size[0] % 2 != 0 || fields.size[1] % 2 != 0);
  if (!picture.has_halved_plane() || !is_odd) return absl::OkStatus();
  return ErrorAt(in, "size",
                 absl::StrCat("found ", fields.size[0], "x", fields.size[1], ", but ", picture.name,
                              " has one colour for 2x2 pixels, expected even sides"));
}

// What reads neither size nor crop must not have them.
absl::Status CheckNoPicture(const FieldInput& in, const PreprocessFields& fields) {
  const std::string what = absl::StrCat(
      "type ", fields.type, fields.type == kNone ? " takes no pictures" : " takes no pixels",
      ", expected a type such as nv12 or rgb; change the type or leave the field out");
  if (!fields.size.empty()) return ErrorAt(in, "size", what);
  if (fields.crop) return ErrorAt(in, "crop", what);
  return absl::OkStatus();
}

}  // namespace

absl::Status ReadWeight(const FieldInput& in, std::optional<double>& weight) {
  constexpr auto kIsWeight = [](double number) { return number > 0 && number <= 1; };
  ASSIGN_OR_RETURN(weight, in.yaml.Number(in.value, "a number above 0, at most 1", kIsWeight));
  return absl::OkStatus();
}

absl::Status ReadDequantize(const FieldInput& in, std::optional<bool>& dequantize) {
  if (!dequantize.has_value()) return ReadBool(in, dequantize);
  return in.yaml.FieldError(
      in.value, "'dequantize_outputs' and 'denormalize_outputs' are the same field; remove one");
}

absl::Status ReadShape(const FieldInput& in, std::vector<int64_t>& shape) {
  if (in.value.IsNull()) return absl::OkStatus();
  ASSIGN_OR_RETURN(shape, in.yaml.Integers(in.value, 1, kMaxDimension));
  if (shape.empty()) shape = {1};
  if (shape.size() <= kMaxRank) return absl::OkStatus();
  return in.yaml.FieldError(
      in.value, absl::StrCat("found ", shape.size(), " dimensions, expected at most ", kMaxRank,
                             ", the batch first"));
}

absl::Status ReadMeans(const FieldInput& in, std::vector<double>& means) {
  return in.value.IsNull() ? absl::OkStatus() : ReadNumbers(in.yaml, in.value, "channel", means);
}

// Trainings may have one for each channel, an artifact has one for all: the error says the nearest.
absl::Status ReadScale(const FieldInput& in, std::optional<double>& scale) {
  const YamlReader& yaml = in.yaml;
  // Smaller ones have no inverse in float32.
  constexpr auto kHasInverse = [](double number) {
    return std::abs(number) >= std::numeric_limits<float>::min();
  };
  constexpr absl::string_view kExpected = "a number other than zero in float32";
  if (in.value.node.IsSequence()) {
    ASSIGN_OR_RETURN(const std::vector<YamlValue> list, yaml.List(in.value));
    double sum = 0;
    for (const YamlValue& item : list) {
      ASSIGN_OR_RETURN(const double number, yaml.Number(item, kExpected, kHasInverse));
      sum += number;
    }
    const double mean = sum / static_cast<double>(std::max<size_t>(list.size(), 1));
    if (kHasInverse(mean)) {
      return yaml.FieldError(
          in.value, absl::StrCat("found a list of ", list.size(),
                                 ", expected a number, by which all channels are divided; write ",
                                 absl::StrFormat("%.4g", mean), ", the mean of the list"));
    }
  }
  ASSIGN_OR_RETURN(scale, yaml.Number(in.value, kExpected, kHasInverse));
  return absl::OkStatus();
}

absl::Status ReadElements(const FieldInput& in, std::optional<std::vector<double>>& elements) {
  return ReadNumbers(in.yaml, in.value, "element", elements.emplace());
}

absl::Status ReadFormat(const FieldInput& in, std::optional<std::string>& format) {
  if (in.value.IsNull()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const std::string text, in.yaml.String(in.value));
  const auto expanded = ExpandFiles(text, Dirname(in.options.path), in.options.read_file);
  if (!expanded.ok()) return in.yaml.FieldError(in.value, expanded.status().message());
  format = *expanded;
  return absl::OkStatus();
}

absl::Status ReadInputFormat(const FieldInput& in, std::string& format) {
  std::optional<std::string> text;
  RETURN_IF_ERROR(ReadFormat(in, text));
  format = absl::AsciiStrToLower(text.value_or(""));
  return absl::OkStatus();
}

absl::Status ReadOutputFormat(const FieldInput& in, std::string& format) {
  RETURN_IF_ERROR(ReadInputFormat(in, format));
  const size_t anchors = format.find("${anchors}");
  if (anchors != std::string::npos) format.replace(anchors, 10, "${ANCHORS}");
  return absl::OkStatus();
}

absl::Status ReadMeasures(const FieldInput& in, std::set<MeasureKind>& measures) {
  if (!in.value.node.IsSequence()) {
    const auto all = in.yaml.Bool(in.value);
    if (!all.ok()) return in.yaml.WrongValue(in.value, "true, false or a list of measures");
    measures = *all ? AllMeasureKinds() : std::set<MeasureKind>();
    return absl::OkStatus();
  }
  measures.clear();
  ASSIGN_OR_RETURN(const std::vector<YamlValue> list, in.yaml.List(in.value));
  for (const YamlValue& item : list) {
    MeasureKind measure{};
    RETURN_IF_ERROR(ReadWord({in.yaml, in.options, item}, measure));
    if (measures.insert(measure).second) continue;
    return in.yaml.FieldError(
        item, absl::StrCat("'", Name(measure), "' is in the list twice; remove one"));
  }
  return absl::OkStatus();
}

absl::Status ReadDataset(const FieldInput& in, std::vector<DatasetSpec>& dataset) {
  if (in.value.IsNull()) return absl::OkStatus();
  std::vector<YamlValue> list = {in.value};
  if (in.value.node.IsSequence()) {
    ASSIGN_OR_RETURN(list, in.yaml.List(in.value));
  }
  for (const YamlValue& item : list) {
    ASSIGN_OR_RETURN(std::string pattern, in.yaml.String(item));
    if (pattern.empty()) return in.yaml.WrongValue(item, "a glob of files, or random");
    dataset.push_back({std::move(pattern), item.location});
  }
  return absl::OkStatus();
}

std::vector<std::string> NetworkTypes() {
  std::vector<std::string> words;
  for (const DataType type : kLayerTypes) words.emplace_back(Name(type));
  words.emplace_back(kAutoType);
  return words;
}

absl::Status ReadDataTypes(const FieldInput& in, QuantizationSpec& quantization) {
  if (in.value.IsNull()) return absl::OkStatus();
  LayerRules& rules = quantization.data_type;
  rules.per_layer = in.value.node.IsMap();
  quantization.choose_types = in.value.node.IsScalar() && in.value.node.Scalar() == kAutoType;
  if (quantization.choose_types) return absl::OkStatus();
  std::vector<std::string> words = NetworkTypes();
  if (rules.per_layer) words.pop_back();
  ASSIGN_OR_RETURN(const auto pairs, LayerPairs(in.yaml, in.value));
  for (const auto& [pattern, type] : pairs) {
    ASSIGN_OR_RETURN(const size_t index, in.yaml.Word(type, words));
    rules.rules.push_back({pattern, kLayerTypes[index], type.location});
  }
  return absl::OkStatus();
}

absl::Status ReadDelegates(const FieldInput& in, std::vector<DelegateRule>& rules) {
  if (in.value.IsNull()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const auto pairs, LayerPairs(in.yaml, in.value));
  for (const auto& [pattern, delegate] : pairs) {
    ASSIGN_OR_RETURN(DelegateRule rule, ParseDelegate(in.yaml, delegate));
    rule.pattern = pattern;
    rules.push_back(std::move(rule));
  }
  const auto is_for_all = [](const DelegateRule& rule) { return rule.pattern == "*"; };
  std::stable_partition(rules.begin(), rules.end(), is_for_all);
  if (!rules.empty() && is_for_all(rules.front())) return absl::OkStatus();
  return in.yaml.FieldError(in.value,
                            "the map has no '*', expected one for the layers that no other "
                            "line names; add '*': default");
}

std::vector<std::string> PreprocessTypes() {
  std::vector<std::string> words = {std::string(kNone)};
  for (const PictureTypeRow& row : kPictureTypes) words.emplace_back(row.name);
  words.emplace_back(kFloat32);
  return words;
}

absl::Status ReadPreprocessType(const FieldInput& in, absl::string_view& type) {
  type = kNone;
  if (in.value.IsNull() || (in.value.node.IsScalar() && in.value.node.Scalar().empty())) {
    return absl::OkStatus();
  }
  const std::vector<std::string> words = PreprocessTypes();
  ASSIGN_OR_RETURN(const size_t index, in.yaml.Word(in.value, words));
  if (index > 0) type = index + 1 < words.size() ? kPictureTypes[index - 1].name : kFloat32;
  return absl::OkStatus();
}

absl::Status ReadPictureSize(const FieldInput& in, std::vector<int64_t>& size) {
  if (in.value.IsNull()) return absl::OkStatus();
  ASSIGN_OR_RETURN(size, in.yaml.Integers(in.value, 1, kMaxSide));
  if (size.size() == 2) return absl::OkStatus();
  return in.yaml.FieldError(
      in.value, absl::StrCat("found ", size.size(),
                             " numbers, expected the pictures' [width, height] in pixels"));
}

absl::Status CheckPreprocess(const FieldInput& in, const PreprocessFields& fields) {
  if (fields.type.empty()) {
    return in.yaml.FieldError(in.value, "found no 'type', expected one such as nv12 or rgb");
  }
  const PictureTypeRow* const picture = FindPictureType(fields.type);
  return picture == nullptr ? CheckNoPicture(in, fields) : CheckPicture(in, fields, *picture);
}

std::optional<PreprocessSpec> SpecOf(const PreprocessFields& fields) {
  if (fields.type == kNone) return std::nullopt;
  PreprocessSpec spec{fields.location, FindPictureType(fields.type), 0, 0, fields.crop};
  if (!fields.size.empty()) {
    spec.width = fields.size[0];
    spec.height = fields.size[1];
  }
  return spec;
}

PreprocessFields FieldsOf(const PreprocessSpec& spec) {
  PreprocessFields fields{spec.location, spec.type(), {}, spec.crop};
  if (spec.width != 0) fields.size = {spec.width, spec.height};
  return fields;
}

}  // namespace synap_internal
