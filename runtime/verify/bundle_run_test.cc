#include "runtime/verify/bundle_run.h"

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "base/tensor_type.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/bundle/bundle.h"
#include "runtime/bundle/text_bytes.h"
#include "runtime/testing/test_models.h"
#include "runtime/verify/two_layers.h"

namespace synap_internal {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

absl::Span<const uint8_t> BytesOf(const std::vector<float>& values) {
  return {reinterpret_cast<const uint8_t*>(values.data()), values.size() * sizeof(float)};
}

TEST(BundleRunTest, ShowsEveryLayerInTheOrderOfTheRun) {
  const Bundle bundle = *ReadBundle(AsBytes(TwoLayers(1)));
  const auto run = BundleRun::Create(bundle, {});
  ASSERT_TRUE(run.ok()) << run.status();
  ASSERT_EQ((*run)->layers().size(), 2u);
  EXPECT_EQ((*run)->layers()[0].instruction->Label(), "add 'Add_0'");
  EXPECT_EQ((*run)->layers()[0].output(0).name, "layer/sum");
  const std::vector<float> x = {0, 1, 2, 3, 4, 5, 6, 7};
  std::vector<size_t> layers;
  float first_sum = 0;
  const absl::Status status =
      (*run)->Run({BytesOf(x)}, [&](size_t layer, absl::Span<const void* const> outputs) {
        layers.push_back(layer);
        ASSERT_EQ(outputs.size(), 1u);
        if (layer == 0) std::memcpy(&first_sum, outputs[0], sizeof(first_sum));
      });
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_THAT(layers, ElementsAre(0, 1));
  EXPECT_EQ(first_sum, 1);
  EXPECT_THAT((*run)->output(0), ElementsAre(12, 14, 16, 18, 20, 22, 24, 26));
}

TEST(BundleRunTest, RunsSubgraphsInTheOrderOfTheirConnections) {
  // Subgraph 0 reads what subgraph 1 makes.
  const Bundle single = *ReadBundle(AsBytes(TwoLayers(1)));
  ModelMetadata metadata = single.subgraphs[0].metadata;
  const std::string program(reinterpret_cast<const char*>(single.subgraphs[0].model.data()),
                            single.subgraphs[0].model.size());
  const BundlePart parts[] = {{program, metadata, {{-1, 0}}}, {program, metadata, {{-1, 1}}}};
  const BundleEdge outputs[] = {{1, 0}, {0, 0}};
  const Bundle bundle = *ReadBundle(AsBytes(*WriteBundle(parts, outputs)));
  const auto run = BundleRun::Create(bundle, {});
  ASSERT_TRUE(run.ok()) << run.status();
  EXPECT_EQ((*run)->layers().size(), 4u);
  const std::vector<float> zeros(8, 0), ones(8, 1);
  ASSERT_TRUE((*run)->Run({BytesOf(zeros), BytesOf(ones)}).ok());
  EXPECT_EQ((*run)->output(0)[0], 14);
  EXPECT_EQ((*run)->output(1)[0], 12);
}

TEST(BundleRunTest, RefusesMoreMemoryThanAnyBoardHas) {
  // 100 subgraphs of 2 GiB each in less than a megabyte.
  const TensorType large{DataType::kUint8, Shape({int64_t{1} << 30}), {}};
  const std::string program =
      MakeProgram("reshape", {{"shape", large.shape.dims()}}, {large}, large);
  ModelMetadata metadata;
  metadata.inputs = {MakeMetadata("x", large)};
  metadata.outputs = {MakeMetadata("y", large)};
  std::vector<BundlePart> parts;
  std::vector<BundleEdge> outputs;
  for (int i = 0; i < 100; ++i) {
    parts.push_back({program, metadata, {{-1, i}}});
    outputs.push_back({i, 0});
  }
  const Bundle bundle = *ReadBundle(AsBytes(*WriteBundle(parts, outputs)));
  EXPECT_THAT(
      std::string(BundleRun::Create(bundle, {}).status().message()),
      HasSubstr("its inputs, outputs and arenas need 200.0 GiB, expected at most 64.0 GiB"));
}

TEST(BundleRunTest, RefusesInputsThatDontFit) {
  const Bundle bundle = *ReadBundle(AsBytes(TwoLayers(1)));
  const auto run = BundleRun::Create(bundle, {});
  ASSERT_TRUE(run.ok()) << run.status();
  const std::vector<float> seven(7);
  EXPECT_THAT(std::string((*run)->Run({BytesOf(seven)}).message()),
              HasSubstr("input 'x' has 28 bytes, expected 32 (float32 1x1x4x2)"));
  EXPECT_EQ((*run)->Run({}).message(), "found 0 inputs, expected 1");
}

}  // namespace
}  // namespace synap_internal
