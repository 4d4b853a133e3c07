#include "compiler/report/figures.h"

#include "gtest/gtest.h"

namespace synap_internal {
namespace {

TEST(FiguresTest, GroupsDigitsInThrees) {
  EXPECT_EQ(Grouped(0), "0");
  EXPECT_EQ(Grouped(999), "999");
  EXPECT_EQ(Grouped(1000), "1,000");
  EXPECT_EQ(Grouped(12034005), "12,034,005");
}

TEST(FiguresTest, GivesBytesInTheLargestUnitBelowThem) {
  EXPECT_EQ(BytesText(0), "0 bytes");
  EXPECT_EQ(BytesText(1), "1 byte");
  EXPECT_EQ(BytesText(1023), "1023 bytes");
  EXPECT_EQ(BytesText(1024), "1.0 KiB");
  EXPECT_EQ(BytesText(1536), "1.5 KiB");
  EXPECT_EQ(BytesText(uint64_t{3} << 20), "3.0 MiB");
  EXPECT_EQ(BytesText(uint64_t{5} << 30), "5.0 GiB");
  EXPECT_EQ(BytesText(uint64_t{5} << 40), "5120.0 GiB");
}

TEST(FiguresTest, NamesTypeAndShape) {
  EXPECT_EQ(TypeText({DataType::kUint8, Shape({1, 112, 112, 16}), {}}), "uint8[1x112x112x16]");
  EXPECT_EQ(TypeText({DataType::kFloat32, Shape({}), {}}), "float32[scalar]");
}

TEST(FiguresTest, GivesTheRangeOfTheScalesOfChannels) {
  EXPECT_EQ(QuantizerText({}), "");
  EXPECT_EQ(QuantizerText(QuantParams::Affine(0.5f, 3)), "scale=0.5 zero_point=3");
  EXPECT_EQ(QuantizerText(QuantParams::FixedPoint(7)), "fl=7");
  EXPECT_EQ(QuantizerText(QuantParams::PerChannel({0.02f, 0.001f, 0.01f}, 0)),
            "scales[3] axis=0, 0.001 to 0.02");
}

}  // namespace
}  // namespace synap_internal
