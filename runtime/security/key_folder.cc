#include "runtime/security/key_folder.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/file.h"
#include "base/status_macros.h"
#include "runtime/security/key_store.h"
#include "runtime/security/make_keys.h"
#include "runtime/security/secret_bytes.h"

namespace synap_internal {
namespace {

constexpr char kEncryptionKey[] = "encryption.key";
constexpr char kSignatureKey[] = "signature.pem";
constexpr char kModelCertificate[] = "model.crt";
constexpr char kVendorCertificate[] = "vendor.crt";
constexpr char kVendorKey[] = "vendor.pem";

std::string SecurityYaml() {
  return absl::StrCat("# For a metafile: security: {secure: true, file: <this file>}\n",
                      "encryption_key: ", kEncryptionKey, "\nsignature_key: ", kSignatureKey,
                      "\nmodel_certificate: ", kModelCertificate,
                      "\nvendor_certificate: ", kVendorCertificate, "\n");
}

absl::Status MakePrivateFolder(const std::string& folder) {
  if (mkdir(folder.c_str(), S_IRWXU) == 0) return absl::OkStatus();
  if (errno == EEXIST) {
    return absl::AlreadyExistsError(
        absl::StrCat(folder, ": it exists, expected a new folder; keys are never replaced"));
  }
  return absl::UnavailableError(
      absl::StrCat(folder, ": can't create the folder: ", std::strerror(errno)));
}

// The folder is already private; the mode goes with a copy of the file.
absl::Status WriteSecret(const std::string& path, const std::string& text) {
  RETURN_IF_ERROR(WriteFileAtomically(path, text));
  if (chmod(path.c_str(), S_IRUSR | S_IWUSR) == 0) return absl::OkStatus();
  return absl::UnavailableError(
      absl::StrCat(path, ": can't make the file private: ", std::strerror(errno)));
}

absl::StatusOr<Vendor> FindVendor(const KeyFolderOptions& options) {
  if (options.vendor_key.empty()) return MakeVendor(options.vendor_name, options.bits);
  return LoadVendor(options.vendor_key, options.vendor_certificate);
}

}  // namespace

absl::Status WriteKeyFolder(const std::string& folder, const KeyFolderOptions& options) {
  ASSIGN_OR_RETURN(const Vendor vendor, FindVendor(options));
  ASSIGN_OR_RETURN(const ModelSigner signer, MakeSigner(options.model_name, options.bits, vendor));
  const WipedText encryption_key(MakeEncryptionKeyFile());
  const WipedText signature_key(SignatureKeyFile(signer.key));
  const WipedText vendor_key(SignatureKeyFile(vendor.key));
  const std::string vendor_certificate = CertificateFile(vendor.certificate);
  const std::string runtime = RuntimeKeysIn(folder);
  RETURN_IF_ERROR(MakePrivateFolder(folder));
  RETURN_IF_ERROR(MakePrivateFolder(runtime));
  const auto write = [](const std::string& in, const char* name, const std::string& text) {
    return WriteFileAtomically(JoinPath(in, name), text);
  };
  RETURN_IF_ERROR(WriteSecret(JoinPath(folder, kEncryptionKey), encryption_key.text()));
  RETURN_IF_ERROR(WriteSecret(JoinPath(folder, kSignatureKey), signature_key.text()));
  RETURN_IF_ERROR(write(folder, kModelCertificate, CertificateFile(signer.certificate)));
  RETURN_IF_ERROR(write(folder, kVendorCertificate, vendor_certificate));
  if (options.vendor_key.empty()) {
    RETURN_IF_ERROR(WriteSecret(JoinPath(folder, kVendorKey), vendor_key.text()));
  }
  RETURN_IF_ERROR(write(folder, kSecurityFile, SecurityYaml()));
  RETURN_IF_ERROR(WriteSecret(JoinPath(runtime, kEncryptionKey), encryption_key.text()));
  return write(runtime, kVendorCertificate, vendor_certificate);
}

SealKeyFiles SealKeyFilesIn(const std::string& folder) {
  return {JoinPath(folder, kEncryptionKey), JoinPath(folder, kSignatureKey),
          JoinPath(folder, kModelCertificate), JoinPath(folder, kVendorCertificate)};
}

std::string RuntimeKeysIn(const std::string& folder) { return JoinPath(folder, kRuntimeFolder); }

}  // namespace synap_internal
