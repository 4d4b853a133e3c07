#include "kernels/convert/convert.h"

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "base/rounding.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "kernels/testing/conformance.h"

namespace synap_internal {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr DataType kQuantizedTypes[] = {DataType::kUint8, DataType::kInt8, DataType::kInt16};

const OpDef& Find(absl::string_view name) {
  for (const OpDef& op : ConvertOps()) {
    if (op.name == name) return op;
  }
  ADD_FAILURE() << name;
  return ConvertOps()[0];
}

template <typename To, typename From>
std::vector<To> Cast(const std::vector<From>& values, const std::string& to) {
  const auto out = CheckConformance(
      Find("cast"), {.name = to,
                     .inputs = {TestTensor({static_cast<int64_t>(values.size())}, values)},
                     .attributes = {{"to", to}}});
  return out[0].values<To>();
}

// Zero points and scales that make both ends saturate.
TensorType Quantized(DataType type, Shape shape, float scale = 0.01f) {
  const int32_t zero_point = type == DataType::kUint8 ? 120 : type == DataType::kInt8 ? -8 : 300;
  return {type, std::move(shape), QuantParams::Affine(scale, zero_point)};
}

TEST(ConvertTest, EveryTargetQuantizesLikeTheReference) {
  TestRandom random(1);
  for (const DataType type : kQuantizedTypes) {
    for (const int64_t n : {0, 1, 7, 15, 16, 17, 33, 50, 40000}) {
      CheckConformance(Find("quantize"),
                       {.name = std::to_string(n),
                        .inputs = {RandomTensor({DataType::kFloat32, {n}, {}}, random)},
                        .outputs = {Quantized(type, {})}});
      CheckConformance(Find("dequantize"), {.name = std::to_string(n),
                                            .inputs = {RandomTensor(Quantized(type, {n}), random)},
                                            .outputs = {{DataType::kFloat32, {}, {}}}});
    }
  }
}

TEST(ConvertTest, EveryTargetRequantizesLikeTheReference) {
  TestRandom random(2);
  for (const DataType from : kQuantizedTypes) {
    for (const DataType to : kQuantizedTypes) {
      CheckConformance(Find("requantize"),
                       {.name = "requantize",
                        .inputs = {RandomTensor(Quantized(from, {1003}), random)},
                        .outputs = {Quantized(to, {}, 0.007f)}});
    }
  }
}

TEST(ConvertTest, QuantizeRoundsHalfToEvenSaturatesAndTakesNanForZero) {
  const std::vector<float> x = {0.5f, 1.5f, -0.5f, 1e30f, -kInf, kNaN, 0.0f};
  const auto out = CheckConformance(
      Find("quantize"), {.name = "edges",
                         .inputs = {TestTensor({7}, x)},
                         .outputs = {{DataType::kUint8, {}, QuantParams::Affine(1.0f, 10)}}});
  EXPECT_THAT(out[0].values<uint8_t>(), ElementsAre(10, 12, 10, 255, 0, 10, 10));
}

TEST(ConvertTest, DequantizeInvertsQuantize) {
  std::vector<uint8_t> q(256);
  for (size_t i = 0; i < q.size(); ++i) q[i] = static_cast<uint8_t>(i);
  const QuantParams quant = QuantParams::Affine(0.037f, 77);
  const auto real =
      CheckConformance(Find("dequantize"), {.name = "all",
                                            .inputs = {TestTensor({256}, q, quant)},
                                            .outputs = {{DataType::kFloat32, {}, {}}}});
  EXPECT_EQ(real[0].values<float>()[0], -77 * 0.037f);
  const auto back =
      CheckConformance(Find("quantize"), {.name = "back",
                                          .inputs = {TestTensor({256}, real[0].values<float>())},
                                          .outputs = {{DataType::kUint8, {}, quant}}});
  EXPECT_EQ(back[0].values<uint8_t>(), q);
}

TEST(ConvertTest, RequantizeTablesSayWhatTheOpDoes) {
  const QuantParams in = QuantParams::Affine(0.1f, 20), out = QuantParams::Affine(0.25f, 5);
  const auto table = RequantizeTable(in, out);
  for (int32_t q = 0; q < 256; ++q) {
    EXPECT_EQ(table[static_cast<size_t>(q)],
              QuantizeValue(DequantizeValue(q, 0.1f, 20), 0.25f, 5, 0, 255));
  }
}

TEST(ConvertTest, CastRoundsFloatsToZeroAndSaturates) {
  const std::vector<float> x = {2.9f, -2.9f, 1e30f, -kInf, kNaN, 255.5f};
  constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  EXPECT_THAT(Cast<int64_t>(x, "int64"), ElementsAre(2, -2, kMax, kMin, 0, 255));
  EXPECT_THAT(Cast<uint8_t>(x, "uint8"), ElementsAre(2, 0, 255, 0, 0, 255));
  EXPECT_THAT(Cast<int32_t>(x, "int32"), ElementsAre(2, -2, INT32_MAX, INT32_MIN, 0, 255));
  EXPECT_THAT(Cast<bool>(std::vector<float>{0, -0.0f, 0.1f, kNaN}, "bool"),
              ElementsAre(false, false, true, true));
}

TEST(ConvertTest, CastKeepsTheLowBitsOfIntegers) {
  const std::vector<int64_t> x = {300, -1, int64_t{1} << 40, 7};
  EXPECT_THAT(Cast<uint8_t>(x, "uint8"), ElementsAre(44, 255, 0, 7));
  EXPECT_THAT(Cast<int32_t>(x, "int32"), ElementsAre(300, -1, 0, 7));
  EXPECT_THAT(Cast<bool>(x, "bool"), ElementsAre(true, true, true, true));
  EXPECT_THAT(Cast<float>(x, "float32"), ElementsAre(300, -1, 0x1p40f, 7));
}

TEST(ConvertTest, CastGoesToHalfAndBack) {
  const std::vector<float> x = {1.5f, -0.1f, 1e6f};
  const auto half =
      CheckConformance(Find("cast"), {.name = "half",
                                      .inputs = {TestTensor({3}, x)},
                                      .attributes = {{"to", std::string("float16")}}});
  const auto back = CheckConformance(
      Find("cast"),
      {.name = "back", .inputs = {half[0]}, .attributes = {{"to", std::string("float32")}}});
  EXPECT_THAT(back[0].values<float>(), ElementsAre(1.5f, -0.0999755859375f, kInf));
}

TEST(ConvertTest, CastTakesEveryPairOfTypes) {
  TestRandom random(5);
  for (int from = 1; from < kDataTypeCount; ++from) {
    for (int to = 1; to < kDataTypeCount; ++to) {
      const TestTensor x = RandomTensor({static_cast<DataType>(from), {37}, {}}, random);
      const std::string name(Name(static_cast<DataType>(to)));
      const auto out = CheckConformance(
          Find("cast"), {.name = name, .inputs = {x}, .attributes = {{"to", name}}});
      if (from == to) {
        EXPECT_EQ(out[0].bytes(), x.bytes()) << name;
      }
    }
  }
}

TEST(ConvertTest, RejectsUnknownTypeNames) {  // convert_c1
  const TestTensor x({1}, std::vector<float>{1});
  EXPECT_THAT(
      RefusalOf(Find("cast"),
                {.name = "to", .inputs = {x}, .attributes = {{"to", std::string("float99")}}}),
      HasSubstr("(convert_c1)"));
  EXPECT_NE(RefusalOf(Find("cast"), {.name = "none", .inputs = {x}}), "");
}

TEST(ConvertTest, RejectsOperandsThatAreNotOfTheOpsType) {  // convert_c2
  const TestTensor real({1}, std::vector<float>{1}), bytes({1}, std::vector<uint8_t>{1});
  EXPECT_THAT(RefusalOf(Find("quantize"), {.name = "bytes", .inputs = {bytes}}),
              HasSubstr("x of type uint8, expected float32 (convert_c2)"));
  for (const char* op : {"dequantize", "requantize"}) {
    EXPECT_THAT(RefusalOf(Find(op), {.name = "real", .inputs = {real}}),
                HasSubstr("x of type float32, expected uint8, int8 or int16 (convert_c2)"));
  }
}

TEST(ConvertTest, RefusesToGuessAQuantizer) {
  const TestTensor bytes({1}, std::vector<uint8_t>{1});
  EXPECT_THAT(RefusalOf(Find("dequantize"), {.name = "bytes", .inputs = {bytes}}),
              HasSubstr("no kernel"));
}

}  // namespace
}  // namespace synap_internal
