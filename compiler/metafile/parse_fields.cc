#include "compiler/metafile/parse_fields.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/file.h"
#include "base/status_macros.h"
#include "compiler/metafile/delegate_options.h"
#include "compiler/metafile/parse_preprocess.h"
#include "compiler/metafile/security.h"
#include "compiler/metafile/variables.h"

namespace synap_internal {
namespace {

constexpr int64_t kMaxDimension = int64_t{1} << 31;
constexpr size_t kMaxRank = 8;

// The reader of each section. `yaml` and `options` must outlive it.
class FieldParser {
 public:
  FieldParser(const YamlReader& yaml, const MetafileOptions& options)
      : yaml_(yaml), options_(options) {}

  absl::Status Top(const YamlValue& value, Metafile& meta) const;

 private:
  using Field = YamlReader::Field;

  // Fields that are read into one variable.
  Field BoolField(std::string name, bool& out) const;
  // [1] for an empty list, the shape of a single number.
  Field ShapeField(std::string name, std::vector<int64_t>& out) const;
  Field FormatField(std::string name, std::optional<std::string>& out) const;
  Field NameField(std::string& out, SourceLocation& location) const;
  template <typename Enum>
  Field EnumField(std::string name, Enum& out) const;
  template <typename Entry>
  Field ListField(std::string name, std::vector<Entry>& out,
                  absl::Status (FieldParser::*read)(const YamlValue&, Entry&) const) const;
  // Users' own data: accepted as it is.
  static Field CustomField() {
    return {"custom", [](const YamlValue&) { return absl::OkStatus(); }};
  }

  // One entry of `inputs`.
  struct InputEntry {
    InputSpec spec;
    std::optional<std::vector<double>> values;  // of `value`
    SourceLocation location;
  };
  absl::Status Input(const YamlValue& value, InputEntry& entry) const;
  absl::Status FixedValues(const YamlValue& value, std::vector<double>& values) const;
  // Splits entries with a value from the others.
  absl::Status SplitInputs(std::vector<InputEntry> entries, Metafile& meta) const;
  absl::Status Output(const YamlValue& value, OutputSpec& output) const;
  absl::Status Scale(const YamlValue& value, std::optional<double>& scale) const;
  absl::Status Means(const YamlValue& value, std::vector<double>& means) const;
  absl::Status Quantization(const YamlValue& value, QuantizationSpec& quantization) const;
  absl::Status Dataset(const YamlValue& value, std::vector<DatasetSpec>& dataset) const;
  absl::Status Options(const YamlValue& value, QuantizationOptions& options) const;
  absl::Status Budget(const YamlValue& value, PrecisionBudget& budget) const;
  absl::Status DataTypes(const YamlValue& value, QuantizationSpec& quantization) const;
  absl::Status Delegates(const YamlValue& value, std::vector<DelegateRule>& rules) const;
  absl::StatusOr<DelegateRule> ParseDelegate(const YamlValue& value) const;

  const YamlReader& yaml_;
  const MetafileOptions& options_;
};

FieldParser::Field FieldParser::NameField(std::string& out, SourceLocation& location) const {
  return {"name", [this, &out, &location](const YamlValue& value) -> absl::Status {
            location = value.location;
            ASSIGN_OR_RETURN(out, yaml_.String(value));
            return absl::OkStatus();
          }};
}

FieldParser::Field FieldParser::BoolField(std::string name, bool& out) const {
  return {std::move(name), [this, &out](const YamlValue& value) -> absl::Status {
            ASSIGN_OR_RETURN(out, yaml_.Bool(value));
            return absl::OkStatus();
          }};
}

FieldParser::Field FieldParser::ShapeField(std::string name, std::vector<int64_t>& out) const {
  return {std::move(name), [this, &out](const YamlValue& value) -> absl::Status {
            if (value.IsNull()) return absl::OkStatus();
            ASSIGN_OR_RETURN(out, yaml_.Integers(value, 1, kMaxDimension));
            if (value.node.IsSequence() && out.empty()) out = {1};  // of a single number
            if (out.size() <= kMaxRank) return absl::OkStatus();
            return yaml_.FieldError(
                value, absl::StrCat("found ", out.size(), " dimensions, expected at most ",
                                    kMaxRank, ", the batch first"));
          }};
}

FieldParser::Field FieldParser::FormatField(std::string name,
                                            std::optional<std::string>& out) const {
  return {std::move(name), [this, &out](const YamlValue& value) -> absl::Status {
            if (value.IsNull()) return absl::OkStatus();
            ASSIGN_OR_RETURN(const std::string text, yaml_.String(value));
            const auto expanded = ExpandFiles(text, Dirname(options_.path), options_.read_file);
            if (!expanded.ok()) return yaml_.FieldError(value, expanded.status().message());
            out = *expanded;
            return absl::OkStatus();
          }};
}

template <typename Enum>
FieldParser::Field FieldParser::EnumField(std::string name, Enum& out) const {
  return {std::move(name), [this, &out](const YamlValue& value) -> absl::Status {
            std::vector<std::string> words;
            for (const auto& row : Words<Enum>::kRows) words.emplace_back(row.text);
            ASSIGN_OR_RETURN(const size_t index, yaml_.Word(value, words));
            out = Words<Enum>::kRows[index].value;
            return absl::OkStatus();
          }};
}

template <typename Entry>
FieldParser::Field FieldParser::ListField(std::string name, std::vector<Entry>& out,
                                          absl::Status (FieldParser::*read)(const YamlValue&,
                                                                            Entry&) const) const {
  return {std::move(name), [this, &out, read](const YamlValue& value) -> absl::Status {
            ASSIGN_OR_RETURN(const std::vector<YamlValue> list, yaml_.List(value));
            for (const YamlValue& item : list) {
              Entry entry;
              entry.location = item.location;
              RETURN_IF_ERROR((this->*read)(item, entry));
              out.push_back(std::move(entry));
            }
            return absl::OkStatus();
          }};
}

// Trainings may have one for each channel, an artifact has one for all: the error says the nearest.
absl::Status FieldParser::Scale(const YamlValue& value, std::optional<double>& scale) const {
  // Smaller ones have no inverse in float32.
  constexpr auto kHasInverse = [](double number) {
    return std::abs(number) >= std::numeric_limits<float>::min();
  };
  constexpr absl::string_view kExpected = "a number other than zero in float32";
  if (value.node.IsSequence()) {
    ASSIGN_OR_RETURN(const std::vector<YamlValue> list, yaml_.List(value));
    double sum = 0;
    for (const YamlValue& item : list) {
      ASSIGN_OR_RETURN(const double number, yaml_.Number(item, kExpected, kHasInverse));
      sum += number;
    }
    const double mean = sum / static_cast<double>(std::max<size_t>(list.size(), 1));
    if (kHasInverse(mean)) {
      return yaml_.FieldError(
          value, absl::StrCat("found a list of ", list.size(),
                              ", expected a number, by which all channels are divided; write ",
                              absl::StrFormat("%.4g", mean), ", the mean of the list"));
    }
  }
  ASSIGN_OR_RETURN(scale, yaml_.Number(value, kExpected, kHasInverse));
  return absl::OkStatus();
}

absl::Status FieldParser::Input(const YamlValue& value, InputEntry& entry) const {
  InputSpec& input = entry.spec;
  input.location = entry.location;
  return yaml_.ReadMap(
      value,
      {NameField(input.name, input.name_location),
       ShapeField("shape", input.shape),
       {"value",
        [&](const YamlValue& number) { return FixedValues(number, entry.values.emplace()); }},
       {"means", [&](const YamlValue& means) { return Means(means, input.means); }},
       {"scale", [&](const YamlValue& scale) { return Scale(scale, input.scale); }},
       FormatField("format", input.format),
       EnumField("security", input.security),
       CustomField(),
       {"preprocess", [&](const YamlValue& preprocess) {
          return ParsePreprocess(yaml_, preprocess, input.preprocess);
        }}});
}

absl::Status FieldParser::FixedValues(const YamlValue& value, std::vector<double>& values) const {
  if (!value.node.IsSequence()) {
    const auto number = yaml_.Number(value);
    if (!number.ok()) return yaml_.WrongValue(value, "a number, or a list of one per element");
    values = {*number};
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(const std::vector<YamlValue> list, yaml_.List(value));
  for (const YamlValue& item : list) {
    ASSIGN_OR_RETURN(values.emplace_back(), yaml_.Number(item));
  }
  if (!values.empty()) return absl::OkStatus();
  return yaml_.FieldError(value,
                          "found an empty list, expected a number, or a list of one per element");
}

absl::Status FieldParser::SplitInputs(std::vector<InputEntry> entries, Metafile& meta) const {
  for (size_t i = 0; i < entries.size(); ++i) {
    InputSpec& spec = entries[i].spec;
    if (!entries[i].values.has_value()) {
      meta.inputs.push_back(std::move(spec));
      continue;
    }
    const bool described = !spec.means.empty() || spec.scale.has_value() ||
                           spec.format.has_value() || spec.preprocess.has_value() ||
                           spec.security != InputSecurity::kAny;
    if (spec.name.empty() || described) {
      return yaml_.Error(spec.location,
                         absl::StrCat("inputs[", i,
                                      "]: it has a 'value', by which it is no input "
                                      "of the artifact, expected a 'name' beside it, and 'shape' "
                                      "at most"));
    }
    meta.fixed_inputs.push_back({spec.location, std::move(spec.name), std::move(spec.shape),
                                 *std::move(entries[i].values)});
  }
  return absl::OkStatus();
}

absl::Status FieldParser::Output(const YamlValue& value, OutputSpec& output) const {
  return yaml_.ReadMap(value, {NameField(output.name, output.name_location),
                               ShapeField("shape", output.shape),
                               {"dequantize",
                                [&](const YamlValue& dequantize) -> absl::Status {
                                  ASSIGN_OR_RETURN(output.dequantize, yaml_.Bool(dequantize));
                                  return absl::OkStatus();
                                }},
                               FormatField("format", output.format),
                               EnumField("security", output.security),
                               CustomField()});
}

absl::Status FieldParser::Means(const YamlValue& value, std::vector<double>& means) const {
  if (value.IsNull()) return absl::OkStatus();
  if (!value.node.IsSequence()) {
    const auto mean = yaml_.Number(value);
    if (!mean.ok()) return yaml_.WrongValue(value, "a number, or a list of one per channel");
    means = {*mean};
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(const std::vector<YamlValue> list, yaml_.List(value));
  for (const YamlValue& item : list) {
    ASSIGN_OR_RETURN(const double mean, yaml_.Number(item));
    means.push_back(mean);
  }
  if (!means.empty()) return absl::OkStatus();
  return yaml_.FieldError(value,
                          "found an empty list, expected a number, or a list of one per channel");
}

absl::Status FieldParser::Dataset(const YamlValue& value, std::vector<DatasetSpec>& dataset) const {
  if (value.IsNull()) return absl::OkStatus();
  std::vector<YamlValue> list = {value};
  if (value.node.IsSequence()) {
    ASSIGN_OR_RETURN(list, yaml_.List(value));
  }
  for (const YamlValue& item : list) {
    ASSIGN_OR_RETURN(std::string pattern, yaml_.String(item));
    if (pattern.empty()) return yaml_.WrongValue(item, "a glob of files, or random");
    dataset.push_back({std::move(pattern), item.location});
  }
  return absl::OkStatus();
}

absl::Status FieldParser::Options(const YamlValue& value, QuantizationOptions& options) const {
  return yaml_.ReadMap(
      value, {{"moving_average_weight",
               [&](const YamlValue& weight) -> absl::Status {
                 constexpr auto kIsWeight = [](double number) { return number > 0 && number <= 1; };
                 ASSIGN_OR_RETURN(options.moving_average_weight,
                                  yaml_.Number(weight, "a number above 0, at most 1", kIsWeight));
                 return absl::OkStatus();
               }},
              {"divergence_nbins",
               [&](const YamlValue& bins) -> absl::Status {
                 ASSIGN_OR_RETURN(options.divergence_nbins, yaml_.Integer(bins, 2, 65536));
                 return absl::OkStatus();
               }},
              {"divergence_first_quantize_bits",
               [&](const YamlValue& bits) -> absl::Status {
                 ASSIGN_OR_RETURN(options.divergence_first_quantize_bits,
                                  yaml_.Integer(bits, 1, 16));
                 return absl::OkStatus();
               }},
              EnumField("bias_correction", options.bias_correction),
              EnumField("rounding", options.rounding),
              BoolField("equalize", options.equalize)});
}

absl::Status FieldParser::Budget(const YamlValue& value, PrecisionBudget& budget) const {
  budget.location = value.location;
  const auto latency = [&](const YamlValue& factor) -> absl::Status {
    constexpr auto kIsFactor = [](double number) { return number >= 1 && number <= 16; };
    ASSIGN_OR_RETURN(budget.latency, yaml_.Number(factor, "a number from 1 to 16", kIsFactor));
    return absl::OkStatus();
  };
  const auto sqnr = [&](const YamlValue& decibels) -> absl::Status {
    constexpr auto kIsRatio = [](double number) { return number >= 0 && number <= 150; };
    ASSIGN_OR_RETURN(budget.sqnr_db, yaml_.Number(decibels, "a number from 0 to 150", kIsRatio));
    return absl::OkStatus();
  };
  RETURN_IF_ERROR(yaml_.ReadMap(value, {{"latency", latency}, {"sqnr_db", sqnr}}));
  if (budget.latency.has_value() != budget.sqnr_db.has_value()) return absl::OkStatus();
  return yaml_.FieldError(value,
                          absl::StrCat("found ", budget.latency.has_value() ? "both" : "neither",
                                       " of 'latency' and 'sqnr_db', expected one of them"));
}

absl::Status FieldParser::Quantization(const YamlValue& value,
                                       QuantizationSpec& quantization) const {
  quantization.location = value.location;
  return yaml_.ReadMap(
      value,
      {{"data_type", [&](const YamlValue& type) { return DataTypes(type, quantization); }},
       {"budget",
        [&](const YamlValue& budget) { return Budget(budget, quantization.budget.emplace()); }},
       EnumField("scheme", quantization.scheme),
       EnumField("mode", quantization.mode),
       EnumField("algorithm", quantization.algorithm),
       {"options", [&](const YamlValue& map) { return Options(map, quantization.options); }},
       {"dataset",
        [&](const YamlValue& dataset) { return Dataset(dataset, quantization.dataset); }}});
}

absl::Status FieldParser::DataTypes(const YamlValue& value, QuantizationSpec& quantization) const {
  if (value.IsNull()) return absl::OkStatus();
  LayerRules& rules = quantization.data_type;
  rules.per_layer = value.node.IsMap();
  quantization.choose_types = value.node.IsScalar() && value.node.Scalar() == kAutoType;
  if (quantization.choose_types) return absl::OkStatus();
  std::vector<std::pair<std::string, YamlValue>> pairs = {{"*", value}};
  if (rules.per_layer) {
    ASSIGN_OR_RETURN(pairs, yaml_.Pairs(value));
  }
  std::vector<std::string> words;
  for (const DataType type : kLayerTypes) words.emplace_back(Name(type));
  if (!rules.per_layer) words.emplace_back(kAutoType);
  for (const auto& [pattern, type] : pairs) {
    ASSIGN_OR_RETURN(const size_t index, yaml_.Word(type, words));
    rules.rules.push_back({pattern, kLayerTypes[index], type.location});
  }
  return absl::OkStatus();
}

absl::Status FieldParser::Delegates(const YamlValue& value,
                                    std::vector<DelegateRule>& rules) const {
  if (value.IsNull()) return absl::OkStatus();
  std::vector<std::pair<std::string, YamlValue>> pairs = {{"*", value}};
  if (value.node.IsMap()) {
    ASSIGN_OR_RETURN(pairs, yaml_.Pairs(value));
  }
  for (const auto& [pattern, delegate] : pairs) {
    ASSIGN_OR_RETURN(DelegateRule rule, ParseDelegate(delegate));
    rule.pattern = pattern;
    rules.push_back(std::move(rule));
  }
  const auto is_for_all = [](const DelegateRule& rule) { return rule.pattern == "*"; };
  std::stable_partition(rules.begin(), rules.end(), is_for_all);
  if (!rules.empty() && is_for_all(rules.front())) return absl::OkStatus();
  return yaml_.FieldError(value,
                          "the map has no '*', expected one for the layers that no other line "
                          "names; add '*': default");
}

absl::StatusOr<DelegateRule> FieldParser::ParseDelegate(const YamlValue& value) const {
  std::vector<std::string> words;
  for (const auto& row : Words<Delegate>::kRows) words.emplace_back(row.text);
  const std::string text = value.node.IsScalar() ? value.node.Scalar() : "";
  const std::vector<std::string> parts = absl::StrSplit(text, ' ', absl::SkipEmpty());
  YamlValue first = value;
  if (!parts.empty()) first.node = YAML::Node(parts.front());
  ASSIGN_OR_RETURN(const size_t index, yaml_.Word(first, words));
  DelegateRule rule;
  rule.delegate = Words<Delegate>::kRows[index].value;
  rule.options = absl::StrJoin(parts.begin() + 1, parts.end(), " ");
  rule.location = value.location;
  const absl::Status options = CheckDelegateOptions(rule.delegate, rule.options);
  if (!options.ok()) return yaml_.FieldError(value, options.message());
  return rule;
}

absl::Status FieldParser::Top(const YamlValue& value, Metafile& meta) const {
  std::optional<std::string> input_format;
  std::optional<std::string> output_format;
  std::vector<InputEntry> inputs;
  SourceLocation dequantize_location;
  const auto dequantize = [&](const YamlValue& flag) -> absl::Status {
    if (dequantize_location.line != 0) {
      return yaml_.FieldError(flag,
                              "'dequantize_outputs' and 'denormalize_outputs' are the same field; "
                              "remove one");
    }
    dequantize_location = flag.location;
    ASSIGN_OR_RETURN(meta.dequantize_outputs, yaml_.Bool(flag));
    return absl::OkStatus();
  };
  RETURN_IF_ERROR(yaml_.ReadMap(
      value,
      {{"delegate", [&](const YamlValue& rules) { return Delegates(rules, meta.delegates); }},
       EnumField("data_layout", meta.data_layout),
       FormatField("input_format", input_format),
       FormatField("output_format", output_format),
       {"dequantize_outputs", dequantize},
       {"denormalize_outputs", dequantize},
       {"security", [&](const YamlValue& map) { return ReadSecurity(yaml_, map, meta.security); }},
       ListField("inputs", inputs, &FieldParser::Input),
       ListField("outputs", meta.outputs, &FieldParser::Output),
       {"quantization",
        [&](const YamlValue& map) -> absl::Status {
          return map.IsNull() ? absl::OkStatus() : Quantization(map, meta.quantization.emplace());
        }},
       BoolField("optimize", meta.optimize),
       CustomField()}));
  RETURN_IF_ERROR(SplitInputs(std::move(inputs), meta));
  meta.input_format = absl::AsciiStrToLower(input_format.value_or(""));
  meta.output_format = absl::AsciiStrToLower(output_format.value_or(""));
  // Lower case would hide the variable ${ANCHORS}.
  const size_t anchors = meta.output_format.find("${anchors}");
  if (anchors != std::string::npos) meta.output_format.replace(anchors, 10, "${ANCHORS}");
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Metafile> ParseFields(const YamlReader& yaml, const YAML::Node& root,
                                     const MetafileOptions& options) {
  Metafile meta;
  meta.path = options.path;
  const FieldParser parser(yaml, options);
  RETURN_IF_ERROR(parser.Top({root, "", LocationOf(root, {1, 1})}, meta));
  return meta;
}

}  // namespace synap_internal
