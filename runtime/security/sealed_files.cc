#include "runtime/security/sealed_files.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "runtime/bundle/text_bytes.h"

namespace synap_internal {
namespace {

constexpr char kProgramSuffix[] = ".nb";
constexpr char kProgramName[] = "model.nb";
constexpr char kMetadataName[] = "model.json";

std::vector<SealedFile> AllBut(absl::Span<const ZipEntry> entries, absl::string_view left_out) {
  std::vector<SealedFile> files;
  for (const ZipEntry& entry : entries) {
    if (entry.name != left_out) files.push_back({entry.name, entry.data});
  }
  return files;
}

size_t PaddedSize(size_t seal) {
  return (seal + kZipAlignment - 1) / kZipAlignment * kZipAlignment;
}

// The bytes between entries, time stamps and the like aren't signed; so there is one form of them.
absl::Status CheckForm(absl::Span<const uint8_t> file, absl::Span<const ZipEntry> entries) {
  ASSIGN_OR_RETURN(const std::string written, WriteStoredZip(entries));
  const absl::Span<const uint8_t> expected = AsBytes(written);
  if (std::equal(expected.begin(), expected.end(), file.begin(), file.end())) {
    return absl::OkStatus();
  }
  return absl::PermissionDeniedError(
      "the ZIP structure of the secure model was changed after the conversion, or is damaged; use "
      "the original file");
}

absl::StatusOr<DecryptedProgram> Decrypt(absl::Span<const uint8_t> encrypted,
                                         const KeyStore& store) {
  ASSIGN_OR_RETURN(const KeyId id, KeyIdOf(encrypted));
  ASSIGN_OR_RETURN(const EncryptionKey* key, store.FindKey(id));
  return DecryptProgram(encrypted, *key);
}

// REQUIRES: there is no seal.
absl::Status CheckNotEncrypted(absl::Span<const ZipEntry> entries) {
  for (const ZipEntry& entry : entries) {
    if (!IsEncryptedProgram(entry.data)) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "entry '", absl::CHexEscape(entry.name), "' is encrypted, but the model has no seal ('",
        kSealEntry, "'): it was changed after the conversion; use the original file"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::string> SealBundle(absl::string_view synap, const SealKeys& keys) {
  ASSIGN_OR_RETURN(std::vector<ZipEntry> entries, ReadStoredZip(AsBytes(synap)));
  std::vector<std::string> encrypted;
  encrypted.reserve(entries.size());  // the entries refer to its elements
  for (ZipEntry& entry : entries) {
    if (!absl::EndsWith(entry.name, kProgramSuffix)) continue;
    encrypted.push_back(EncryptProgram(entry.data, keys.encryption));
    entry.data = AsBytes(encrypted.back());
  }
  const std::string seal = MakeSeal(AllBut(entries, kSealEntry), keys);
  entries.push_back({kSealEntry, AsBytes(seal)});
  return WriteStoredZip(entries);
}

std::string SealModel(absl::string_view program, absl::string_view metadata, const SealKeys& keys) {
  const std::string encrypted = EncryptProgram(AsBytes(program), keys.encryption);
  std::string file =
      MakeSeal({{kProgramName, AsBytes(encrypted)}, {kMetadataName, AsBytes(metadata)}}, keys);
  file.resize(PaddedSize(file.size()), '\0');
  return file + encrypted;
}

absl::StatusOr<OpenedEntries> OpenEntries(absl::Span<const uint8_t> file,
                                          std::vector<ZipEntry> entries) {
  const auto seal = std::find_if(entries.begin(), entries.end(),
                                 [](const ZipEntry& entry) { return entry.name == kSealEntry; });
  OpenedEntries opened;
  opened.is_sealed = seal != entries.end();
  if (!opened.is_sealed) {
    RETURN_IF_ERROR(CheckNotEncrypted(entries));
    opened.entries = std::move(entries);
    return opened;
  }
  ASSIGN_OR_RETURN(const KeyStore store, KeyStore::OfProcess());
  RETURN_IF_ERROR(VerifySeal(seal->data, AllBut(entries, kSealEntry), store));
  RETURN_IF_ERROR(CheckForm(file, entries));
  opened.entries = std::move(entries);
  for (ZipEntry& entry : opened.entries) {
    if (!absl::EndsWith(entry.name, kProgramSuffix)) continue;
    absl::StatusOr<DecryptedProgram> program = Decrypt(entry.data, store);
    if (!program.ok()) return Annotate(program.status(), entry.name);
    entry.data = program->bytes;
    opened.programs.push_back(std::move(program->memory));
  }
  return opened;
}

bool IsSealedModel(absl::Span<const uint8_t> model) { return IsSeal(model); }

absl::StatusOr<DecryptedProgram> OpenModelFile(absl::Span<const uint8_t> model,
                                               absl::string_view metadata) {
  ASSIGN_OR_RETURN(const SealParts parts, ParseSeal(model));
  const size_t begin = PaddedSize(parts.size);
  const auto is_zero = [](uint8_t byte) { return byte == 0; };
  if (begin > model.size() ||
      !std::all_of(model.begin() + parts.size, model.begin() + begin, is_zero)) {
    return absl::InvalidArgumentError(absl::StrCat("the seal isn't followed by zeros up to byte ",
                                                   begin, " and a program; use the original ",
                                                   "file"));
  }
  const absl::Span<const uint8_t> encrypted = model.subspan(begin);
  ASSIGN_OR_RETURN(const KeyStore store, KeyStore::OfProcess());
  RETURN_IF_ERROR(VerifySeal(model.subspan(0, parts.size),
                             {{kProgramName, encrypted}, {kMetadataName, AsBytes(metadata)}},
                             store));
  return Decrypt(encrypted, store);
}

}  // namespace synap_internal
