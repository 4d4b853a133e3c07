#include "compiler/metafile/yaml_document.h"

#include <algorithm>
#include <exception>
#include <sstream>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/status_macros.h"
#include "base/utf8.h"
#include "yaml-cpp/eventhandler.h"

namespace synap_internal {
namespace {

constexpr char kNotYaml[] = "not valid YAML";

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
// `shows_texts`: as of YamlReader; the parser's message may quote the text.
std::string SyntaxError(absl::string_view text, const YAML::Exception& exception,
                        bool shows_texts) {
  if (!shows_texts) return kNotYaml;
  std::string message = absl::StrCat(kNotYaml, ": ", exception.msg);
  const std::vector<absl::string_view> lines = absl::StrSplit(text, '\n');
  const auto line = static_cast<size_t>(exception.mark.line);
  if (exception.mark.is_null() || line >= lines.size()) return message;
  const absl::string_view indentation = lines[line].substr(0, lines[line].find_first_not_of(" \t"));
  if (absl::StrContains(indentation, '\t')) {
    absl::StrAppend(&message, "; the line is indented with a tab, YAML indents with spaces only");
  }
  return message;
}

absl::Status CheckText(const std::string& text, const YamlReader& yaml) {
  if (text.find('\0') != std::string::npos) {
    return yaml.Error({}, "found a zero byte, expected a text file");
  }
  const size_t valid = ValidUtf8Prefix(text);
  if (valid == text.size()) return absl::OkStatus();
  const auto before = absl::string_view(text).substr(0, valid);
  const SourceLocation location = {
      static_cast<int>(std::count(before.begin(), before.end(), '\n')) + 1,
      static_cast<int>(valid - (before.rfind('\n') + 1)) + 1};
  return yaml.Error(
      location,
      "the text isn't UTF-8, expected a file saved as UTF-8; write file names in another "
      "encoding as a pattern, with ? for such a character");
}

}  // namespace

absl::Status ReadYaml(const std::string& text, const YamlReader& yaml,
                      const std::function<absl::Status(const YAML::Node& root)>& read) {
  RETURN_IF_ERROR(CheckText(text, yaml));
  // yaml-cpp reports errors as exceptions; none leaves this function.
  try {
    RETURN_IF_ERROR(CheckOneDocument(text, yaml));
    return read(YAML::Load(text));
  } catch (const YAML::Exception& exception) {
    const SourceLocation location = {exception.mark.line + 1, exception.mark.column + 1};
    return yaml.Error(exception.mark.is_null() ? SourceLocation{} : location,
                      SyntaxError(text, exception, yaml.shows_texts()));
  } catch (const std::exception& exception) {
    return yaml.Error({}, yaml.shows_texts() ? absl::StrCat(kNotYaml, ": ", exception.what())
                                             : std::string(kNotYaml));
  }
}

}  // namespace synap_internal
