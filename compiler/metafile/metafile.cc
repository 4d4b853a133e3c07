#include "compiler/metafile/metafile.h"

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <sstream>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/file.h"
#include "base/status_macros.h"
#include "base/utf8.h"
#include "compiler/metafile/parse_fields.h"
#include "compiler/metafile/validate.h"
#include "compiler/metafile/variables.h"
#include "compiler/metafile/yaml_reader.h"
#include "yaml-cpp/eventhandler.h"
#include "yaml-cpp/yaml.h"

namespace synap_internal {
namespace {

// A metafile is written by hand; beyond this it is something else by mistake.
constexpr size_t kMaxTextBytes = size_t{1} << 20;

std::string Getenv(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value == nullptr ? "" : value;
}

// Hears a document's begin and ignores the rest.
class DocumentStart : public YAML::EventHandler {
 public:
  YAML::Mark mark;

  void OnDocumentStart(const YAML::Mark& start) override { mark = start; }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
  void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t,
                const std::string&) override {}
  void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {}
  void OnMapEnd() override {}
};

// YAML::LoadAll doesn't end for a text such as ",": the parser finds documents there for ever and
// consumes nothing. So only the first two are looked for.
absl::Status CheckOneDocument(const std::string& text, const YamlReader& yaml) {
  std::istringstream stream(text);
  YAML::Parser parser(stream);
  DocumentStart document;
  if (!parser.HandleNextDocument(document)) return absl::OkStatus();
  const int begin = document.mark.pos;
  if (!parser.HandleNextDocument(document)) return absl::OkStatus();
  const SourceLocation location = {document.mark.line + 1, document.mark.column + 1};
  if (document.mark.pos == begin) {
    return yaml.Error(location, "not valid YAML: unexpected character");
  }
  return yaml.Error(location, "a metafile is one YAML document, found the begin of a second one");
}

// The parser's message for YAML that it can't read, and what it leaves out of it.
std::string SyntaxError(absl::string_view text, const YAML::Exception& exception) {
  std::string message = absl::StrCat("not valid YAML: ", exception.msg);
  const std::vector<absl::string_view> lines = absl::StrSplit(text, '\n');
  const auto line = static_cast<size_t>(exception.mark.line);
  if (exception.mark.is_null() || line >= lines.size()) return message;
  const absl::string_view indentation = lines[line].substr(0, lines[line].find_first_not_of(" \t"));
  if (absl::StrContains(indentation, '\t')) {
    absl::StrAppend(&message, "; the line is indented with a tab, YAML indents with spaces only");
  }
  return message;
}

absl::StatusOr<Metafile> ParseDocument(const std::string& text, const YamlReader& yaml,
                                       const MetafileOptions& options) {
  RETURN_IF_ERROR(CheckOneDocument(text, yaml));
  const YAML::Node root = YAML::Load(text);
  if (root.IsDefined() && !root.IsNull() && !root.IsMap()) {
    return yaml.Error(LocationOf(root, {1, 1}),
                      "a metafile is a map of fields ('inputs:', 'quantization:', ...)");
  }
  ASSIGN_OR_RETURN(Metafile metafile, ParseFields(yaml, root, options));
  RETURN_IF_ERROR(Validate(metafile));
  return metafile;
}

}  // namespace

std::string LayerRules::Default(absl::string_view fallback) const {
  for (const LayerRule& rule : rules) {
    if (rule.pattern == "*") return rule.value;
  }
  return std::string(fallback);
}

absl::string_view Name(DataLayout layout) {
  constexpr absl::string_view kNames[] = {"default", "nchw", "nhwc"};
  return kNames[static_cast<int>(layout)];
}

absl::string_view Name(QuantizationScheme scheme) {
  constexpr absl::string_view kNames[] = {"default", "asymmetric_affine", "dynamic_fixed_point",
                                          "perchannel_symmetric_affine"};
  return kNames[static_cast<int>(scheme)];
}

absl::string_view Name(QuantizationMode mode) {
  return mode == QuantizationMode::kFull ? "full" : "standard";
}

absl::string_view Name(QuantizationAlgorithm algorithm) {
  constexpr absl::string_view kNames[] = {"standard", "moving_average", "kl_divergence", "auto",
                                          "mse"};
  return kNames[static_cast<int>(algorithm)];
}

absl::string_view Name(BiasCorrection correction) {
  constexpr absl::string_view kNames[] = {"none", "fast", "full"};
  return kNames[static_cast<int>(correction)];
}

absl::string_view Name(Rounding rounding) {
  return rounding == Rounding::kAdaptive ? "adaptive" : "balanced";
}

DataType QuantizationSpec::BaseType() const {
  if (choose_types) {
    const bool affine =
        scheme == QuantizationScheme::kDefault || scheme == QuantizationScheme::kAsymmetricAffine;
    return affine ? DataType::kUint8 : DataType::kInt8;
  }
  for (const LayerRule& rule : data_type.rules) {
    if (rule.value == "uint8") return DataType::kUint8;
    if (rule.value == "int8") return DataType::kInt8;
  }
  return ParseDataType(data_type.Default("uint8")).value_or(DataType::kUint8);
}

QuantizationScheme QuantizationSpec::EffectiveScheme() const {
  if (scheme != QuantizationScheme::kDefault) return scheme;
  return BaseType() == DataType::kUint8 ? QuantizationScheme::kAsymmetricAffine
                                        : QuantizationScheme::kDynamicFixedPoint;
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
  if (text.size() > kMaxTextBytes) return yaml.Error({}, "longer than 1 MiB: not a metafile");
  const auto expanded = ExpandEnvironment(text, filled.environment);
  if (!expanded.ok()) {
    return absl::InvalidArgumentError(absl::StrCat(filled.path, ":", expanded.status().message()));
  }
  if (expanded->find('\0') != std::string::npos) return yaml.Error({}, "not a text file");
  if (const size_t valid = ValidUtf8Prefix(*expanded); valid != expanded->size()) {
    const auto before = absl::string_view(*expanded).substr(0, valid);
    const SourceLocation location = {
        static_cast<int>(std::count(before.begin(), before.end(), '\n')) + 1,
        static_cast<int>(valid - (before.rfind('\n') + 1)) + 1};
    return yaml.Error(
        location,
        "the text isn't UTF-8, expected a file saved as UTF-8; a file name in another "
        "encoding can be written as a pattern, with ? for such a character");
  }
  // yaml-cpp reports by exceptions; none leaves this function.
  try {
    return ParseDocument(*expanded, yaml, filled);
  } catch (const YAML::Exception& exception) {
    const SourceLocation location = {exception.mark.line + 1, exception.mark.column + 1};
    return yaml.Error(exception.mark.is_null() ? SourceLocation{} : location,
                      SyntaxError(*expanded, exception));
  } catch (const std::exception& exception) {
    return yaml.Error({}, absl::StrCat("not valid YAML: ", exception.what()));
  }
}

absl::StatusOr<Metafile> LoadMetafile(const std::string& path) {
  ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  MetafileOptions options;
  options.path = path;
  return ParseMetafile(text, options);
}

}  // namespace synap_internal
