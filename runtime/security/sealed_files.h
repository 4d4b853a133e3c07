// Secure models as files: sealing them, and opening them after their seal was verified.
//
// A sealed model.synap has its programs (<i>/model.nb) encrypted and a last entry `seal.bin`, which
// signs all others. A sealed model.nb of its own (synap convert --out-format nb) is the seal, zeros
// up to a multiple of 64, and the encrypted program; the seal signs the program as `model.nb` and
// the metadata as `model.json`.
#ifndef RUNTIME_SECURITY_SEALED_FILES_H_
#define RUNTIME_SECURITY_SEALED_FILES_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "runtime/bundle/stored_zip.h"
#include "runtime/security/encrypted_program.h"
#include "runtime/security/seal.h"

namespace synap_internal {

inline constexpr char kSealEntry[] = "seal.bin";

// The sealed form of a model.synap without a seal: a pure function of both. InvalidArgument if it
// isn't a ZIP of stored entries, ResourceExhausted above 4 GiB.
absl::StatusOr<std::string> SealBundle(absl::string_view synap, const SealKeys& keys);

// The sealed model.nb of a program and its model.json.
std::string SealModel(absl::string_view program, absl::string_view metadata, const SealKeys& keys);

// Entries of a model.synap with its programs in clear.
struct OpenedEntries {
  bool is_sealed = false;
  std::vector<ZipEntry> entries;
  // The memory of decrypted programs; the other entries refer to the file.
  std::vector<std::shared_ptr<const void>> programs;
};

// `entries`: those of `file`, which are returned as they are if there is no seal. Of a sealed model
// the seal is verified with the process's keys first, then programs are decrypted. Every byte of a
// sealed file counts: one in another form than SealBundle writes, for example by another ZIP
// program, is refused. InvalidArgument for an encrypted program without a seal and the other way
// round; else as VerifySeal and DecryptProgram.
absl::StatusOr<OpenedEntries> OpenEntries(absl::Span<const uint8_t> file,
                                          std::vector<ZipEntry> entries);

// Whether `model` is a sealed model.nb.
bool IsSealedModel(absl::Span<const uint8_t> model);

// Verifies and decrypts a sealed model.nb. Errors as of OpenEntries.
absl::StatusOr<DecryptedProgram> OpenModelFile(absl::Span<const uint8_t> model,
                                               absl::string_view metadata);

}  // namespace synap_internal

#endif  // RUNTIME_SECURITY_SEALED_FILES_H_
