#include "runtime/bundle/network_bytes.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/tensor_type.h"
#include "runtime/bundle/bundle.h"
#include "runtime/bundle/model_metadata.h"
#include "runtime/testing/test_models.h"

namespace synap_internal {
namespace {

TEST(NetworkBytesTest, CountsTheModelTwiceAndEachTensorOnce) {
  const TensorType small{DataType::kFloat32, {1, 20, 30, 24}, {}};
  const TensorType large{DataType::kFloat32, {1, 80, 120, 24}, {}};
  const std::string program = MakeProgram(
      "resize", {{"size", std::vector<int64_t>{80, 120}}, {"mode", std::string("linear")}}, {small},
      large);
  ModelMetadata metadata;
  metadata.inputs = {MakeMetadata("x", small)};
  metadata.outputs = {MakeMetadata("y", large)};
  const std::string model = WriteTestFile("model.synap", WriteBundle(program, metadata).value());
  const auto tensors = static_cast<uint64_t>(small.bytes() + large.bytes());
  EXPECT_EQ(EstimateNetworkBytes(model, ""), tensors + 2 * program.size());
}

TEST(NetworkBytesTest, IsNothingForOtherFiles) {
  EXPECT_EQ(EstimateNetworkBytes("none.synap", ""), 0u);
  EXPECT_EQ(EstimateNetworkBytes("none.nb", "none.json"), 0u);
  EXPECT_EQ(EstimateNetworkBytes(WriteTestFile("bad.synap", "no model"), ""), 0u);
}

}  // namespace
}  // namespace synap_internal
