// make_corpus FOLDER: writes the corpus of tflite_fuzz, small models, sound and
// hostile.
#include <cstdio>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/file.h"
#include "compiler/import/tflite/test_model.h"

namespace synap_internal::tflite_import {
namespace {

using tflite::Activation;
using tflite::BuiltinOperator;
using tflite::Padding;
using tflite::TensorType;
using Builder = TestModel::Builder;

constexpr int32_t kMin = -2147483647 - 1;
constexpr int32_t kMax = 2147483647;

TestModel Convolution(int stride, int dilation) {
  TestModel model;
  model.Input("x", {1, 4, 4, 2}).Floats("w", {2, 3, 3, 2}, std::vector<float>(36, 0.5f));
  model.Floats("b", {2}, {1, 2});
  model.Op(BuiltinOperator::CONV_2D, {"x", "w", "b"}, {"y"}, [=](Builder& b) {
    return tflite::CreateConv2DOptions(b, Padding::SAME, stride, stride, Activation::RELU6,
                                       dilation, dilation);
  });
  return model.Output("y");
}

TestModel Quantized() {
  TestModel model;
  model.Input("x", {1, 2}, TensorType::INT8, {{0.5f}, {-3}});
  model.Bytes8("w", {2, 2}, {1, 2, 3, 4}, TensorType::INT8, {{0.25f, 0.5f}, {0, 0}, 0});
  model.Ints("b", {5, 6});
  model.Add({"y", {1, 2}, TensorType::INT8, {}, {{1.0f}, {7}}});
  model.Op(BuiltinOperator::FULLY_CONNECTED, {"x", "w", "b"}, {"y"},
           [](Builder& b) { return tflite::CreateFullyConnectedOptions(b, Activation::RELU); });
  return model.Output("y");
}

TestModel Depthwise() {
  TestModel model;
  model.Input("x", {1, 4, 4, 2}).Floats("w", {1, 2, 2, 4}, std::vector<float>(16, 1));
  model.Op(BuiltinOperator::DEPTHWISE_CONV_2D, {"x", "w"}, {"d"}, [](Builder& b) {
    return tflite::CreateDepthwiseConv2DOptions(b, Padding::VALID, 1, 1, 2);
  });
  model.Op(BuiltinOperator::MAX_POOL_2D, {"d"}, {"y"},
           [](Builder& b) { return tflite::CreatePool2DOptions(b, Padding::SAME, 2, 2, 3, 3); });
  return model.Output("y");
}

TestModel BatchSpace(int32_t block, int32_t pad) {
  TestModel model;
  model.Input("x", {1, 4, 4, 1}).Ints("block", {block, block}).Ints("none", {0, 0, 0, 0});
  model.Ints("pads", {pad, pad, pad, pad}).Floats("w", {1, 3, 3, 1}, std::vector<float>(9, 1));
  model.Op(BuiltinOperator::SPACE_TO_BATCH_ND, {"x", "block", "pads"}, {"s"});
  model.Op(BuiltinOperator::CONV_2D, {"s", "w"}, {"c"},
           [](Builder& b) { return tflite::CreateConv2DOptions(b, Padding::VALID, 1, 1); });
  model.Op(BuiltinOperator::BATCH_TO_SPACE_ND, {"c", "block", "none"}, {"y"});
  return model.Output("y");
}

TestModel Slice(int32_t begin, int32_t end, int32_t stride, int mask) {
  TestModel model;
  model.Input("x", {2, 3}).Ints("b", {begin, begin}).Ints("e", {end, end});
  model.Ints("s", {stride, stride});
  model.Op(BuiltinOperator::STRIDED_SLICE, {"x", "b", "e", "s"}, {"y"}, [=](Builder& b) {
    return tflite::CreateStridedSliceOptions(b, mask, mask, mask >> 1, mask >> 2, mask >> 3, true);
  });
  return model.Output("y");
}

TestModel Shaped(BuiltinOperator code, const std::vector<int32_t>& values) {
  TestModel model;
  model.Input("x", {1, 4, 4, 2}).Ints("v", values);
  return model.Op(code, {"x", "v"}, {"y"}).Output("y");
}

TestModel Transposed(const std::vector<int32_t>& shape, int stride) {
  TestModel model;
  model.Ints("shape", shape).Floats("w", {1, 2, 2, 1}, {1, 2, 3, 4}).Input("x", {1, 2, 2, 1});
  model.Op(BuiltinOperator::TRANSPOSE_CONV, {"shape", "w", "x"}, {"y"}, [=](Builder& b) {
    return tflite::CreateTransposeConvOptions(b, Padding::SAME, stride, stride);
  });
  return model.Output("y");
}

TestModel Custom() {
  TestModel model;
  model.Input("x", {2}).Op(BuiltinOperator::EXP, {"x"}, {"e"});
  return model.Custom("own", {"e"}, {"y"}).Output("y");
}

TestModel Sparse() {
  TestModel model;
  TestModel::TensorSpec sparse{"s", {2, 2}, TensorType::FLOAT16, {0, 0x3c}};
  sparse.sparsity = [](Builder& b) {
    const std::vector<int32_t> order = {0, 1}, segments = {0, 1, 1};
    const std::vector<uint16_t> indices = {1};
    const auto segment_vector = tflite::CreateInt32VectorDirect(b, &segments).Union();
    const auto index_vector = tflite::CreateUint16VectorDirect(b, &indices).Union();
    const std::vector<flatbuffers::Offset<tflite::DimensionMetadata>> dims = {
        tflite::CreateDimensionMetadata(b, tflite::DimensionType::DENSE, 2),
        tflite::CreateDimensionMetadata(b, tflite::DimensionType::SPARSE_CSR, 0,
                                        tflite::SparseIndexVector::Int32Vector, segment_vector,
                                        tflite::SparseIndexVector::Uint16Vector, index_vector)};
    return tflite::CreateSparsityParametersDirect(b, &order, nullptr, &dims);
  };
  model.Add(sparse).Input("x", {2, 2});
  model.Op(BuiltinOperator::DENSIFY, {"s"}, {"d"});
  model.Op(BuiltinOperator::MUL, {"x", "d"}, {"y"},
           [](Builder& b) { return tflite::CreateMulOptions(b); });
  return model.Output("y");
}

TestModel::TensorSpec Int32(const std::string& name, const std::vector<int32_t>& dims,
                            const std::vector<int32_t>& values) {
  std::vector<uint8_t> bytes(values.size() * sizeof(int32_t));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return {name, dims, TensorType::INT32, bytes};
}

TestModel Composite(int32_t subgraph) {
  TestModel model, body;
  model.Input("x", {2}).Op(BuiltinOperator::STABLEHLO_COMPOSITE, {"x"}, {"y"}, [=](Builder& b) {
    return tflite::CreateStableHLOCompositeOptionsDirect(b, "odml.negated", subgraph);
  });
  body.Input("a", {2}).Op(BuiltinOperator::NEG, {"a"}, {"b"}).Output("b");
  return model.Output("y").Body(body).Signature("serving_default", 0);
}

// Counts from 0 in steps of 1.
TestModel While(int32_t limit) {
  TestModel model, condition, body;
  condition.Input("i", {}, TensorType::INT32).Add(Int32("limit", {}, {limit}));
  condition.Add({"c", {}, TensorType::BOOL});
  condition.Op(BuiltinOperator::LESS, {"i", "limit"}, {"c"}).Output("c");
  body.Input("i", {}, TensorType::INT32).Add(Int32("one", {}, {1}));
  body.Add({"next", {}, TensorType::INT32});
  body.Op(BuiltinOperator::ADD, {"i", "one"}, {"next"},
          [](Builder& b) { return tflite::CreateAddOptions(b); });
  model.Add(Int32("zero", {}, {0})).Add({"n", {}, TensorType::INT32});
  model.Op(BuiltinOperator::WHILE, {"zero"}, {"n"},
           [](Builder& b) { return tflite::CreateWhileOptions(b, 1, 2); });
  return model.Output("n").Body(condition).Body(body.Output("next"));
}

TestModel Scatter(int32_t index, int32_t dim) {
  TestModel model;
  model.Input("u", {1, 2}).Add(Int32("i", {1, 1}, {index})).Ints("shape", {dim, 2});
  return model.Op(BuiltinOperator::SCATTER_ND, {"i", "u", "shape"}, {"y"}).Output("y");
}

TestModel Unpool(int32_t window) {
  TestModel model;
  const std::vector<int32_t> options = {1, window, window, window, window, 0};
  model.Input("x", {1, 4, 4, 1}).Add({"y", {}}).Add({"i", {}});
  model.Custom("MaxPoolingWithArgmax2D", {"x"}, {"y", "i"}, options);
  return model.Custom("MaxUnpooling2D", {"y", "i"}, {"u"}, options).Output("u");
}

// An SVDF, whose state is a variable.
TestModel Memory(int32_t batch, int32_t rank) {
  TestModel model;
  model.Input("x", {batch, 2}).Floats("f", {2, 2}, {1, 2, 3, 4}).Floats("t", {2, 2}, {1, 2, 3, 4});
  TestModel::TensorSpec state{"s", {batch, 4}};
  state.variable = true;
  model.Add(state);
  model.Op(BuiltinOperator::SVDF, {"x", "f", "t", "", "s"}, {"y"},
           [=](Builder& b) { return tflite::CreateSVDFOptions(b, rank); });
  return model.Output("y");
}

// An SVDF whose bias needs the scale of a state, and that has none: its operand is -1, or it ends
// before.
TestModel BiasWithoutState(bool listed) {
  TestModel model;
  model.Input("x", {1, 2}).Floats("f", {2, 2}, {1, 2, 3, 4}).Floats("t", {2, 1}, {1, 2});
  model.Ints("bias", {5, 6});
  TestModel::Strings operands = {"x", "f", "t", "bias"};
  if (listed) operands.emplace_back();
  model.Op(BuiltinOperator::SVDF, operands, {"y"},
           [](Builder& b) { return tflite::CreateSVDFOptions(b, 1); });
  return model.Output("y");
}

std::map<std::string, TestModel> Models() {
  return {
      {"convolution", Convolution(2, 1)},
      {"convolution_extremes", Convolution(kMax, kMin)},
      {"quantized", Quantized()},
      {"depthwise", Depthwise()},
      {"dilation", BatchSpace(2, 2)},
      {"batch_space_extremes", BatchSpace(kMax, kMax)},
      {"slice", Slice(0, 2, 1, 1)},
      {"slice_extremes", Slice(kMin, kMax, kMin, -1)},
      {"reshape", Shaped(BuiltinOperator::RESHAPE, {-1, 8})},
      {"reshape_extremes", Shaped(BuiltinOperator::RESHAPE, {kMax, kMax, -1})},
      {"tile_huge", Shaped(BuiltinOperator::TILE, {kMax, kMax, 1, 1})},
      {"pad_extremes", Shaped(BuiltinOperator::PAD, {kMax, kMin, 0, 0, 0, 0, 0, 0})},
      {"broadcast_huge", Shaped(BuiltinOperator::BROADCAST_TO, {kMax, 4, 4, 2})},
      {"transpose", Shaped(BuiltinOperator::TRANSPOSE, {0, 3, 1, 2})},
      {"transpose_conv", Transposed({1, 4, 4, 1}, 2)},
      {"transpose_conv_extremes", Transposed({1, kMax, kMin, 1}, kMax)},
      {"custom", Custom()},
      {"sparse", Sparse()},
      {"bad_index", Convolution(1, 1).BreakOperand(kMax)},
      {"two_subgraphs", Convolution(1, 1).Subgraphs(2)},
      {"composite", Composite(1)},
      {"composite_of_itself", Composite(0)},
      {"while", While(3)},
      {"while_endless", While(kMax)},
      {"scatter", Scatter(1, 2)},
      {"scatter_extremes", Scatter(kMin, kMax)},
      {"unpool", Unpool(2)},
      {"unpool_extremes", Unpool(kMax)},
      {"svdf", Memory(1, 1)},
      {"svdf_extremes", Memory(kMax, kMin)},
      {"svdf_without_state", BiasWithoutState(false)},
      {"svdf_absent_state", BiasWithoutState(true)},
  };
}

void WriteAll(const std::string& folder) {
  const auto write = [&](const std::string& name, const std::string& bytes) {
    CHECK(WriteFileAtomically(absl::StrCat(folder, "/", name, ".tflite"), bytes).ok());
  };
  for (const auto& [name, model] : Models()) write(name, model.Bytes());
  const std::string bytes = Convolution(1, 1).Bytes();
  write("truncated", bytes.substr(0, bytes.size() / 2));
  write("lfs_pointer", "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n");
}

}  // namespace
}  // namespace synap_internal::tflite_import

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("make_corpus FOLDER\n", stderr);
    return 2;
  }
  synap_internal::tflite_import::WriteAll(argv[1]);
  return 0;
}
