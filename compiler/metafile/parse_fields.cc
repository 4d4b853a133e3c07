#include "compiler/metafile/parse_fields.h"

#include <cmath>
#include <limits>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/file.h"
#include "base/status_macros.h"
#include "compiler/metafile/variables.h"

namespace synap_internal {
namespace {

constexpr int64_t kMaxDimension = int64_t{1} << 31;
constexpr size_t kMaxRank = 8;

const std::vector<std::string>& LayerTypes() {
  static const auto* words = new std::vector<std::string>{"uint8", "int8", "int16", "float16"};
  return *words;
}

// auto is no type: who asks for it gets rules for layers.
const std::vector<std::string>& NetworkTypes() {
  static const auto* words =
      new std::vector<std::string>{"uint8", "int8", "int16", "float16", "auto"};
  return *words;
}

const std::vector<std::string>& Delegates() {
  static const auto* words = new std::vector<std::string>{"default", "npu", "gpu", "cpu"};
  return *words;
}

const std::vector<std::string>& PreprocessTypes() {
  static const auto* words =
      new std::vector<std::string>{"none", "yuv444", "yuv420",  "nv12",     "nv21",   "gray",
                                   "rgb",  "bgra",   "rgb888p", "rgb888p3", "float32"};
  return *words;
}

// The fields of one section each; `options` and `yaml` outlive it.
class FieldParser {
 public:
  FieldParser(const YamlReader& yaml, const MetafileOptions& options)
      : yaml_(yaml), options_(options) {}

  absl::Status Top(const YamlValue& value, Metafile& meta) const;

 private:
  using Field = YamlReader::Field;

  // Fields that are read into one variable.
  Field StringField(std::string name, std::string& out) const;
  Field BoolField(std::string name, bool& out) const;
  Field ShapeField(std::string name, std::vector<int64_t>& out) const;
  Field FormatField(std::string name, std::optional<std::string>& out) const;
  Field WordField(std::string name, std::vector<std::string> words, std::string& out) const;
  Field NameField(std::string& out, SourceLocation& location) const;
  // Users' own data: accepted as it is.
  static Field CustomField() {
    return {"custom", [](const YamlValue&) { return absl::OkStatus(); }};
  }
  template <typename Enum>
  Field EnumField(std::string name, std::vector<Enum> values, Enum& out) const;
  template <typename Entry>
  Field ListField(std::string name, std::vector<Entry>& out,
                  absl::Status (FieldParser::*read)(const YamlValue&, Entry&) const) const;

  absl::Status Input(const YamlValue& value, InputSpec& input) const;
  absl::Status Output(const YamlValue& value, OutputSpec& output) const;
  absl::Status Means(const YamlValue& value, std::vector<double>& means) const;
  absl::Status Preprocess(const YamlValue& value, PreprocessSpec& preprocess) const;
  absl::Status Crop(const YamlValue& value, PreprocessSpec& preprocess) const;
  absl::Status Quantization(const YamlValue& value, QuantizationSpec& quantization) const;
  absl::Status Dataset(const YamlValue& value, std::vector<DatasetSpec>& dataset) const;
  absl::Status Options(const YamlValue& value, QuantizationOptions& options) const;
  absl::Status Security(const YamlValue& value, SecuritySpec& security) const;
  absl::Status Budget(const YamlValue& value, PrecisionBudget& budget) const;
  absl::Status DataTypes(const YamlValue& value, QuantizationSpec& quantization) const;
  absl::Status DelegateRules(const YamlValue& value, LayerRules& rules) const;
  absl::StatusOr<LayerRule> DelegateRule(const YamlValue& value) const;

  const YamlReader& yaml_;
  const MetafileOptions& options_;
};

FieldParser::Field FieldParser::StringField(std::string name, std::string& out) const {
  return {std::move(name), [this, &out](const YamlValue& value) -> absl::Status {
            ASSIGN_OR_RETURN(out, yaml_.String(value));
            return absl::OkStatus();
          }};
}

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
            if (out.size() < 2 || out.size() > kMaxRank) {
              return yaml_.Error(
                  value.location,
                  absl::StrCat("'", value.field,
                               "' must have 2 to 8 dimensions with the batch first, found ",
                               out.size()));
            }
            return absl::OkStatus();
          }};
}

FieldParser::Field FieldParser::FormatField(std::string name,
                                            std::optional<std::string>& out) const {
  return {std::move(name), [this, &out](const YamlValue& value) -> absl::Status {
            if (value.IsNull()) return absl::OkStatus();
            ASSIGN_OR_RETURN(const std::string text, yaml_.String(value));
            const auto expanded = ExpandFiles(text, Dirname(options_.path), options_.read_file);
            if (!expanded.ok()) {
              return yaml_.Error(value.location, absl::StrCat("'", value.field,
                                                              "': ", expanded.status().message()));
            }
            out = *expanded;
            return absl::OkStatus();
          }};
}

FieldParser::Field FieldParser::WordField(std::string name, std::vector<std::string> words,
                                          std::string& out) const {
  return {std::move(name),
          [this, words = std::move(words), &out](const YamlValue& value) -> absl::Status {
            ASSIGN_OR_RETURN(const size_t index, yaml_.Word(value, words));
            out = words[index];
            return absl::OkStatus();
          }};
}

template <typename Enum>
FieldParser::Field FieldParser::EnumField(std::string name, std::vector<Enum> values,
                                          Enum& out) const {
  return {std::move(name),
          [this, values = std::move(values), &out](const YamlValue& value) -> absl::Status {
            std::vector<std::string> words;
            for (const Enum word : values) words.emplace_back(Name(word));
            ASSIGN_OR_RETURN(const size_t index, yaml_.Word(value, words));
            out = values[index];
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

absl::Status FieldParser::Input(const YamlValue& value, InputSpec& input) const {
  return yaml_.ReadMap(
      value, {NameField(input.name, input.name_location),
              ShapeField("shape", input.shape),
              {"means", [&](const YamlValue& means) { return Means(means, input.means); }},
              {"scale",
               [&](const YamlValue& scale) -> absl::Status {
                 ASSIGN_OR_RETURN(input.scale, yaml_.Number(scale));
                 // As float32, which has no inverse of smaller ones.
                 if (std::abs(*input.scale) >= std::numeric_limits<float>::min()) {
                   return absl::OkStatus();
                 }
                 return yaml_.WrongType(scale, "a number other than zero in float32");
               }},
              FormatField("format", input.format),
              WordField("security", {"any", "secure", "non-secure"}, input.security),
              CustomField(),
              {"preprocess", [&](const YamlValue& preprocess) -> absl::Status {
                 if (preprocess.IsNull()) return absl::OkStatus();
                 return Preprocess(preprocess, input.preprocess.emplace());
               }}});
}

absl::Status FieldParser::Output(const YamlValue& value, OutputSpec& output) const {
  return yaml_.ReadMap(value,
                       {NameField(output.name, output.name_location),
                        ShapeField("shape", output.shape),
                        {"dequantize",
                         [&](const YamlValue& dequantize) -> absl::Status {
                           ASSIGN_OR_RETURN(output.dequantize, yaml_.Bool(dequantize));
                           return absl::OkStatus();
                         }},
                        FormatField("format", output.format),
                        WordField("security", {"secure-if-input-secure", "any"}, output.security),
                        CustomField()});
}

absl::Status FieldParser::Means(const YamlValue& value, std::vector<double>& means) const {
  if (value.IsNull()) return absl::OkStatus();
  if (!value.node.IsSequence()) {
    const auto mean = yaml_.Number(value);
    if (!mean.ok()) return yaml_.WrongType(value, "a number or a list of numbers, one per channel");
    means = {*mean};
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(const std::vector<YamlValue> list, yaml_.List(value));
  for (const YamlValue& item : list) {
    ASSIGN_OR_RETURN(const double mean, yaml_.Number(item));
    means.push_back(mean);
  }
  if (means.empty()) return yaml_.WrongType(value, "a number or a list with one per channel");
  return absl::OkStatus();
}

absl::Status FieldParser::Crop(const YamlValue& value, PreprocessSpec& preprocess) const {
  if (!value.node.IsSequence()) {
    ASSIGN_OR_RETURN(preprocess.crop, yaml_.Bool(value));
    return absl::OkStatus();
  }
  preprocess.crop = true;
  ASSIGN_OR_RETURN(preprocess.crop_rectangle, yaml_.Integers(value, 0, kMaxDimension));
  if (preprocess.crop_rectangle.size() == 4) return absl::OkStatus();
  return yaml_.WrongType(value, "true, false or [width, height, x, y]");
}

absl::Status FieldParser::Preprocess(const YamlValue& value, PreprocessSpec& preprocess) const {
  bool has_type = false;
  RETURN_IF_ERROR(yaml_.ReadMap(
      value, {{"type",
               [&](const YamlValue& type) -> absl::Status {
                 has_type = true;
                 ASSIGN_OR_RETURN(const std::string word, yaml_.String(type));
                 preprocess.type = "none";
                 if (word.empty()) return absl::OkStatus();
                 ASSIGN_OR_RETURN(const size_t index, yaml_.Word(type, PreprocessTypes()));
                 preprocess.type = PreprocessTypes()[index];
                 return absl::OkStatus();
               }},
              {"size",
               [&](const YamlValue& size) -> absl::Status {
                 ASSIGN_OR_RETURN(const auto dims, yaml_.Integers(size, 1, kMaxDimension));
                 if (dims.size() != 2) return yaml_.WrongType(size, "[width, height]");
                 preprocess.size = {dims[0], dims[1]};
                 return absl::OkStatus();
               }},
              {"crop", [&](const YamlValue& crop) { return Crop(crop, preprocess); }}}));
  if (!has_type) {
    return yaml_.Error(value.location, absl::StrCat("'", value.field, "' needs a 'type': one of ",
                                                    absl::StrJoin(PreprocessTypes(), ", ")));
  }
  if (preprocess.type == "float32" && preprocess.size.has_value()) {
    return yaml_.Error(value.location, absl::StrCat("'", value.field,
                                                    "': 'size' isn't possible with type float32"));
  }
  return absl::OkStatus();
}

absl::Status FieldParser::Dataset(const YamlValue& value, std::vector<DatasetSpec>& dataset) const {
  if (value.IsNull()) return absl::OkStatus();
  std::vector<YamlValue> list = {value};
  if (value.node.IsSequence()) {
    ASSIGN_OR_RETURN(list, yaml_.List(value));
  }
  for (const YamlValue& item : list) {
    ASSIGN_OR_RETURN(std::string pattern, yaml_.String(item));
    if (pattern.empty()) return yaml_.WrongType(item, "a glob of files, or random");
    dataset.push_back({std::move(pattern), item.location});
  }
  return absl::OkStatus();
}

absl::Status FieldParser::Options(const YamlValue& value, QuantizationOptions& options) const {
  return yaml_.ReadMap(
      value,
      {{"moving_average_weight",
        [&](const YamlValue& weight) -> absl::Status {
          ASSIGN_OR_RETURN(const double number, yaml_.Number(weight));
          options.moving_average_weight = number;
          if (number > 0 && number <= 1) return absl::OkStatus();
          return yaml_.WrongType(weight, "a number above 0, at most 1");
        }},
       {"divergence_nbins",
        [&](const YamlValue& bins) -> absl::Status {
          ASSIGN_OR_RETURN(options.divergence_nbins, yaml_.Integer(bins, 2, 65536));
          return absl::OkStatus();
        }},
       {"divergence_first_quantize_bits",
        [&](const YamlValue& bits) -> absl::Status {
          ASSIGN_OR_RETURN(options.divergence_first_quantize_bits, yaml_.Integer(bits, 1, 16));
          return absl::OkStatus();
        }},
       EnumField<BiasCorrection>(
           "bias_correction", {BiasCorrection::kNone, BiasCorrection::kFast, BiasCorrection::kFull},
           options.bias_correction),
       EnumField<Rounding>("rounding", {Rounding::kBalanced, Rounding::kAdaptive},
                           options.rounding),
       BoolField("equalize", options.equalize)});
}

absl::Status FieldParser::Budget(const YamlValue& value, PrecisionBudget& budget) const {
  budget.location = value.location;
  RETURN_IF_ERROR(yaml_.ReadMap(value, {{"latency",
                                         [&](const YamlValue& latency) -> absl::Status {
                                           ASSIGN_OR_RETURN(budget.latency, yaml_.Number(latency));
                                           if (*budget.latency >= 1 && *budget.latency <= 16)
                                             return absl::OkStatus();
                                           return yaml_.WrongType(latency, "a number from 1 to 16");
                                         }},
                                        {"sqnr_db", [&](const YamlValue& sqnr) -> absl::Status {
                                           ASSIGN_OR_RETURN(budget.sqnr_db, yaml_.Number(sqnr));
                                           if (*budget.sqnr_db >= 0 && *budget.sqnr_db <= 150)
                                             return absl::OkStatus();
                                           return yaml_.WrongType(sqnr, "a number from 0 to 150");
                                         }}}));
  if (budget.latency.has_value() != budget.sqnr_db.has_value()) return absl::OkStatus();
  return yaml_.Error(value.location,
                     absl::StrCat("'", value.field, "' must have either 'latency' or 'sqnr_db'"));
}

absl::Status FieldParser::Quantization(const YamlValue& value,
                                       QuantizationSpec& quantization) const {
  using Scheme = QuantizationScheme;
  using Algorithm = QuantizationAlgorithm;
  quantization.location = value.location;
  return yaml_.ReadMap(
      value,
      {{"data_type", [&](const YamlValue& type) { return DataTypes(type, quantization); }},
       {"budget",
        [&](const YamlValue& budget) { return Budget(budget, quantization.budget.emplace()); }},
       EnumField<Scheme>("scheme",
                         {Scheme::kDefault, Scheme::kAsymmetricAffine, Scheme::kDynamicFixedPoint,
                          Scheme::kPerchannelSymmetricAffine},
                         quantization.scheme),
       EnumField<QuantizationMode>("mode", {QuantizationMode::kStandard, QuantizationMode::kFull},
                                   quantization.mode),
       EnumField<Algorithm>("algorithm",
                            {Algorithm::kStandard, Algorithm::kMovingAverage,
                             Algorithm::kKlDivergence, Algorithm::kAuto, Algorithm::kMse},
                            quantization.algorithm),
       {"options", [&](const YamlValue& map) { return Options(map, quantization.options); }},
       {"dataset",
        [&](const YamlValue& dataset) { return Dataset(dataset, quantization.dataset); }}});
}

absl::Status FieldParser::Security(const YamlValue& value, SecuritySpec& security) const {
  security.location = value.location;
  return yaml_.ReadMap(value,
                       {BoolField("secure", security.secure), StringField("file", security.file),
                        StringField("encryption_key", security.encryption_key),
                        StringField("signature_key", security.signature_key),
                        StringField("model_certificate", security.model_certificate),
                        StringField("vendor_certificate", security.vendor_certificate)});
}

absl::Status FieldParser::DataTypes(const YamlValue& value, QuantizationSpec& quantization) const {
  if (value.IsNull()) return absl::OkStatus();
  LayerRules& rules = quantization.data_type;
  rules.per_layer = value.node.IsMap();
  quantization.choose_types = value.node.IsScalar() && value.node.Scalar() == "auto";
  if (quantization.choose_types) return absl::OkStatus();
  std::vector<std::pair<std::string, YamlValue>> pairs = {{"*", value}};
  if (rules.per_layer) {
    ASSIGN_OR_RETURN(pairs, yaml_.Pairs(value));
  }
  for (const auto& [pattern, type] : pairs) {
    const std::vector<std::string>& words = rules.per_layer ? LayerTypes() : NetworkTypes();
    ASSIGN_OR_RETURN(const size_t index, yaml_.Word(type, words));
    rules.rules.push_back({pattern, words[index], "", type.location});
  }
  return absl::OkStatus();
}

absl::StatusOr<LayerRule> FieldParser::DelegateRule(const YamlValue& value) const {
  ASSIGN_OR_RETURN(const std::string text, yaml_.String(value));
  const size_t blank = text.find_first_of(" \t");
  const YamlValue word = {YAML::Node(text.substr(0, blank)), value.field, value.location};
  ASSIGN_OR_RETURN(const size_t index, yaml_.Word(word, Delegates()));
  LayerRule rule = {"*", Delegates()[index], "", value.location};
  if (blank != std::string::npos) {
    rule.options = std::string(absl::StripAsciiWhitespace(text.substr(blank)));
  }
  return rule;
}

absl::Status FieldParser::DelegateRules(const YamlValue& value, LayerRules& rules) const {
  if (value.IsNull()) return absl::OkStatus();
  rules.per_layer = value.node.IsMap();
  std::vector<std::pair<std::string, YamlValue>> pairs = {{"*", value}};
  if (rules.per_layer) {
    ASSIGN_OR_RETURN(pairs, yaml_.Pairs(value));
  }
  for (const auto& [pattern, delegate] : pairs) {
    if (pattern == "INPUTS") {
      return yaml_.Error(delegate.location, "'INPUTS' isn't possible in 'delegate'");
    }
    ASSIGN_OR_RETURN(LayerRule rule, DelegateRule(delegate));
    rule.pattern = pattern;
    rules.rules.push_back(std::move(rule));
  }
  return absl::OkStatus();
}

absl::Status FieldParser::Top(const YamlValue& value, Metafile& meta) const {
  std::optional<std::string> input_format;
  std::optional<std::string> output_format;
  SourceLocation dequantize_location;
  const auto dequantize = [&](const YamlValue& flag) -> absl::Status {
    if (dequantize_location.line != 0) {
      return yaml_.Error(flag.location,
                         "'dequantize_outputs' and 'denormalize_outputs' are the same field");
    }
    dequantize_location = flag.location;
    ASSIGN_OR_RETURN(meta.dequantize_outputs, yaml_.Bool(flag));
    return absl::OkStatus();
  };
  Field data_layout = EnumField<DataLayout>(
      "data_layout", {DataLayout::kDefault, DataLayout::kNchw, DataLayout::kNhwc},
      meta.data_layout);
  RETURN_IF_ERROR(yaml_.ReadMap(
      value, {{"delegate", [&](const YamlValue& map) { return DelegateRules(map, meta.delegate); }},
              {"data_layout",
               [&](const YamlValue& word) {
                 meta.data_layout_location = word.location;
                 return data_layout.read(word);
               }},
              FormatField("input_format", input_format),
              FormatField("output_format", output_format),
              {"dequantize_outputs", dequantize},
              {"denormalize_outputs", dequantize},
              {"security",
               [&](const YamlValue& map) -> absl::Status {
                 return map.IsNull() ? absl::OkStatus() : Security(map, meta.security.emplace());
               }},
              ListField("inputs", meta.inputs, &FieldParser::Input),
              ListField("outputs", meta.outputs, &FieldParser::Output),
              {"quantization",
               [&](const YamlValue& map) -> absl::Status {
                 return map.IsNull() ? absl::OkStatus()
                                     : Quantization(map, meta.quantization.emplace());
               }},
              {"optimize",
               [&](const YamlValue& flag) -> absl::Status {
                 ASSIGN_OR_RETURN(meta.optimize, yaml_.Bool(flag));
                 return absl::OkStatus();
               }},
              CustomField()}));
  meta.input_format = absl::AsciiStrToLower(input_format.value_or(""));
  meta.output_format = absl::AsciiStrToLower(output_format.value_or(""));
  // ${ANCHORS} is a variable: lower case would hide it.
  const size_t anchors = meta.output_format.find("${anchors}");
  if (anchors != std::string::npos) meta.output_format.replace(anchors, 10, "${ANCHORS}");
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Metafile> ParseFields(const YamlReader& yaml, const YAML::Node& root,
                                     const MetafileOptions& options) {
  Metafile meta;
  meta.path = options.path;
  RETURN_IF_ERROR(FieldParser(yaml, options).Top({root, "", LocationOf(root, {1, 1})}, meta));
  return meta;
}

}  // namespace synap_internal
