#include "runtime/verify/self_test_data.h"

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_replace.h"
#include "absl/types/span.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/bundle/bundle.h"
#include "runtime/bundle/stored_zip.h"
#include "runtime/bundle/text_bytes.h"
#include "runtime/verify/two_layers.h"

namespace synap_internal {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::string& SomeDigest() {
  static const std::string digest(64, 'a');
  return digest;
}

TEST(SelfTestTest, ReadsWhatItAdds) {
  const std::string data(32, '\1');
  const SelfTestCase cases[] = {{"dog.jpg", {AsBytes(data)}, {SomeDigest()}, {}},
                                {"cat.jpg", {AsBytes(data)}, {SomeDigest()}, {SomeDigest()}}};
  const absl::StatusOr<std::string> synap = AddSelfTest(TwoLayers(1), cases);
  ASSERT_TRUE(synap.ok()) << synap.status();
  const absl::StatusOr<std::vector<SelfTestCase>> read = ReadSelfTest(AsBytes(*synap));
  ASSERT_TRUE(read.ok()) << read.status();
  ASSERT_EQ(read->size(), 2u);
  EXPECT_EQ((*read)[0].name, "dog.jpg");
  EXPECT_EQ((*read)[0].inputs, cases[0].inputs);
  EXPECT_THAT((*read)[0].layers, IsEmpty());
  EXPECT_THAT((*read)[1].outputs, ElementsAre(SomeDigest()));
  EXPECT_THAT((*read)[1].layers, ElementsAre(SomeDigest()));
}

TEST(SelfTestTest, ArtifactsWithOneStillLoad) {
  const std::string data(32, '\1');
  const SelfTestCase test_case{"dog.jpg", {AsBytes(data)}, {SomeDigest()}, {}};
  EXPECT_TRUE(ReadBundle(AsBytes(*AddSelfTest(TwoLayers(1), {&test_case, 1}))).ok());
}

TEST(SelfTestTest, ArtifactsWithoutOneHaveNoCases) {
  const absl::StatusOr<std::vector<SelfTestCase>> read = ReadSelfTest(AsBytes(TwoLayers(1)));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_THAT(*read, IsEmpty());
}

std::string Error(const std::string& json) {
  const ZipEntry entries[] = {{"self_test.json", AsBytes(json)}};
  return std::string(ReadSelfTest(AsBytes(*WriteStoredZip(entries))).status().message());
}

TEST(SelfTestTest, SaysWhatIsWrong) {
  EXPECT_THAT(Error("[]"), HasSubstr("self_test.json"));
  EXPECT_THAT(Error(R"({"version": 2, "cases": []})"), HasSubstr("'version'"));
  EXPECT_THAT(Error(R"({"cases": []})"), HasSubstr("it has no 'version', expected 1"));
  EXPECT_THAT(Error(R"({"version": 1})"), HasSubstr("it has no list 'cases'"));
  EXPECT_THAT(Error(R"({"version": 1, "cases": [3]})"), HasSubstr("case 0: it is no object"));
  EXPECT_THAT(Error(R"({"version": 1, "cases": [{"inputs": []}]})"), HasSubstr("no 'name'"));
  EXPECT_THAT(Error(R"({"version": 1, "cases": [{"name": "a", "inputs": ["b"]}]})"),
              HasSubstr("its input 'b' is missing"));
  EXPECT_THAT(Error(R"({"version": 1, "cases": [{"name": "a", "inputs": []}]})"),
              HasSubstr("it has no list 'outputs'"));
  EXPECT_THAT(
      Error(R"({"version": 1, "cases": [{"name": "a", "inputs": [], "outputs": ["12"]}]})"),
      HasSubstr("item 0 of 'outputs' is '12', expected 64 hexadecimal digits in lower case"));
  EXPECT_THAT(Error(R"({"version": 1, "cases": [{"name": "a", "inputs": [], "outputs": [")" +
                    std::string(64, 'A') + R"("]}]})"),
              HasSubstr("in lower case"));
}

}  // namespace
}  // namespace synap_internal
