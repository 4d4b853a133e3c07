#include "runtime/security/key_files.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <sys/stat.h>

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/check.h"
#include "base/file.h"
#include "base/status_macros.h"
#include "runtime/security/key_text.h"
#include "runtime/security/openssl_memory.h"

namespace synap_internal {
namespace {

constexpr size_t kMaxFileBytes = size_t{64} << 10;
// OpenSSL's level of 112 bits: RSA from 2048 bits on, no SHA-1.
constexpr int kSecurityLevel = 2;

using Bio = std::unique_ptr<BIO, decltype(&BIO_free)>;

Bio Reader(absl::string_view text) {
  Bio reader(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())), BIO_free);
  ThrowUnlessDone(reader != nullptr);
  return reader;
}

// Answers a file's request for a passphrase, which would otherwise stop at the terminal.
int NoPassphrase(char*, int, int, void*) { return 0; }

// Value of a hexadecimal digit; -1 for other characters. Without a table, whose cache lines would
// depend on the key.
int DigitValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// An error if the key isn't RSA of an accepted size.
absl::Status CheckRsa(const EVP_PKEY* key, absl::string_view expected) {
  const bool is_rsa = key != nullptr && EVP_PKEY_is_a(key, "RSA") == 1;
  const int bits = is_rsa ? EVP_PKEY_get_bits(key) : 0;
  if (is_rsa && bits >= kMinRsaBits && bits <= kMaxRsaBits) return absl::OkStatus();
  const char* const type = key == nullptr ? nullptr : EVP_PKEY_get0_type_name(key);
  return absl::InvalidArgumentError(
      absl::StrCat("it has ",
                   is_rsa ? absl::StrCat("an RSA key of ", bits, " bits")
                          : absl::StrCat("a key of type ", type == nullptr ? "unknown" : type),
                   ", expected ", expected));
}

std::string ExpectedSignatureKey() {
  return absl::StrCat("an RSA private key of ", kMinRsaBits, " to ", kMaxRsaBits,
                      " bits in PEM without a passphrase");
}

std::string ExpectedCertificate() {
  return absl::StrCat("an X.509 certificate in PEM with an RSA key of ", kMinRsaBits, " to ",
                      kMaxRsaBits, " bits");
}

absl::StatusOr<Certificate> Checked(X509* x509) {
  Certificate certificate(std::shared_ptr<x509_st>(x509, X509_free));
  RETURN_IF_ERROR(CheckRsa(X509_get0_pubkey(x509), ExpectedCertificate()));
  return certificate;
}

// Extended key usages are all set where the certificate doesn't restrict them.
bool AllowsCodeSigning(X509* x509) {
  return (X509_get_extended_key_usage(x509) & (XKU_CODE_SIGN | XKU_ANYEKU)) != 0;
}

// Reads a small file and parses its text, which is wiped.
template <typename Parsed>
absl::StatusOr<Parsed> Load(const std::string& path,
                            absl::StatusOr<Parsed> (*parse)(absl::string_view)) {
  absl::StatusOr<std::string> content = ReadFile(path);
  if (!content.ok() && LooksLikeKey(path)) {
    return absl::Status(content.status().code(),
                        "found a key, expected the path of a file that has it");
  }
  RETURN_IF_ERROR(content.status());
  const WipedText file(*std::move(content));
  if (file.text().size() > kMaxFileBytes) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": it has ", file.text().size(),
                                                   " bytes, expected a key or certificate",
                                                   " of at most ", kMaxFileBytes));
  }
  return Annotate(parse(file.text()), path);
}

}  // namespace

EncryptionKey::EncryptionKey(SecretBytes bytes) : bytes_(std::move(bytes)) {
  CHECK(bytes_.size() == kBytes);
  const SecretBytes digest = Derive("synap key id");
  std::copy_n(digest.span().begin(), id_.size(), id_.begin());
}

SecretBytes EncryptionKey::Derive(absl::string_view purpose) const {
  SecretBytes derived(sizeof(Sha256));
  unsigned int size = 0;
  ThrowUnlessDone(HMAC(EVP_sha256(), bytes_.span().data(), static_cast<int>(bytes_.size()),
                       reinterpret_cast<const unsigned char*>(purpose.data()), purpose.size(),
                       derived.data(), &size) != nullptr);
  return derived;
}

absl::StatusOr<EncryptionKey> ParseEncryptionKey(absl::string_view text) {
  const absl::string_view digits = absl::StripAsciiWhitespace(text);
  SecretBytes bytes(EncryptionKey::kBytes);
  bool is_key = digits.size() == 2 * bytes.size();
  for (size_t i = 0; is_key && i < bytes.size(); ++i) {
    const int high = DigitValue(digits[2 * i]);
    const int low = DigitValue(digits[2 * i + 1]);
    is_key = high >= 0 && low >= 0;
    bytes.data()[i] = static_cast<uint8_t>(high << 4 | low);
  }
  if (is_key) return EncryptionKey(std::move(bytes));
  return absl::InvalidArgumentError(
      absl::StrCat("it has ", digits.size(), " characters, expected an AES-256 key as 64 ",
                   "hexadecimal digits; make one with 'openssl rand -hex 32'"));
}

absl::StatusOr<EncryptionKey> LoadEncryptionKey(const std::string& path) {
  return Load(path, ParseEncryptionKey);
}

absl::StatusOr<SignatureKey> ParseSignatureKey(absl::string_view pem) {
  const Bio reader = Reader(pem);
  SignatureKey key{std::shared_ptr<evp_pkey_st>(
      PEM_read_bio_PrivateKey(reader.get(), nullptr, NoPassphrase, nullptr), EVP_PKEY_free)};
  if (key.key == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat("it has no readable private key, expected ", ExpectedSignatureKey()));
  }
  RETURN_IF_ERROR(CheckRsa(key.key.get(), ExpectedSignatureKey()));
  return key;
}

absl::StatusOr<SignatureKey> LoadSignatureKey(const std::string& path) {
  return Load(path, ParseSignatureKey);
}

Sha256 Certificate::Fingerprint() const {
  Sha256 digest;
  unsigned int size = 0;
  const bool is_done = X509_digest(x509(), EVP_sha256(), digest.data(), &size) == 1;
  ThrowUnlessDone(is_done && size == digest.size());  // it returns 1 without a digest, too
  return digest;
}

std::string Certificate::Der() const {
  unsigned char* bytes = nullptr;
  const int size = i2d_X509(x509(), &bytes);
  ThrowUnlessDone(size > 0);
  std::string der(reinterpret_cast<const char*>(bytes), static_cast<size_t>(size));
  OPENSSL_free(bytes);
  return der;
}

std::string Certificate::Subject() const {
  const Bio text(BIO_new(BIO_s_mem()), BIO_free);
  ThrowUnlessDone(text != nullptr);
  // Escapes control characters.
  X509_NAME_print_ex(text.get(), X509_get_subject_name(x509()), 0, XN_FLAG_ONELINE);
  char* bytes = nullptr;
  const long size = BIO_get_mem_data(text.get(), &bytes);
  return std::string(bytes, static_cast<size_t>(size));
}

bool Certificate::IsAuthority() const {
  return X509_check_ca(x509()) == 1 && AllowsCodeSigning(x509());
}

bool Certificate::MaySignModels() const {
  const bool is_valid = (X509_get_extension_flags(x509()) & EXFLAG_INVALID) == 0;
  return is_valid && (X509_get_key_usage(x509()) & KU_DIGITAL_SIGNATURE) != 0 &&
         AllowsCodeSigning(x509());
}

absl::StatusOr<Certificate> ParseCertificate(absl::string_view pem) {
  const Bio reader = Reader(pem);
  X509* const x509 = PEM_read_bio_X509(reader.get(), nullptr, NoPassphrase, nullptr);
  if (x509 != nullptr) return Checked(x509);
  return absl::InvalidArgumentError(
      absl::StrCat("it has no readable certificate, expected ", ExpectedCertificate()));
}

absl::StatusOr<Certificate> LoadCertificate(const std::string& path) {
  return Load(path, ParseCertificate);
}

absl::StatusOr<Certificate> ParseCertificateDer(absl::Span<const uint8_t> der) {
  const unsigned char* end = der.data();
  X509* const x509 = d2i_X509(nullptr, &end, static_cast<long>(der.size()));
  if (x509 == nullptr) return absl::InvalidArgumentError("the model's certificate is damaged");
  ASSIGN_OR_RETURN(Certificate certificate, Checked(x509));
  if (end == der.data() + der.size()) return certificate;
  return absl::InvalidArgumentError("the model's certificate has bytes behind its end");
}

absl::Status CheckIssued(const Certificate& model, const Certificate& vendor) {
  if (!vendor.IsAuthority()) {
    return absl::PermissionDeniedError(
        absl::StrCat("the vendor certificate (", vendor.Subject(),
                     ") may not certify others, expected a CA certificate, whose keyUsage and ",
                     "extendedKeyUsage, if any, have keyCertSign and codeSigning"));
  }
  if (model.Fingerprint() == vendor.Fingerprint()) {
    return absl::PermissionDeniedError(
        "the model certificate is the vendor certificate, expected one that the vendor issued");
  }
  if (!model.MaySignModels()) {
    return absl::PermissionDeniedError(absl::StrCat(
        "the model certificate (", model.Subject(), ") may not sign models, expected one whose ",
        "keyUsage and extendedKeyUsage, if any, have digitalSignature and codeSigning"));
  }
  const std::unique_ptr<X509_STORE, decltype(&X509_STORE_free)> store(X509_STORE_new(),
                                                                      X509_STORE_free);
  const std::unique_ptr<X509_STORE_CTX, decltype(&X509_STORE_CTX_free)> context(
      X509_STORE_CTX_new(), X509_STORE_CTX_free);
  ThrowUnlessDone(store != nullptr && context != nullptr);
  ThrowUnlessDone(X509_STORE_add_cert(store.get(), vendor.x509()) == 1);
  ThrowUnlessDone(X509_STORE_CTX_init(context.get(), store.get(), model.x509(), nullptr) == 1);
  X509_VERIFY_PARAM* const parameters = X509_STORE_CTX_get0_param(context.get());
  // The vendor is trusted by configuration, whoever certified it.
  X509_VERIFY_PARAM_set_flags(parameters, X509_V_FLAG_NO_CHECK_TIME | X509_V_FLAG_PARTIAL_CHAIN);
  X509_VERIFY_PARAM_set_auth_level(parameters, kSecurityLevel);
  if (X509_verify_cert(context.get()) == 1) return absl::OkStatus();
  return absl::PermissionDeniedError(
      absl::StrCat("the model certificate (", model.Subject(),
                   ") wasn't issued by the vendor certificate (", vendor.Subject(),
                   "): ", X509_verify_cert_error_string(X509_STORE_CTX_get_error(context.get()))));
}

std::string WhyExposed(const std::string& path) {
  struct stat info;
  if (stat(path.c_str(), &info) != 0 || (info.st_mode & (S_IROTH | S_IWOTH)) == 0) return "";
  return absl::StrFormat(
      "every user of the machine may %s the key (mode %o), expected 600; run "
      "chmod 600 on the file",
      (info.st_mode & S_IWOTH) == 0 ? "read" : "replace", info.st_mode & 0777);
}

std::string ShortDigits(absl::Span<const uint8_t> bytes) {
  constexpr size_t kShown = 8;
  return absl::BytesToHexString(
      {reinterpret_cast<const char*>(bytes.data()), std::min(bytes.size(), kShown)});
}

}  // namespace synap_internal
