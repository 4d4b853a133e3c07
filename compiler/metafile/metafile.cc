#include "compiler/metafile/metafile.h"

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <sstream>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
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

// A metafile is written by hand; a longer file was named by mistake.
constexpr size_t kMaxTextBytes = size_t{1} << 20;

std::string Getenv(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value == nullptr ? "" : value;
}

// Keeps the place where a document begins and ignores the rest.
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
// consumes nothing. So this looks for the first two only.
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
  return yaml.Error(location, absl::StrCat("a second YAML document begins at line ", location.line,
                                           ", expected one; remove it"));
}

// The parser's message for YAML that it can't read, and a hint about tabs, which it leaves out.
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
                      absl::StrCat("found ", root.IsSequence() ? "a list" : "a plain text",
                                   ", expected a map of fields ('inputs:', 'quantization:', ...)"));
  }
  ASSIGN_OR_RETURN(Metafile metafile, ParseFields(yaml, root, options));
  RETURN_IF_ERROR(Validate(metafile));
  return metafile;
}

}  // namespace

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
  if (expanded->find('\0') != std::string::npos) {
    return yaml.Error({}, "found a zero byte, expected a text file");
  }
  if (const size_t valid = ValidUtf8Prefix(*expanded); valid != expanded->size()) {
    const auto before = absl::string_view(*expanded).substr(0, valid);
    const SourceLocation location = {
        static_cast<int>(std::count(before.begin(), before.end(), '\n')) + 1,
        static_cast<int>(valid - (before.rfind('\n') + 1)) + 1};
    return yaml.Error(
        location,
        "the text isn't UTF-8, expected a file saved as UTF-8; write file names in another "
        "encoding as a pattern, with ? for such a character");
  }
  // yaml-cpp reports errors as exceptions; none leaves this function.
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

absl::Status CheckSupported(const Metafile& metafile) {
  if (metafile.unsupported.empty()) return absl::OkStatus();
  return absl::UnimplementedError(absl::StrJoin(metafile.unsupported, "\n"));
}

}  // namespace synap_internal
