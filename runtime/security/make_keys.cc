#include "runtime/security/make_keys.h"

#include <openssl/asn1.h>
#include <openssl/bn.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <memory>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/status_macros.h"

namespace synap_internal {
namespace {

constexpr int kVersion3 = 2;  // the value that stands for version 3
constexpr size_t kMaxNameBytes = 64;
constexpr size_t kSerialBytes = 16;

using Bio = std::unique_ptr<BIO, decltype(&BIO_free)>;

SignatureKey MakeRsaKey(int bits) {
  SignatureKey key{
      std::shared_ptr<evp_pkey_st>(EVP_RSA_gen(static_cast<unsigned int>(bits)), EVP_PKEY_free)};
  CHECK(key.key != nullptr);
  return key;
}

void AddExtension(X509V3_CTX& context, int nid, const char* value, X509* certificate) {
  const std::unique_ptr<X509_EXTENSION, decltype(&X509_EXTENSION_free)> extension(
      X509V3_EXT_conf_nid(nullptr, &context, nid, value), X509_EXTENSION_free);
  CHECK(extension != nullptr && X509_add_ext(certificate, extension.get(), -1) == 1);
}

// RFC 5280 4.1.2.5: the end of a certificate without a good date. Nothing reads it here.
void SetTimes(X509* certificate) {
  CHECK(ASN1_TIME_set_string(X509_getm_notBefore(certificate), "20000101000000Z") == 1);
  CHECK(ASN1_TIME_set_string(X509_getm_notAfter(certificate), "99991231235959Z") == 1);
}

// Random and positive, as RFC 5280 4.1.2.2 asks.
void SetSerial(X509* certificate) {
  unsigned char bytes[kSerialBytes];
  CHECK(RAND_bytes(bytes, sizeof(bytes)) == 1);
  bytes[0] = static_cast<unsigned char>((bytes[0] & 0x7F) | 0x40);
  const std::unique_ptr<BIGNUM, decltype(&BN_free)> number(BN_bin2bn(bytes, sizeof(bytes), nullptr),
                                                           BN_free);
  CHECK(BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(certificate)) != nullptr);
}

// Signed by `issuer_key`; `issuer` null: by itself, as an authority.
absl::StatusOr<Certificate> MakeCertificate(const std::string& name, const SignatureKey& key,
                                            const Certificate* issuer,
                                            const SignatureKey& issuer_key) {
  if (name.empty() || name.size() > kMaxNameBytes) {
    return absl::InvalidArgumentError(absl::StrCat("the name '", name, "' has ", name.size(),
                                                   " bytes, expected 1 to ", kMaxNameBytes));
  }
  Certificate certificate(std::shared_ptr<x509_st>(X509_new(), X509_free));
  X509* const x509 = certificate.x509();
  CHECK(x509 != nullptr && X509_set_version(x509, kVersion3) == 1);
  SetSerial(x509);
  SetTimes(x509);
  if (X509_NAME_add_entry_by_txt(X509_get_subject_name(x509), "CN", MBSTRING_UTF8,
                                 reinterpret_cast<const unsigned char*>(name.data()),
                                 static_cast<int>(name.size()), -1, 0) != 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("the name '", name, "' can't be a certificate's, expected UTF-8"));
  }
  X509* const authority = issuer == nullptr ? x509 : issuer->x509();
  CHECK(X509_set_issuer_name(x509, X509_get_subject_name(authority)) == 1);
  CHECK(X509_set_pubkey(x509, key.key.get()) == 1);
  X509V3_CTX context;
  X509V3_set_ctx(&context, authority, x509, nullptr, nullptr, 0);
  AddExtension(context, NID_basic_constraints,
               issuer == nullptr ? "critical,CA:TRUE,pathlen:0" : "critical,CA:FALSE", x509);
  AddExtension(context, NID_key_usage,
               issuer == nullptr ? "critical,keyCertSign" : "critical,digitalSignature", x509);
  AddExtension(context, NID_subject_key_identifier, "hash", x509);
  CHECK(X509_sign(x509, issuer_key.key.get(), EVP_sha256()) > 0);
  return certificate;
}

std::string TextOf(BIO* memory) {
  char* bytes = nullptr;
  const long size = BIO_get_mem_data(memory, &bytes);
  return std::string(bytes, static_cast<size_t>(size));
}

}  // namespace

absl::StatusOr<Vendor> LoadVendor(const std::string& key_file,
                                  const std::string& certificate_file) {
  ASSIGN_OR_RETURN(SignatureKey key, LoadSignatureKey(key_file));
  ASSIGN_OR_RETURN(Certificate certificate, LoadCertificate(certificate_file));
  if (!certificate.IsAuthority()) {
    return absl::InvalidArgumentError(
        absl::StrCat(certificate_file, ": the certificate (", certificate.Subject(),
                     ") may not certify others, expected a vendor's, which is a CA certificate"));
  }
  if (X509_check_private_key(certificate.x509(), key.key.get()) != 1) {
    return absl::InvalidArgumentError(absl::StrCat(key_file, ": the key isn't that of ",
                                                   certificate_file, ", expected its private key"));
  }
  return Vendor{std::move(key), std::move(certificate)};
}

absl::StatusOr<Vendor> MakeVendor(const std::string& name, int bits) {
  SignatureKey key = MakeRsaKey(bits);
  ASSIGN_OR_RETURN(Certificate certificate, MakeCertificate(name, key, nullptr, key));
  return Vendor{std::move(key), std::move(certificate)};
}

absl::StatusOr<ModelSigner> MakeSigner(const std::string& name, int bits, const Vendor& vendor) {
  SignatureKey key = MakeRsaKey(bits);
  ASSIGN_OR_RETURN(Certificate certificate,
                   MakeCertificate(name, key, &vendor.certificate, vendor.key));
  return ModelSigner{std::move(key), std::move(certificate)};
}

std::string SignatureKeyFile(const SignatureKey& key) {
  const Bio memory(BIO_new(BIO_s_secmem()), BIO_free);
  CHECK(PEM_write_bio_PKCS8PrivateKey(memory.get(), key.key.get(), nullptr, nullptr, 0, nullptr,
                                      nullptr) == 1);
  return TextOf(memory.get());
}

std::string CertificateFile(const Certificate& certificate) {
  const Bio memory(BIO_new(BIO_s_mem()), BIO_free);
  CHECK(PEM_write_bio_X509(memory.get(), certificate.x509()) == 1);
  return TextOf(memory.get());
}

std::string MakeEncryptionKeyFile() {
  SecretBytes bytes(EncryptionKey::kBytes);
  CHECK(RAND_priv_bytes(bytes.data(), static_cast<int>(bytes.size())) == 1);
  const absl::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return absl::StrCat(absl::BytesToHexString(text), "\n");
}

}  // namespace synap_internal
