#include "kernels/permuted_attributes.h"

#include <cstdint>
#include <variant>
#include <vector>

#include "gtest/gtest.h"

namespace synap_internal {
namespace {

using Ints = std::vector<int64_t>;

// NHWC from NCHW: dimension 1 of the transposed tensor is dimension 2.
const Ints kPerm = {0, 2, 3, 1};

TEST(PermutedAttributesTest, ADimensionIsThatOfTheUntransposedTensor) {
  Attributes attributes{{"axis", int64_t{1}}};
  PermuteDimension(kPerm, "axis", -1, attributes);
  EXPECT_EQ(std::get<int64_t>(attributes.at("axis")), 2);
}

TEST(PermutedAttributesTest, ANegativeDimensionCountsFromTheEnd) {
  Attributes attributes{{"axis", int64_t{-2}}};
  PermuteDimension(kPerm, "axis", -1, attributes);
  EXPECT_EQ(std::get<int64_t>(attributes.at("axis")), 3);
}

TEST(PermutedAttributesTest, AnAbsentDimensionIsTheFallback) {
  Attributes attributes;
  PermuteDimension(kPerm, "axis", -1, attributes);
  EXPECT_EQ(std::get<int64_t>(attributes.at("axis")), 1);
}

TEST(PermutedAttributesTest, ValuesGoWithTheirDimension) {
  Attributes attributes{{"starts", Ints{10, 11, 12, 13}}};
  PermuteValues(kPerm, "starts", 1, attributes);
  EXPECT_EQ(std::get<Ints>(attributes.at("starts")), (Ints{10, 13, 11, 12}));
}

TEST(PermutedAttributesTest, EachListIsPermutedByItself) {
  Attributes attributes{{"pads", Ints{10, 11, 12, 13, 20, 21, 22, 23}}};
  PermuteValues(kPerm, "pads", 2, attributes);
  EXPECT_EQ(std::get<Ints>(attributes.at("pads")), (Ints{10, 13, 11, 12, 20, 23, 21, 22}));
}

TEST(PermutedAttributesTest, AbsentValuesStayAbsent) {
  Attributes attributes;
  PermuteValues(kPerm, "steps", 1, attributes);
  EXPECT_TRUE(attributes.empty());
}

}  // namespace
}  // namespace synap_internal
