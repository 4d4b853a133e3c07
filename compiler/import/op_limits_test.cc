#include "compiler/import/op_limits.h"

#include <gtest/gtest.h>

namespace synap_internal {
namespace {

TEST(OpLimitsTest, EndTheErrorOfWhatIsRefused) {
  const absl::Status refused = absl::UnimplementedError("its axis is 2");
  EXPECT_EQ(WithLimits(refused, "axis 1"),
            absl::UnimplementedError("its axis is 2 (supported: axis 1)"));
  EXPECT_EQ(WithLimits(refused, ""), refused);
  const absl::Status wrong = absl::InvalidArgumentError("it has no axis");
  EXPECT_EQ(WithLimits(wrong, "axis 1"), wrong);
  EXPECT_TRUE(WithLimits(absl::OkStatus(), "axis 1").ok());
}

}  // namespace
}  // namespace synap_internal
