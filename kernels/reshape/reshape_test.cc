#include "kernels/reshape/reshape.h"

#include "base/thread_pool.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "kernels/testing/conformance.h"

namespace synap_internal {
namespace {

using ::testing::HasSubstr;

const OpDef& Reshape() { return ReshapeOps()[0]; }

OpCase Case(TensorType x, std::vector<int64_t> shape) {
  TestRandom random(1);
  return {.name = x.shape.ToString(),
          .inputs = {RandomTensor(std::move(x), random)},
          .attributes = {{"shape", std::move(shape)}}};
}

TEST(ReshapeTest, KeepsTheElementsOfEverySize) {
  for (const DataType dtype :
       {DataType::kUint8, DataType::kFloat16, DataType::kFloat32, DataType::kInt64}) {
    for (const OpCase& op_case :
         {Case({dtype, {2, 3, 4}}, {4, 6}), Case({dtype, {}}, {1, 1}), Case({dtype, {0, 3}}, {0}),
          Case({dtype, {70000, 3}}, {3, 70000})}) {
      const auto outputs = CheckConformance(Reshape(), op_case);
      ASSERT_EQ(outputs.size(), 1u);
      EXPECT_EQ(outputs[0].bytes(), op_case.inputs[0].bytes());
    }
  }
}

TEST(ReshapeTest, KeepsTheQuantization) {
  const auto outputs =
      RunOp(Reshape(), Case({DataType::kUint8, {2, 3}, QuantParams::Affine(0.5f, 7)}, {6}));
  EXPECT_EQ(outputs[0].type().quant, QuantParams::Affine(0.5f, 7));
}

TEST(ReshapeTest, LeavesDataInPlace) {
  const TensorType type{DataType::kFloat32, {4}};
  TestTensor x({4}, std::vector<float>{1, 2, 3, 4});
  const Attributes attributes = {{"shape", std::vector<int64_t>{4}}};
  const std::vector<TensorType> types = {type};
  const auto kernel = Reshape().prepare({types, types, {}, attributes});
  ASSERT_TRUE(kernel.ok()) << kernel.status();
  const void* const inputs[] = {x.data()};
  void* const outputs[] = {x.data()};
  ThreadPool pool(1);
  kernel->run({inputs, outputs, &pool, nullptr, 0});
  EXPECT_EQ(x.values<float>(), (std::vector<float>{1, 2, 3, 4}));
}

TEST(ReshapeTest, RejectsAnotherNumberOfElements_reshape_c1) {
  EXPECT_THAT(RefusalOf(Reshape(), Case({DataType::kFloat32, {2, 3}}, {7})),
              HasSubstr("can't reshape 2x3 (6 elements) to 7"));
  EXPECT_THAT(RefusalOf(Reshape(), Case({DataType::kFloat32, {2, 3}}, {-1})),
              HasSubstr("negative dimension"));
}

TEST(ReshapeTest, RejectsPerChannelQuantization_reshape_c2) {
  EXPECT_THAT(
      RefusalOf(Reshape(),
                Case({DataType::kInt8, {2, 3}, QuantParams::PerChannel({1.0f, 2.0f}, 0)}, {6})),
      HasSubstr("per channel"));
}

TEST(ReshapeTest, RejectsUnknownAttributes) {
  OpCase op_case = Case({DataType::kFloat32, {2}}, {2});
  op_case.attributes["form"] = int64_t{1};
  EXPECT_THAT(RefusalOf(Reshape(), op_case), HasSubstr("unknown attribute 'form'"));
}

}  // namespace
}  // namespace synap_internal
