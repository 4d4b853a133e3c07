// Inputs, outputs and errors of graphs as the reader writes them.
#include "compiler/import/torchscript/import_torchscript.h"

#include <gmock/gmock.h>
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "compiler/import/evaluate_graph.h"
#include "compiler/import/torchscript/script_graph.pb.h"

namespace synap_internal {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// y = relu(x), z = sigmoid(y), returned as a tuple.
constexpr char kChain[] = R"(
  producer: "libtorch test"
  block {
    inputs { id: 0 name: "x" type: "Tensor" }
    nodes { kind: "aten::relu" inputs: 0 outputs { id: 1 name: "y" type: "Tensor" } module: "act" }
    nodes { kind: "aten::neg" inputs: 1 outputs { id: 2 name: "z" type: "Tensor" } }
    nodes { kind: "prim::TupleConstruct" inputs: 1 inputs: 2
            outputs { id: 3 name: "all" type: "Tuple[Tensor, Tensor]" } }
    outputs: 3
  })";

std::string Serialized(const std::string& text) {
  torchscript::Graph graph;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &graph));
  return graph.SerializeAsString();
}

absl::StatusOr<Graph> Import(const std::string& text, const ImportOptions& options) {
  return ImportTorchscriptGraph(Serialized(text), "test", options);
}

ImportOptions Vector() {
  ImportOptions options;
  options.inputs = {{"", Shape({1, 2})}};
  return options;
}

std::string ErrorOf(const std::string& nodes, const ImportOptions& options = Vector()) {
  const std::string graph = R"(block { inputs { id: 0 name: "x" type: "Tensor" } )" + nodes + "}";
  return std::string(Import(graph, options).status().message());
}

TEST(ImportTorchscriptTest, InputsAreNamedByPositionAndTuplesAreSeveralOutputs) {
  const auto graph = Import(kChain, Vector());
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(graph->inputs[0]->name, "input0");
  ASSERT_EQ(graph->outputs.size(), 2);
  EXPECT_EQ(graph->outputs[0]->name, "y");
  EXPECT_EQ(graph->outputs[1]->name, "z");
  EXPECT_THAT(graph->outputs[0]->producer->origins, ElementsAre("act"));
  EXPECT_THAT(EvaluateGraph(*graph, {{-1, 2}}).value()[1], ElementsAre(0, -2));
}

TEST(ImportTorchscriptTest, TheFirstDimensionIsTheMetafiles) {
  for (const Shape& shape : {Shape({6, 1, 8}), Shape({5, 3}), Shape({2, 3, 4, 4})}) {
    ImportOptions options;
    options.inputs = {{"", shape}};
    const auto graph = Import(kChain, options);
    ASSERT_TRUE(graph.ok()) << graph.status();
    EXPECT_EQ(graph->inputs[0]->type.shape, shape);
    EXPECT_EQ(graph->outputs[0]->type.shape, shape);
  }
}

TEST(ImportTorchscriptTest, TheOnlyInputHasTheShapeThatTheFileStates) {
  ImportOptions options;
  options.stated_shape = Shape({1, 3, 4, 6});
  EXPECT_EQ(Import(kChain, options).value().inputs[0]->type.shape, Shape({1, 3, 4, 6}));
  options.inputs = {{"image", Shape({1, 3, 2, 2})}};
  EXPECT_EQ(Import(kChain, options).value().inputs[0]->type.shape, Shape({1, 3, 2, 2}));
}

TEST(ImportTorchscriptTest, NamesOfValuesCutAndOthersName) {
  ImportOptions options;
  options.inputs = {{"y", Shape({1, 2})}};
  options.outputs = {"z"};
  const auto part = Import(kChain, options);
  ASSERT_TRUE(part.ok()) << part.status();
  EXPECT_EQ(part->ops().size(), 1);
  EXPECT_THAT(EvaluateGraph(*part, {{-1, 2}}).value()[0], ElementsAre(1, -2));
  options.inputs[0].name = "image";
  options.outputs = {};
  EXPECT_EQ(Import(kChain, options).value().inputs[0]->name, "image");
}

TEST(ImportTorchscriptTest, WrongNamesAndMissingShapesAreErrors) {
  EXPECT_THAT(std::string(Import(kChain, {}).status().message()),
              HasSubstr("input 'input0': has no shape"));
  ImportOptions options = Vector();
  options.outputs = {"zz"};
  EXPECT_THAT(std::string(Import(kChain, options).status().message()),
              HasSubstr("output 'zz' is not a value of the module"));
  options = Vector();
  options.inputs.push_back({"second", Shape({1, 2})});
  EXPECT_THAT(std::string(Import(kChain, options).status().message()),
              HasSubstr("input 'second' is not a value of the module"));
}

TEST(ImportTorchscriptTest, UnsupportedOperatorsAreListedAtOnce) {
  EXPECT_EQ(ErrorOf(R"(nodes { kind: "a::b" inputs: 0 outputs { id: 1 name: "y" type: "Tensor" } }
                       nodes { kind: "a::c" inputs: 1 outputs { id: 2 name: "z" type: "Tensor" } }
                       nodes { kind: "a::b" inputs: 2 outputs { id: 3 name: "w" type: "Tensor" } }
                       outputs: 3)"),
            "2 operators are not supported: a::b (2 nodes: 'y', 'w'), a::c (1 node: 'z')");
}

TEST(ImportTorchscriptTest, UnsupportedOperatorsHaveTheirPlaceAndReason) {
  EXPECT_EQ(ErrorOf(R"(nodes { kind: "a::b" inputs: 0 module: "model.3" source: "net.py:7"
                               outputs { id: 1 name: "y" type: "Tensor" } }
                       nodes { kind: "a::b" inputs: 1 module: "model.5.attn"
                               outputs { id: 2 name: "z" type: "Tensor" } }
                       nodes { kind: "aten::randn_like" inputs: 2 source: "net.py:9"
                               outputs { id: 3 name: "w" type: "Tensor" } }
                       outputs: 3)"),
            "2 operators are not supported: a::b (2 nodes: 'y' in model.3 (net.py:7), 'z' in "
            "model.5.attn), aten::randn_like (1 node: 'w' at net.py:9; its values are random; give "
            "them to the network as an input)");
}

// y = c ? a::b(x) : a::c(x), after nodes that make c.
std::string Branch(const std::string& condition) {
  return condition + R"(
    nodes { kind: "prim::If" inputs: 1
            blocks { nodes { kind: "a::b" inputs: 0 module: "left"
                             outputs { id: 2 name: "l" type: "Tensor" } } outputs: 2 }
            blocks { nodes { kind: "a::c" inputs: 0 module: "right"
                             outputs { id: 3 name: "r" type: "Tensor" } } outputs: 3 }
            outputs { id: 4 name: "y" type: "Tensor" } }
    outputs: 4)";
}

TEST(ImportTorchscriptTest, UnsupportedOperatorsOfBranchesAreListedWithTheOthers) {
  EXPECT_EQ(ErrorOf(Branch(R"(nodes { kind: "prim::Constant" constant { boolean: true }
                                      outputs { id: 1 name: "c" type: "bool" } })")),
            "2 operators are not supported: a::b (1 node: 'l' in left), a::c (1 node: 'r' in "
            "right)");
  EXPECT_THAT(ErrorOf(Branch(R"(nodes { kind: "a::d" outputs { id: 1 name: "c" type: "bool" } })")),
              HasSubstr("3 operators are not supported: a::d (1 node: 'c'), a::b (1 node: 'l'"));
}

TEST(ImportTorchscriptTest, UnsupportedOperatorsOfBranchesNotTakenAreNoError) {
  const std::string graph = R"(block { inputs { id: 0 name: "x" type: "Tensor" }
    nodes { kind: "prim::Constant" constant { boolean: false }
            outputs { id: 1 name: "c" type: "bool" } }
    nodes { kind: "prim::If" inputs: 1
            blocks { nodes { kind: "a::b" inputs: 0 outputs { id: 2 name: "l" type: "Tensor" } }
                     outputs: 2 }
            blocks { nodes { kind: "aten::neg" inputs: 0 outputs { id: 3 name: "r" type: "Tensor" } }
                     outputs: 3 }
            outputs { id: 4 name: "y" type: "Tensor" } }
    outputs: 4 })";
  const auto imported = Import(graph, Vector());
  EXPECT_TRUE(imported.ok()) << imported.status();
}

TEST(ImportTorchscriptTest, CodeThatDependsOnTheInputsIsToBeTraced) {
  const std::string error =
      ErrorOf(R"(nodes { kind: "aten::Bool" inputs: 0 outputs { id: 1 name: "c" type: "bool" } }
                 nodes { kind: "prim::If" inputs: 1 blocks { outputs: 0 } blocks { outputs: 0 }
                         outputs { id: 2 name: "y" type: "Tensor" } }
                 outputs: 2)");
  EXPECT_THAT(error, HasSubstr("node 'c' (aten::Bool): its argument 0"));
  EXPECT_THAT(error, HasSubstr("torch.jit.trace(model.eval(), example)"));
}

TEST(ImportTorchscriptTest, ErrorsNameTheNodeAndItsArgument) {
  EXPECT_EQ(
      ErrorOf(R"(nodes { kind: "aten::softmax" inputs: 0 inputs: 0 module: "head.act"
                               outputs { id: 1 name: "y" type: "Tensor" } }
                       outputs: 1)"),
      "node 'y' (aten::softmax) of module 'head.act': its argument 1: operand 'value' must be "
      "constant, but 'input0' is computed from the network's inputs");
}

// A view of x by operator `kind`, read after x has become relu(x) in place.
std::string ReadAfterWrite(const std::string& kind) {
  return R"(nodes { kind: ")" + kind + R"(" inputs: 0 outputs { id: 1 name: "v" type: "Tensor" } }
            nodes { kind: "aten::relu_" inputs: 0
                    outputs { id: 2 name: "r" type: "Tensor" } }
            nodes { kind: "aten::neg" inputs: 1 outputs { id: 3 name: "y" type: "Tensor" } }
            outputs: 3 outputs: 2)";
}

TEST(ImportTorchscriptTest, ViewsShowWhatWasWritten) {
  const auto graph = Import(
      R"(block { inputs { id: 0 name: "x" type: "Tensor" } )" + ReadAfterWrite("aten::t") + "}",
      Vector());
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(graph->outputs[0]->type.shape, Shape({2, 1}));
  EXPECT_THAT(EvaluateGraph(*graph, {{-1, 2}}).value()[0], ElementsAre(0, -2));
}

TEST(ImportTorchscriptTest, WhatMayBeACopyOfWhatWasChangedIsRefused) {
  EXPECT_THAT(ErrorOf(ReadAfterWrite("aten::contiguous")),
              HasSubstr("shares its memory with what was changed in place"));
}

// The two halves of x, the first of which is changed in place before the second and x are read.
TEST(ImportTorchscriptTest, WritesToAPartLeaveTheOthersAsTheyAre) {
  const auto graph = Import(R"(block {
    inputs { id: 0 name: "x" type: "Tensor" }
    nodes { kind: "prim::Constant" constant { integer: 1 } outputs { id: 1 name: "one" type: "int" } }
    nodes { kind: "prim::Constant" constant { integer: 2 } outputs { id: 2 name: "two" type: "int" } }
    nodes { kind: "aten::chunk" inputs: 0 inputs: 2 inputs: 1
            outputs { id: 3 name: "halves" type: "List[Tensor]" } }
    nodes { kind: "prim::ListUnpack" inputs: 3 outputs { id: 4 name: "a" type: "Tensor" }
            outputs { id: 5 name: "b" type: "Tensor" } }
    nodes { kind: "aten::relu_" inputs: 4 outputs { id: 6 name: "r" type: "Tensor" } }
    nodes { kind: "aten::neg" inputs: 5 outputs { id: 7 name: "y" type: "Tensor" } }
    nodes { kind: "aten::neg" inputs: 0 outputs { id: 8 name: "z" type: "Tensor" } }
    outputs: 7 outputs: 8 })",
                            Vector());
  ASSERT_TRUE(graph.ok()) << graph.status();
  const auto outputs = EvaluateGraph(*graph, {{-1, 2}}).value();
  EXPECT_THAT(outputs[0], ElementsAre(-2));
  EXPECT_THAT(outputs[1], ElementsAre(0, -2));
}

TEST(ImportTorchscriptTest, InputsThatTheMetafileLeavesOutMustNotBeNeeded) {
  const auto module = [](const std::string& type) {
    return R"(block { inputs { id: 0 name: "x" type: "Tensor" }
                      inputs { id: 1 name: "mask" type: ")" +
           type + R"(" }
                      nodes { kind: "aten::add" inputs: 0 inputs: 1 inputs: 2
                              outputs { id: 3 name: "y" type: "Tensor" } }
                      outputs: 3 })";
  };
  std::string graph = module("Tensor");
  const std::string one = R"(nodes { kind: "prim::Constant" constant { integer: 1 }
                                     outputs { id: 2 name: "one" type: "int" } } )";
  graph.insert(graph.find("nodes {"), one);
  EXPECT_EQ(Import(graph, Vector()).status().message(),
            "the outputs also depend on input 'mask', which is not among the inputs of the "
            "metafile");
  graph = module("Optional[Tensor]");
  graph.insert(graph.find("nodes {"), one);
  EXPECT_THAT(std::string(Import(graph, Vector()).status().message()), HasSubstr("node 'y'"));
}

TEST(ImportTorchscriptTest, ExamplesGiveShapesAndTypes) {
  const std::string graph = R"(block {
    inputs { id: 0 name: "x" type: "Tensor" element_type: INT64 traced { dims: 3 } }
    inputs { id: 1 name: "s" type: "Tensor" traced {} }
    inputs { id: 2 name: "m" type: "Tensor" element_type: BOOL traced { dims: 6 dims: 1 } }
    outputs: 0 outputs: 1 outputs: 2 })";
  const auto imported = Import(graph, {});
  ASSERT_TRUE(imported.ok()) << imported.status();
  EXPECT_EQ(imported->inputs[0]->type, (TensorType{DataType::kInt64, Shape({3}), {}}));
  EXPECT_EQ(imported->inputs[1]->type, (TensorType{DataType::kFloat32, Shape(), {}}));
  EXPECT_EQ(imported->inputs[2]->type, (TensorType{DataType::kBool, Shape({6, 1}), {}}));
  ImportOptions options;
  options.inputs = {{"", Shape({5})}, {"", Shape({1})}, {"", std::nullopt}};
  const auto other = Import(graph, options);
  ASSERT_TRUE(other.ok()) << other.status();
  EXPECT_EQ(other->inputs[0]->type.shape, Shape({5}));
  EXPECT_EQ(other->inputs[1]->type.shape, Shape());
}

TEST(ImportTorchscriptTest, AValueMayHaveAnInputsUsualName) {
  const auto graph = Import(R"(block {
    inputs { id: 0 name: "x" type: "Tensor" }
    nodes { kind: "aten::neg" inputs: 0 outputs { id: 1 name: "input0" type: "Tensor" } }
    nodes { kind: "aten::relu" inputs: 1 outputs { id: 2 name: "y" type: "Tensor" } }
    outputs: 2 })",
                            Vector());
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(graph->ops().size(), 2);
}

TEST(ImportTorchscriptTest, EndlessLoopsRunOutOfMemory) {
  const std::string loop = R"(
    nodes { kind: "prim::Constant" constant { integer: 9223372036854775807 }
            outputs { id: 1 name: "n" type: "int" } }
    nodes { kind: "prim::Constant" constant { boolean: true } outputs { id: 2 name: "t" type: "bool" } }
    nodes { kind: "prim::Loop" inputs: 1 inputs: 2 inputs: 0
            blocks { inputs { id: 3 name: "i" type: "int" } inputs { id: 4 name: "c" type: "Tensor" }
                     nodes { kind: "aten::neg" inputs: 4 outputs { id: 5 name: "d" type: "Tensor" } }
                     outputs: 2 outputs: 5 }
            outputs { id: 6 name: "y" type: "Tensor" } }
    outputs: 6)";
  ImportOptions options = Vector();
  options.max_folded_bytes = 1 << 20;
  EXPECT_THAT(ErrorOf(loop, options), HasSubstr("node 'y' (prim::Loop): it unrolls into"));
}

TEST(ImportTorchscriptTest, BrokenGraphsAreErrors) {
  EXPECT_THAT(ErrorOf("nodes { kind: 'aten::relu' inputs: 7 } outputs: 0"),
              HasSubstr("it reads value 7, which nothing before it defines"));
  EXPECT_THAT(ErrorOf("nodes { kind: 'aten::relu' inputs: 0 outputs { id: 5 name: 'y' } }"),
              HasSubstr("value 'y' has id 5, expected 1"));
  EXPECT_THAT(ErrorOf("nodes { kind: 'aten::relu' inputs: 0 outputs { id: 1 name: 'x' } }"),
              HasSubstr("two values are called 'x'"));
  EXPECT_EQ(ImportTorchscriptGraph("\xff", "x", {}).status().message(),
            "is not a graph of synap_torchscript_reader");
  EXPECT_EQ(ErrorOf(""), "the module returns no tensor");
}

TEST(ImportTorchscriptTest, EveryTruncationAndChangedByteIsAnErrorOrAGraph) {
  const std::string bytes = Serialized(kChain);
  for (size_t i = 0; i < bytes.size(); ++i) {
    (void)ImportTorchscriptGraph(bytes.substr(0, i), "x", Vector());
    for (const char value : {'\x00', '\x01', '\x7f', '\xff'}) {
      std::string changed = bytes;
      changed[i] = value;
      (void)ImportTorchscriptGraph(changed, "x", Vector());
    }
  }
}

TEST(SummarizeTorchscriptTest, TellsOperatorsAndWhetherTheyAreSupported) {
  const auto summary = SummarizeTorchscriptGraph(Serialized(kChain));
  ASSERT_TRUE(summary.ok()) << summary.status();
  EXPECT_EQ(summary->framework, "TorchScript, read by libtorch test");
  EXPECT_THAT(summary->inputs, ElementsAre("input0 Tensor[...]"));
  EXPECT_EQ(summary->operators.size(), 2);
  EXPECT_TRUE(summary->operators.at("aten::relu").supported);
}

}  // namespace
}  // namespace synap_internal
