#include "runtime/security/key_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/file.h"
#include "runtime/bundle/text_bytes.h"
#include "runtime/security/key_folder.h"
#include "runtime/security/make_keys.h"
#include "runtime/security/test_keys.h"

namespace synap_internal {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::string& Folder() {
  static const auto* const folder = new std::string(MakeTestKeys("keys"));
  return *folder;
}

std::string MessageOf(const absl::Status& status) { return std::string(status.message()); }

TEST(KeyFilesTest, ReadsEncryptionKeysInHexadecimal) {
  const std::string digits(64, 'a');
  const auto key = ParseEncryptionKey(absl::StrCat(" ", digits, "\n"));
  ASSERT_TRUE(key.ok());
  EXPECT_EQ(key->bytes()[31], 0xAA);
  EXPECT_EQ(key->id(), ParseEncryptionKey(std::string(64, 'A'))->id());
  EXPECT_NE(key->id(), ParseEncryptionKey(std::string(64, 'b'))->id());
}

TEST(KeyFilesTest, RefusesOtherEncryptionKeys) {
  for (const std::string& text : {std::string(63, 'a'), std::string(66, 'a'),
                                  std::string(63, 'a') + "g", std::string(), std::string(32, 1)}) {
    EXPECT_THAT(MessageOf(ParseEncryptionKey(text).status()),
                HasSubstr("expected an AES-256 key as 64 hexadecimal digits"));
  }
}

TEST(KeyFilesTest, DerivedKeysDifferByPurpose) {
  const auto key = ParseEncryptionKey(std::string(64, '0'));
  // HMAC-SHA-256 of "Hi There" under 32 zero bytes, by Python's hmac module.
  EXPECT_EQ(ShortDigits(key->Derive("Hi There").span()), "e48411262715c837");
  EXPECT_NE(ShortDigits(key->Derive("a").span()), ShortDigits(key->Derive("b").span()));
}

TEST(KeyFilesTest, ErrorsNameTheFileAndWhatWasExpected) {
  const std::string certificate = JoinPath(Folder(), "model.crt");
  const std::string key = JoinPath(Folder(), "signature.pem");
  EXPECT_EQ(MessageOf(LoadSignatureKey(certificate).status()),
            absl::StrCat(certificate,
                         ": it has no readable private key, expected an RSA private key of 2048 to "
                         "4096 bits in PEM without a passphrase"));
  EXPECT_EQ(MessageOf(LoadCertificate(key).status()),
            absl::StrCat(key,
                         ": it has no readable certificate, expected an X.509 certificate in PEM "
                         "with an RSA key of 2048 to 4096 bits"));
  EXPECT_THAT(MessageOf(LoadEncryptionKey(key).status()), StartsWith(key));
  EXPECT_THAT(MessageOf(LoadEncryptionKey(JoinPath(Folder(), "none")).status()),
              StartsWith(JoinPath(Folder(), "none")));
}

// Of a key that is given where its path belongs.
TEST(KeyFilesTest, ErrorsShowNoKey) {
  const std::string digits(64, 'a');
  const std::string pem = *ReadFile(JoinPath(Folder(), "signature.pem"));
  for (const std::string& path : {digits, JoinPath(Folder(), digits), pem}) {
    EXPECT_EQ(MessageOf(LoadEncryptionKey(path).status()),
              "found a key, expected the path of a file that has it");
  }
}

TEST(KeyFilesTest, RefusesKeysWithAPassphrase) {
  const SignatureKey key = *LoadSignatureKey(JoinPath(Folder(), "signature.pem"));
  const std::unique_ptr<BIO, decltype(&BIO_free)> memory(BIO_new(BIO_s_mem()), BIO_free);
  ASSERT_EQ(PEM_write_bio_PKCS8PrivateKey(memory.get(), key.key.get(), EVP_aes_256_cbc(), "x", 1,
                                          nullptr, nullptr),
            1);
  char* bytes = nullptr;
  const long size = BIO_get_mem_data(memory.get(), &bytes);
  const std::string pem(bytes, static_cast<size_t>(size));
  ASSERT_THAT(pem, StartsWith("-----BEGIN ENCRYPTED PRIVATE KEY-----"));
  EXPECT_THAT(MessageOf(ParseSignatureKey(pem).status()), HasSubstr("without a passphrase"));
}

TEST(KeyFilesTest, RefusesOtherAlgorithmsAndShortKeys) {
  const auto pem = [](EVP_PKEY* made) {
    return SignatureKeyFile({std::shared_ptr<EVP_PKEY>(made, EVP_PKEY_free)});
  };
  EXPECT_EQ(MessageOf(ParseSignatureKey(pem(EVP_EC_gen("P-256"))).status()),
            "it has a key of type EC, expected an RSA private key of 2048 to 4096 bits in PEM "
            "without a passphrase");
  EXPECT_THAT(MessageOf(ParseSignatureKey(pem(EVP_RSA_gen(1024))).status()),
              StartsWith("it has an RSA key of 1024 bits, expected an RSA private key of 2048"));
  const auto vendor = MakeVendor("short", 1024);
  ASSERT_TRUE(vendor.ok());
  EXPECT_THAT(MessageOf(ParseCertificate(CertificateFile(vendor->certificate)).status()),
              StartsWith("it has an RSA key of 1024 bits, expected an X.509 certificate in PEM"));
}

TEST(KeyFilesTest, ChecksWhoIssuedACertificate) {
  const auto vendor = MakeVendor("vendor", kMinRsaBits);
  const auto other = MakeVendor("vendor", kMinRsaBits);
  const auto signer = MakeSigner("model", kMinRsaBits, *vendor);
  EXPECT_TRUE(CheckIssued(signer->certificate, vendor->certificate).ok());
  EXPECT_THAT(MessageOf(CheckIssued(signer->certificate, other->certificate)),
              HasSubstr("the model certificate (CN = model) wasn't issued by the vendor "
                        "certificate (CN = vendor): "));
  EXPECT_THAT(MessageOf(CheckIssued(vendor->certificate, vendor->certificate)),
              HasSubstr("expected one that the vendor issued"));
  EXPECT_THAT(MessageOf(CheckIssued(signer->certificate, signer->certificate)),
              HasSubstr("expected a CA certificate"));
}

// A copy of a certificate with other extensions, by numeric id, signed with `key`.
Certificate With(const Certificate& certificate, const SignatureKey& key,
                 const std::vector<std::pair<int, const char*>>& extensions) {
  X509* const x509 = X509_dup(certificate.x509());
  while (X509_get_ext_count(x509) > 0) X509_EXTENSION_free(X509_delete_ext(x509, 0));
  for (const auto& [nid, value] : extensions) {
    X509_EXTENSION* const extension = X509V3_EXT_conf_nid(nullptr, nullptr, nid, value);
    EXPECT_EQ(X509_add_ext(x509, extension, -1), 1);
    X509_EXTENSION_free(extension);
  }
  EXPECT_GT(X509_sign(x509, key.key.get(), EVP_sha256()), 0);
  const Certificate made(std::shared_ptr<x509_st>(x509, X509_free));
  return *ParseCertificate(CertificateFile(made));
}

TEST(KeyFilesTest, ChecksWhatTheKeyOfAModelCertificateIsFor) {
  const auto vendor = MakeVendor("vendor", kMinRsaBits);
  const auto signer = MakeSigner("model", kMinRsaBits, *vendor);
  const auto check = [&](const std::vector<std::pair<int, const char*>>& extensions) {
    return CheckIssued(With(signer->certificate, vendor->key, extensions), vendor->certificate);
  };
  EXPECT_TRUE(check({}).ok());
  EXPECT_TRUE(check({{NID_key_usage, "critical,digitalSignature,nonRepudiation"}}).ok());
  EXPECT_TRUE(check({{NID_ext_key_usage, "serverAuth,codeSigning"}}).ok());
  EXPECT_TRUE(check({{NID_ext_key_usage, "anyExtendedKeyUsage"}}).ok());
  EXPECT_EQ(MessageOf(check({{NID_key_usage, "critical,keyEncipherment"}})),
            "the model certificate (CN = model) may not sign models, expected one whose keyUsage "
            "and extendedKeyUsage, if any, have digitalSignature and codeSigning");
  for (const char* usage : {"serverAuth", "clientAuth,emailProtection", "timeStamping"}) {
    EXPECT_FALSE(check({{NID_ext_key_usage, usage}}).ok()) << usage;
  }
  EXPECT_FALSE(check({{NID_key_usage, "keyCertSign"}, {NID_basic_constraints, "CA:TRUE"}}).ok());
}

TEST(KeyFilesTest, ChecksWhatTheKeyOfAVendorCertificateIsFor) {
  const auto vendor = MakeVendor("vendor", kMinRsaBits);
  const auto is_authority = [&](const std::vector<std::pair<int, const char*>>& extensions) {
    return With(vendor->certificate, vendor->key, extensions).IsAuthority();
  };
  const std::pair<int, const char*> authority = {NID_basic_constraints, "critical,CA:TRUE"};
  EXPECT_TRUE(is_authority({authority}));
  EXPECT_TRUE(is_authority({authority, {NID_key_usage, "keyCertSign,cRLSign"}}));
  EXPECT_TRUE(is_authority({authority, {NID_ext_key_usage, "codeSigning"}}));
  EXPECT_FALSE(is_authority({}));
  EXPECT_FALSE(is_authority({authority, {NID_key_usage, "digitalSignature"}}));
  EXPECT_FALSE(is_authority({authority, {NID_ext_key_usage, "serverAuth"}}));
}

TEST(KeyFilesTest, TellsOfKeysThatEveryUserMayRead) {
  const std::string path = JoinPath(Folder(), "exposed.key");
  ASSERT_TRUE(WriteFileAtomically(path, "").ok());
  for (const mode_t mode : {0600, 0640, 0400}) {
    ASSERT_EQ(chmod(path.c_str(), mode), 0);
    EXPECT_EQ(WhyExposed(path), "") << mode;
  }
  ASSERT_EQ(chmod(path.c_str(), 0644), 0);
  EXPECT_EQ(WhyExposed(path),
            "every user of the machine may read the key (mode 644), expected 600; run chmod 600 on "
            "the file");
  ASSERT_EQ(chmod(path.c_str(), 0602), 0);
  EXPECT_THAT(WhyExposed(path), HasSubstr("may replace the key (mode 602)"));
  ASSERT_EQ(unlink(path.c_str()), 0);
  EXPECT_EQ(WhyExposed(path), "");
}

TEST(KeyFilesTest, ReadsTheDerFormToItsEnd) {
  const auto certificate = LoadCertificate(JoinPath(Folder(), "model.crt"));
  std::string der = certificate->Der();
  const auto read = [&] { return ParseCertificateDer(AsBytes(der)); };
  ASSERT_TRUE(read().ok());
  EXPECT_EQ(read()->Fingerprint(), certificate->Fingerprint());
  der.push_back('\0');
  EXPECT_FALSE(read().ok());
  der.resize(der.size() - 2);
  EXPECT_FALSE(read().ok());
}

TEST(KeyFolderTest, OnlyItsOwnerReadsItAndTheKeysInIt) {
  struct stat status;
  ASSERT_EQ(stat(Folder().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700u);
  for (const char* key :
       {"encryption.key", "signature.pem", "vendor.pem", "runtime/encryption.key"}) {
    ASSERT_EQ(stat(JoinPath(Folder(), key).c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0600u) << key;
  }
}

TEST(KeyFolderTest, KeysAreNeverReplaced) {
  EXPECT_EQ(MessageOf(WriteKeyFolder(Folder(), {})),
            absl::StrCat(Folder(), ": it exists, expected a new folder; keys are never replaced"));
}

TEST(KeyFolderTest, AVendorCanIssueFurtherKeys) {
  KeyFolderOptions options;
  options.bits = kMinRsaBits;
  options.vendor_key = JoinPath(Folder(), "vendor.pem");
  options.vendor_certificate = JoinPath(Folder(), "vendor.crt");
  const std::string second = Folder() + "_second";
  ASSERT_TRUE(WriteKeyFolder(second, options).ok());
  const SealKeys old_keys = TestSealKeys(Folder());
  const SealKeys new_keys = TestSealKeys(second);
  EXPECT_EQ(old_keys.vendor.Fingerprint(), new_keys.vendor.Fingerprint());
  EXPECT_NE(old_keys.model.Fingerprint(), new_keys.model.Fingerprint());
  EXPECT_NE(old_keys.encryption.id(), new_keys.encryption.id());
  EXPECT_FALSE(ReadFile(JoinPath(second, "vendor.pem")).ok());
  options.vendor_key = JoinPath(second, "signature.pem");
  EXPECT_THAT(MessageOf(WriteKeyFolder(Folder() + "_third", options)),
              HasSubstr("expected its private key"));
}

TEST(KeyFolderTest, ConversionsCheckTheKeysAgainstEachOther) {
  const std::string other = MakeTestKeys("other");
  SealKeyFiles files = SealKeyFilesIn(Folder());
  files.signature_key = SealKeyFilesIn(other).signature_key;
  EXPECT_EQ(MessageOf(LoadSealKeys(files).status()),
            absl::StrCat(files.signature_key, ": the key isn't that of ", files.model_certificate,
                         " (CN = SyNAP models), expected its private key"));
  files = SealKeyFilesIn(Folder());
  files.vendor_certificate = SealKeyFilesIn(other).vendor_certificate;
  EXPECT_THAT(MessageOf(LoadSealKeys(files).status()), StartsWith(files.model_certificate));
}

}  // namespace
}  // namespace synap_internal
