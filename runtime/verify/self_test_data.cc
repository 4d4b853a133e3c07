#include "runtime/verify/self_test_data.h"

#include <map>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "runtime/bundle/json.h"
#include "runtime/bundle/stored_zip.h"
#include "runtime/bundle/text_bytes.h"

namespace synap_internal {
namespace {

constexpr char kEntry[] = "self_test.json";
constexpr int kVersion = 1;
constexpr size_t kMaxCases = 1024;

using Entries = std::map<std::string, absl::Span<const uint8_t>>;

std::string InputEntry(size_t test_case, size_t input) {
  return absl::StrCat("self_test/", test_case, "/", input, ".bin");
}

absl::StatusOr<std::vector<std::string>> Strings(const Json& object, absl::string_view key) {
  const Json* list = Member(object, key);
  if (list == nullptr || !list->is_array()) {
    return absl::InvalidArgumentError(
        absl::StrCat("it has no list '", key, "', expected one of texts"));
  }
  std::vector<std::string> strings;
  for (const Json& item : *list) {
    ASSIGN_OR_RETURN(std::string text,
                     JsonString(item, absl::StrCat("item ", strings.size(), " of '", key, "'")));
    strings.push_back(std::move(text));
  }
  return strings;
}

absl::StatusOr<std::vector<std::string>> Digests(const Json& object, absl::string_view key) {
  ASSIGN_OR_RETURN(std::vector<std::string> digests, Strings(object, key));
  for (size_t i = 0; i < digests.size(); ++i) {
    const std::string& digest = digests[i];
    if (digest.size() == 64 && digest.find_first_not_of("0123456789abcdef") == std::string::npos) {
      continue;
    }
    return absl::InvalidArgumentError(
        absl::StrCat("item ", i, " of '", key, "' is '", digest.substr(0, 80),
                     "', expected 64 hexadecimal digits in lower case"));
  }
  return digests;
}

absl::StatusOr<SelfTestCase> ParseCase(const Json& json, const Entries& entries) {
  if (!json.is_object()) return absl::InvalidArgumentError("it is no object, expected one");
  SelfTestCase test_case;
  const Json* name = Member(json, "name");
  if (name == nullptr) return absl::InvalidArgumentError("it has no 'name', expected a text");
  ASSIGN_OR_RETURN(test_case.name, JsonString(*name, "'name'"));
  ASSIGN_OR_RETURN(const std::vector<std::string> inputs, Strings(json, "inputs"));
  for (const std::string& input : inputs) {
    const auto entry = entries.find(input);
    if (entry == entries.end()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "its input '", input, "' is missing, expected the name of an entry in the file"));
    }
    test_case.inputs.push_back(entry->second);
  }
  ASSIGN_OR_RETURN(test_case.outputs, Digests(json, "outputs"));
  if (Member(json, "layers") != nullptr) {
    ASSIGN_OR_RETURN(test_case.layers, Digests(json, "layers"));
  }
  return test_case;
}

absl::StatusOr<std::vector<SelfTestCase>> Parse(absl::string_view text, const Entries& entries) {
  ASSIGN_OR_RETURN(const JsonDocument document, ParseJsonObject(text));
  const Json& root = document.root();
  const Json* version = Member(root, "version");
  if (version == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat("it has no 'version', expected ", kVersion));
  }
  RETURN_IF_ERROR(JsonInteger(*version, "'version'", kVersion, kVersion).status());
  const Json* list = Member(root, "cases");
  if (list == nullptr || !list->is_array() || list->size() > kMaxCases) {
    return absl::InvalidArgumentError(
        absl::StrCat("it has no list 'cases', expected one of at most ", kMaxCases, " cases"));
  }
  std::vector<SelfTestCase> cases;
  for (const Json& item : *list) {
    absl::StatusOr<SelfTestCase> test_case = ParseCase(item, entries);
    if (!test_case.ok()) return Annotate(test_case.status(), absl::StrCat("case ", cases.size()));
    cases.push_back(*std::move(test_case));
  }
  return cases;
}

}  // namespace

absl::StatusOr<std::string> AddSelfTest(absl::string_view synap,
                                        absl::Span<const SelfTestCase> cases) {
  ASSIGN_OR_RETURN(std::vector<ZipEntry> entries, ReadStoredZip(AsBytes(synap)));
  Json list = Json::array();
  std::vector<ZipEntry> inputs;
  for (size_t c = 0; c < cases.size(); ++c) {
    const SelfTestCase& test_case = cases[c];
    Json names = Json::array();
    for (size_t i = 0; i < test_case.inputs.size(); ++i) {
      inputs.push_back({InputEntry(c, i), test_case.inputs[i]});
      names.push_back(inputs.back().name);
    }
    Json item{
        {"name", test_case.name}, {"inputs", std::move(names)}, {"outputs", test_case.outputs}};
    if (!test_case.layers.empty()) item["layers"] = test_case.layers;
    list.push_back(std::move(item));
  }
  const std::string json = PrintJson(Json{{"version", kVersion}, {"cases", std::move(list)}}, 1);
  entries.push_back({kEntry, AsBytes(json)});
  entries.insert(entries.end(), inputs.begin(), inputs.end());
  return WriteStoredZip(entries);
}

absl::StatusOr<std::vector<SelfTestCase>> ReadSelfTest(absl::Span<const uint8_t> synap) {
  ASSIGN_OR_RETURN(const std::vector<ZipEntry> list, ReadStoredZip(synap));
  Entries entries;
  for (const ZipEntry& entry : list) entries[entry.name] = entry.data;
  const auto json = entries.find(kEntry);
  if (json == entries.end()) return std::vector<SelfTestCase>();
  const absl::string_view text(reinterpret_cast<const char*>(json->second.data()),
                               json->second.size());
  absl::StatusOr<std::vector<SelfTestCase>> cases = Parse(text, entries);
  if (!cases.ok()) return Annotate(cases.status(), kEntry);
  return cases;
}

}  // namespace synap_internal
