#include "compiler/import/torchscript/refusal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "compiler/import/torchscript/other_exports.h"

namespace synap_internal::torchscript_import {
namespace {

using ::testing::HasSubstr;

TEST(RefusalTest, TellsWhyAnOperatorHasNoMapping) {
  EXPECT_EQ(AdviceOn("aten::rand_like"),
            "its values are random; give them to the network as an input");
  EXPECT_EQ(AdviceOn("aten::normal_"), AdviceOn("aten::rand_like"));
  EXPECT_EQ(AdviceOn("lib::rand_like"), "");
  EXPECT_EQ(AdviceOn("aten::nobody_knows"), "");
}

TEST(RefusalTest, TellsWhichExportsImport) {
  EXPECT_EQ(AdviceOn("aten::fft_hfft2"),
            "it imports from a file of torch.export after run_decompositions() or of "
            "torch.onnx.export");
  EXPECT_EQ(AdviceOn("aten::special_erfcx"),
            "the compiler's ops can't compute it exactly; compute it before or after the network; "
            "it imports from a file of torch.onnx.export");
}

TEST(RefusalTest, LeavesOutStepsThatAreNotNeeded) {
  EXPECT_EQ(AdviceOn("aten::_safe_softmax"),
            "it imports from a file of torch.export or of torch.onnx.export");
}

TEST(OtherExportsTest, AreSortedByOperator) {
  for (size_t i = 1; i < OtherExportRows().size(); ++i) {
    EXPECT_LT(OtherExportRows()[i - 1].op, OtherExportRows()[i].op);
  }
}

TEST(OtherExportsTest, EachRowNamesOne) {
  for (const OtherExportRow& row : OtherExportRows()) {
    EXPECT_FALSE(OtherExports(row.op).empty()) << row.op;
    EXPECT_THAT(AdviceOn(row.op), HasSubstr("it imports from a file of torch.")) << row.op;
  }
  EXPECT_TRUE(OtherExports("aten::nobody_knows").empty());
}

}  // namespace
}  // namespace synap_internal::torchscript_import
