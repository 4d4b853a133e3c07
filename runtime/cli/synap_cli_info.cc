#include "runtime/cli/synap_cli_info.h"

#include <cstdint>
#include <ostream>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/file.h"
#include "base/status_macros.h"
#include "runtime/bundle/json.h"
#include "runtime/bundle/stored_zip.h"
#include "runtime/bundle/text_bytes.h"
#include "runtime/cli/arg_parser.h"
#include "runtime/cli/program_text.h"
#include "runtime/security/encrypted_program.h"
#include "runtime/security/seal.h"
#include "runtime/security/sealed_files.h"

namespace synap_internal {
namespace {

struct InfoOptions {
  std::string model = "model.synap";
  int id = -1;
};

absl::string_view AsText(absl::Span<const uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// The content of an entry as text; the errors are without its name.
absl::StatusOr<std::string> DescribeEntry(const ZipEntry& entry) {
  if (absl::EndsWith(entry.name, ".json")) {
    ASSIGN_OR_RETURN(const JsonDocument json, ParseJsonObject(AsText(entry.data)));
    return PrintJson(json.root(), 2);
  }
  if (absl::EndsWith(entry.name, ".nb")) return ProgramText(entry.data, ProgramDetail::kSummary);
  if (entry.name == kSealEntry) return SealText(entry.data);
  return absl::UnimplementedError(
      absl::StrCat("its content has no description, expected .json, .nb or ", kSealEntry));
}

// A program of a secure model, after its seal was verified.
absl::StatusOr<std::string> DescribeEncrypted(absl::string_view file, std::vector<ZipEntry> entries,
                                              int id) {
  ASSIGN_OR_RETURN(const OpenedEntries opened, OpenEntries(AsBytes(file), std::move(entries)));
  return DescribeEntry(opened.entries[static_cast<size_t>(id)]);
}

std::string List(const std::vector<ZipEntry>& entries) {
  std::string text;
  for (size_t i = 0; i < entries.size(); ++i) {
    absl::StrAppend(&text, "id ", i, " ", absl::Utf8SafeCEscape(entries[i].name), " size ",
                    entries[i].data.size(), "\n");
  }
  return text;
}

absl::StatusOr<std::string> Info(const InfoOptions& options) {
  ASSIGN_OR_RETURN(const std::string bytes, ReadFile(options.model));
  absl::StatusOr<std::vector<ZipEntry>> entries = ReadStoredZip(AsBytes(bytes));
  if (!entries.ok()) return Annotate(entries.status(), options.model);
  if (options.id < 0) return List(*entries);
  if (static_cast<size_t>(options.id) >= entries->size()) {
    return absl::InvalidArgumentError(absl::StrCat(options.model, ": there is no id ", options.id,
                                                   ", expected 0 to ",
                                                   static_cast<int>(entries->size()) - 1));
  }
  const ZipEntry entry = (*entries)[static_cast<size_t>(options.id)];
  absl::StatusOr<std::string> text = IsEncryptedProgram(entry.data)
                                         ? DescribeEncrypted(bytes, *std::move(entries), options.id)
                                         : DescribeEntry(entry);
  if (text.ok()) return text;
  return Annotate(text.status(),
                  absl::StrCat(options.model, ": ", absl::Utf8SafeCEscape(entry.name)));
}

}  // namespace

int SynapCliInfo(const std::vector<std::string>& args, std::ostream& out, std::ostream& err) {
  ArgParser parser("synap_cli_info",
                   "Lists the entries of a model, or describes the content of one.", "");
  InfoOptions options;
  parser.String("-m", "file", "Model (.synap)", &options.model);
  parser.Int("--id", "Entry to describe, -1: list all", -1, &options.id);
  const ArgParser::Outcome outcome = parser.Parse(args, err);
  if (outcome != ArgParser::Outcome::kRun) return outcome == ArgParser::Outcome::kHelp ? 0 : 1;
  if (!parser.data().empty()) {
    err << "synap_cli_info takes no '" << absl::StrJoin(parser.data(), " ")
        << "'; name the model with -m\n";
    return 1;
  }
  const absl::StatusOr<std::string> text = Info(options);
  if (!text.ok()) {
    err << text.status().message() << "\n";
    return 1;
  }
  out << *text;
  out.flush();
  if (out) return 0;
  err << "Error, unable to write the results\n";
  return 1;
}

}  // namespace synap_internal
