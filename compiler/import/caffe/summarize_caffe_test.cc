#include "base/file.h"
#include "compiler/import/caffe/import_caffe.h"
#include "compiler/import/caffe/test_network.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace synap_internal::caffe_import {
namespace {

using ::testing::ElementsAre;

TEST(SummarizeCaffeTest, CountsWhatTheFilesHold) {
  TestNetwork network;
  network.Input({64, 2}).Layer("AbsVal", "x", "a").Layer("AbsVal", "a", "b");
  network.Layer("NoSuchLayer", "b", "c").Blob("c_layer", {3, 2}, std::vector<float>(6));
  const std::string path = JoinPath(::testing::TempDir(), "net.prototxt");
  const std::string weights = JoinPath(::testing::TempDir(), "net.caffemodel");
  ASSERT_TRUE(WriteFileAtomically(path, network.Prototxt()).ok());
  ASSERT_TRUE(WriteFileAtomically(weights, network.WeightsBytes()).ok());
  const auto summary = SummarizeCaffe({path, weights});
  ASSERT_TRUE(summary.ok()) << summary.status();
  EXPECT_THAT(summary->inputs, ElementsAre("x [?x2]"));
  EXPECT_THAT(summary->outputs, ElementsAre("c"));
  EXPECT_EQ(summary->parameters, 6);
  EXPECT_EQ(summary->operators.at("AbsVal").count, 2);
  EXPECT_TRUE(summary->operators.at("AbsVal").supported);
  EXPECT_FALSE(summary->operators.at("NoSuchLayer").supported);
  EXPECT_EQ(SummarizeCaffe({path})->parameters, 0);
}

}  // namespace
}  // namespace synap_internal::caffe_import
