#include "compiler/import/stored_elements.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "base/tensor_type.h"
#include "compiler/graph/graph.h"
#include "compiler/import/emit/graph_builder.h"

namespace synap_internal {
namespace {

using ::testing::ElementsAre;

template <typename To, typename From>
std::vector<To> Converted(StoredType type, const std::vector<From>& stored,
                          DataType to = DataTypeOf<To>()) {
  const auto converted = ConvertElements(type, to, Constant::Own(stored));
  const auto* begin = reinterpret_cast<const To*>(converted->bytes.data());
  return {begin, begin + converted->bytes.size() / sizeof(To)};
}

TEST(StoredElementsTest, FloatsOfAnyWidthBecomeFloat32) {
  EXPECT_THAT(Converted<float>(StoredType::kFloat16, std::vector<uint16_t>{0x3c00, 0xc000}),
              ElementsAre(1, -2));
  EXPECT_THAT(Converted<float>(StoredType::kBfloat16, std::vector<uint16_t>{0x3f80, 0xc000}),
              ElementsAre(1, -2));
  EXPECT_THAT(Converted<float>(StoredType::kFloat64, std::vector<double>{0.1}), ElementsAre(0.1f));
}

TEST(StoredElementsTest, IntegersKeepTheirValuesAsInt64) {
  EXPECT_THAT(Converted<int64_t>(StoredType::kInt8, std::vector<int8_t>{-128, 127}),
              ElementsAre(-128, 127));
  EXPECT_THAT(Converted<int64_t>(StoredType::kUint8, std::vector<uint8_t>{255}), ElementsAre(255));
  EXPECT_THAT(Converted<int64_t>(StoredType::kInt16, std::vector<int16_t>{-32768}),
              ElementsAre(-32768));
  EXPECT_THAT(Converted<int64_t>(StoredType::kUint16, std::vector<uint16_t>{65535}),
              ElementsAre(65535));
  EXPECT_THAT(Converted<int64_t>(StoredType::kInt32, std::vector<int32_t>{-7}), ElementsAre(-7));
  EXPECT_THAT(Converted<int64_t>(StoredType::kUint32, std::vector<uint32_t>{0xffffffff}),
              ElementsAre(4294967295));
  EXPECT_THAT(Converted<int64_t>(StoredType::kUint64, std::vector<uint64_t>{7}), ElementsAre(7));
}

TEST(StoredElementsTest, BoolsAreZeroOrOne) {
  EXPECT_THAT(
      Converted<uint8_t>(StoredType::kBool, std::vector<uint8_t>{0, 1, 127, 255}, DataType::kBool),
      ElementsAre(0, 1, 1, 1));
}

TEST(StoredElementsTest, AlignedMemoryThatStaysTheSameIsShared) {
  const Constant stored = Constant::Own(std::vector<float>{1, 2});
  const auto same = ConvertElements(StoredType::kFloat32, DataType::kFloat32, stored);
  EXPECT_EQ(same->bytes.data(), stored.bytes.data());
  EXPECT_EQ(same->owner, stored.owner);
}

TEST(StoredElementsTest, UnalignedElementsAreCopiedAndCharged) {
  Graph graph;
  GraphBuilder builder(graph, 11);
  const Constant stored = Constant::Own(std::vector<uint8_t>{9, 1, 0, 0, 0, 2, 0, 0, 0});
  const Constant unaligned{stored.owner, stored.bytes.subspan(1)};
  const auto copy = ConvertElements(StoredType::kInt32, DataType::kInt32, unaligned, &builder);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(copy->bytes.data()) % 4, 0);
  EXPECT_EQ(std::vector<uint8_t>(copy->bytes.begin(), copy->bytes.end()),
            std::vector<uint8_t>(unaligned.bytes.begin(), unaligned.bytes.end()));
  EXPECT_TRUE(absl::IsResourceExhausted(
      ConvertElements(StoredType::kInt32, DataType::kInt32, unaligned, &builder).status()));
}

TEST(StoredElementsTest, TypesOfTheGraph) {
  EXPECT_EQ(NearestType(StoredType::kFloat64), DataType::kFloat32);
  EXPECT_EQ(NearestType(StoredType::kUint64), DataType::kInt64);
  EXPECT_EQ(NearestType(StoredType::kInt32), DataType::kInt32);
  EXPECT_EQ(WideType(StoredType::kInt32), DataType::kInt64);
  EXPECT_EQ(WideType(StoredType::kUint8), DataType::kInt64);
  EXPECT_EQ(WideType(StoredType::kBool), DataType::kBool);
  EXPECT_EQ(WideType(StoredType::kBfloat16), DataType::kFloat32);
}

TEST(StoredElementsTest, UnknownTypesAreNamed) {
  constexpr StoredTypeRow<int> kRows[] = {{1, StoredType::kInt8}};
  const auto name_of = [](int type) { return "TYPE" + std::to_string(type); };
  EXPECT_EQ(*FindStoredType(kRows, 1, name_of), StoredType::kInt8);
  EXPECT_EQ(FindStoredType(kRows, 2, name_of).status(),
            absl::UnimplementedError("data type TYPE2 can't be imported"));
}

TEST(StoredElementsTest, SizesThatDontFitTheShapeAreRefused) {
  EXPECT_TRUE(CheckByteCount(Shape({2, 3}), StoredType::kInt16, 12).ok());
  EXPECT_EQ(CheckByteCount(Shape({2, 3}), StoredType::kInt16, 11).message(),
            "has 11 bytes of data, expected 12 for shape 2x3 with elements of 2 bytes");
}

TEST(StoredElementsTest, TheLastElementOfAFieldStandsForTheRest) {
  const auto elements = [](const std::vector<int>& field, size_t count) {
    const Constant constant = FieldElements<int16_t>(field, count);
    const auto* begin = reinterpret_cast<const int16_t*>(constant.bytes.data());
    return std::vector<int16_t>(begin, begin + constant.bytes.size() / sizeof(int16_t));
  };
  EXPECT_THAT(elements({1, -2}, 4), ElementsAre(1, -2, -2, -2));
  EXPECT_THAT(elements({}, 2), ElementsAre(0, 0));
}

TEST(StoredElementsTest, QuantizersOfTensorsAndOfChannels) {
  EXPECT_EQ(*StoredQuantizer({0.5f}, {}, 0), QuantParams::Affine(0.5f, 0));
  EXPECT_EQ(*StoredQuantizer({0.5f}, {-3}, 0), QuantParams::Affine(0.5f, -3));
  EXPECT_EQ(*StoredQuantizer({1, 2}, {0, 0}, 3), QuantParams::PerChannel({1, 2}, 3));
  EXPECT_EQ(StoredQuantizer({1, 2}, {0}, 0).status().message(),
            "has 2 scales and 1 zero points, expected as many of each");
  EXPECT_EQ(StoredQuantizer({1}, {65537}, 0).status().message(),
            "has zero point 65537, expected at most 2^16 in magnitude");
  EXPECT_TRUE(absl::IsUnimplemented(StoredQuantizer({1, 2}, {0, 5}, 0).status()));
}

}  // namespace
}  // namespace synap_internal
