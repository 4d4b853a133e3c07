#include "runtime/verify/self_test_run.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/file.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/bundle/bundle.h"
#include "runtime/bundle/text_bytes.h"
#include "runtime/verify/bundle_run.h"
#include "runtime/verify/self_test_data.h"
#include "runtime/verify/two_layers.h"
#include "runtime/verify/verify.h"

namespace synap_internal {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// Writes model `made` with the self-test that `recorded` passes, for layers too.
std::string WriteModel(const std::string& name, float recorded, float made) {
  const std::vector<float> x = {0, 1, 2, 3, 4, 5, 6, 7};
  const std::string synap = TwoLayers(recorded);
  const Bundle bundle = *ReadBundle(AsBytes(synap));
  const std::unique_ptr<BundleRun> run = *BundleRun::Create(bundle, {});
  SelfTestCase test_case{"ramp", {{reinterpret_cast<const uint8_t*>(x.data()), 32}}, {}, {}};
  test_case.layers = *LayerDigests(*run, test_case.inputs);
  test_case.outputs = OutputDigests(*run);
  const std::string path = JoinPath(testing::TempDir(), name);
  EXPECT_TRUE(WriteFileAtomically(path, *AddSelfTest(TwoLayers(made), {test_case})).ok());
  return path;
}

TEST(RunSelfTestTest, TellsWhatIsAsRecorded) {
  const std::string path = WriteModel("same.synap", 1, 1);
  const absl::StatusOr<std::string> text = RunSelfTest(path, 1);
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_EQ(*text, path + ": 1 sample as recorded: 1 output and 2 results of layers");
}

TEST(RunSelfTestTest, AnotherResultIsAnError) {
  const std::string path = WriteModel("changed.synap", 1, 3);
  const absl::Status status = RunSelfTest(path, 1).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(
      std::string(status.message()),
      StartsWith(path + ": self-test 0 ('ramp'): output 'y' isn't as recorded: layer 0 of 2"));
}

TEST(RunSelfTestTest, AModelWithoutSelfTestIsAnError) {
  const std::string path = JoinPath(testing::TempDir(), "plain.synap");
  ASSERT_TRUE(WriteFileAtomically(path, TwoLayers(1)).ok());
  const absl::Status status = RunSelfTest(path, 1).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()),
              StartsWith(path + ": it has no self-test, expected one; convert with --self-test 1"));
}

TEST(RunSelfTestTest, ErrorsNameTheFile) {
  EXPECT_THAT(std::string(RunSelfTest("none.synap", 1).status().message()),
              HasSubstr("none.synap"));
}

}  // namespace
}  // namespace synap_internal
