#include "base/data_type.h"

#include <gtest/gtest.h>

#include <limits>

#include "base/quant_params.h"
#include "base/visit_type.h"

namespace synap_internal {
namespace {

TEST(DataTypeTest, NamesAreParsedBack) {
  for (const DataTypeRow& row : kDataTypes) {
    if (row.type == DataType::kInvalid) continue;
    ASSERT_TRUE(ParseDataType(row.name).ok()) << row.name;
    EXPECT_EQ(*ParseDataType(row.name), row.type);
  }
  EXPECT_EQ(
      ParseDataType("invalid").status().message(),
      "'invalid' is not a data type, expected one of bool, int8, uint8, int16, uint16, int32, "
      "uint32, int64, float16, float32");
  EXPECT_EQ(Name(static_cast<DataType>(200)), "invalid");
  EXPECT_EQ(SizeOf(static_cast<DataType>(200)), 0u);
}

TEST(DataTypeTest, RowsAgreeWithTheCppTypes) {
  int visited = 0;
  for (const DataTypeRow& row : kDataTypes) {
    visited += VisitIntegers(row.type, [&](auto zero) {
      using Range = std::numeric_limits<decltype(zero)>;
      EXPECT_EQ(row.bytes, sizeof(zero)) << row.name;
      if (row.type == DataType::kBool) return;
      EXPECT_EQ(RangeOf(row.type).min, int64_t{Range::min()}) << row.name;
      EXPECT_EQ(RangeOf(row.type).max, int64_t{Range::max()}) << row.name;
    });
    EXPECT_EQ(row.numpy.empty() ? "" : row.numpy.substr(1),
              row.bytes == 0 ? "" : std::to_string(row.bytes));
  }
  EXPECT_EQ(visited, 8);
}

TEST(VisitTypesTest, CallsTheVisitorOfTheTypeOnly) {
  size_t bytes = 0;
  const auto visit = [&](auto zero) { bytes = sizeof(zero); };
  EXPECT_TRUE((VisitTypes<float, int64_t>(DataType::kInt64, visit)));
  EXPECT_EQ(bytes, 8u);
  EXPECT_FALSE((VisitTypes<float, int64_t>(DataType::kInt32, visit)));
  EXPECT_FALSE(VisitIntegers(DataType::kFloat16, visit));
  EXPECT_FALSE(VisitIntegers(DataType::kInvalid, visit));
  EXPECT_EQ(bytes, 8u);
}

TEST(QuantSchemeTest, NamesFollowTheScheme) {
  EXPECT_EQ(Name(QuantScheme::kNone), "none");
  EXPECT_EQ(Name(QuantScheme::kPerChannelSymmetric), "perchannel_symmetric_affine");
  EXPECT_EQ(Name(static_cast<QuantScheme>(9)), "invalid");
}

}  // namespace
}  // namespace synap_internal
