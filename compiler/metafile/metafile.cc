#include "compiler/metafile/metafile.h"

#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "base/file.h"
#include "base/status_macros.h"
#include "compiler/metafile/fields.h"
#include "compiler/metafile/validate.h"
#include "compiler/metafile/variables.h"
#include "compiler/metafile/yaml_document.h"
#include "compiler/metafile/yaml_reader.h"
#include "yaml-cpp/yaml.h"

namespace synap_internal {
namespace {

// A metafile is written by hand; a longer file was named by mistake.
constexpr size_t kMaxTextBytes = size_t{1} << 20;

std::string Getenv(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value == nullptr ? "" : value;
}

// Writes the field `quantization.effort` if there is that section.
void WriteEffort(Effort effort, const YAML::Node& root) {
  if (!root.IsDefined() || !root.IsMap()) return;
  YAML::Node section = root["quantization"];
  if (section.IsDefined() && section.IsMap()) section["effort"] = std::string(Name(effort));
}

absl::StatusOr<Metafile> ReadRoot(const YAML::Node& root, const YamlReader& yaml,
                                  const MetafileOptions& options) {
  if (root.IsDefined() && !root.IsNull() && !root.IsMap()) {
    return yaml.Error(LocationOf(root, {1, 1}),
                      absl::StrCat("found ", root.IsSequence() ? "a list" : "a plain text",
                                   ", expected a map of fields ('inputs:', 'quantization:', ...)"));
  }
  if (options.effort.has_value()) WriteEffort(*options.effort, root);
  ASSIGN_OR_RETURN(Metafile metafile, ReadFields(yaml, root, options));
  RETURN_IF_ERROR(Validate(metafile));
  return metafile;
}

}  // namespace

const std::set<MeasureKind>& AllMeasureKinds() {
  static const auto* const kinds = [] {
    auto* const all = new std::set<MeasureKind>;
    for (const auto& row : Words<MeasureKind>::kRows) all->insert(row.value);
    return all;
  }();
  return *kinds;
}

DataType QuantizationSpec::BaseType() const {
  if (choose_types) {
    const bool affine =
        scheme == QuantizationScheme::kDefault || scheme == QuantizationScheme::kAsymmetricAffine;
    return affine ? DataType::kUint8 : DataType::kInt8;
  }
  DataType base = DataType::kUint8;
  for (const LayerRule& rule : data_type.rules) {
    if (rule.type == DataType::kUint8 || rule.type == DataType::kInt8) return rule.type;
    if (rule.pattern == "*") base = rule.type;
  }
  return base;
}

QuantizationScheme QuantizationSpec::EffectiveScheme() const {
  if (scheme != QuantizationScheme::kDefault) return scheme;
  return BaseType() == DataType::kUint8 ? QuantizationScheme::kAsymmetricAffine
                                        : QuantizationScheme::kDynamicFixedPoint;
}

bool Metafile::preprocesses() const {
  return std::any_of(inputs.begin(), inputs.end(),
                     [](const InputSpec& input) { return input.preprocess.has_value(); });
}

size_t Metafile::PictureTensors(size_t i) const {
  if (i >= inputs.size() || !inputs[i].preprocess.has_value()) return 0;
  const PreprocessSpec& preprocess = *inputs[i].preprocess;
  if (preprocess.picture == nullptr) return 0;
  return static_cast<size_t>(preprocess.picture->planes) + (preprocess.crop ? 4 : 0);
}

std::string Metafile::InputFormat(size_t i) const {
  return i < inputs.size() ? inputs[i].format.value_or(input_format) : input_format;
}

std::string Metafile::OutputFormat(size_t i) const {
  return i < outputs.size() ? outputs[i].format.value_or(output_format) : output_format;
}

bool Metafile::DequantizeOutput(size_t i) const {
  return i < outputs.size() ? outputs[i].dequantize.value_or(dequantize_outputs)
                            : dequantize_outputs;
}

std::string Metafile::Where(SourceLocation location) const {
  if (location.line == 0) return path;
  return absl::StrCat(path, ":", location.line, ":", location.column);
}

WarningPlace Metafile::PlaceOf(SourceLocation location) const {
  return {path, location.line, location.column};
}

absl::StatusOr<Metafile> ParseMetafile(absl::string_view text, const MetafileOptions& options) {
  MetafileOptions filled = options;
  if (!filled.environment) filled.environment = Getenv;
  if (!filled.read_file) filled.read_file = ReadFile;
  const YamlReader yaml(filled.path);
  if (text.size() > kMaxTextBytes) {
    return yaml.Error({}, absl::StrCat("found ", text.size(),
                                       " bytes, expected a metafile of at most ", kMaxTextBytes));
  }
  const auto expanded = ExpandEnvironment(text, filled.environment);
  if (!expanded.ok()) {
    return absl::InvalidArgumentError(absl::StrCat(filled.path, ":", expanded.status().message()));
  }
  Metafile metafile;
  RETURN_IF_ERROR(ReadYaml(*expanded, yaml, [&](const YAML::Node& root) -> absl::Status {
    ASSIGN_OR_RETURN(metafile, ReadRoot(root, yaml, filled));
    return absl::OkStatus();
  }));
  return metafile;
}

absl::StatusOr<Metafile> LoadMetafile(const std::string& path, std::optional<Effort> effort) {
  ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  MetafileOptions options;
  options.path = path;
  options.effort = effort;
  return ParseMetafile(text, options);
}

}  // namespace synap_internal
