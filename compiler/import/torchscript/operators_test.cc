// Corners of operators, in graphs as the reader writes them: types, numbers, what is
// refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "compiler/import/evaluate_graph.h"
#include "compiler/import/torchscript/import_torchscript.h"
#include "compiler/import/torchscript/script_graph.pb.h"

namespace synap_internal {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::FloatEq;
using ::testing::FloatNear;
using ::testing::HasSubstr;
using ::testing::IsNan;
using ::testing::Pointwise;

constexpr int64_t kByte = 0, kInt = 3, kLong = 4, kFloat = 6, kQuint8 = 13;  // c10::ScalarType

// A graph of one input, value 0.
class Script {
 public:
  explicit Script(Shape shape) {
    options_.inputs = {{"", std::move(shape)}};
    Define("Tensor", *graph_.mutable_block()->add_inputs());
  }

  uint32_t None() {
    torchscript::Constant constant;
    constant.set_none(true);
    return Add(constant, "NoneType");
  }
  uint32_t Int(int64_t value) {
    torchscript::Constant constant;
    constant.set_integer(value);
    return Add(constant, "int");
  }
  uint32_t Real(double value) {
    torchscript::Constant constant;
    constant.set_real(value);
    return Add(constant, "float");
  }
  uint32_t Bool(bool value) {
    torchscript::Constant constant;
    constant.set_boolean(value);
    return Add(constant, "bool");
  }
  uint32_t Text(const std::string& value) {
    torchscript::Constant constant;
    constant.set_text(value);
    return Add(constant, "str");
  }
  uint32_t Op(const std::string& kind, const std::vector<uint32_t>& inputs,
              const std::string& type = "Tensor") {
    torchscript::Node& node = *graph_.mutable_block()->add_nodes();
    node.set_kind(kind);
    for (const uint32_t input : inputs) node.add_inputs(input);
    return Define(type, *node.add_outputs());
  }
  uint32_t Tensors(const std::vector<uint32_t>& items) {
    return Op("prim::ListConstruct", items, "List[Tensor]");
  }
  uint32_t Ints(const std::vector<int64_t>& values) {
    std::vector<uint32_t> items;
    for (const int64_t value : values) items.push_back(Int(value));
    return Op("prim::ListConstruct", items, "List[int]");
  }
  // A constant of int64.
  uint32_t LongTensor(const std::vector<int64_t>& values) {
    torchscript::Constant constant;
    torchscript::Tensor& tensor = *constant.mutable_tensor();
    tensor.set_type(torchscript::Tensor::INT64);
    tensor.add_dims(static_cast<int64_t>(values.size()));
    tensor.set_data(values.data(), values.size() * sizeof(int64_t));
    return Add(constant, "Tensor");
  }
  // x as integers.
  uint32_t Integers() { return Op("aten::to", {0, Int(kInt), Bool(false), Bool(false), None()}); }
  torchscript::Node& last() { return *graph_.mutable_block()->mutable_nodes()->rbegin(); }
  uint32_t Define(const std::string& type, torchscript::Value& value) {
    value.set_id(next_);
    value.set_name(absl::StrCat("v", next_));
    value.set_type(type);
    return next_++;
  }

  absl::StatusOr<Graph> Import(uint32_t output) const {
    torchscript::Graph graph = graph_;
    graph.mutable_block()->add_outputs(output);
    return ImportTorchscriptGraph(graph.SerializeAsString(), "test", options_);
  }
  std::vector<float> Run(uint32_t output, const std::vector<float>& x) const {
    const absl::StatusOr<Graph> graph = Import(output);
    EXPECT_TRUE(graph.ok()) << graph.status();
    if (!graph.ok()) return {};
    const auto results = EvaluateGraph(*graph, {x});
    EXPECT_TRUE(results.ok()) << results.status();
    return results.ok() ? (*results)[0] : std::vector<float>();
  }
  std::string ErrorOf(uint32_t output) const {
    return std::string(Import(output).status().message());
  }

 private:
  uint32_t Add(const torchscript::Constant& constant, const std::string& type) {
    const uint32_t id = Op("prim::Constant", {}, type);
    *last().mutable_constant() = constant;
    return id;
  }

  torchscript::Graph graph_;
  uint32_t next_ = 0;
  ImportOptions options_;
};

TEST(IndexTest, IndicesOfSeveralDimensionsAreBroadcast) {
  const std::vector<float> x = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  Script together({1, 2, 3, 2}), apart({1, 2, 3, 2});
  // x[[[1], [0]], [-1, 0]]
  const auto indices = [](Script& script) {
    const uint32_t rows = script.Op("aten::unsqueeze", {script.LongTensor({1, 0}), script.Int(1)});
    return std::vector<uint32_t>{rows, script.LongTensor({-1, 0})};
  };
  const uint32_t x_together = together.Op("aten::squeeze", {0, together.Int(0)});
  const uint32_t x_apart = apart.Op("aten::squeeze", {0, apart.Int(0)});
  const std::vector<uint32_t> first = indices(together), last = indices(apart);
  EXPECT_THAT(
      together.Run(together.Op("aten::index", {x_together, together.Tensors({first[0], first[1]})}),
                   x),
      ElementsAre(10, 11, 6, 7, 4, 5, 0, 1));
  // x[[[1], [0]], :, [-1, 0]]: the dimensions of the indices are before the others.
  const uint32_t between = apart.Tensors({last[0], apart.None(), last[1]});
  EXPECT_THAT(apart.Run(apart.Op("aten::index", {x_apart, between}), x),
              ElementsAre(7, 9, 11, 6, 8, 10, 1, 3, 5, 0, 2, 4));
}

TEST(IndexTest, ConstantMasksPickElements) {
  Script script({2, 2});
  const uint32_t mask = script.Op("aten::gt", {script.LongTensor({0, 1}), script.Int(0)});
  const uint32_t y = script.Op("aten::index", {0, script.Tensors({script.None(), mask})});
  EXPECT_THAT(script.Run(y, {1, 2, 3, 4}), ElementsAre(2, 4));
  const uint32_t longer = script.Op("aten::gt", {script.LongTensor({0, 1, 2}), script.Int(0)});
  EXPECT_THAT(script.ErrorOf(script.Op("aten::index", {0, script.Tensors({longer})})),
              HasSubstr("its mask is 3, expected the dimensions of its input 2x2"));
}

TEST(IndexPutTest, ComputedMasksTakeOneValueForAll) {
  Script script({4});
  const uint32_t mask = script.Op("aten::lt", {0, script.Int(0)});
  const uint32_t one = script.Op("aten::scalar_tensor", {script.Real(1)});
  const auto put = [&](uint32_t values) {
    return script.Op("aten::index_put", {0, script.Tensors({mask}), values, script.Bool(false)});
  };
  EXPECT_THAT(script.Run(put(one), {-1, 2, -3, 4}), ElementsAre(1, 2, 1, 4));
  EXPECT_THAT(script.ErrorOf(put(script.LongTensor({1, 2}))),
              HasSubstr("it indexes by a mask (bool or uint8)"));
}

TEST(NonZeroTest, RefusesWhatIsComputed) {
  for (const char* kind : {"aten::nonzero", "aten::argwhere", "aten::nonzero_numpy", "aten::where",
                           "aten::_unique2"}) {
    Script script({2});
    EXPECT_THAT(script.ErrorOf(script.Op(kind, {0})),
                HasSubstr("must be constant: the output's shape would depend on values"))
        << kind;
  }
}

TEST(OneHotTest, CountsClassesOfConstantsOnly) {
  Script script({2});
  EXPECT_THAT(script.ErrorOf(script.Op("aten::one_hot", {0, script.Int(-1)})),
              HasSubstr("it counts its classes"));
  const uint32_t two = script.Op("aten::one_hot", {script.LongTensor({1, 0}), script.Int(-1)});
  EXPECT_THAT(script.Run(script.Op("aten::mul", {0, two}), {5, 6}), ElementsAre(0, 6, 5, 0));
}

TEST(AsStridedTest, RefusesViewsOfPartsAndOutside) {
  Script script({2, 3});
  const auto strided = [&](uint32_t x, int64_t stride) {
    return script.Op("aten::as_strided", {x, script.Ints({2}), script.Ints({stride})});
  };
  EXPECT_THAT(script.Run(strided(0, 5), {1, 2, 3, 4, 5, 6}), ElementsAre(1, 6));
  EXPECT_THAT(script.ErrorOf(strided(0, 6)), HasSubstr("is outside of the 6 elements"));
  const uint32_t turned = script.Op("aten::t", {0});
  for (const uint32_t x : {turned, script.Op("aten::neg", {turned})}) {
    EXPECT_THAT(script.ErrorOf(strided(x, 1)),
                HasSubstr("its input is a view of a part of a tensor"));
  }
}

TEST(RepeatInterleaveTest, EachElementHasItsOwnCount) {
  Script script({1, 2, 2});
  EXPECT_THAT(script.Run(script.Op("aten::repeat_interleave",
                                   {0, script.LongTensor({2, 0}), script.Int(2)}),
                         {1, 2, 3, 4}),
              ElementsAre(1, 1, 3, 3));
}

TEST(AttentionTest, RefusesDropout) {
  Script script({1, 2, 2, 2});
  EXPECT_THAT(script.ErrorOf(script.Op("aten::scaled_dot_product_attention",
                                       {0, 0, 0, script.None(), script.Real(0.5)})),
              HasSubstr("it drops values, as in training"));
}

// Without keys a query gives 0, of the real numbers that a network adds to its scores too.
TEST(AttentionTest, ComputedMasksMayLeaveAllKeysOut) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  Script script({1, 1, 2, 2});
  const uint32_t zeros = script.Op("aten::zeros_like", {0});
  const uint32_t masked = script.Op("aten::scaled_dot_product_attention",
                                    {zeros, zeros, script.Op("aten::ones_like", {0}), 0});
  EXPECT_THAT(script.Run(masked, {-kInfinity, -kInfinity, 0, -kInfinity}), ElementsAre(0, 0, 1, 1));
}

TEST(AddMatmulTest, ReadsFactorsAfterATypeToo) {
  Script script({1, 1});
  const uint32_t a = script.Real(3), b = script.Real(2), type = script.Int(kFloat);
  EXPECT_THAT(script.Run(script.Op("aten::addmm", {0, 0, 0, b, a}), {5}), ElementsAre(85));
  EXPECT_THAT(script.Run(script.Op("aten::addmm", {0, 0, 0, type, b, a}), {5}), ElementsAre(85));
}

TEST(AddMatmulTest, LeavesOutWhatZeroScales) {
  Script script({1, 1});
  const uint32_t nan = script.Op("aten::log", {0}), one = script.Op("aten::abs", {0});
  const uint32_t vector = script.Op("aten::reshape", {one, script.Ints({1})});
  const uint32_t beta = script.Int(0), alpha = script.Int(3);
  EXPECT_THAT(script.Run(script.Op("aten::addmm", {nan, one, one, beta, alpha}), {-1}),
              ElementsAre(3));
  EXPECT_THAT(script.Run(script.Op("aten::addr", {nan, vector, vector, beta, alpha}), {-1}),
              ElementsAre(3));
}

TEST(TorchscriptOperatorTest, NoneIsNoTensorOfAList) {
  Script script({2});
  const uint32_t cat = script.Op("aten::cat", {script.Tensors({0, script.None()}), script.Int(0)});
  EXPECT_THAT(script.ErrorOf(cat), HasSubstr("its argument 0 has None at 1, expected tensors"));
}

TEST(TorchscriptOperatorTest, ReversedSubtractionScalesItsFirstArgument) {
  Script script({2});
  const uint32_t y = script.Op("aten::rsub", {0, script.Int(10), script.Int(3)});
  EXPECT_THAT(script.Run(y, {1, -2}), ElementsAre(7, 16));
}

TEST(TorchscriptOperatorTest, SizesAreComputedOfDoubles) {
  Script script({1, 1, 10, 10});
  const uint32_t factors =
      script.Op("prim::ListConstruct", {script.Real(0.7), script.Real(0.7)}, "List[float]");
  const uint32_t y = script.Op("aten::upsample_nearest2d", {0, script.None(), factors});
  EXPECT_EQ(script.Import(y).value().outputs[0]->type.shape, Shape({1, 1, 7, 7}));
}

TEST(TorchscriptOperatorTest, PythonsNumbersAreDoublesAndIntegersOf64Bits) {
  Script script({1});
  const uint32_t product = script.Op("aten::mul", {script.Int(100), script.Real(0.29)}, "float");
  const uint32_t cut = script.Op("aten::Int", {product}, "int");
  EXPECT_THAT(script.Run(script.Op("aten::add", {0, cut, script.Int(1)}), {0}), ElementsAre(28));
  const uint32_t lowest = script.Int(std::numeric_limits<int64_t>::min());
  const uint32_t rest = script.Op("aten::remainder", {lowest, script.Int(3)}, "int");
  EXPECT_THAT(script.Run(script.Op("aten::add", {0, rest, script.Int(1)}), {0}), ElementsAre(1));
}

TEST(TorchscriptOperatorTest, NumbersKeepWhatAFunctionOfTheirSignLeaves) {
  Script script({1});
  const uint32_t magnitude = script.Op("aten::abs", {script.Real(-2.75)}, "float");
  EXPECT_THAT(script.Run(script.Op("aten::add", {0, magnitude, script.Int(1)}), {0}),
              ElementsAre(2.75));
  const uint32_t negated = script.Op("aten::neg", {script.Int(3)}, "int");
  EXPECT_THAT(script.Run(script.Op("aten::add", {0, negated, script.Int(1)}), {0}),
              ElementsAre(-3));
  const uint32_t square = script.Op("aten::square", {script.Real(1.5)}, "float");
  EXPECT_THAT(script.ErrorOf(script.Op("aten::add", {0, square, script.Int(1)})),
              HasSubstr("is a number (supported: tensors)"));
}

TEST(TorchscriptOperatorTest, RangesAndWindowsBeyondReasonAreRefused) {
  Script script({1, 1, 8});
  const uint32_t none = script.None();
  const uint32_t range = script.Op("aten::arange", {script.Real(1e30), none, none, none, none});
  EXPECT_THAT(script.ErrorOf(range), HasSubstr("its range from 0 to 1e+30 in steps of 1"));
  const uint32_t weights =
      script.Op("aten::ones", {script.Ints({1, 1, 3}), none, none, none, none});
  const uint32_t dilation = script.Ints({std::numeric_limits<int64_t>::max() - 1});
  const uint32_t y = script.Op("aten::conv1d", {0, weights, none, script.Ints({1}),
                                                script.Text("same"), dilation, script.Int(1)});
  EXPECT_THAT(script.ErrorOf(y), HasSubstr("its dilation is [9223372036854775806]"));
}

TEST(TorchscriptOperatorTest, DictionariesAreNoListsByIndex) {
  Script script({1});
  const uint32_t negative = script.Op("aten::neg", {0});
  const uint32_t dict = script.Op("prim::DictConstruct",
                                  {script.Int(1), 0, script.Int(0), negative}, "Dict(int, Tensor)");
  const uint32_t y = script.Op("aten::__getitem__", {dict, script.Int(0)});
  EXPECT_THAT(script.ErrorOf(y), HasSubstr("it makes a dictionary of int and Tensor"));
}

TEST(TorchscriptOperatorTest, MasksStayMasks) {
  for (const char* kind : {"aten::mul", "aten::add", "aten::maximum", "aten::minimum"}) {
    Script script({4});
    const uint32_t positive = script.Op("aten::gt", {0, script.Int(0)});
    const uint32_t small = script.Op("aten::lt", {0, script.Int(2)});
    std::vector<uint32_t> operands = {positive, small};
    if (std::string(kind) == "aten::add") operands.push_back(script.Int(1));
    const uint32_t mask = script.Op(kind, operands);
    const uint32_t y = script.Op("aten::index", {0, script.Tensors({mask})});
    EXPECT_THAT(script.ErrorOf(y), HasSubstr("it indexes by a mask (bool or uint8)")) << kind;
    const bool both = kind != std::string("aten::add") && kind != std::string("aten::maximum");
    const float one = both ? 0 : 1;
    EXPECT_THAT(script.Run(mask, {-1, 1, 2, 0}), ElementsAre(one, 1, one, one)) << kind;
  }
}

TEST(TorchscriptOperatorTest, BytesAreMasksWhereTheyIndex) {
  const auto to = [](Script& script, uint32_t x, int64_t type) {
    return script.Op("aten::to", {x, script.Int(type), script.Bool(false), script.Bool(false)});
  };
  Script script({2});
  const uint32_t bytes = to(script, 0, kByte);
  const uint32_t flat = script.Op("aten::reshape", {bytes, script.Ints({-1})});
  const uint32_t integers = to(script, flat, kInt);
  EXPECT_THAT(script.ErrorOf(script.Op("aten::index", {0, script.Tensors({flat})})),
              HasSubstr("it indexes by a mask (bool or uint8)"));
  EXPECT_THAT(script.Run(script.Op("aten::index", {0, script.Tensors({integers})}), {1, 0}),
              ElementsAre(0, 1));
}

TEST(TorchscriptOperatorTest, WhatIsMadeOfBytesIsAMaskToo) {
  constexpr char kMask[] = "it indexes by a mask (bool or uint8)";
  Script script({2});
  const uint32_t none = script.None(), byte = script.Int(kByte), one = script.Int(1);
  const uint32_t bytes = script.Op("aten::to", {0, byte, script.Bool(false), script.Bool(false)});
  const uint32_t integers =
      script.Op("aten::to", {0, script.Int(kInt), script.Bool(false), script.Bool(false)});
  const auto indexed = [&](uint32_t index) {
    return script.Op("aten::index", {0, script.Tensors({index})});
  };
  const uint32_t axis = script.Int(0), size = script.Ints({2});
  for (const uint32_t mask :
       {script.Op("aten::clone", {bytes, none}),
        script.Op("aten::cat", {script.Tensors({bytes, bytes}), axis}),
        script.Op("aten::mul", {bytes, one}), script.Op("aten::cumsum", {bytes, axis, byte})}) {
    EXPECT_THAT(script.ErrorOf(indexed(mask)), HasSubstr(kMask)) << mask;
  }
  // As indices, ones would pick the second element twice.
  for (const uint32_t mask : {script.Op("aten::ones_like", {bytes}),
                              script.Op("aten::ones", {size, byte, none, none, none}),
                              script.Op("aten::new_ones", {0, size, byte})}) {
    EXPECT_THAT(script.Run(indexed(mask), {3, 4}), ElementsAre(3, 4)) << mask;
  }
  for (const uint32_t index :
       {script.Op("aten::add", {bytes, integers}), script.Op("aten::argmax", {bytes, axis}),
        script.Op("aten::cumsum", {bytes, axis}),
        script.Op("aten::ones_like", {bytes, script.Int(kInt)})}) {
    EXPECT_TRUE(script.Import(indexed(index)).ok()) << index;
  }
}

// What only puts bytes elsewhere, with indices and numbers of other types beside them.
TEST(TorchscriptOperatorTest, BytesThatMoveStayMasks) {
  Script script({1, 2});
  const uint32_t none = script.None(), no = script.Bool(false);
  const uint32_t zero = script.Int(0), one = script.Int(1), ones = script.Ints({1, 1});
  const uint32_t bytes = script.Op("aten::to", {0, script.Int(kByte), no, no});
  const uint32_t integers = script.Op("aten::to", {0, script.Int(kInt), no, no});
  const uint32_t above = script.Op("aten::gt", {0, zero});
  const uint32_t row = script.Op("aten::select", {bytes, zero, zero});
  const uint32_t indices = script.Op("aten::select", {integers, zero, zero});
  const auto first = [&](uint32_t list) { return script.Op("aten::__getitem__", {list, zero}); };
  const auto list_of = [&](const char* kind, const std::vector<uint32_t>& arguments) {
    return first(script.Op(kind, arguments, "List[Tensor]"));
  };
  const auto indexed = [&](uint32_t index) {
    return script.Op("aten::index", {0, script.Tensors({index})});
  };
  const uint32_t pads = script.Ints({1, 0}), flat = script.Ints({-1});
  for (const uint32_t mask : {row,
                              script.Op("aten::index", {bytes, script.Tensors({indices})}),
                              script.Op("aten::index_select", {bytes, zero, indices}),
                              script.Op("aten::embedding", {bytes, indices}),
                              script.Op("aten::slice", {bytes, zero, zero, one, one}),
                              script.Op("aten::narrow", {bytes, zero, zero, one}),
                              list_of("aten::chunk", {bytes, one, zero}),
                              list_of("aten::split", {bytes, one, zero}),
                              list_of("aten::split_with_sizes", {bytes, ones, one}),
                              list_of("aten::unbind", {bytes, zero}),
                              list_of("aten::meshgrid", {script.Tensors({row, row})}),
                              script.Op("aten::cat", {script.Tensors({bytes, above, bytes}), zero}),
                              script.Op("aten::stack", {script.Tensors({bytes, bytes}), zero}),
                              script.Op("aten::reshape", {bytes, flat}),
                              script.Op("aten::_unsafe_view", {bytes, flat}),
                              script.Op("aten::view_as", {bytes, integers}),
                              script.Op("aten::flatten", {bytes, zero, one}),
                              script.Op("aten::unflatten", {bytes, zero, ones}),
                              script.Op("aten::unsqueeze", {bytes, zero}),
                              script.Op("aten::squeeze", {bytes}),
                              script.Op("aten::permute", {bytes, script.Ints({1, 0})}),
                              script.Op("aten::transpose", {bytes, zero, one}),
                              script.Op("aten::t", {bytes}),
                              script.Op("aten::expand", {bytes, script.Ints({3, 1, 2}), no}),
                              script.Op("aten::expand_as", {bytes, integers}),
                              script.Op("aten::repeat", {bytes, script.Ints({2, 1})}),
                              script.Op("aten::contiguous", {bytes, zero}),
                              script.Op("aten::clone", {bytes, none}),
                              script.Op("aten::detach", {bytes}),
                              script.Op("aten::flip", {bytes, script.Ints({0})}),
                              script.Op("aten::roll", {bytes, script.Ints({1}), script.Ints({0})}),
                              script.Op("aten::constant_pad_nd", {bytes, pads, one}),
                              script.Op("aten::pad", {bytes, pads, script.Text("replicate"), none}),
                              script.Op("aten::masked_fill", {bytes, above, indices}),
                              script.Op("aten::where", {above, bytes, bytes}),
                              script.Op("aten::copy", {bytes, integers, no})}) {
    EXPECT_THAT(script.ErrorOf(indexed(mask)), HasSubstr("it indexes by a mask (bool or uint8)"))
        << mask;
  }
  for (const uint32_t index : {script.Op("aten::index", {integers, script.Tensors({indices})}),
                               script.Op("aten::index_select", {integers, zero, indices}),
                               script.Op("aten::cat", {script.Tensors({bytes, integers}), zero}),
                               script.Op("aten::copy", {integers, bytes, no})}) {
    EXPECT_TRUE(script.Import(indexed(index)).ok()) << script.ErrorOf(indexed(index));
  }
}

TEST(TorchscriptOperatorTest, IntegersBesideBoolsStayIntegers) {
  Script script({2});
  const uint32_t above = script.Op("aten::gt", {0, script.Int(1)});
  const uint32_t y =
      script.Op("aten::cat", {script.Tensors({above, script.Integers()}), script.Int(0)});
  EXPECT_EQ(script.Import(y).value().outputs[0]->type.dtype, DataType::kInt32);
  EXPECT_THAT(script.Run(y, {1, 5}), ElementsAre(0, 1, 1, 5));
}

TEST(TorchscriptOperatorTest, WhatIsNoListIsRefusedWithWhatWouldBe) {
  Script script({2});
  EXPECT_THAT(script.ErrorOf(script.Op("aten::len", {script.Int(1)}, "int")),
              HasSubstr("is int (supported: a tensor, a list, a tuple or a string)"));
}

// A graph of weights that are all equal is enough for what the modules' test doesn't have.
TEST(TorchscriptOperatorTest, RecurrentNetworksNameWhatIsWrong) {
  Script script({1, 3, 2});
  const uint32_t none = script.None();
  const auto ones = [&](const std::vector<int64_t>& dims) {
    return script.Op("aten::ones", {script.Ints(dims), none, none, none, none});
  };
  const auto gru = [&](uint32_t state, uint32_t weights, int64_t layers, bool train) {
    return script.Op("aten::gru",
                     {0, state, weights, script.Bool(false), script.Int(layers), script.Real(0.5),
                      script.Bool(train), script.Bool(false), script.Bool(true)});
  };
  const uint32_t weights = script.Tensors({ones({3, 2}), ones({3, 1})}), state = ones({1, 1, 1});
  EXPECT_EQ(script.Import(gru(state, weights, 1, true)).value().outputs[0]->type.shape,
            Shape({1, 3, 1}));
  EXPECT_THAT(script.ErrorOf(gru(state, weights, 2, false)),
              HasSubstr("it has 2 weights for 2 layers, expected 2 for each of 1 directions"));
  EXPECT_THAT(script.ErrorOf(gru(state, weights, 1 << 30, false)), HasSubstr("it has 2 weights"));
  EXPECT_THAT(script.ErrorOf(gru(ones({2, 1, 1}), weights, 1, false)),
              HasSubstr("its state is 2x1x1, expected 1x1x1"));
  EXPECT_THAT(script.ErrorOf(gru(state, script.Tensors({ones({3, 5}), ones({3, 1})}), 1, false)),
              HasSubstr("its weight is 3x5, expected 3x2"));
  const uint32_t four = script.Tensors({ones({3, 2}), ones({3, 1}), ones({3, 1}), ones({3, 1})});
  EXPECT_THAT(script.ErrorOf(gru(ones({2, 1, 1}), four, 2, true)),
              HasSubstr("it is in training mode"));
}

// (data, sizes of batches, states, weights, has_biases, num_layers, dropout, train, bidirectional)
TEST(TorchscriptOperatorTest, RefusesPackedSequences) {
  Script script({3, 2});
  const uint32_t none = script.None();
  const auto ones = [&](const std::vector<int64_t>& dims) {
    return script.Op("aten::ones", {script.Ints(dims), none, none, none, none});
  };
  const auto packed = [&](const char* kind, uint32_t states) {
    const uint32_t weights = script.Tensors({ones({4, 2}), ones({4, 1})});
    return script.Op(kind, {0, ones({3}), states, weights, script.Bool(false), script.Int(1),
                            script.Real(0), script.Bool(false), script.Bool(false)});
  };
  const uint32_t state = ones({1, 1, 1});
  EXPECT_THAT(script.ErrorOf(packed("aten::gru", state)), HasSubstr("its input is packed"));
  EXPECT_THAT(script.ErrorOf(packed("aten::lstm", script.Tensors({state, state}))),
              HasSubstr("its input is packed"));
}

TEST(TorchscriptOperatorTest, NanIsNeitherGreaterNorEqualNorLess) {
  for (const char* kind : {"aten::ge", "aten::le"}) {
    Script script({3});
    const uint32_t y = script.Op(kind, {0, script.Real(1)});
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const float greater = kind == std::string("aten::ge") ? 1 : 0;
    EXPECT_THAT(script.Run(y, {nan, 1, 2}), ElementsAre(0, 1, greater)) << kind;
  }
}

TEST(TorchscriptOperatorTest, TypesThatAreAskedForAreMade) {
  Script script({2});
  const uint32_t integers = script.Integers();
  const uint32_t sum = script.Op("aten::sum", {integers, script.Int(kFloat)});
  const uint32_t half = script.Op("aten::floor_divide", {sum, script.Int(2)});
  EXPECT_EQ(script.Import(half).value().outputs[0]->type.dtype, DataType::kFloat32);
  const uint32_t norm = script.Op("aten::norm", {0, script.Int(2), script.Int(kFloat)});
  EXPECT_THAT(script.Run(norm, {3, -4}), ElementsAre(5));
  const uint32_t clamped = script.Op("aten::clamp", {integers, script.Real(0.5), script.Real(2.5)});
  EXPECT_THAT(script.Run(clamped, {-3, 7}), ElementsAre(0.5, 2.5));
}

TEST(TorchscriptOperatorTest, DropoutThatDropsIsRefused) {
  Script script({2});
  const uint32_t dropped = script.Op("aten::dropout", {0, script.Real(0.5), script.Bool(true)});
  EXPECT_THAT(script.ErrorOf(dropped), HasSubstr("it drops values although"));
  const uint32_t kept = script.Op("aten::dropout", {0, script.Real(0.5), script.Bool(false)});
  EXPECT_THAT(script.Run(kept, {3, -4}), ElementsAre(3, -4));
}

TEST(TorchscriptOperatorTest, PoolsDivideBySomethingElse) {
  Script script({1, 1, 1, 3});
  const uint32_t window = script.Ints({1, 2}), no = script.Bool(false), yes = script.Bool(true);
  const auto pool = [&](uint32_t ceil_mode, double divisor) {
    const uint32_t zero = script.Int(0);
    return script.Op("aten::avg_pool2d",
                     {0, window, window, zero, ceil_mode, no, script.Real(divisor)});
  };
  EXPECT_THAT(script.Run(pool(no, 4), {1, 3, 8}), ElementsAre(1));
  // A window that only ceil_mode gives.
  EXPECT_THAT(script.Run(pool(yes, 4), {1, 3, 8}), ElementsAre(1, 2));
  EXPECT_THAT(script.ErrorOf(pool(no, 0)), HasSubstr("its divisor is 0"));
}

TEST(TorchscriptOperatorTest, AdaptivePoolsTakeWindowsOfUnequalSize) {
  Script script({1, 1, 5});
  const uint32_t two = script.Ints({2});
  const uint32_t largest = script.Op("aten::adaptive_max_pool1d", {0, two});
  EXPECT_THAT(script.Run(largest, {4, 1, 2, 5, 3}), ElementsAre(4, 5));
  const uint32_t mean = script.Op("aten::adaptive_avg_pool1d", {0, two});
  EXPECT_THAT(script.Run(mean, {3, 6, 0, 3, 9}), ElementsAre(3, 4));
}

TEST(TorchscriptOperatorTest, ImagesWithoutABatchArePooledAndConvolved) {
  Script script({1, 4});
  const uint32_t two = script.Ints({2}), one = script.Ints({1}), none = script.None();
  EXPECT_THAT(script.Run(script.Op("aten::max_pool1d", {0, two}), {4, 1, 2, 5}), ElementsAre(4, 5));
  const uint32_t dims = script.Ints({1, 1, 2});
  const uint32_t weights = script.Op("aten::ones", {dims, none, none, none, none});
  const uint32_t sums =
      script.Op("aten::conv1d", {0, weights, none, one, script.Text("same"), one, script.Int(1)});
  EXPECT_THAT(script.Run(sums, {4, 1, 2, 5}), ElementsAre(5, 3, 7, 5));
}

// The larger part of an odd number of pads is at the end; the features are convolved with
// themselves.
TEST(TorchscriptOperatorTest, ConvolutionsTakeComputedWeights) {
  Script script({1, 1, 3});
  const uint32_t one = script.Ints({1}), none = script.None();
  const uint32_t y =
      script.Op("aten::conv1d", {0, 0, none, one, script.Ints({1}), one, script.Int(1)});
  EXPECT_THAT(script.Run(y, {1, 2, 3}), ElementsAre(1 * 2 + 2 * 3, 1 + 4 + 9, 2 * 1 + 3 * 2));
}

TEST(TorchscriptOperatorTest, PadsThatWrapAreItsOwnElements) {
  Script script({1, 1, 3});
  const auto pad = [&](const std::vector<int64_t>& pads) {
    return script.Op("aten::pad", {0, script.Ints(pads), script.Text("circular"), script.None()});
  };
  EXPECT_THAT(script.Run(pad({2, 1}), {1, 2, 3}), ElementsAre(2, 3, 1, 2, 3, 1));
  EXPECT_THAT(script.Run(pad({-1, 1}), {1, 2, 3}), ElementsAre(2, 3, 2));
  EXPECT_THAT(script.ErrorOf(pad({4, 0})), HasSubstr("it pads dimension 2 of size 3 by 4 and 0"));
}

TEST(TorchscriptOperatorTest, WindowsAreLaidOut) {
  Script script({4});
  const auto unfold = [&](int64_t size, int64_t step) {
    return script.Op("aten::unfold", {0, script.Int(-1), script.Int(size), script.Int(step)});
  };
  EXPECT_THAT(script.Run(unfold(3, 1), {1, 2, 3, 4}), ElementsAre(1, 2, 3, 2, 3, 4));
  EXPECT_THAT(script.Run(unfold(3, 3), {1, 2, 3, 4}), ElementsAre(1, 2, 3));
  EXPECT_THAT(script.ErrorOf(unfold(5, 1)), HasSubstr("its window reaches over 5 elements"));
}

// 41 * (2 / 82) is less than 1 in float32, 41 / (82 / 2) isn't.
TEST(TorchscriptOperatorTest, NearestElementsAreThoseOfPyTorch) {
  Script script({1, 1, 2});
  const uint32_t y = script.Op("aten::upsample_nearest1d", {0, script.Ints({82}), script.None()});
  EXPECT_EQ(script.Run(y, {1, 2})[41], 1);
}

TEST(TorchscriptOperatorTest, InterpolationsSayTheirModeInWords) {
  Script script({1, 1, 3});
  const uint32_t none = script.None(), no = script.Bool(false);
  const auto resized = [&](const std::string& mode, uint32_t size, uint32_t factor) {
    return script.Op("aten::__interpolate", {0, size, factor, script.Text(mode), none, none, no});
  };
  EXPECT_THAT(script.Run(resized("nearest", script.Int(2), none), {1, 2, 3}), ElementsAre(1, 2));
  EXPECT_THAT(script.Run(resized("area", script.Int(2), none), {1, 2, 4}), ElementsAre(1.5, 3));
  EXPECT_THAT(script.Run(resized("linear", none, script.Real(2)), {0, 4, 8}),
              ElementsAre(0, 1, 3, 5, 7, 8));
  EXPECT_THAT(script.ErrorOf(resized("bicubic", script.Int(2), none)),
              HasSubstr("its mode is 'bicubic' over 1 dimensions"));
}

TEST(TorchscriptOperatorTest, WeightsThatAreComputedAreNoConstants) {
  Script script({1, 2});
  const uint32_t none = script.None();
  const uint32_t ones = script.Op("aten::ones", {script.Ints({3, 2}), none, none, none, none});
  const uint32_t mean = script.Op("aten::mean", {0, none});
  const uint32_t weights = script.Op("aten::mul", {ones, mean});
  const uint32_t y = script.Op("aten::linear", {0, weights, none});
  const absl::StatusOr<Graph> graph = script.Import(y);
  ASSERT_TRUE(graph.ok()) << graph.status();
  for (const Op& op : graph->ops()) EXPECT_FALSE(op.Is(LinearForm::kDense));
  EXPECT_THAT(script.Run(y, {1, 3}), ElementsAre(8, 8, 8));
}

TEST(TorchscriptOperatorTest, FunctionsOfAFixedRangeHaveAQuantizerOfTheirOwn) {
  const std::pair<const char*, std::vector<float>> kCases[] = {
      {"aten::sigmoid", {0.5f, 0.73046875f}},
      {"aten::hardsigmoid", {0.5f, 0.66796875f}},
      {"aten::tanh", {0, 0.7578125f}},
  };
  for (const auto& [kind, expected] : kCases) {
    Script script({2});
    const uint32_t q = script.Op("aten::quantize_per_tensor",
                                 {0, script.Real(0.5), script.Int(10), script.Int(kQuint8)});
    const uint32_t y = script.Op("aten::dequantize", {script.Op(kind, {q})});
    EXPECT_EQ(script.Run(y, {0, 1}), expected) << kind;
  }
}

TEST(TorchscriptInPlaceTest, ViewsSeeWhatWasWrittenThroughOthers) {
  {  // flat = x.view(-1); x[0].mul_(2); return flat
    Script script({1, 2});
    const uint32_t flat = script.Op("aten::view", {0, script.Ints({-1})});
    const uint32_t row = script.Op("aten::select", {0, script.Int(0), script.Int(0)});
    script.Op("aten::mul_", {row, script.Int(2)});
    EXPECT_THAT(script.Run(flat, {3, 4}), ElementsAre(6, 8));
  }
  {  // a = -x; parts = a.chunk(2); parts[0].add_(1); return a
    Script script({4});
    const uint32_t a = script.Op("aten::neg", {0});
    const uint32_t parts =
        script.Op("aten::chunk", {a, script.Int(2), script.Int(0)}, "List[Tensor]");
    const uint32_t first = script.Op("aten::__getitem__", {parts, script.Int(0)});
    script.Op("aten::add_", {first, script.Int(1), script.Int(1)});
    EXPECT_THAT(script.Run(a, {1, 2, 3, 4}), ElementsAre(0, -1, -3, -4));
  }
  for (const char* kind : {"aten::dropout", "aten::feature_dropout", "aten::alpha_dropout"}) {
    Script script({2});
    const uint32_t a = script.Op("aten::neg", {0});
    const uint32_t same = script.Op(kind, {a, script.Real(0.5), script.Bool(false)});
    script.Op("aten::add_", {same, script.Int(1), script.Int(1)});
    EXPECT_THAT(script.Run(a, {1, 2}), ElementsAre(0, -1)) << kind;
  }
}

TEST(TorchscriptInPlaceTest, ChangesOfOrderAreNotWrittenThrough) {
  // a = -x; a.t().add_(1); return a
  Script script({2, 1});
  const uint32_t a = script.Op("aten::neg", {0});
  script.Op("aten::add_", {script.Op("aten::t", {a}), script.Int(1), script.Int(1)});
  EXPECT_THAT(script.ErrorOf(a), HasSubstr("shares its memory with what was changed"));
}

TEST(TorchscriptInPlaceTest, ChangesOfWhatMayBeACopyAreRefused) {
  for (const char* kind : {"aten::cpu", "aten::contiguous"}) {
    Script script({2});
    const uint32_t a = script.Op("aten::neg", {0});
    script.Op("aten::add_", {script.Op(kind, {a}), script.Int(1), script.Int(1)});
    EXPECT_THAT(script.ErrorOf(a), HasSubstr("shares its memory with what was changed")) << kind;
  }
}

TEST(TorchscriptInPlaceTest, WhatMayBeACopyOfWhatWasChangedIsRefused) {
  for (const char* kind : {"aten::ravel", "aten::resolve_conj", "aten::resolve_neg"}) {
    // a = -x; y = ravel(a.t()); a.add_(1); return y
    Script script({2, 2});
    const uint32_t a = script.Op("aten::neg", {0});
    const uint32_t y = script.Op(kind, {script.Op("aten::t", {a})});
    script.Op("aten::add_", {a, script.Int(1), script.Int(1)});
    EXPECT_THAT(script.ErrorOf(y), HasSubstr("shares its memory with what was changed")) << kind;
  }
}

TEST(TorchscriptInPlaceTest, ViewsOfAShapeThatChangedAreRefused) {
  // a = -x; row = a[0]; a.unsqueeze_(0); a.add_(1); return row
  Script script({2, 2});
  const uint32_t a = script.Op("aten::neg", {0});
  const uint32_t row = script.Op("aten::select", {a, script.Int(0), script.Int(0)});
  script.Op("aten::unsqueeze_", {a, script.Int(0)});
  script.Op("aten::add_", {a, script.Int(1), script.Int(1)});
  EXPECT_THAT(script.ErrorOf(row), HasSubstr("shares its memory with what was changed"));
}

// a = -x; z = -a; b = broadcast_tensors(z, a)[1]; b.add_(1); return a
TEST(TorchscriptInPlaceTest, ChangesOfItemsThatShareMemoryAreRefused) {
  for (const char* kind : {"aten::broadcast_tensors", "aten::meshgrid", "aten::atleast_1d"}) {
    Script script({2});
    const uint32_t a = script.Op("aten::neg", {0});
    const uint32_t z = script.Op("aten::neg", {a});
    const uint32_t all = script.Op(kind, {script.Tensors({z, a})}, "List[Tensor]");
    const uint32_t b = script.Op("aten::__getitem__", {all, script.Int(1)});
    script.Op("aten::add_", {b, script.Int(1), script.Int(1)});
    EXPECT_THAT(script.ErrorOf(a), HasSubstr("shares its memory with what was changed")) << kind;
    EXPECT_THAT(script.Run(z, {1, 2}), ElementsAre(1, 2)) << kind;
  }
}

// y = -x; y.greater_(0); return y
TEST(TorchscriptInPlaceTest, ResultsHaveTheTypeThatTheyAreWrittenTo) {
  Script script({2});
  const uint32_t y = script.Op("aten::neg", {0});
  script.Op("aten::greater_", {y, script.Int(0)});
  EXPECT_THAT(script.Run(script.Op("aten::cat", {script.Tensors({y, 0}), script.Int(0)}), {-2, 2}),
              ElementsAre(1, 0, -2, 2));
  const absl::StatusOr<Graph> graph = script.Import(y);
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(graph->outputs[0]->type.dtype, DataType::kFloat32);
}

TEST(TorchscriptInPlaceTest, ChangesThroughBranchesAreKept) {
  // a = -x; b = a if True else x; b.add_(1); return a
  Script script({2});
  const uint32_t a = script.Op("aten::neg", {0});
  const uint32_t condition = script.Bool(true);
  const uint32_t b = script.Op("prim::If", {condition});
  script.last().add_blocks()->add_outputs(a);
  script.last().add_blocks()->add_outputs(0);
  script.Op("aten::add_", {b, script.Int(1), script.Int(1)});
  EXPECT_THAT(script.Run(a, {1, 2}), ElementsAre(0, -1));
}

TEST(TorchscriptInPlaceTest, ChangesOfTheInputAreKept) {
  Script script({2});
  script.Op("aten::mul_", {0, script.Int(2)});
  EXPECT_THAT(script.Run(0, {1, 2}), ElementsAre(2, 4));
}

TEST(TorchscriptInPlaceTest, ChangesThroughUnknownViewsAreRefusedByName) {
  Script script({1, 2});
  const uint32_t a = script.Op("aten::neg", {0});
  const uint32_t view = script.Op("a::view", {a});
  script.Op("aten::zero_", {view});
  EXPECT_THAT(script.ErrorOf(a), HasSubstr("1 operator is not supported: a::view"));
}

TEST(TorchscriptInPlaceTest, ChangesThroughDiagonalsAreRefused) {
  Script script({1, 2});
  const uint32_t a = script.Op("aten::neg", {0});
  script.Op("aten::zero_", {script.Op("aten::diagonal", {a})});
  EXPECT_THAT(script.ErrorOf(a), HasSubstr("shares its memory with what was changed"));
}

TEST(TorchscriptInPlaceTest, ChangesEverySecondElement) {
  Script script({5});
  const uint32_t a = script.Op("aten::neg", {0});
  const uint32_t part =
      script.Op("aten::slice", {a, script.Int(0), script.Int(1), script.None(), script.Int(2)});
  script.Op("aten::zero_", {part});
  EXPECT_THAT(script.Run(a, {1, 2, 3, 4, 5}), ElementsAre(-1, 0, -3, 0, -5));
}

TEST(TorchscriptInPlaceTest, CopiesOfPartsAreNoParts) {
  Script script({2});
  const uint32_t a = script.Op("aten::neg", {0});
  const uint32_t copy = script.Op("aten::select_copy", {a, script.Int(0), script.Int(0)});
  script.Op("aten::zero_", {copy});
  EXPECT_THAT(script.Run(a, {1, 2}), ElementsAre(-1, -2));
}

TEST(TorchscriptInPlaceTest, ChangesOfAttributesAreRefused) {
  Script script({2});
  const uint32_t buffer = script.Real(1);
  script.last().set_kind("prim::GetAttr");
  torchscript::Tensor& tensor = *script.last().mutable_constant()->mutable_tensor();
  tensor.set_type(torchscript::Tensor::FLOAT32);
  tensor.add_dims(2);
  tensor.set_data(std::string(8, '\0'));
  script.Op("aten::add_", {buffer, 0, script.Int(1)});
  EXPECT_THAT(script.ErrorOf(script.Op("aten::neg", {buffer})),
              HasSubstr("it changes an attribute of the module in place"));
}

TEST(TorchscriptInPlaceTest, ChangesThatNothingReadsAreLeftOut) {
  // y = -x; z = exp(x); unknown_(z); return (y, z), of which y is imported
  Script script({2});
  const uint32_t y = script.Op("aten::neg", {0});
  const uint32_t z = script.Op("aten::exp", {0});
  script.Op("a::write_", {z});
  script.Op("prim::TupleConstruct", {y, z}, "Tuple[Tensor, Tensor]");
  EXPECT_THAT(script.Run(y, {1, 2}), ElementsAre(-1, -2));
}

TEST(SafeSoftmaxTest, RowsOfMinusInfinityAreZero) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  Script script({2, 2});
  EXPECT_THAT(script.Run(script.Op("aten::_safe_softmax", {0, script.Int(1)}),
                         {-kInfinity, -kInfinity, -kInfinity, 3}),
              ElementsAre(0, 0, 0, 1));
}

TEST(AttentionTest, MasksOfMinusInfinityLeaveScoresOut) {
  Script script({1, 2});
  const uint32_t low = script.Real(-std::numeric_limits<double>::infinity());
  const uint32_t none = script.Op("aten::zeros", {script.Ints({1, 2}), script.None()});
  const uint32_t second = script.Op("aten::eq", {script.LongTensor({0, 1}), script.Int(1)});
  const uint32_t mask = script.Op("aten::masked_fill", {none, second, low});
  const uint32_t keys = script.Op("aten::t", {0});
  const uint32_t query =
      script.Op("aten::slice", {keys, script.Int(0), script.Int(0), script.Int(1)});
  EXPECT_THAT(script.Run(script.Op("aten::scaled_dot_product_attention", {query, keys, keys, mask}),
                         {3, 7}),
              ElementsAre(3));
}

// x [..., 2] as complex numbers.
uint32_t Pairs(Script& script) { return script.Op("aten::view_as_complex", {0}); }

TEST(ComplexTest, ComputesWithPairs) {
  Script script({2, 2});
  const uint32_t z = Pairs(script);
  const uint32_t square = script.Op("aten::view_as_real", {script.Op("aten::mul", {z, z})});
  EXPECT_THAT(script.Run(square, {1, 2, 3, -1}), ElementsAre(-3, 4, 8, -6));
  const uint32_t less = script.Op("aten::rsub", {z, script.Int(1), script.Int(1)});
  EXPECT_THAT(script.Run(script.Op("aten::view_as_real", {less}), {1, 2, 3, -1}),
              ElementsAre(0, -2, -2, 1));
  EXPECT_THAT(script.Run(script.Op("aten::abs", {z}), {3, 4, -5, 12}), ElementsAre(5, 13));
}

TEST(ComplexTest, MovesBothParts) {
  Script script({3, 1, 2});
  const uint32_t z = Pairs(script);
  const uint32_t row = script.Op("aten::transpose", {z, script.Int(0), script.Int(1)});
  const uint32_t both = script.Op("aten::cat", {script.Tensors({row, row}), script.Int(0)});
  const uint32_t last = script.Op("aten::select", {both, script.Int(1), script.Int(-1)});
  EXPECT_THAT(script.Run(script.Op("aten::view_as_real", {last}), {1, 2, 3, 4, 5, 6}),
              ElementsAre(5, 6, 5, 6));
}

TEST(ComplexTest, RealTensorsBesideComplexOnesHaveNoImaginaryParts) {
  Script script({2, 2});
  const uint32_t z = Pairs(script), real = script.Op("aten::real", {z});
  const uint32_t both = script.Op("aten::cat", {script.Tensors({real, z}), script.Int(0)});
  EXPECT_THAT(script.Run(script.Op("aten::view_as_real", {both}), {1, 2, 3, 4}),
              ElementsAre(1, 0, 3, 0, 1, 2, 3, 4));
  const uint32_t like = script.Op("aten::expand_as", {real, z});
  EXPECT_THAT(script.Run(like, {1, 2, 3, 4}), ElementsAre(1, 3));
}

TEST(ComplexTest, OtherOperatorsRefuseThem) {
  Script script({2, 2});
  const uint32_t z = Pairs(script);
  for (const char* kind : {"aten::relu", "aten::sqrt", "aten::pow", "aten::matmul"}) {
    EXPECT_THAT(script.ErrorOf(script.Op(kind, {z, z})), HasSubstr("complex numbers")) << kind;
  }
  EXPECT_THAT(script.ErrorOf(z), HasSubstr("has complex numbers"));
  EXPECT_THAT(script.ErrorOf(script.Tensors({z})), HasSubstr("has complex numbers"));
  EXPECT_THAT(script.ErrorOf(script.Op("aten::view_as_real", {0})),
              HasSubstr("its input is real, expected complex numbers"));
  EXPECT_THAT(script.ErrorOf(script.Op("aten::div", {z, z})),
              HasSubstr("supported are real divisors"));
  EXPECT_THAT(script.ErrorOf(script.Op("aten::mul_", {z, z})), HasSubstr("has complex numbers"));
}

TEST(FourierTest, TransformsOneSideAndBack) {
  Script script({4});
  const uint32_t none = script.None(), axis = script.Int(-1);
  const uint32_t z = script.Op("aten::fft_rfft", {0, none, axis, none});
  EXPECT_THAT(script.Run(script.Op("aten::view_as_real", {z}), {1, 2, 3, 4}),
              Pointwise(FloatNear(1e-5f), std::vector<float>{10, 0, -2, 2, -2, 0}));
  EXPECT_THAT(script.Run(script.Op("aten::fft_irfft", {z, none, axis, none}), {1, 2, 3, 4}),
              Pointwise(FloatNear(1e-5f), std::vector<float>{1, 2, 3, 4}));
  EXPECT_THAT(script.ErrorOf(script.Op("aten::fft_rfft", {z, none, axis, none})),
              HasSubstr("has complex numbers"));
  EXPECT_THAT(script.ErrorOf(script.Op("aten::fft_fft", {0, none, axis, script.Text("sum")})),
              HasSubstr("its norm is 'sum'"));
}

// The first tensor of a list that an operator gives.
uint32_t FirstOf(Script& script, const char* kind, const std::vector<uint32_t>& arguments) {
  const uint32_t list = script.Op(kind, arguments, "List[Tensor]");
  return script.Op("aten::__getitem__", {list, script.Int(0)});
}

// A constant of real numbers, which are whole.
uint32_t RealTensor(Script& script, const std::vector<int64_t>& values) {
  const uint32_t no = script.Bool(false);
  return script.Op("aten::to", {script.LongTensor(values), script.Int(kFloat), no, no});
}

TEST(LossTest, IgnoredTargetsDontCount) {
  Script script({3, 2});
  const uint32_t none = script.None(), target = script.LongTensor({1, 7, 0});
  const auto loss = [&](int64_t reduction) {
    return script.Op("aten::nll_loss", {0, target, none, script.Int(reduction), script.Int(7)});
  };
  const std::vector<float> x = {1, 2, 3, 4, 5, 6};
  EXPECT_THAT(script.Run(loss(0), x), ElementsAre(-2, 0, -5));
  EXPECT_THAT(script.Run(loss(1), x), ElementsAre(-3.5));
  EXPECT_THAT(script.Run(loss(2), x), ElementsAre(-7));
  EXPECT_THAT(script.ErrorOf(loss(3)), HasSubstr("its reduction is number 3, expected 0 (none)"));
  const uint32_t shorter =
      script.Op("aten::nll_loss", {0, script.LongTensor({1, 0}), none, script.Int(1)});
  EXPECT_THAT(script.ErrorOf(shorter), HasSubstr("its scores are 3x2 and its target 2"));
}

TEST(LossTest, SmoothedLabelsCountAllClasses) {
  Script script({1, 2});
  const uint32_t none = script.None(), mean = script.Int(1);
  const uint32_t loss =
      script.Op("aten::cross_entropy_loss",
                {0, script.LongTensor({0}), none, mean, script.Int(-100), script.Real(0.2)});
  // Probabilities of 3/4 and 1/4: 0.8 log(4/3) + 0.1 (log(4/3) + log(4)).
  EXPECT_THAT(script.Run(loss, {1.0986123f, 0}),
              Pointwise(FloatNear(1e-5f), std::vector<float>{0.397543f}));
}

TEST(QuantileTest, LiesBetweenNeighbours) {
  Script script({4});
  const uint32_t none = script.None(), no = script.Bool(false), half = script.Real(0.5);
  const auto quantile = [&](const char* kind, const std::string& interpolation) {
    return script.Op(kind, {0, half, none, no, script.Text(interpolation)});
  };
  const std::vector<float> x = {4, 1, 3, 2};
  EXPECT_THAT(script.Run(quantile("aten::quantile", "linear"), x), ElementsAre(2.5));
  EXPECT_THAT(script.Run(quantile("aten::quantile", "lower"), x), ElementsAre(2));
  EXPECT_THAT(script.Run(quantile("aten::quantile", "higher"), x), ElementsAre(3));
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THAT(script.Run(quantile("aten::quantile", "linear"), {4, nan, 3, 2}),
              ElementsAre(IsNan()));
  EXPECT_THAT(script.Run(quantile("aten::nanquantile", "linear"), {4, nan, 3, 2}), ElementsAre(3));
  EXPECT_THAT(script.Run(quantile("aten::nanquantile", "linear"), {nan, nan, nan, nan}),
              ElementsAre(IsNan()));
  EXPECT_THAT(script.ErrorOf(script.Op("aten::quantile", {0, script.Real(2)})),
              HasSubstr("its q is 2, expected 0 to 1"));
}

TEST(QuantileTest, SeveralAreTheFirstDimension) {
  Script script({2, 2});
  const uint32_t ends = RealTensor(script, {0, 1});
  const uint32_t y =
      script.Op("aten::quantile", {0, ends, script.Int(1), script.Bool(true), script.None()});
  EXPECT_EQ(script.Import(y).value().outputs[0]->type.shape, Shape({2, 2, 1}));
  EXPECT_THAT(script.Run(y, {1, 2, 4, 3}), ElementsAre(1, 3, 2, 4));
}

TEST(GradientTest, IsExactForSquares) {
  Script script({4});
  const uint32_t none = script.None(), axis = script.Int(0);
  const auto gradient = [&](uint32_t spacing, int64_t order) {
    return FirstOf(script, "aten::gradient", {0, spacing, axis, script.Int(order)});
  };
  EXPECT_THAT(script.Run(gradient(none, 1), {1, 4, 9, 16}), ElementsAre(3, 4, 6, 7));
  EXPECT_THAT(script.Run(gradient(none, 2), {1, 4, 9, 16}),
              Pointwise(FloatNear(1e-5f), std::vector<float>{2, 4, 6, 8}));
  const uint32_t places = script.Tensors({RealTensor(script, {0, 1, 3, 4})});
  EXPECT_THAT(script.Run(gradient(places, 1), {0, 1, 9, 16}),
              Pointwise(FloatNear(1e-5f), std::vector<float>{1, 2, 6, 7}));
  EXPECT_THAT(script.ErrorOf(gradient(script.Tensors({RealTensor(script, {0, 1})}), 1)),
              HasSubstr("its spacing has 2 places for 4 elements"));
  EXPECT_THAT(script.ErrorOf(gradient(none, 3)), HasSubstr("its edge_order is 3"));
}

TEST(DiffTest, RefusesMoreDifferencesThanThereAre) {
  Script script({3});
  const auto diff = [&](int64_t n) { return script.Op("aten::diff", {0, script.Int(n)}); };
  EXPECT_THAT(script.Run(diff(0), {1, 4, 9}), ElementsAre(1, 4, 9));
  EXPECT_THAT(script.Run(diff(2), {1, 4, 9}), ElementsAre(2));
  EXPECT_THAT(script.ErrorOf(diff(3)), HasSubstr("it takes 3 differences of dimension 0 of 3"));
  constexpr int64_t kMany = int64_t{1} << 24;
  Script many({kMany});
  EXPECT_THAT(many.ErrorOf(many.Op("aten::diff", {0, many.Int(kMany - 1)})),
              HasSubstr("it unrolls into 50331645 operations"));
}

TEST(DiffTest, WhatIsAttachedDecidesTheTypeToo) {
  Script script({3});
  const uint32_t half = script.Op("aten::mul", {RealTensor(script, {1}), script.Real(0.5)});
  const uint32_t x = script.Integers(), last = script.Int(-1);
  const auto diff = [&](int64_t n) {
    return script.Op("aten::diff", {x, script.Int(n), last, half});
  };
  EXPECT_THAT(script.Run(diff(1), {1, 4, 9}), ElementsAre(0.5f, 3, 5));
  EXPECT_THAT(script.Run(diff(0), {1, 4, 9}), ElementsAre(1, 4, 9));
}

TEST(HistogramTest, TheEndAndWhatIsRoundedThereIsInTheLastBin) {
  Script script({6});
  const uint32_t least = script.Int(-1), most = script.Int(1);
  const auto histogram = [&](int64_t bins) {
    return script.Op("aten::histc", {0, script.Int(bins), least, most});
  };
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THAT(script.Run(histogram(2), {0.99999994f, 1, 1.0000001f, -1.5f, -1, nan}),
              ElementsAre(1, 2));
  EXPECT_THAT(script.ErrorOf(histogram(0)), HasSubstr("it has 0 bins, expected 1 or more"));
}

TEST(ContiguousTest, OnlyWhatSurelyLiesInOrderIsSaidTo) {
  Script script({2, 3});
  const auto answer = [&](const std::vector<uint32_t>& arguments) {
    const uint32_t in_order = script.Op("aten::is_contiguous", arguments, "bool");
    return script.Op("aten::mul", {0, script.Op("torch::sym_ite",
                                                {in_order, script.Int(2), script.Int(3)}, "int")});
  };
  const std::vector<float> x = {1, 2, 3, 4, 5, 6};
  const uint32_t turned = script.Op("aten::t", {0}), other_order = script.Int(2);
  const uint32_t laid_out = script.Op("aten::contiguous", {turned});
  for (const uint32_t value : {uint32_t{0}, laid_out, script.Op("aten::neg", {laid_out})}) {
    EXPECT_THAT(script.Run(answer({value}), x), ElementsAre(2, 4, 6, 8, 10, 12));
  }
  const uint32_t otherwise = script.Op("aten::contiguous", {turned, other_order});
  const uint32_t no = script.Bool(false);
  const uint32_t moved = script.Op("aten::to", {0, script.Int(kFloat), no, no, other_order});
  for (const std::vector<uint32_t>& arguments :
       {std::vector<uint32_t>{turned}, {otherwise}, {moved}, {laid_out, other_order}}) {
    EXPECT_THAT(script.ErrorOf(answer(arguments)),
                HasSubstr("it asks where a view has its elements in memory"));
  }
}

TEST(PoolingIndicesTest, CountOverTheImageAndLeadBack) {
  Script script({1, 1, 2, 4});
  const uint32_t two = script.Ints({2, 2}), none = script.Ints({0, 0}), one = script.Ints({1, 1});
  const uint32_t y =
      script.Op("aten::max_pool2d_with_indices", {0, two, two, none, one, script.Bool(false)});
  const uint32_t indices = script.Define("Tensor", *script.last().add_outputs());
  const std::vector<float> x = {1, 5, 2, 0, 3, 4, 9, 9};
  EXPECT_THAT(script.Run(indices, x), ElementsAre(1, 6));
  const uint32_t back = script.Op("aten::max_unpool2d", {y, indices, script.Ints({2, 4})});
  EXPECT_THAT(script.Run(back, x), ElementsAre(0, 5, 0, 0, 0, 0, 9, 0));
}

TEST(PoolingIndicesTest, ThoseOfDilatedWindowsAreRefusedWhereTheyAreRead) {
  Script script({1, 1, 4});
  const uint32_t two = script.Ints({2}), none = script.Ints({0}), one = script.Ints({1});
  const uint32_t y =
      script.Op("aten::max_pool1d_with_indices", {0, two, one, none, two, script.Bool(false)});
  const uint32_t indices = script.Define("Tensor", *script.last().add_outputs());
  EXPECT_THAT(script.Run(y, {1, 5, 3, 4}), ElementsAre(3, 5));
  EXPECT_THAT(script.ErrorOf(script.Op("aten::neg", {indices})),
              HasSubstr("indices of a pooling that can't be made: it dilates its windows"));
}

TEST(PoolingIndicesTest, PadsAreNoElements) {
  Script script({1, 1, 3});
  const uint32_t three = script.Ints({3}), two = script.Ints({2}), one = script.Ints({1});
  script.Op("aten::max_pool1d_with_indices", {0, three, two, one, one, script.Bool(false)});
  const uint32_t indices = script.Define("Tensor", *script.last().add_outputs());
  EXPECT_THAT(script.Run(indices, {-3, -4, -5}), ElementsAre(0, 1));
}

TEST(EmbeddingBagTest, EmptyBagsAreZero) {
  Script script({3, 2});
  const uint32_t none = script.None(), no = script.Bool(false);
  const uint32_t indices = script.LongTensor({0, 2, 1, 1});
  const auto bags = [&](uint32_t offsets, int64_t mode, uint32_t padding) {
    return script.Op("aten::embedding_bag",
                     {0, indices, offsets, no, script.Int(mode), no, none, no, padding});
  };
  const uint32_t offsets = script.LongTensor({0, 2, 2});
  const std::vector<float> x = {1, 2, 3, 4, 5, 6};
  EXPECT_THAT(script.Run(bags(offsets, 0, none), x), ElementsAre(6, 8, 0, 0, 6, 8));
  EXPECT_THAT(script.Run(bags(offsets, 1, none), x), ElementsAre(3, 4, 0, 0, 3, 4));
  EXPECT_THAT(script.Run(bags(offsets, 1, script.Int(-1)), x), ElementsAre(1, 2, 0, 0, 3, 4));
  EXPECT_THAT(script.Run(bags(script.LongTensor({0, 2}), 2, none), x), ElementsAre(5, 6, 3, 4));
  EXPECT_THAT(script.ErrorOf(bags(offsets, 2, script.Int(1))), HasSubstr("has a padding_idx"));
  EXPECT_THAT(script.ErrorOf(bags(script.LongTensor({0, 5}), 0, none)),
              HasSubstr("its offsets don't go from 0 to at most 4"));
  EXPECT_THAT(script.ErrorOf(bags(script.Integers(), 0, none)),
              HasSubstr("operand 'offsets' must be constant"));
}

TEST(NonZeroTest, AFixedNumberIsTakenOfWhatIsComputed) {
  Script script({2, 3});
  const auto taken = [&](int64_t size) {
    return script.Op("aten::nonzero_static", {0, script.Int(size), script.Int(-1)});
  };
  const std::vector<float> x = {0, 5, 0, -1, 0, 2};
  EXPECT_THAT(script.Run(taken(2), x), ElementsAre(0, 1, 1, 0));
  EXPECT_THAT(script.Run(taken(4), x), ElementsAre(0, 1, 1, 0, 1, 2, -1, -1));
  EXPECT_EQ(script.Import(taken(9)).value().outputs[0]->type.shape, Shape({9, 2}));
}

TEST(CombinationsTest, AreInAscendingOrder) {
  Script script({3});
  const auto choices = [&](int64_t size, bool repeats) {
    return script.Op("aten::combinations", {0, script.Int(size), script.Bool(repeats)});
  };
  EXPECT_THAT(script.Run(choices(2, false), {7, 8, 9}), ElementsAre(7, 8, 7, 9, 8, 9));
  EXPECT_THAT(script.Run(choices(2, true), {7, 8, 9}),
              ElementsAre(7, 7, 7, 8, 7, 9, 8, 8, 8, 9, 9, 9));
  EXPECT_THAT(script.Run(choices(3, false), {7, 8, 9}), ElementsAre(7, 8, 9));
  EXPECT_THAT(script.ErrorOf(choices(4, false)), HasSubstr("it has no choice of 4 of 3 elements"));
  EXPECT_THAT(script.ErrorOf(choices(int64_t{1} << 61, true)), HasSubstr("2305843009213693952"));
}

TEST(SequenceTest, WindowsEndBeforeTheyBeginAgain) {
  Script script({4});
  const uint32_t none = script.None(), four = script.Int(4);
  const auto times = [&](const char* kind, std::vector<uint32_t> arguments) {
    arguments.insert(arguments.end(), {none, none, none, none});
    return script.Op("aten::mul", {0, script.Op(kind, arguments)});
  };
  const auto near = [](const std::vector<float>& values) {
    return Pointwise(FloatNear(1e-6f), values);
  };
  const std::vector<float> ones = {1, 1, 1, 1};
  EXPECT_THAT(script.Run(times("aten::hann_window", {four}), ones), near({0, 0.5f, 1, 0.5f}));
  EXPECT_THAT(script.Run(times("aten::hann_window", {four, script.Bool(false)}), ones),
              near({0, 0.75f, 0.75f, 0}));
  EXPECT_THAT(script.Run(times("aten::bartlett_window", {four}), ones), near({0, 0.5f, 1, 0.5f}));
  // I0(2 sqrt(3/4)) / I0(2) = 1.902910 / 2.279585
  EXPECT_THAT(
      script.Run(times("aten::kaiser_window", {four, script.Bool(true), script.Real(2)}), ones),
      near({0.438676f, 0.834761f, 1, 0.834761f}));
  EXPECT_THAT(script.Run(times("aten::fft_fftfreq", {four, script.Real(0.5)}), ones),
              near({0, 0.5f, -1, -0.5f}));
  const uint32_t least = script.Int(std::numeric_limits<int64_t>::min());
  EXPECT_THAT(script.ErrorOf(times("aten::hann_window", {least, script.Bool(false)})),
              HasSubstr("it has -9223372036854775808 elements"));
}

TEST(SequenceTest, RangesOfIntegersAreExact) {
  constexpr int64_t kLarge = 16777216;  // 2^24, after which float32 has even numbers only
  Script script({3});
  const uint32_t none = script.None(), large = script.Int(kLarge);
  const auto range = [&](int64_t start, int64_t end) {
    const uint32_t numbers = script.Op(
        "aten::range", {script.Int(start), script.Int(end), script.Int(kLong), none, none, none});
    return script.Op("aten::mul", {0, script.Op("aten::sub", {numbers, large, script.Int(1)})});
  };
  EXPECT_THAT(script.Run(range(kLarge + 1, kLarge + 3), {1, 1, 1}), ElementsAre(1, 2, 3));
  EXPECT_THAT(script.ErrorOf(range(1, 0)), HasSubstr("its range from 1 to 0 in steps of 1"));
}

TEST(VanderTest, RefusesFewerColumnsThanNone) {
  Script script({3});
  EXPECT_THAT(script.ErrorOf(script.Op("aten::vander", {0, script.Int(-1), script.Bool(false)})),
              HasSubstr("it has -1 columns, expected 0 or more"));
}

TEST(InverseTest, ComputedMatricesHaveUpToFourRows) {
  Script script({2, 2}), larger({5, 5});
  EXPECT_THAT(script.Run(script.Op("aten::inverse", {0}), {1, 2, 3, 4}),
              Pointwise(FloatNear(1e-6f), std::vector<float>{-2, 1, 1.5f, -0.5f}));
  EXPECT_THAT(script.Run(script.Op("aten::det", {0}), {1, 2, 3, 4}), ElementsAre(-2));
  // No float has the determinants of these.
  EXPECT_THAT(script.Run(script.Op("aten::inverse", {0}), {1e-24f, 0, 0, 2e-24f}),
              Pointwise(FloatEq(), std::vector<float>{1e24f, 0, 0, 5e23f}));
  EXPECT_THAT(script.Run(script.Op("aten::inverse", {0}), {1e24f, 0, 0, 2e24f}),
              Pointwise(FloatEq(), std::vector<float>{1e-24f, 0, 0, 5e-25f}));
  EXPECT_THAT(larger.ErrorOf(larger.Op("aten::inverse", {0})),
              HasSubstr("its matrices are 5x5 and depend on the network's inputs (supported: "
                        "constant matrices, and computed ones of up to 4 rows)"));
}

TEST(InverseTest, ConstantMatricesHaveAnyNumberOfRows) {
  Script script({5, 1});
  std::vector<int64_t> values(25, 1);  // 1 everywhere, and one more on the diagonal
  for (size_t i = 0; i < 25; i += 6) ++values[i];
  const uint32_t shape = script.Ints({5, 5});
  const uint32_t matrix = script.Op("aten::view", {RealTensor(script, values), shape});
  const uint32_t inverse = script.Op("aten::linalg_inv", {matrix});
  EXPECT_THAT(script.Run(script.Op("aten::matmul", {inverse, 0}), {6, 0, 0, 0, 0}),
              Pointwise(FloatNear(1e-5f), std::vector<float>{5, -1, -1, -1, -1}));
  const uint32_t determinant = script.Op("aten::mul", {0, script.Op("aten::det", {matrix})});
  EXPECT_THAT(script.Run(determinant, {1, 0, 0, 0, 0}),
              Pointwise(FloatNear(1e-5f), std::vector<float>{6, 0, 0, 0, 0}));
  const uint32_t ones =
      script.Op("aten::view", {RealTensor(script, std::vector<int64_t>(25, 1)), shape});
  EXPECT_THAT(script.ErrorOf(script.Op("aten::matmul", {script.Op("aten::inverse", {ones}), 0})),
              HasSubstr("its matrix has the determinant 0"));
}

TEST(FrexpTest, PowersOfTwoHaveAMantissaOfAHalf) {
  Script script({5});
  const uint32_t mantissa = script.Op("aten::frexp", {0});
  const uint32_t exponent = script.Define("Tensor", *script.last().add_outputs());
  const std::vector<float> x = {8, -0.75f, 0, 0x1p127f, 5};
  EXPECT_THAT(script.Run(mantissa, x), ElementsAre(0.5, -0.75, 0, 0.5, 0.625));
  EXPECT_THAT(script.Run(exponent, x), ElementsAre(4, 0, 0, 128, 3));
}

TEST(MaskedSoftmaxTest, RowsWithoutElementsAreNotNumbers) {
  Script script({2, 2});
  const uint32_t mask = script.Op("aten::lt", {0, script.Int(0)});
  const uint32_t y = script.Op("aten::_masked_softmax", {0, mask, script.Int(1), script.Int(2)});
  EXPECT_THAT(script.Run(y, {-1, -2, -3, 3}), ElementsAre(IsNan(), IsNan(), 0, 1));
}

TEST(TorchscriptOutputTest, ConstantsBeyond32BitsMakeIntegersOf64) {
  Script script({1});
  const auto sum = [&](int64_t number) {
    return script.Op("aten::add", {script.Integers(), script.Int(number), script.Int(1)});
  };
  const auto type_of = [&](uint32_t output) {
    return script.Import(output).value().outputs[0]->type.dtype;
  };
  const uint32_t wide = sum(int64_t{1} << 40);
  EXPECT_EQ(type_of(wide), DataType::kInt64);
  EXPECT_THAT(script.Run(wide, {0}), ElementsAre(0x1p40f));
  EXPECT_EQ(type_of(sum(1 << 20)), DataType::kInt32);
  // A comparison gives no such integer.
  const uint32_t above = script.Op("aten::gt", {wide, script.Int(0)});
  EXPECT_EQ(type_of(script.Op("aten::sum", {above})), DataType::kInt32);
}

TEST(RefusalTest, NumbersThatDependOnInputsStayTensors) {
  for (const char* kind : {"aten::item", "aten::_local_scalar_dense", "aten::Int"}) {
    Script script({1});
    const uint32_t y = script.Op("aten::add", {0, script.Op(kind, {0}, "int"), script.Int(1)});
    EXPECT_THAT(script.ErrorOf(y), HasSubstr("compute with tensors of one element")) << kind;
  }
}

TEST(RefusalTest, SaysWhyAndWhatToDoInstead) {
  const std::pair<const char*, const char*> kReasons[] = {
      {"aten::rand_like", "its values are random; give them to the network as an input"},
      {"aten::bernoulli_", "its values are random"},
      {"aten::convolution_backward", "it computes gradients"},
      {"aten::sparse_coo_tensor", "its tensors are sparse"},
      {"aten::linalg_svd", "it decomposes matrices"},
      {"aten::fake_quantize_per_tensor_affine", "it imitates a quantizer"},
      {"aten::ctc_loss", "it is a step of training"},
      {"aten::equal", "use torch.eq"},
      {"aten::resize_", "it gives a tensor other memory"},
      {"torchvision::nms", "how many boxes it keeps depends on values"},
      {"higher_order::cond", "what it runs depends on values"},
  };
  for (const auto& [kind, why] : kReasons) {
    Script script({2});
    EXPECT_THAT(script.ErrorOf(script.Op(kind, {0})), HasSubstr(why)) << kind;
  }
}

}  // namespace
}  // namespace synap_internal
