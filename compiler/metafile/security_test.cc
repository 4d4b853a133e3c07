#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/file.h"
#include "compiler/metafile/metafile.h"
#include "compiler/metafile/stage_parts.h"

namespace synap_internal {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr char kFour[] =
    "{encryption_key: e, signature_key: ../s, model_certificate: /m, vendor_certificate: v}";

Metafile Parse(const std::string& text, const std::string& path = "dir/m.yaml") {
  MetafileOptions options;
  options.path = path;
  return ParseMetafile(text, options).value();
}

std::string Error(const std::string& text) {
  MetafileOptions options;
  options.path = "m.yaml";
  return std::string(ParseMetafile(text, options).status().message());
}

std::string WriteFile(const std::string& name, const std::string& text) {
  const std::string path = JoinPath(std::getenv("TEST_TMPDIR"), name);
  EXPECT_TRUE(WriteFileAtomically(path, text).ok());
  return path;
}

TEST(SecurityTest, IsOffUnlessItIsWritten) {
  EXPECT_FALSE(Parse("").security.secure);
  EXPECT_FALSE(Parse("security:").security.secure);
  EXPECT_FALSE(Parse("security: {secure: false}").security.secure);
  EXPECT_FALSE(Parse("security: {secure: false, file: a, signature_key: s}").security.secure);
}

TEST(SecurityTest, FourPathsAreRelativeToTheMetafile) {
  const Metafile metafile = Parse(absl::StrCat("security: ", kFour));
  ASSERT_TRUE(metafile.security.secure);
  const SecurityFiles files = FindSecurityFiles(metafile).value();
  EXPECT_EQ(files.encryption_key, "dir/e");
  EXPECT_EQ(files.signature_key, "dir/../s");
  EXPECT_EQ(files.model_certificate, "/m");
  EXPECT_EQ(files.vendor_certificate, "dir/v");
}

TEST(SecurityTest, PathsInASecurityFileAreRelativeToIt) {
  const std::string path = WriteFile("security.yaml", kFour);
  const Metafile metafile =
      Parse("security: {secure: true, file: security.yaml}", JoinPath(Dirname(path), "m.yaml"));
  const SecurityFiles files = FindSecurityFiles(metafile).value();
  EXPECT_EQ(files.encryption_key, JoinPath(Dirname(path), "e"));
  EXPECT_EQ(files.model_certificate, "/m");
}

TEST(SecurityTest, ErrorsNamePlaceAndField) {
  EXPECT_EQ(Error("security: {secure: true, signature_key: s}"),
            "m.yaml:1:1: security: fields are missing: encryption_key, model_certificate, "
            "vendor_certificate; expected the paths of four files, or 'file', which names a file "
            "with them; synap keys makes it");
  EXPECT_THAT(Error("security: {file: f, signature_key: s}"),
              HasSubstr("found 'file' and signature_key, expected a file with the four paths"));
  EXPECT_THAT(Error("security: {key: k}"), HasSubstr("unknown field 'key'"));
  EXPECT_THAT(Error("security: {file: ''}"), HasSubstr("security.file"));
  EXPECT_THAT(Error("security: true"), HasSubstr("security"));
}

TEST(SecurityTest, ErrorsOfTheSecurityFileNameIt) {
  const auto find = [](const std::string& path) {
    return std::string(
        FindSecurityFiles(Parse(absl::StrCat("security: {file: ", path, "}"))).status().message());
  };
  EXPECT_THAT(find("none.yaml"), StartsWith("dir/m.yaml:1:1: security.file: dir/none.yaml"));
  const std::string missing = WriteFile("missing.yaml", "encryption_key: e\n");
  EXPECT_EQ(find(missing), absl::StrCat(missing,
                                        ":1:1: fields are missing: signature_key, "
                                        "model_certificate, vendor_certificate; expected the paths "
                                        "of four files"));
  const std::string unknown = WriteFile("unknown.yaml", "secure: true\n");
  EXPECT_THAT(find(unknown), StartsWith(absl::StrCat(unknown, ":1:1: unknown field 'secure'")));
  const std::string broken = WriteFile("broken.yaml", "{a");
  EXPECT_THAT(find(broken), StartsWith(absl::StrCat(broken, ":1:")));
  EXPECT_THAT(find(broken), HasSubstr(": not valid YAML"));
}

constexpr char kDigits[] = "0f1e2d3c4b5a69788796a5b4c3d2e1f00123456789abcdef0123456789abcdef";
constexpr char kBase64[] = "Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4Zm9vYmE=";

std::string Pem() {
  return absl::StrCat("-----BEGIN PRIVATE KEY-----\n", kBase64, "\n-----END PRIVATE KEY-----\n");
}

// Whether 8 characters in a row of one of the keys are in the message.
bool ShowsAKey(const std::string& message) {
  for (const absl::string_view key : {kDigits, kBase64}) {
    for (size_t i = 0; i + 8 <= key.size(); ++i) {
      if (absl::StrContains(message, key.substr(i, 8))) return true;
    }
  }
  return absl::StrContains(message, "PRIVATE");
}

TEST(SecurityTest, NoErrorShowsAKeyThatIsNamedInPlaceOfTheSecurityFile) {
  int i = 0;
  for (const std::string& key :
       {absl::StrCat(kDigits, "\n"), Pem(), absl::StrCat("? ", kDigits, "\n"),
        absl::StrCat("encryption_key: [", kDigits, "\n"), absl::StrCat("[*", kDigits, "]\n"),
        absl::StrCat("{0f:1e:2d, ", kDigits, ": 1}"), absl::StrCat("vendor_certificate: ", kBase64),
        absl::StrCat("encryption_key: ", kDigits), absl::StrCat("\"", kDigits)}) {
    const std::string path = WriteFile(absl::StrCat("key", i++), key);
    const auto files = FindSecurityFiles(Parse(absl::StrCat("security: {file: ", path, "}")));
    ASSERT_FALSE(files.ok()) << key;
    const std::string message(files.status().message());
    EXPECT_THAT(message, StartsWith(path)) << key;
    EXPECT_FALSE(ShowsAKey(message)) << message;
  }
}

TEST(SecurityTest, NoErrorShowsAKeyThatIsWrittenInTheMetafile) {
  for (const std::string& key : {std::string(kDigits), std::string(kBase64),
                                 absl::StrCat("\"", absl::CEscape(Pem()), "\"")}) {
    for (const std::string& section :
         {key, absl::StrCat("{file: ", key, "}"), absl::StrCat("{", key, ": 1}"),
          absl::StrCat("{secure: ", key, "}"), absl::StrCat("{encryption_key: ../", key, "}"),
          absl::StrCat("{signature_key: ", key, "}")}) {
      const std::string message = Error(absl::StrCat("security: ", section));
      EXPECT_THAT(message, StartsWith("m.yaml:1:")) << section;
      EXPECT_FALSE(ShowsAKey(message)) << message;
    }
  }
  EXPECT_THAT(Error(absl::StrCat("security: {encryption_key: ", kDigits, "}")),
              HasSubstr("security.encryption_key: found 64 bytes that may be a key, expected the "
                        "path of a file that has it"));
  EXPECT_THAT(Error("security: {secure: yes please}"), HasSubstr("found 'yes please'"));
}

TEST(SecurityTest, TensorsHavePolicies) {
  const Metafile metafile = Parse(
      "inputs: [{security: any}, {security: secure}, {security: non-secure}, {}]\n"
      "outputs: [{security: secure-if-input-secure}, {security: any}, {}]\n");
  EXPECT_EQ(metafile.inputs[0].security, InputSecurity::kAny);
  EXPECT_EQ(metafile.inputs[1].security, InputSecurity::kSecure);
  EXPECT_EQ(metafile.inputs[2].security, InputSecurity::kNonSecure);
  EXPECT_EQ(metafile.inputs[3].security, InputSecurity::kAny);
  EXPECT_EQ(metafile.outputs[0].security, OutputSecurity::kSecureIfInputSecure);
  EXPECT_EQ(metafile.outputs[1].security, OutputSecurity::kAny);
  EXPECT_EQ(metafile.outputs[2].security, OutputSecurity::kSecureIfInputSecure);
  EXPECT_THAT(Error("inputs: [{security: secure-if-input-secure}]"),
              HasSubstr("expected one of any, secure, non-secure"));
  EXPECT_THAT(Error("outputs: [{security: secure}]"),
              HasSubstr("expected one of secure-if-input-secure, any"));
}

TEST(SecurityTest, OnlyTheNpuRunsSecureModels) {
  const auto delegates = [](const std::string& rules) {
    return absl::StrCat("security: {file: f}\ndelegate: ", rules);
  };
  EXPECT_TRUE(Parse(delegates("npu")).security.secure);
  EXPECT_TRUE(Parse(delegates("{'*': default, a...: npu}")).security.secure);
  EXPECT_EQ(Error(delegates("cpu")),
            "m.yaml:2:1: delegate: found '*': cpu in a secure model, expected npu, which alone "
            "runs one; write that, or leave 'security' out");
  EXPECT_THAT(Error(delegates("{'*': npu, b: gpu, c: cpu}")),
              HasSubstr(": delegate: found 'b': gpu, 'c': cpu in a secure model, "));
  EXPECT_FALSE(Parse("security: {secure: false}\ndelegate: cpu").security.secure);
}

TEST(SecurityTest, OnlyTheLastStageReadsIt) {
  const Metafile plain = Parse("inputs: [{means: 1}]\noutputs: [{}]");
  const Metafile secure = Parse(absl::StrCat("security: ", kFour,
                                             "\ninputs: [{means: 1, security: secure}]\n"
                                             "outputs: [{security: any}]"));
  EXPECT_EQ(ImportPart(plain).text, ImportPart(secure).text);
  EXPECT_EQ(CalibratePart(plain).text, CalibratePart(secure).text);
  EXPECT_EQ(QuantizePart(plain).text, QuantizePart(secure).text);
  const Metafile read = Parse(CompilePart(secure).text);
  EXPECT_TRUE(read.security.secure);
  EXPECT_EQ(read.security.files.signature_key, "../s");
  EXPECT_EQ(read.inputs[0].security, InputSecurity::kSecure);
  EXPECT_EQ(read.outputs[0].security, OutputSecurity::kAny);
}

TEST(SecurityTest, PathsMoveToAnotherFolder) {
  Metafile metafile = Parse(absl::StrCat("security: ", kFour));
  MoveSecurity("../old", metafile.security);
  EXPECT_EQ(metafile.security.files.encryption_key, "../old/e");
  EXPECT_EQ(metafile.security.files.model_certificate, "/m");
  EXPECT_EQ(metafile.security.file, "");
}

}  // namespace
}  // namespace synap_internal
