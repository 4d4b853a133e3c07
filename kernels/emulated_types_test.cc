#include "kernels/emulated_types.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/aligned_memory.h"
#include "base/rounding.h"
#include "base/thread_pool.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "kernels/registry.h"
#include "kernels/testing/conformance.h"

namespace synap_internal {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TestTensor Halves(const Shape& shape, const std::vector<float>& values) {
  TestTensor tensor(TensorType{DataType::kFloat16, shape, {}});
  auto* bits = static_cast<uint16_t*>(tensor.data());
  for (size_t i = 0; i < values.size(); ++i) bits[i] = FloatToHalf(values[i]);
  return tensor;
}

std::vector<TestTensor> Check(const std::string& op, std::vector<TestTensor> inputs,
                              const TensorType& output, Attributes attributes = {},
                              std::vector<bool> constant = {}) {
  return CheckConformance(*FindOp(op), {.name = op,
                                        .inputs = std::move(inputs),
                                        .attributes = std::move(attributes),
                                        .constant = std::move(constant),
                                        .outputs = {output}});
}

TEST(EmulatedTypesTest, Float16RoundsResultsHalfToEven) {
  const auto outputs = Check("add", {Halves({3}, {2048, 2048, -1}), Halves({3}, {1, 3, 0.5f})},
                             {DataType::kFloat16, {}});
  ASSERT_EQ(outputs.size(), 1u);
  std::vector<float> values;
  for (const uint16_t bits : outputs[0].values<uint16_t>()) values.push_back(HalfToFloat(bits));
  EXPECT_THAT(values, ElementsAre(2048, 2052, -0.5f));  // 2049 and 2051 lie halfway
}

TEST(EmulatedTypesTest, Float16WeightsAreConvertedOnce) {
  TestRandom random(1);
  const std::vector<TestTensor> inputs = {RandomTensor({DataType::kFloat16, {2, 5, 6, 7}}, random),
                                          RandomTensor({DataType::kFloat16, {9, 3, 3, 7}}, random),
                                          RandomTensor({DataType::kFloat16, {9}}, random)};
  Check("conv2d", inputs, {DataType::kFloat16, {}}, {}, {false, true, true});
}

TEST(EmulatedTypesTest, Int8IsUint8WithAnotherZeroPoint) {
  TestRandom random(2);
  const auto a = RandomTensor({DataType::kInt8, {4, 99}, QuantParams::Affine(0.03f, -7)}, random);
  const auto b = RandomTensor({DataType::kInt8, {4, 99}, QuantParams::Affine(0.05f, 90)}, random);
  const auto unsigned_of = [](const TestTensor& tensor) {
    std::vector<uint8_t> values;
    for (const int8_t v : tensor.values<int8_t>()) values.push_back(static_cast<uint8_t>(v + 128));
    const QuantParams& quant = tensor.type().quant;
    return TestTensor(tensor.type().shape, values,
                      QuantParams::Affine(quant.scale(), quant.zero_point() + 128));
  };
  const auto result = Check("mul", {a, b}, {DataType::kInt8, {}, QuantParams::Affine(0.1f, 3)});
  const auto expected = Check("mul", {unsigned_of(a), unsigned_of(b)},
                              {DataType::kUint8, {}, QuantParams::Affine(0.1f, 131)});
  ASSERT_TRUE(result.size() == 1 && expected.size() == 1);
  EXPECT_EQ(unsigned_of(result[0]).bytes(), expected[0].bytes());
}

TEST(EmulatedTypesTest, Int8FixedPointConvolves) {
  TestRandom random(3);
  const QuantParams fixed = QuantParams::FixedPoint(5);
  TestTensor bias({4}, std::vector<int32_t>{1, -2, 300, 4}, QuantParams::FixedPoint(10));
  const auto outputs =
      Check("fully_connected",
            {TestTensor({1, 2}, std::vector<int8_t>{32, -64}, fixed),
             TestTensor({4, 2}, std::vector<int8_t>{32, 0, 0, 32, 1, 1, 127, -128}, fixed), bias},
            {DataType::kInt8, {}, QuantParams::FixedPoint(4)}, {}, {false, true, true});
  ASSERT_EQ(outputs.size(), 1u);
  // 1 * 1, -2 * 1, 0.09375 * -1/2 + 0.29, 4 + 8; all in sixteenths.
  EXPECT_THAT(outputs[0].values<int8_t>(), ElementsAre(16, -32, 4, 127));
}

TEST(EmulatedTypesTest, Int16ComputesInFloat) {
  const QuantParams fixed = QuantParams::FixedPoint(12);
  const auto outputs =
      Check("sigmoid", {TestTensor({3}, std::vector<int16_t>{0, 4096, -32768}, fixed)},
            {DataType::kInt16, {}, QuantParams::FixedPoint(15)});
  ASSERT_EQ(outputs.size(), 1u);
  // 0.5, 1 / (1 + e^-1), 1 / (1 + e^8).
  EXPECT_THAT(outputs[0].values<int16_t>(), ElementsAre(16384, 23955, 11));
}

TEST(EmulatedTypesTest, EveryTypeGoesThroughOpsOfEveryKind) {
  TestRandom random(4);
  const std::vector<TensorType> types = {
      {DataType::kFloat16, {1, 6, 7, 5}},
      {DataType::kInt8, {1, 6, 7, 5}, QuantParams::Affine(0.02f, -3)},
      {DataType::kInt8, {1, 6, 7, 5}, QuantParams::FixedPoint(6)},
      {DataType::kInt16, {1, 6, 7, 5}, QuantParams::FixedPoint(13)},
      {DataType::kInt16, {1, 6, 7, 5}, QuantParams::Affine(0.0001f, 77)},
  };
  const Attributes pool = {{"kernel", std::vector<int64_t>{2, 2}}};
  for (const TensorType& type : types) {
    const TestTensor x = RandomTensor(type, random);
    Check("avg_pool2d", {x}, type, pool);
    Check("max_pool2d", {x}, type, pool);
    Check("softmax", {x}, type);
    Check("silu", {x}, type);
    Check("add", {x, x}, type);
    Check("concat", {x, x}, type, {{"axis", int64_t{3}}});
    Check("transpose", {x}, type, {{"perm", std::vector<int64_t>{0, 3, 1, 2}}});
    Check("reduce_mean", {x}, type, {{"axes", std::vector<int64_t>{1, 2}}});
    Check("resize", {x}, type,
          {{"size", std::vector<int64_t>{9, 9}}, {"mode", std::string("linear")}});
    CheckConformance(*FindOp("argmax"), {.inputs = {x}, .attributes = {{"axis", int64_t{3}}}});
    CheckConformance(*FindOp("less"), {.inputs = {x, x}});
  }
}

// Whole converted tensors lie in the shared memory, those of parts in the workers' scratch.
TEST(EmulatedTypesTest, ElementwiseOpsRunInParts) {
  const auto prepare = [](const Shape& a, const Shape& b) {
    const QuantParams quant = QuantParams::Affine(0.5f, 3);
    const std::vector<TensorType> inputs = {{DataType::kInt16, a, quant},
                                            {DataType::kInt16, b, quant}};
    const std::vector<const void*> constants(2);
    const std::vector<TensorType> outputs = {inputs[0]};
    return PrepareOp(*FindOp("add"), {inputs, outputs, constants, {}}).value();
  };
  EXPECT_EQ(prepare({1, 80, 80, 64}, {1, 80, 80, 64}).shared_bytes, 0u);
  EXPECT_EQ(prepare({1, 80, 80, 64}, {64}).shared_bytes, 64 * sizeof(float));
  EXPECT_EQ(prepare({3, 6000, 2}, {6000, 2}).shared_bytes, 12000 * sizeof(float));
  EXPECT_EQ(prepare({2, 40000}, {40000}).shared_bytes, 3 * 40000 * sizeof(float) + 80000 * 4);
}

// Several parts and a last one that is shorter, in many ways that operands broadcast.
TEST(EmulatedTypesTest, ElementwiseOpsGiveTheSameBitsInParts) {
  TestRandom random(6);
  const Shape image = {2, 33, 29, 24};
  const std::vector<TensorType> types = {
      {DataType::kFloat16, image},
      {DataType::kInt8, image, QuantParams::Affine(0.02f, -3)},
      {DataType::kInt16, image, QuantParams::Affine(0.0001f, 77)},
  };
  const std::vector<Shape> others = {
      image,         {24},           {},         {1, 1, 1, 24}, {29, 24}, {33, 1, 24},
      {2, 1, 1, 24}, {2, 33, 29, 1}, {1, 29, 1}, {2, 33, 1, 1}};
  const auto condition = [&](const Shape& shape) {
    return RandomTensor({DataType::kBool, shape, {}}, random);
  };
  for (const TensorType& type : types) {
    const TestTensor x = RandomTensor(type, random);
    Check("sigmoid", {x}, type);
    Check("relu", {x}, type);
    for (const Shape& shape : others) {
      SCOPED_TRACE(absl::StrCat(Name(type.dtype), " ", shape.ToString()));
      const TestTensor other = RandomTensor({type.dtype, shape, type.quant}, random);
      Check("mul", {x, other}, type);
      Check("sub", {other, x}, type);
      Check("add", {x, other}, type, {}, {false, true});
      Check("add", {other, x}, type, {}, {false, true});
      CheckConformance(*FindOp("less"), {.inputs = {x, other}});
      Check("where", {condition(image), x, other}, type);
      Check("where", {condition(shape), x, x}, type);
    }
  }
}

TEST(EmulatedTypesTest, LongRowsAndShapesThatDontSplit) {
  TestRandom random(7);
  const TensorType type = {DataType::kInt16, {}, QuantParams::Affine(0.01f, 5)};
  const auto add = [&](const Shape& a, const Shape& b) {
    SCOPED_TRACE(absl::StrCat(a.ToString(), " and ", b.ToString()));
    Check("add",
          {RandomTensor({type.dtype, a, type.quant}, random),
           RandomTensor({type.dtype, b, type.quant}, random)},
          type);
  };
  add({300, 1, 40}, {1, 30, 40});  // each lacks a dimension that the other has
  add({3, 6000, 2}, {6000, 2});    // a part for each row
  add({2, 40000}, {40000});        // rows too long for a part
  add({500, 33}, {33});            // 64-byte boundaries lie within rows
  add({0, 4}, {4});
  add({}, {});
}

// The result has as many bytes as the first operand, in whose memory it lies, but twice as many
// elements: no part may be written before all are read.
TEST(EmulatedTypesTest, InPlaceOfAnOperandThatAllPartsRead) {
  constexpr int64_t kElements = 6000;
  const Attributes none;
  TestRandom random(8);
  const TestTensor x = RandomTensor({DataType::kFloat32, {kElements}}, random);
  const TestTensor b = RandomTensor({DataType::kFloat16, {2, kElements}}, random);
  const std::vector<TensorType> inputs = {x.type(), b.type()};
  const std::vector<TensorType> outputs = {b.type()};
  const std::vector<const void*> constants(2);
  ThreadPool pool(1);
  const auto run = [&](KernelPath path) {
    const Kernel kernel =
        PrepareOp(*FindOp("add"), {inputs, outputs, constants, none, path}).value();
    AlignedMemory memory(kElements * sizeof(float)), shared(kernel.shared_bytes);
    AlignedMemory scratch(kernel.scratch_bytes);
    std::copy_n(static_cast<const uint8_t*>(x.data()), kElements * sizeof(float), memory.data());
    const void* operands[] = {memory.data(), b.data()};
    void* results[] = {memory.data()};
    kernel.run({operands, results, &pool, scratch.data(), kernel.scratch_bytes, shared.data()});
    return std::vector<uint8_t>(memory.data(), memory.data() + kElements * sizeof(float));
  };
  EXPECT_EQ(run(KernelPath::kFast), run(KernelPath::kReference));
}

TEST(EmulatedTypesTest, ConcatRequantizesInt16) {
  const auto outputs =
      Check("concat",
            {TestTensor({2, 1}, std::vector<int16_t>{4, -5}, QuantParams::FixedPoint(1)),
             TestTensor({2, 1}, std::vector<int16_t>{6, -30000}, QuantParams::FixedPoint(0))},
            {DataType::kInt16, {}, QuantParams::FixedPoint(2)}, {{"axis", int64_t{1}}});
  ASSERT_EQ(outputs.size(), 1u);
  EXPECT_THAT(outputs[0].values<int16_t>(), ElementsAre(8, 24, -10, -32768));
}

TEST(EmulatedTypesTest, InferGivesTheOperandsTypeBack) {
  const TensorType x{DataType::kInt8, {1, 4, 4, 2}, QuantParams::FixedPoint(3)};
  const Attributes pool = {{"kernel", std::vector<int64_t>{2, 2}}};
  const auto types = InferOp(*FindOp("max_pool2d"), {{x}, pool});
  ASSERT_TRUE(types.ok()) << types.status();
  EXPECT_EQ((*types)[0].dtype, DataType::kInt8);
  EXPECT_EQ((*types)[0].quant, x.quant);
  const auto compared = InferOp(*FindOp("equal"), {{x, x}, {}});
  ASSERT_TRUE(compared.ok()) << compared.status();
  EXPECT_EQ((*compared)[0].dtype, DataType::kBool);
}

TEST(EmulatedTypesTest, InferGivesTheFirstOperandsType) {
  const TensorType x{DataType::kUint8, {1, 2}, QuantParams::Affine(0.5f, 3)};
  const TensorType w{DataType::kInt8, {4, 2}, QuantParams::Affine(0.25f, 0)};
  const auto types = InferOp(*FindOp("fully_connected"), {{x, w}, {}});
  ASSERT_TRUE(types.ok()) << types.status();
  EXPECT_EQ((*types)[0].dtype, DataType::kUint8);
}

TEST(EmulatedTypesTest, RefusesAsTheOpDoes) {
  const TensorType x{DataType::kFloat16, {4, 4}};
  const auto types = InferOp(*FindOp("add"), {{x, {DataType::kInt64, {4, 4}}}, {}});
  EXPECT_THAT(std::string(types.status().message()), HasSubstr("int64"));
}

}  // namespace
}  // namespace synap_internal
