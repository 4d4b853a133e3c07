#include "compiler/import/onnx/tensor_data.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace synap_internal::onnx_import {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A model with one initializer, and its reader.
class TensorDataTest : public testing::Test {
 protected:
  onnx::TensorProto& Tensor(int type, int64_t elements) {
    onnx::TensorProto* tensor = proto_->mutable_graph()->add_initializer();
    tensor->set_data_type(type);
    tensor->add_dims(elements);
    return *tensor;
  }
  absl::StatusOr<TensorData> Read() {
    const Model model{proto_, 13, ""};
    return TensorReader(model).Read(proto_->graph().initializer(0));
  }
  template <typename T>
  std::vector<T> Values() {
    const absl::StatusOr<TensorData> data = Read();
    EXPECT_TRUE(data.ok()) << data.status();
    if (!data.ok()) return {};
    EXPECT_EQ(data->type.dtype, DataTypeOf<T>());
    const auto* begin = reinterpret_cast<const T*>(data->constant.bytes.data());
    return std::vector<T>(begin, begin + data->constant.bytes.size() / sizeof(T));
  }

  std::shared_ptr<onnx::ModelProto> proto_ = std::make_shared<onnx::ModelProto>();
};

TEST_F(TensorDataTest, RawWeightsStayWhereTheParserHasThem) {
  onnx::TensorProto& tensor = Tensor(onnx::TensorProto::FLOAT, 100);
  tensor.set_raw_data(std::string(400, 'x'));
  const absl::StatusOr<TensorData> data = Read();
  ASSERT_TRUE(data.ok()) << data.status();
  EXPECT_EQ(static_cast<const void*>(data->constant.bytes.data()), tensor.raw_data().data());
  EXPECT_EQ(data->constant.owner, proto_);
}

TEST_F(TensorDataTest, FieldsOfEachTypeAreRead) {
  Tensor(onnx::TensorProto::INT8, 2).add_int32_data(-3);
  proto_->mutable_graph()->mutable_initializer(0)->add_int32_data(4);
  EXPECT_THAT(Values<int8_t>(), ElementsAre(-3, 4));
}

TEST_F(TensorDataTest, Int32AndUint64BecomeInt64) {
  Tensor(onnx::TensorProto::INT32, 1).add_int32_data(-7);
  EXPECT_THAT(Values<int64_t>(), ElementsAre(-7));
  proto_->clear_graph();
  Tensor(onnx::TensorProto::UINT64, 1).add_uint64_data(7);
  EXPECT_THAT(Values<int64_t>(), ElementsAre(7));
}

TEST_F(TensorDataTest, BfloatIsTheUpperHalfOfAFloat) {
  Tensor(onnx::TensorProto::BFLOAT16, 1).set_raw_data(std::string("\x80\x3f", 2));
  EXPECT_THAT(Values<float>(), ElementsAre(1.0f));
}

TEST_F(TensorDataTest, BoolIsZeroOrOne) {
  Tensor(onnx::TensorProto::BOOL, 2).set_raw_data(std::string("\x00\x7f", 2));
  EXPECT_THAT(Values<bool>(), ElementsAre(false, true));
}

TEST_F(TensorDataTest, ScalarHasOneElement) {
  onnx::TensorProto& tensor = Tensor(onnx::TensorProto::FLOAT, 1);
  tensor.clear_dims();
  tensor.add_float_data(2);
  EXPECT_EQ(Read()->type.shape, Shape());
  EXPECT_THAT(Values<float>(), ElementsAre(2));
}

TEST_F(TensorDataTest, RefusesTypesOfLessThanAByte) {
  Tensor(22, 2).set_raw_data("x");  // INT4
  EXPECT_THAT(std::string(Read().status().message()), HasSubstr("can't be imported"));
}

TEST_F(TensorDataTest, WeightsMayHaveLessThanAByte) {
  onnx::TensorProto& tensor = Tensor(22, 3);  // INT4
  tensor.set_raw_data("\x21\x0f");
  const auto read = [&] {
    return TensorReader(Model{proto_, 13, ""}).ReadWeights(proto_->graph().initializer(0));
  };
  const std::vector<uint8_t> expected = {1, 2, 0xff};
  EXPECT_EQ(read()->constant.bytes, absl::MakeConstSpan(expected));
  tensor.set_raw_data("x");
  EXPECT_THAT(std::string(read().status().message()), HasSubstr("has 1 bytes of data, expected 2"));
  tensor.clear_raw_data();
  for (const int byte : {0x21, 0x0f}) tensor.add_int32_data(byte);
  EXPECT_EQ(read()->constant.bytes, absl::MakeConstSpan(expected));
}

TEST_F(TensorDataTest, RefusesSegments) {
  Tensor(onnx::TensorProto::FLOAT, 1).mutable_segment()->set_begin(0);
  EXPECT_THAT(std::string(Read().status().message()), HasSubstr("segmented"));
}

}  // namespace
}  // namespace synap_internal::onnx_import
