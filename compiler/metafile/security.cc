#include "compiler/metafile/security.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/file.h"
#include "base/status_macros.h"
#include "compiler/metafile/yaml_document.h"
#include "runtime/security/key_text.h"

namespace synap_internal {
namespace {

constexpr size_t kMaxFileBytes = size_t{64} << 10;

struct NamedPath {
  const char* field;
  std::string SecurityFiles::*path;
};

constexpr NamedPath kPaths[] = {
    {"encryption_key", &SecurityFiles::encryption_key},
    {"signature_key", &SecurityFiles::signature_key},
    {"model_certificate", &SecurityFiles::model_certificate},
    {"vendor_certificate", &SecurityFiles::vendor_certificate},
};

// The fields of the four paths that are given, or of those that are missing.
std::vector<std::string> FieldsWith(const SecurityFiles& files, bool given) {
  std::vector<std::string> fields;
  for (const NamedPath& row : kPaths) {
    if ((files.*row.path).empty() != given) fields.emplace_back(row.field);
  }
  return fields;
}

absl::Status ReadSecurityFile(const YamlReader& yaml, const YAML::Node& root,
                              SecurityFiles& files) {
  const YamlValue value{root, "", LocationOf(root, {1, 1})};
  std::vector<YamlReader::Field> fields;
  for (const NamedPath& row : kPaths) {
    fields.push_back({row.field, [&](const YamlValue& path) {
                        return ReadPath({yaml, {}, path}, files.*row.path);
                      }});
  }
  RETURN_IF_ERROR(yaml.ReadMap(value, fields));
  const std::vector<std::string> missing = FieldsWith(files, false);
  if (missing.empty()) return absl::OkStatus();
  return yaml.Error(value.location,
                    absl::StrCat("fields are missing: ", absl::StrJoin(missing, ", "),
                                 "; expected the paths of four files"));
}

absl::StatusOr<SecurityFiles> ParseSecurityFile(const std::string& text, const std::string& path) {
  const YamlReader yaml = YamlReader(path).WithoutTexts();
  if (text.size() > kMaxFileBytes) {
    return yaml.Error(
        {}, absl::StrCat("found ", text.size(), " bytes, expected at most ", kMaxFileBytes));
  }
  SecurityFiles files;
  RETURN_IF_ERROR(ReadYaml(
      text, yaml, [&](const YAML::Node& root) { return ReadSecurityFile(yaml, root, files); }));
  return files;
}

}  // namespace

absl::Status ReadPath(const FieldInput& in, std::string& path) {
  ASSIGN_OR_RETURN(path, in.yaml.String(in.value));
  if (path.empty()) return in.yaml.WrongValue(in.value, "the path of a file");
  if (!LooksLikeKey(path)) return absl::OkStatus();
  return in.yaml.FieldError(
      in.value, absl::StrCat("found ", path.size(),
                             " bytes that may be a key, expected the path of a file that ",
                             "has it; give the file a name with an ending, such as .key"));
}

absl::Status CheckPaths(const FieldInput& in, const SecuritySpec& security) {
  if (!security.secure) return absl::OkStatus();
  const std::vector<std::string> given = FieldsWith(security.files, true);
  if (!security.file.empty() && !given.empty()) {
    return in.yaml.FieldError(
        in.value, absl::StrCat("found 'file' and ", absl::StrJoin(given, ", "),
                               ", expected a file with the four paths or the paths here"));
  }
  const std::vector<std::string> missing = FieldsWith(security.files, false);
  if (!security.file.empty() || missing.empty()) return absl::OkStatus();
  return in.yaml.FieldError(
      in.value, absl::StrCat("fields are missing: ", absl::StrJoin(missing, ", "),
                             "; expected the paths of four files, or 'file', which names a file ",
                             "with them; synap keys makes it"));
}

absl::StatusOr<SecurityFiles> FindSecurityFiles(const Metafile& metafile) {
  const SecuritySpec& security = metafile.security;
  SecurityFiles files = security.files;
  std::string folder = Dirname(metafile.path);
  if (!security.file.empty()) {
    const std::string path = JoinPath(folder, security.file);
    ASSIGN_OR_RETURN(const std::string text,
                     Annotate(ReadFile(path),
                              absl::StrCat(metafile.Where(security.location), ": security.file")));
    ASSIGN_OR_RETURN(files, ParseSecurityFile(text, path));
    folder = Dirname(path);
  }
  for (const NamedPath& row : kPaths) files.*row.path = JoinPath(folder, files.*row.path);
  return files;
}

void MoveSecurity(const std::string& folder, SecuritySpec& security) {
  if (!security.file.empty()) security.file = JoinPath(folder, security.file);
  for (const NamedPath& row : kPaths) {
    std::string& path = security.files.*row.path;
    if (!path.empty()) path = JoinPath(folder, path);
  }
}

}  // namespace synap_internal
