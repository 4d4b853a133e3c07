#include "rules/checker/float_values.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/tensor_type.h"
#include "runtime/bundle/model_metadata.h"
#include "runtime/testing/test_models.h"
#include "synap/network.hpp"

namespace synap_internal {
namespace {

using ::testing::ElementsAre;

// A network that gives its input x of two bytes, 1/2 each, as its output.
void LoadCopy(synaptics::synap::Network& network) {
  const TensorMetadata x =
      MakeMetadata("x", {DataType::kUint8, {1, 2}, QuantParams::Affine(0.5f, 0)});
  TensorMetadata y = x;
  y.name = "y";
  const std::string model = MakeReshapeModel(x, y);
  ASSERT_TRUE(network.load_model(model.data(), model.size()));
}

TEST(FloatValuesTest, AreThoseOfTheLastRun) {
  synaptics::synap::Network network;
  LoadCopy(network);
  const uint8_t bytes[] = {2, 5};
  ASSERT_TRUE(network.inputs[0].assign(bytes, sizeof(bytes)));
  ASSERT_TRUE(network.predict());
  EXPECT_THAT(*FloatValues(network.outputs[0]), ElementsAre(1, 2.5f));
}

TEST(FloatValuesTest, AreAnErrorBeforeTheFirstRun) {
  synaptics::synap::Network network;
  LoadCopy(network);
  EXPECT_EQ(FloatValues(network.outputs[0]).status().message(),
            "tensor 'y' has no values, expected 2; the log says why");
}

}  // namespace
}  // namespace synap_internal
