#include "kernels/shared/linear/linear_cases.h"

#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gtest/gtest.h"
#include "kernels/binary/binary.h"
#include "kernels/shared/linear/linear.h"

namespace synap_internal {
namespace {

constexpr float kXScale = 0.02f;
constexpr float kWScale = 0.01f;

std::string NameOf(const LinearShapes& shapes, const Attributes& attributes) {
  std::string name = absl::StrCat("x ", shapes.x.ToString(), " w ", shapes.w.ToString());
  for (const auto& [key, value] : attributes)
    absl::StrAppend(&name, " ", key, "=", ToString(value));
  return name;
}

// A residual operand, and the type of the sum with it.
struct Residual {
  TestTensor tensor;
  TensorType sum;
};

Residual RandomResidual(const TensorType& own, TestRandom& random) {
  if (own.dtype == DataType::kFloat32) {
    TestTensor tensor = RandomTensor(own, random);
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    auto* values = static_cast<float*>(tensor.data());
    const int64_t elements = own.shape.elements();
    for (const float extreme : {kInfinity, -kInfinity, -0.0f, std::nanf(""), 3e38f}) {
      if (elements > 0) values[random.Integer(0, elements - 1)] = extreme;
    }
    return {std::move(tensor), own};
  }
  const bool bytes = own.dtype == DataType::kUint8;
  const auto quantizer = [&] {
    const int64_t zero_point = bytes ? random.Integer(0, 255) : random.Integer(-32768, 32767);
    return QuantParams::Affine(own.quant.scale() * random.Float(0.3f, 3.0f),
                               static_cast<int32_t>(zero_point));
  };
  return {RandomTensor({own.dtype, own.shape, quantizer()}, random),
          {own.dtype, own.shape, quantizer()}};
}

}  // namespace

OpCase FloatLinearCase(const LinearShapes& shapes, Attributes attributes, TestRandom& random) {
  OpCase op_case;
  op_case.inputs = {RandomTensor({DataType::kFloat32, shapes.x}, random),
                    RandomTensor({DataType::kFloat32, shapes.w}, random)};
  if (shapes.channels > 0) {
    op_case.inputs.push_back(RandomTensor({DataType::kFloat32, {shapes.channels}}, random));
  }
  if (random.Integer(0, 2) == 0) attributes["activation"] = std::string("silu");
  if (random.Integer(0, 5) == 0) {
    attributes["activation"] = std::string("leaky_relu");
    attributes["activation_alpha"] = 0.3f;
  }
  op_case.name = absl::StrCat("float32 ", NameOf(shapes, attributes));
  op_case.attributes = std::move(attributes);
  op_case.constant = {false, true, true, true};
  op_case.constant.resize(op_case.inputs.size());
  return op_case;
}

OpCase Uint8LinearCase(const LinearShapes& shapes, Attributes attributes,
                       const LinearQuantizers& quantizers, TestRandom& random) {
  OpCase op_case;
  const QuantParams x_quant = QuantParams::Affine(kXScale, quantizers.x_zero_point);
  TensorType w{DataType::kUint8, shapes.w, QuantParams::Affine(kWScale, quantizers.w_zero_point)};
  QuantParams bias_quant = QuantParams::Affine(kXScale * kWScale, 0);
  if (const int32_t axis = quantizers.w_channels; axis >= 0) {
    std::vector<float> scales(static_cast<size_t>(shapes.w[static_cast<size_t>(axis)]));
    for (float& scale : scales) scale = random.Float(0.5f * kWScale, 2 * kWScale);
    w.dtype = DataType::kInt8;
    w.quant = QuantParams::PerChannel(scales, axis);
    for (float& scale : scales) scale *= kXScale;
    bias_quant = QuantParams::PerChannel(std::move(scales), 0);
  }
  op_case.inputs = {RandomTensor({DataType::kUint8, shapes.x, x_quant}, random),
                    RandomTensor(std::move(w), random)};
  if (shapes.channels > 0) {
    std::vector<int32_t> bias(static_cast<size_t>(shapes.channels));
    for (int32_t& b : bias) b = static_cast<int32_t>(random.Integer(-20000, 20000));
    op_case.inputs.emplace_back(Shape{shapes.channels}, bias, std::move(bias_quant));
  }
  // Sums of random products have a deviation of about 75 * 75 * sqrt(reduction).
  const float scale = kXScale * kWScale * 75 * 75 *
                      std::sqrt(static_cast<float>(shapes.reduction)) / (50 * quantizers.gain);
  const QuantParams output = QuantParams::Affine(scale, quantizers.output_zero_point);
  op_case.outputs = {{DataType::kUint8, {}, output}};
  if (quantizers.widens) {
    op_case.outputs = {{DataType::kInt16,
                        {},
                        QuantParams::Affine(scale / 256, (output.zero_point() - 128) * 256)}};
  }
  if (quantizers.table) {
    op_case.inputs.resize(3);
    op_case.inputs.push_back(RandomTensor({DataType::kUint8, {256}}, random));
    attributes["table_scale"] = scale;
    attributes["table_zero_point"] = int64_t{quantizers.output_zero_point};
    op_case.outputs[0].quant = QuantParams::Affine(0.5f, 7);
  }
  op_case.name =
      absl::StrCat("uint8 ", NameOf(shapes, attributes), " zero points ", quantizers.x_zero_point,
                   ", ", quantizers.w_zero_point, ", ", quantizers.output_zero_point, " gain ",
                   quantizers.gain, quantizers.w_channels >= 0 ? " weights per channel" : "",
                   quantizers.widens ? " to int16" : "");
  op_case.attributes = std::move(attributes);
  op_case.constant = {false, true, shapes.channels > 0, true};
  op_case.constant.resize(op_case.inputs.size());
  return op_case;
}

OpCase Int16LinearCase(const LinearShapes& shapes, Attributes attributes,
                       const LinearQuantizers& quantizers, TestRandom& random) {
  OpCase op_case;
  // Zero points of 8 bits, spread over those of 16.
  const int32_t x_zero_point = (quantizers.x_zero_point - 128) * 256;
  const int32_t output_zero_point = (quantizers.output_zero_point - 128) * 256;
  TensorType w{DataType::kInt16, shapes.w, QuantParams::Affine(kWScale, 0)};
  float deviation = 18918.0f * 18918.0f;  // of a random product
  if (const int32_t axis = quantizers.w_channels; axis >= 0) {
    const auto channels = static_cast<size_t>(shapes.w[static_cast<size_t>(axis)]);
    w.dtype = DataType::kInt8;
    w.quant = QuantParams::PerChannel(std::vector<float>(channels, kWScale), axis);
    deviation /= 256;
  }
  op_case.inputs = {
      RandomTensor({DataType::kInt16, shapes.x, QuantParams::Affine(kXScale, x_zero_point)},
                   random),
      RandomTensor(std::move(w), random)};
  const float sums = deviation * std::sqrt(static_cast<float>(shapes.reduction));
  if (shapes.channels > 0) {
    const auto largest = static_cast<int64_t>(sums);
    std::vector<int64_t> bias(static_cast<size_t>(shapes.channels));
    for (int64_t& b : bias) b = random.Integer(-largest, largest);
    op_case.inputs.emplace_back(Shape{shapes.channels}, bias);
  }
  const float scale = kXScale * kWScale * sums / (12000 * quantizers.gain);
  if (random.Integer(0, 3) == 0) attributes["max"] = scale * 12000;
  op_case.outputs = {{DataType::kInt16, {}, QuantParams::Affine(scale, output_zero_point)}};
  op_case.name = absl::StrCat("int16 ", NameOf(shapes, attributes), " zero points ", x_zero_point,
                              ", ", output_zero_point, " gain ", quantizers.gain,
                              quantizers.w_channels >= 0 ? " weights per channel" : "");
  op_case.attributes = std::move(attributes);
  op_case.constant = {false, true, true};
  op_case.constant.resize(op_case.inputs.size());
  return op_case;
}

void CheckInt16Limits(const OpDef& op, const Shape& x, const Shape& w, int64_t channels) {
  constexpr int16_t kLowest = std::numeric_limits<int16_t>::min();
  constexpr int64_t kLargest = std::numeric_limits<int32_t>::max();
  const int64_t products = w.elements() / channels;
  const QuantParams one = QuantParams::Affine(1, 0);
  for (const int32_t zero_point : {0, 32767}) {
    const TestTensor lowest(x, std::vector<int16_t>(static_cast<size_t>(x.elements()), kLowest),
                            QuantParams::Affine(1, zero_point));
    const int64_t real = kLowest - zero_point;
    const int64_t most = kLargest / (-real * products);
    for (const int64_t weight : {-most, most}) {
      const std::vector<int16_t> weights(static_cast<size_t>(w.elements()),
                                         static_cast<int16_t>(weight));
      const int64_t sum = real * products * weight;
      for (const int64_t total :
           {kLargest, kLargest + 1, -kLargest, -kLargest - 1, -kLargest - 2}) {
        const std::vector<int64_t> biases(static_cast<size_t>(channels), total - sum);
        const auto outputs = CheckConformance(
            op, {.name = absl::StrCat("sum ", total, " of ", weight, ", zero point ", zero_point),
                 .inputs = {lowest, TestTensor(w, weights, one), TestTensor({channels}, biases)},
                 .constant = {false, true, true},
                 .outputs = {{DataType::kInt16, {}, QuantParams::Affine(0x1p20f, 0)}}});
        ASSERT_EQ(outputs.size(), 1u);
        EXPECT_EQ(outputs[0].values<int16_t>()[0], total > 0 ? 2048 : -2048) << total;
      }
    }
  }
}

void CheckResidual(const OpDef& op, const OpCase& op_case, TestRandom& random) {
  const std::vector<TestTensor> own = RunOp(op, op_case);
  ASSERT_EQ(own.size(), 1u);
  const TensorType& type = own[0].type();
  const Residual residual = RandomResidual(type, random);
  OpCase sum{.name = "sum", .inputs = {own[0], residual.tensor}, .outputs = {residual.sum}};
  OpCase fused = op_case;
  fused.name += ", a residual";
  fused.inputs.resize(kResidual);
  fused.inputs.push_back(residual.tensor);
  fused.constant.resize(fused.inputs.size(), false);
  fused.outputs = sum.outputs;
  if (type.quant.quantized()) {
    fused.attributes["own_scale"] = type.quant.scale();
    fused.attributes["own_zero_point"] = int64_t{type.quant.zero_point()};
  }
  if (random.Integer(0, 1) == 0) {
    const float max = type.quant.quantized() ? 60 * type.quant.scale() : 3;
    sum.attributes = {{"min", 0.0f}, {"max", max}};
    fused.attributes["sum_min"] = 0.0f;
    fused.attributes["sum_max"] = max;
  }
  const std::vector<TestTensor> expected = RunOp(BinaryOps()[0], sum);
  const std::vector<TestTensor> actual = CheckConformance(op, fused);
  ASSERT_EQ(expected.size(), 1u);
  ASSERT_EQ(actual.size(), 1u);
  EXPECT_TRUE(expected[0].bytes() == actual[0].bytes()) << op.name << " " << fused.name;
}

LinearQuantizers RandomQuantizers(TestRandom& random, int32_t w_channels) {
  const auto zero_point = [&random] {
    const int64_t choice = random.Integer(0, 3);
    return static_cast<int32_t>(choice == 0 ? 0 : choice == 1 ? 255 : random.Integer(1, 254));
  };
  LinearQuantizers quantizers;
  quantizers.x_zero_point = zero_point();
  quantizers.w_zero_point = zero_point();
  quantizers.output_zero_point = zero_point();
  quantizers.gain = random.Integer(0, 3) == 0 ? 100.0f : random.Float(0.1f, 2.0f);
  quantizers.table = random.Integer(0, 2) == 0;
  quantizers.widens = !quantizers.table && random.Integer(0, 3) == 0;
  if (random.Integer(0, 2) == 0) quantizers.w_channels = w_channels;
  return quantizers;
}

}  // namespace synap_internal
