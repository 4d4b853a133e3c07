#include "runtime/bundle/model_checksum.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/status/status.h"
#include "absl/strings/str_replace.h"
#include "runtime/bundle/text_bytes.h"

namespace synap_internal {
namespace {

using ::testing::HasSubstr;

constexpr char kMetadata[] = R"({"Inputs":{"x":{"scale":0.1,"shape":[4]}},"Outputs":{}})";

TEST(ModelChecksumTest, AcceptsWhatItWasMadeOf) {
  const auto checked = AddChecksum(kMetadata, AsBytes("program"));
  ASSERT_TRUE(checked.ok()) << checked.status();
  // What python3 -c 'import zlib; print("%08x" % zlib.crc32(b"program"))' prints.
  EXPECT_THAT(*checked, HasSubstr(R"("model": "92ed7784")"));
  const auto verified = VerifyChecksum(*checked, AsBytes("program"));
  ASSERT_TRUE(verified.ok()) << verified.status();
  EXPECT_TRUE(*verified);
  EXPECT_EQ(*AddChecksum(*checked, AsBytes("program")), *checked);
}

TEST(ModelChecksumTest, RefusesAnotherProgram) {
  const std::string checked = *AddChecksum(kMetadata, AsBytes("program"));
  const absl::Status status = VerifyChecksum(checked, AsBytes("prograM")).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr("the program is damaged or of another conversion"));
}

TEST(ModelChecksumTest, RefusesEditedMetadata) {
  std::string checked = *AddChecksum(kMetadata, AsBytes("program"));
  checked = absl::StrReplaceAll(checked, {{"0.1", "0.2"}});
  EXPECT_THAT(VerifyChecksum(checked, AsBytes("program")).status().message(),
              HasSubstr("the file was changed after the conversion, or is damaged"));
}

TEST(ModelChecksumTest, IgnoresBlanks) {
  std::string checked = *AddChecksum(kMetadata, AsBytes("program"));
  checked = absl::StrReplaceAll(checked, {{"\n", "\r\n"}, {"    ", ""}});
  EXPECT_TRUE(VerifyChecksum(checked, AsBytes("program")).value());
}

TEST(ModelChecksumTest, TellsMetadataWithoutAChecksum) {
  const auto verified = VerifyChecksum(kMetadata, AsBytes("program"));
  ASSERT_TRUE(verified.ok()) << verified.status();
  EXPECT_FALSE(*verified);
}

TEST(ModelChecksumTest, RefusesADamagedMember) {
  const auto error = [](absl::string_view metadata) {
    return std::string(VerifyChecksum(metadata, {}).status().message());
  };
  EXPECT_THAT(error(R"({"checksum":5})"), HasSubstr("'checksum' is not an object"));
  EXPECT_THAT(error(R"({"checksum":{"metadata":5}})"), HasSubstr("'checksum.metadata' is 5"));
  EXPECT_THAT(error(R"({"checksum":{}})"), HasSubstr("'checksum.metadata' is missing"));
  EXPECT_THAT(error("no object"), HasSubstr("not a JSON object"));
}

}  // namespace
}  // namespace synap_internal
