#include "compiler/graph/change_layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/tensor_type.h"
#include "compiler/graph/text.h"
#include "compiler/testing/run_pass.h"

namespace synap_internal {
namespace {

using ::testing::ElementsAre;

// Expects `after`, the statements of a graph in `layout`, for `before` in the other layout.
void ExpectChange(absl::string_view layout, absl::string_view before, absl::string_view after) {
  const auto graph_of = [](absl::string_view its_layout, absl::string_view body) {
    return GraphOf(absl::StrCat("graph \"g\" layout=\"", its_layout, "\" {\n", body, "\n}\n"));
  };
  const absl::string_view other = layout == "nchw" ? "nhwc" : "nchw";
  const Graph changed = WithLayout(graph_of(other, before), layout);
  EXPECT_TRUE(VerifyGraph(changed).ok()) << VerifyGraph(changed);
  EXPECT_EQ(PrintGraph(changed), PrintGraph(graph_of(layout, after)));
}

TEST(ChangeLayoutTest, ImagesAtTheBorderAreTransposed) {
  ExpectChange("nchw", R"(
    input %x: uint8[1x4x5x3]<affine 0.5 10>
    %y: uint8[1x4x5x3]<affine 0.25 3> = sigmoid(%x) from "n"
    output %y)",
               R"(
    input %x: uint8[1x3x4x5]<affine 0.5 10>
    %x.nhwc: uint8[1x4x5x3]<affine 0.5 10> = transpose(%x) {perm=[0, 2, 3, 1]} from "x"
    %y.nhwc: uint8[1x4x5x3]<affine 0.25 3> = sigmoid(%x.nhwc) from "n"
    %y: uint8[1x3x4x5]<affine 0.25 3> = transpose(%y.nhwc) {perm=[0, 3, 1, 2]} from "n"
    output %y)");
}

TEST(ChangeLayoutTest, TransposesOfTheNetworkAreLeftOut) {
  ExpectChange("nhwc", R"(
    input %x: float32[1x3x4x5]
    %t: float32[1x4x5x3] = transpose(%x) {perm=[0, 2, 3, 1]} from "t"
    %m: float32[1x4x5x3] = sigmoid(%t) from "n"
    %y: float32[1x3x4x5] = transpose(%m) {perm=[0, 3, 1, 2]} from "u"
    output %y)",
               R"(
    input %x: float32[1x4x5x3]
    %m: float32[1x4x5x3] = sigmoid(%x) from "n"
    output %m)");
}

TEST(ChangeLayoutTest, ATransposeWithOtherReadersStays) {
  ExpectChange("nhwc", R"(
    input %x: float32[1x3x4x5]
    %t: float32[1x4x5x3] = transpose(%x) {perm=[0, 2, 3, 1]} from "t"
    %m: float32[1x3x4x5] = sigmoid(%x) from "n"
    output %t
    output %m)",
               R"(
    input %x: float32[1x4x5x3]
    %x.nchw: float32[1x3x4x5] = transpose(%x) {perm=[0, 3, 1, 2]} from "x"
    %t.nchw: float32[1x4x5x3] = transpose(%x.nchw) {perm=[0, 2, 3, 1]} from "t"
    %m.nchw: float32[1x3x4x5] = sigmoid(%x.nchw) from "n"
    %t: float32[1x5x3x4] = transpose(%t.nchw) {perm=[0, 2, 3, 1]} from "t"
    %m: float32[1x4x5x3] = transpose(%m.nchw) {perm=[0, 2, 3, 1]} from "n"
    output %t
    output %m)");
}

TEST(ChangeLayoutTest, AnInputThatLeavesIsTheNewInput) {
  ExpectChange("nchw", R"(
    input %x: uint8[1x4x5x3]
    output %x
    output %x)",
               R"(
    input %x: uint8[1x3x4x5]
    output %x
    output %x)");
}

TEST(ChangeLayoutTest, OtherRanksStay) {
  ExpectChange("nchw", R"(
    input %x: float32[1x4x5]
    input %i: float32[1x2x2x2]
    %y: float32[1x4x5] = neg(%x) from "n"
    %z: float32[1x8] = reshape(%i) {shape=[1, 8]} from "r"
    output %y
    output %z)",
               R"(
    input %x: float32[1x4x5]
    input %i: float32[1x2x2x2]
    %i.nhwc: float32[1x2x2x2] = transpose(%i) {perm=[0, 2, 3, 1]} from "i"
    %y: float32[1x4x5] = neg(%x) from "n"
    %z: float32[1x8] = reshape(%i.nhwc) {shape=[1, 8]} from "r"
    output %y
    output %z)");
}

TEST(ChangeLayoutTest, TheNetworksOwnLayoutChangesNothing) {
  const Graph graph = GraphOfBody(
      "input %x: float32[1x3x4x5]\n %y: float32[1x3x4x5] = neg(%x) from \"n\"\n output %y");
  EXPECT_EQ(PrintGraph(WithLayout(graph, "nchw")), PrintGraph(graph));
}

TEST(ChangeLayoutTest, ValuesOfImagesAreReordered) {
  const std::vector<int16_t> values = {1, 2, 3, 4, 5, 6};  // 2 channels of a row of 3
  const TensorType nchw = {DataType::kInt16, Shape({1, 2, 1, 3}), {}};
  const TensorType nhwc = {DataType::kInt16, Shape({1, 1, 3, 2}), {}};
  const Constant given = Constant::Of(absl::MakeConstSpan(values));
  const auto numbers = [](const absl::StatusOr<Constant>& images) {
    EXPECT_TRUE(images.ok()) << images.status();
    std::vector<int16_t> read(6);
    if (images.ok()) std::memcpy(read.data(), images->bytes.data(), images->bytes.size());
    return read;
  };
  const auto moved = ImagesInLayout(nchw, given, "nhwc");
  EXPECT_THAT(numbers(moved), ElementsAre(1, 4, 2, 5, 3, 6));
  EXPECT_EQ(numbers(ImagesInLayout(nhwc, *moved, "nchw")), values);
}

}  // namespace
}  // namespace synap_internal
