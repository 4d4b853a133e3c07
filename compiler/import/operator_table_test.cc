#include "compiler/import/operator_table.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace synap_internal {
namespace {

using Row = OperatorRow<int>;

absl::Status MapOne(int& node) {
  node = 1;
  return absl::OkStatus();
}
absl::Status MapTwo(int& node) {
  node = 2;
  return absl::OkStatus();
}
absl::Status Refuse(int& /*node*/) { return absl::UnimplementedError("its axis is 5"); }

constexpr Row kFirst[] = {{"One", 1, 1, MapOne}, {"Odd", 0, kAnyCount, Refuse, "axis 0"}};
constexpr Row kSecond[] = {{"One", 2, 2, MapTwo}, {"Two", 2, 3, MapTwo}};

TEST(OperatorTableTest, FindsRowsByName) {
  const OperatorTable<Row> table({kFirst, kSecond});
  EXPECT_EQ(table.rows().size(), 3u);
  EXPECT_EQ(table.Find("Three"), nullptr);
  int node = 0;
  ASSERT_TRUE(table.Find("One")->Map(node).ok());
  EXPECT_EQ(node, 1) << "the first row of a name counts";
  ASSERT_TRUE(table.Find("Two")->Map(node).ok());
  EXPECT_EQ(node, 2);
}

TEST(OperatorTableTest, RefusalsEndWithTheLimits) {
  int node = 0;
  EXPECT_EQ(kFirst[1].Map(node).message(), "its axis is 5 (supported: axis 0)");
}

TEST(OperatorTableTest, OperandsAreCounted) {
  EXPECT_TRUE(CheckOperandCount(2, 1, 2).ok());
  EXPECT_TRUE(CheckOperandCount(100000, 1, kAnyCount).ok());
  EXPECT_EQ(CheckOperandCount(0, 1, kAnyCount).message(), "has 0 operands, expected 1 or more");
  EXPECT_EQ(CheckOperandCount(1, 2, 2).message(), "has 1 operand, expected 2");
  EXPECT_EQ(CheckOperandCount(4, 1, 3).message(), "has 4 operands, expected 1 to 3");
  EXPECT_EQ(CheckOperandCount(4, 3, 3).message(), "has 4 operands, expected 3");
}

TEST(OperatorTableTest, AbsentOperandsAtTheEndAreDropped) {
  Tensor tensor;
  std::vector<Tensor*> operands = {&tensor, nullptr, &tensor, nullptr, nullptr};
  EXPECT_TRUE(CheckOperands(1, 3, operands).ok());
  EXPECT_EQ(operands.size(), 3u);
  EXPECT_EQ(CheckOperands(2, 3, operands).message(), "operand 1 is absent, expected a tensor");
  EXPECT_EQ(CheckOperands(1, 2, operands).message(), "has 3 operands, expected 1 to 2");
}

}  // namespace
}  // namespace synap_internal
