#include "runtime/security/seal.h"

#include <openssl/evp.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "runtime/security/openssl_memory.h"

namespace synap_internal {
namespace {

constexpr absl::string_view kSealMagic = "SYNPSEAL";
constexpr uint32_t kSealVersion = 1;
constexpr size_t kVendorAt = 12, kCertificateAt = 48;
// Ends with a zero byte, so that no other text of this form begins with it.
constexpr absl::string_view kDomain("synap model 1\0", 14);
constexpr size_t kMaxCertificateBytes = size_t{16} << 10;
constexpr size_t kMaxSignatureBytes = kMaxRsaBits / 8;

using Digest = std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)>;

// `size` bytes, little endian.
std::string Number(uint64_t value, size_t size) {
  std::string bytes;
  for (size_t i = 0; i < size; ++i) bytes.push_back(static_cast<char>(value >> 8 * i & 0xFF));
  return bytes;
}

uint32_t Read32(const uint8_t* p) {
  return p[0] | static_cast<uint32_t>(p[1]) << 8 | static_cast<uint32_t>(p[2]) << 16 |
         static_cast<uint32_t>(p[3]) << 24;
}

std::string Sha256Of(absl::Span<const uint8_t> bytes) {
  std::string digest(sizeof(Sha256), '\0');
  unsigned int size = 0;
  ThrowUnlessDone(EVP_Digest(bytes.data(), bytes.size(),
                             reinterpret_cast<unsigned char*>(digest.data()), &size, EVP_sha256(),
                             nullptr) == 1);
  return digest;
}

absl::string_view AsText(absl::Span<const uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string SignedText(absl::string_view head, std::vector<SealedFile> files) {
  std::sort(files.begin(), files.end(),
            [](const SealedFile& a, const SealedFile& b) { return a.name < b.name; });
  std::string text = absl::StrCat(kDomain, head, Number(files.size(), 4));
  for (const SealedFile& file : files) {
    absl::StrAppend(&text, Number(file.name.size(), 4), file.name, Number(file.content.size(), 8),
                    Sha256Of(file.content));
  }
  return text;
}

// Without a salt the signature is a function of key and text.
void UsePss(EVP_PKEY_CTX* context) {
  ThrowUnlessDone(EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PSS_PADDING) == 1);
  ThrowUnlessDone(EVP_PKEY_CTX_set_rsa_pss_saltlen(context, 0) == 1);
}

std::string Sign(absl::string_view text, const SignatureKey& key) {
  const Digest digest(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  EVP_PKEY_CTX* context = nullptr;  // of `digest`
  ThrowUnlessDone(digest != nullptr);
  ThrowUnlessDone(
      EVP_DigestSignInit(digest.get(), &context, EVP_sha256(), nullptr, key.key.get()) == 1);
  UsePss(context);
  const auto* const bytes = reinterpret_cast<const unsigned char*>(text.data());
  size_t size = 0;
  ThrowUnlessDone(EVP_DigestSign(digest.get(), nullptr, &size, bytes, text.size()) == 1);
  std::string signature(size, '\0');
  ThrowUnlessDone(EVP_DigestSign(digest.get(), reinterpret_cast<unsigned char*>(signature.data()),
                                 &size, bytes, text.size()) == 1);
  signature.resize(size);
  return signature;
}

bool IsSignature(absl::Span<const uint8_t> signature, absl::string_view text,
                 const Certificate& certificate) {
  const Digest digest(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  EVP_PKEY_CTX* context = nullptr;  // of `digest`
  ThrowUnlessDone(digest != nullptr);
  ThrowUnlessDone(EVP_DigestVerifyInit(digest.get(), &context, EVP_sha256(), nullptr,
                                       X509_get0_pubkey(certificate.x509())) == 1);
  UsePss(context);
  return EVP_DigestVerify(digest.get(), signature.data(), signature.size(),
                          reinterpret_cast<const unsigned char*>(text.data()), text.size()) == 1;
}

absl::Status Damaged(absl::string_view what) {
  return absl::InvalidArgumentError(
      absl::StrCat("the model's seal is damaged: ", what, "; use the original file"));
}

// Reads a size of at most `max` at `at`, and the bytes that follow it.
absl::StatusOr<absl::Span<const uint8_t>> Sized(absl::Span<const uint8_t> bytes, size_t at,
                                                size_t max, absl::string_view what) {
  if (bytes.size() < at + 4) return Damaged("it ends too early");
  const size_t size = Read32(bytes.data() + at);
  if (size > max) {
    return Damaged(absl::StrCat("its ", what, " has ", size, " bytes, expected at most ", max));
  }
  if (bytes.size() - at - 4 < size) return Damaged("it ends too early");
  return bytes.subspan(at + 4, size);
}

}  // namespace

absl::StatusOr<SealKeys> LoadSealKeys(const SealKeyFiles& files) {
  ASSIGN_OR_RETURN(EncryptionKey encryption, LoadEncryptionKey(files.encryption_key));
  ASSIGN_OR_RETURN(SignatureKey signature, LoadSignatureKey(files.signature_key));
  ASSIGN_OR_RETURN(Certificate model, LoadCertificate(files.model_certificate));
  ASSIGN_OR_RETURN(Certificate vendor, LoadCertificate(files.vendor_certificate));
  if (X509_check_private_key(model.x509(), signature.key.get()) != 1) {
    return absl::InvalidArgumentError(absl::StrCat(files.signature_key, ": the key isn't that of ",
                                                   files.model_certificate, " (", model.Subject(),
                                                   "), expected its private key"));
  }
  RETURN_IF_ERROR(Annotate(CheckIssued(model, vendor), files.model_certificate));
  return SealKeys{std::move(encryption), std::move(signature), std::move(model), std::move(vendor)};
}

std::string MakeSeal(std::vector<SealedFile> files, const SealKeys& keys) {
  const Sha256 vendor = keys.vendor.Fingerprint();
  const std::string certificate = keys.model.Der();
  const std::string head = absl::StrCat(kSealMagic, Number(kSealVersion, 4), AsText(vendor),
                                        Number(certificate.size(), 4), certificate);
  const std::string signature = Sign(SignedText(head, std::move(files)), keys.signature);
  return absl::StrCat(head, Number(signature.size(), 4), signature);
}

bool IsSeal(absl::Span<const uint8_t> bytes) {
  return AsText(bytes.subspan(0, std::min(bytes.size(), kSealMagic.size()))) == kSealMagic;
}

absl::StatusOr<SealParts> ParseSeal(absl::Span<const uint8_t> bytes) {
  if (!IsSeal(bytes) || bytes.size() < kCertificateAt) return Damaged("it has no whole head");
  if (Read32(bytes.data() + kSealMagic.size()) != kSealVersion) {
    return Damaged(absl::StrCat("its version is ", Read32(bytes.data() + kSealMagic.size()),
                                ", expected ", kSealVersion));
  }
  SealParts parts;
  std::copy_n(bytes.begin() + kVendorAt, parts.vendor.size(), parts.vendor.begin());
  ASSIGN_OR_RETURN(parts.certificate,
                   Sized(bytes, kCertificateAt - 4, kMaxCertificateBytes, "certificate"));
  parts.signed_head = bytes.subspan(0, kCertificateAt + parts.certificate.size());
  ASSIGN_OR_RETURN(parts.signature,
                   Sized(bytes, parts.signed_head.size(), kMaxSignatureBytes, "signature"));
  parts.size = parts.signed_head.size() + 4 + parts.signature.size();
  return parts;
}

absl::Status VerifySeal(absl::Span<const uint8_t> seal, std::vector<SealedFile> files,
                        const KeyStore& trusted) {
  ASSIGN_OR_RETURN(const SealParts parts, ParseSeal(seal));
  if (parts.size != seal.size()) return Damaged("it has bytes behind its end");
  ASSIGN_OR_RETURN(const Certificate* vendor, trusted.FindVendor(parts.vendor));
  ASSIGN_OR_RETURN(const Certificate model, ParseCertificateDer(parts.certificate));
  RETURN_IF_ERROR(CheckIssued(model, *vendor));
  const std::string text = SignedText(AsText(parts.signed_head), std::move(files));
  if (IsSignature(parts.signature, text, model)) return absl::OkStatus();
  return absl::PermissionDeniedError(
      absl::StrCat("the signature (", model.Subject(),
                   ") isn't that of the model's content: it was changed after the conversion, or ",
                   "is damaged; use the original file"));
}

absl::StatusOr<std::string> SealText(absl::Span<const uint8_t> seal) {
  ASSIGN_OR_RETURN(const SealParts parts, ParseSeal(seal));
  ASSIGN_OR_RETURN(const Certificate model, ParseCertificateDer(parts.certificate));
  return absl::StrCat("signed by: ", model.Subject(), "\nSHA-256 of the vendor certificate: ",
                      absl::BytesToHexString(AsText(parts.vendor)),
                      "\nsignature: RSA-PSS with SHA-256, ", parts.signature.size() * 8, " bits\n");
}

}  // namespace synap_internal
