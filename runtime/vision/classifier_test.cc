#include "synap/classifier.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "runtime/testing/test_models.h"
#include "synap/network.hpp"

namespace synaptics::synap {
namespace {

// The outputs of a network whose confidences are `values`.
Network Classified(const std::vector<float>& values, const std::string& format) {
  ::synap_internal::TensorMetadata x = ::synap_internal::MakeMetadata(
      "x", {::synap_internal::DataType::kFloat32, {static_cast<int64_t>(values.size())}, {}});
  ::synap_internal::TensorMetadata y = x;
  y.shape = {1, x.shape[0]};
  y.data_format = format;
  const std::string bytes = ::synap_internal::MakeReshapeModel(x, y);
  Network net;
  EXPECT_TRUE(net.load_model(bytes.data(), bytes.size()));
  EXPECT_TRUE(net.inputs[0].assign(values.data(), values.size()));
  EXPECT_TRUE(net.predict());
  return net;
}

std::vector<int> Classes(const Classifier::Result& result) {
  EXPECT_TRUE(result.success);
  std::vector<int> classes;
  for (const Classifier::Result::Item& item : result.items) classes.push_back(item.class_index);
  return classes;
}

TEST(ClassifierTest, SortsByConfidenceThenByClass) {
  const Network net = Classified({0.1f, 0.4f, 0.2f, 0.4f}, "confidence_array");
  EXPECT_THAT(Classes(Classifier().process(net.outputs)), testing::ElementsAre(1));
  EXPECT_THAT(Classes(Classifier(3).process(net.outputs)), testing::ElementsAre(1, 3, 2));
  EXPECT_THAT(Classes(Classifier(0).process(net.outputs)), testing::ElementsAre(1, 3, 2, 0));
  EXPECT_FLOAT_EQ(Classifier().process(net.outputs).items[0].confidence, 0.4f);
}

TEST(ClassifierTest, AddsTheClassIndexBase) {
  const Network net = Classified({0.1f, 0.4f}, "confidence_array class_index_base=-1");
  EXPECT_THAT(Classes(Classifier(9).process(net.outputs)), testing::ElementsAre(0, -1));
}

TEST(ClassifierTest, RefusesClassIndicesBeyondInt32) {
  const Network last = Classified({0.1f, 0.4f}, "class_index_base=2147483646");
  EXPECT_THAT(Classes(Classifier().process(last.outputs)), testing::ElementsAre(2147483647));
  const Network beyond = Classified({0.1f, 0.4f}, "class_index_base=2147483647");
  testing::internal::CaptureStderr();
  EXPECT_FALSE(Classifier().process(beyond.outputs).success);
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              testing::HasSubstr("'class_index_base' is 2147483647 for 2 classes, expected"));
}

TEST(ClassifierTest, PutsNanLast) {
  const Network net = Classified({std::numeric_limits<float>::quiet_NaN(), -1}, "");
  EXPECT_THAT(Classes(Classifier(2).process(net.outputs)), testing::ElementsAre(1, 0));
}

TEST(ClassifierTest, FailsWithoutExactlyOneTensor) {
  EXPECT_FALSE(Classifier().process(Tensors()).success);
}

}  // namespace
}  // namespace synaptics::synap
