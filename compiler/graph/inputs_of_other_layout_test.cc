#include "compiler/graph/inputs_of_other_layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "compiler/testing/run_pass.h"

namespace synap_internal {
namespace {

std::string TextsOf(absl::string_view layout, absl::string_view shape, absl::string_view wanted) {
  const Graph graph = GraphOf(absl::StrCat("graph \"g\" layout=\"", layout,
                                           "\" {\n input %x: float32[", shape, "]\n %y: float32[",
                                           shape, "] = relu(%x) from \"n\"\n", " output %y\n}"));
  std::string text;
  for (const Warning& warning : InputsOfOtherLayout(graph, wanted)) {
    EXPECT_EQ(warning.severity, Severity::kNote);
    absl::StrAppend(&text, warning.Text());
  }
  return text;
}

TEST(InputsOfOtherLayoutTest, ShapesOfPicturesInTheOtherOrderAreNamed) {
  EXPECT_EQ(TextsOf("nchw", "1x32x48x3", "nhwc"),
            "input 'x': its shape in the model file is 1x32x48x3, which is nhwc already, though "
            "models of this format are generally nchw; 'data_layout: nhwc' leaves it so");
  EXPECT_THAT(TextsOf("nhwc", "1x1x28x28", "nchw"), testing::HasSubstr("is nchw already"));
}

TEST(InputsOfOtherLayoutTest, OtherShapesAreNot) {
  for (const char* shape : {"1x3x32x48", "1x32x3x3", "1x64x48x64", "1x1x32x4", "1x64x1x1", "8x3"}) {
    EXPECT_EQ(TextsOf("nchw", shape, "nhwc"), "") << shape;
  }
  EXPECT_EQ(TextsOf("nhwc", "1x32x48x3", "nchw"), "");
}

TEST(InputsOfOtherLayoutTest, TheModelsOwnLayoutChangesNothing) {
  EXPECT_EQ(TextsOf("nchw", "1x32x48x3", "nchw"), "");
}

}  // namespace
}  // namespace synap_internal
