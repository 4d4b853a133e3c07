#include "runtime/cli/network_chain.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <sstream>
#include <utility>

#include "base/tensor_type.h"
#include "runtime/testing/test_models.h"

namespace synap_internal {
namespace {

using synaptics::synap::Rect;

// A network whose output is its input, an image of 2 pixels a row.
std::string WriteModel(const std::string& name, int64_t rows, DataType type = DataType::kUint8) {
  TensorMetadata x = MakeMetadata("x", {type, {1, rows, 2, 3}, {}});
  x.layout = TensorLayout::kNhwc;
  TensorMetadata y = x;
  y.name = "y";
  return WriteTestFile(name, MakeReshapeModel(x, y));
}

class NetworkChainTest : public testing::Test {
 protected:
  // Returns the message, or "".
  std::string Load(const std::vector<std::string>& args) {
    std::ostringstream out, err;
    ArgParser parser("program", "", "");
    ChainOptions options(2);
    options.Declare(parser);
    EXPECT_EQ(parser.Parse(args, err), ArgParser::Outcome::kRun);
    if (!options.Resolve(err)) return err.str();
    const std::unique_ptr<ChainCopies> copies = options.Load(1, out, err);
    if (copies != nullptr) chain_ = std::move(**copies->Get(0));
    return err.str();
  }

  NetworkChain chain_;
};

TEST_F(NetworkChainTest, TheSecondNetworkReadsTheFirstOnesOutput) {
  ASSERT_EQ(Load({"-m", WriteModel("a.synap", 2), "-m2", WriteModel("b.synap", 2)}), "");
  std::memset(chain_.inputs()[0].data(), 7, 12);
  ASSERT_TRUE(chain_.Predict());
  for (int i = 0; i < 12; ++i) {
    EXPECT_EQ(static_cast<const uint8_t*>(chain_.outputs()[0].data())[i], 7);
  }
  const Rect rect = {{1, 2}, {3, 4}};
  EXPECT_EQ(chain_.ShownByLast(rect), rect);
}

TEST_F(NetworkChainTest, AnOutputMayBeTheUpperPartOfAnInput) {
  const std::string first = WriteModel("a.synap", 3), second = WriteModel("b.synap", 4);
  ASSERT_EQ(Load({"-m", first, "-m2", second, "--partial"}), "");
  std::memset(chain_.inputs()[0].data(), 7, 18);
  ASSERT_TRUE(chain_.Predict());
  const auto* output = static_cast<const uint8_t*>(chain_.outputs()[0].data());
  EXPECT_EQ(output[17], 7);
  EXPECT_EQ(output[18], 0);
  EXPECT_EQ(output[23], 0);
  EXPECT_EQ(chain_.ShownByLast({{0, 5}, {60, 30}}), (Rect{{0, 5}, {60, 40}}));
}

TEST_F(NetworkChainTest, NetworksThatDoNotFitAreRefused) {
  const std::string small = WriteModel("a.synap", 3), large = WriteModel("b.synap", 4);
  EXPECT_EQ(Load({"-m", small, "-m2", large}),
            "The networks don't fit: output 'y' is 18 bytes of uint8 and input 'x' is 24 bytes of "
            "uint8, expected "
            "the same type and size; with --partial an output may be smaller\n");
  EXPECT_EQ(Load({"-m", large, "-m2", small, "--partial"}),
            "The networks don't fit: output 'y' is 24 bytes of uint8 and input 'x' is 18 bytes of "
            "uint8, expected "
            "the same type and at most as many bytes\n");
  EXPECT_EQ(Load({"-m", large, "-m2", WriteModel("c.synap", 4, DataType::kInt8)}),
            "The networks don't fit: output 'y' is 24 bytes of uint8 and input 'x' is 24 bytes of "
            "int8, expected "
            "the same type and size; with --partial an output may be smaller\n");
  EXPECT_EQ(Load({"-m", small}), "No model 2: give one with -m2\n");
  EXPECT_EQ(Load({"-m", small, "-m2", "none.synap"}), "Failed to load model\n");
  EXPECT_EQ(Load({"-m", small, "-m2", small, "--meta2", "x.json"}),
            small + ": a .synap file goes without --meta2\n");
}

}  // namespace
}  // namespace synap_internal
