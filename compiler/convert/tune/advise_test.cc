#include "compiler/convert/tune/advise.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "base/file.h"
#include "base/npy.h"
#include "base/warnings.h"
#include "compiler/convert/stages/calibrate_stage.h"
#include "compiler/testing/run_pass.h"

namespace synap_internal {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// Two features of very different size in one tensor, which 8 bits can't hold.
constexpr char kNetwork[] = R"(
  input %x: float32[1x4]
  const %w: float32[2x4] = [1, 1, 1, 1, 0.001, 0.002, 0.001, 0.003]
  const %v: float32[1x2] = [0.0, 1000.0]
  %h: float32[1x2] = fully_connected(%x, %w) from "h"
  %y: float32[1x1] = fully_connected(%h, %v) from "y"
  output %y
)";

class AdviseTest : public testing::Test {
 protected:
  AdviseTest() : metafile_(*ParseMetafile("quantization: {dataset: x.npy}")) {
    const std::string path = testing::TempDir() + "/advise.npy";
    EXPECT_TRUE(WriteFileAtomically(path, EncodeNpy(Shape({1, 4}), {0.9, 0.3, 0.7, 0.2})).ok());
    CalibrateOptions options;
    options.samples = {path};
    Warnings ignored;
    statistics_ = *CalibrateStage(graph_, metafile_, options, ignored);
    meter_ = *LossMeter::Create(graph_, metafile_, DefaultTarget(), {{"x.npy", {path}}});
  }

  Graph graph_ = GraphOfBody(kNetwork);
  Metafile metafile_;
  Statistics statistics_;
  std::unique_ptr<LossMeter> meter_;
};

TEST_F(AdviseTest, NamesTheChangeThatWasMeasuredToHelp) {
  ModelLoss loss;
  loss.outputs = {{"y", 3}};
  const absl::StatusOr<std::string> advice =
      AdviseTypes(graph_, statistics_, metafile_, DefaultTarget(), *meter_, loss);
  ASSERT_TRUE(advice.ok()) << advice.status();
  EXPECT_THAT(*advice, StartsWith("'data_type: int16' has SQNR "));
  EXPECT_THAT(*advice, HasSubstr(" dB, in about "));
  loss.advice = *advice;
  EXPECT_THAT(LossComplaint(loss), HasSubstr("against the float network; 'data_type: int16' has"));
}

TEST_F(AdviseTest, SaysNothingIfNothingHelps) {
  ModelLoss loss;
  loss.outputs = {{"y", 199}};
  EXPECT_EQ(*AdviseTypes(graph_, statistics_, metafile_, DefaultTarget(), *meter_, loss), "");
}

}  // namespace
}  // namespace synap_internal
