// Files that are broken or want to do harm: each gives one clear error.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>

#include "base/file.h"
#include "compiler/import/onnx/import_onnx.h"
#include "compiler/import/onnx/model_file.h"
#include "compiler/import/onnx/test_model.h"

namespace synap_internal::onnx_import {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string ErrorOf(absl::string_view bytes) {
  return std::string(ImportOnnxBytes(bytes, "x", {}).status().message());
}

TestModel Identity() {
  TestModel model;
  model.Input("x", {1, 2}).Node("Identity", {"x"}, {"y"}).Output("y");
  return model;
}

TEST(HostileModelTest, EmptyFileIsNotAModel) {
  const std::string path = testing::TempDir() + "/empty.onnx";
  ASSERT_TRUE(WriteFileAtomically(path, "").ok());
  EXPECT_EQ(ImportOnnx({path}, {}).status().message(),
            path + ": is not an ONNX model: it is empty");
}

TEST(HostileModelTest, MissingFileIsNamed) {
  EXPECT_THAT(std::string(ImportOnnx({"/no/such.onnx"}, {}).status().message()),
              HasSubstr("/no/such.onnx"));
}

TEST(HostileModelTest, GitLfsPointerIsExplained) {
  EXPECT_THAT(ErrorOf("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n"),
              HasSubstr("git lfs pull"));
}

TEST(HostileModelTest, OtherBytesAreNotAModel) {
  EXPECT_THAT(ErrorOf("PK\x03\x04 a zip"), StartsWith("is not an ONNX model: "));
  EXPECT_THAT(ErrorOf(std::string(1000, '\xff')), StartsWith("is not an ONNX model: "));
}

TEST(HostileModelTest, EveryTruncationIsAnErrorOrAModel) {
  TestModel model = Identity();
  model.Floats("w", {2}, {1, 2}).Node("Identity", {"w"}, {"z"}).Output("z");
  const std::string bytes = model.Bytes();
  int errors = 0;
  for (size_t size = 0; size < bytes.size(); ++size) {
    errors += ImportOnnxBytes(bytes.substr(0, size), "x", {}).ok() ? 0 : 1;
  }
  EXPECT_GT(errors, static_cast<int>(bytes.size()) / 2);
}

TEST(HostileModelTest, OpsetsThatNeverWereAreRefused) {
  EXPECT_EQ(TestModel(-1).Input("x", {1}).Output("x").Text(),
            "is not an ONNX model: its opset is -1, expected 1 or more");
  TestModel model = Identity();
  model.proto().mutable_opset_import(0)->set_version(int64_t{1} << 40);
  EXPECT_THAT(model.Text(), HasSubstr("its opset is 1099511627776"));
}

TEST(HostileModelTest, OneOpsetMayBeImportedTwiceButNotTwo) {
  TestModel model = Identity();
  model.proto().add_opset_import()->set_version(13);
  EXPECT_TRUE(model.Import().ok());
  model.proto().add_opset_import()->set_version(12);
  EXPECT_EQ(model.Text(), "imports the default opset twice, as 13 and 12");
}

TEST(HostileModelTest, ModelsThatAreNewerThanWhatIsKnownAreReadWithAWarning) {
  const auto warning = [](int64_t opset, int64_t ir_version) {
    TestModel model = Identity();
    model.proto().mutable_opset_import(0)->set_version(opset);
    model.proto().set_ir_version(ir_version);
    EXPECT_TRUE(model.Import().ok());
    const absl::StatusOr<Model> parsed = ParseModel(model.Bytes(), "");
    return parsed.ok() ? NewerThanKnown(*parsed) : std::string(parsed.status().message());
  };
  EXPECT_EQ(warning(kNewestOpset, kNewestIrVersion), "");
  EXPECT_THAT(warning(40, kNewestIrVersion),
              StartsWith("opset 40 is newer than the newest known, 2"));
  EXPECT_THAT(warning(13, 99), StartsWith("IR version 99 is newer than the newest known, "));
}

TEST(HostileModelTest, IrVersionsBefore3AreRefused) {
  TestModel model = Identity();
  model.proto().set_ir_version(2);
  EXPECT_EQ(model.Text(), "has IR version 2, expected 3 or more");
}

TEST(HostileModelTest, CycleNamesItsNodes) {
  TestModel model;
  model.Input("x", {1})
      .Node("Add", {"x", "c"}, {"a"})
      .Node("Relu", {"a"}, {"b"})
      .Node("Relu", {"b"}, {"c"})
      .Node("Relu", {"c"}, {"y"})
      .Output("y");
  EXPECT_THAT(model.Text(),
              StartsWith("has a cycle: 'a_node' -> 'b_node' -> 'c_node' -> 'a_node'"));
}

TEST(HostileModelTest, NodeThatReadsItselfIsACycle) {
  TestModel model;
  model.Node("Relu", {"y"}, {"y"}).Output("y");
  EXPECT_EQ(model.Text(), "has a cycle: 'y_node' -> 'y_node'");
}

TEST(HostileModelTest, NodesMayStandInAnyOrder) {
  TestModel model;
  model.Node("Identity", {"a"}, {"y"}).Node("Identity", {"x"}, {"a"}).Input("x", {1}).Output("y");
  EXPECT_TRUE(model.Import().ok()) << model.Text();
}

TEST(HostileModelTest, TensorsAreDefinedOnce) {
  TestModel twice = Identity();
  twice.Node("Relu", {"x"}, {"y"});
  EXPECT_EQ(twice.Text(),
            "tensor 'y' is defined twice, by node 'y_node' (Identity) and by node 'y_node' (Relu)");
  TestModel input = Identity();
  input.Node("Relu", {"y"}, {"x"});
  EXPECT_THAT(input.Text(), HasSubstr("tensor 'x' is defined twice, by an input"));
  TestModel initializer = Identity();
  initializer.Floats("w", {1}, {1}).Floats("w", {1}, {1});
  EXPECT_THAT(initializer.Text(), HasSubstr("tensor 'w' is defined twice"));
}

TEST(HostileModelTest, OperandsComeFromSomewhere) {
  TestModel model;
  model.Node("Relu", {"nowhere"}, {"y"}).Output("y");
  EXPECT_EQ(model.Text(), "node 'y_node' (Relu) reads 'nowhere', which nothing produces");
  TestModel output;
  output.Input("x", {1}).Output("z");
  EXPECT_EQ(output.Text(), "nothing produces the output 'z'");
  EXPECT_EQ(TestModel().Input("x", {1}).Text(), "has no outputs");
}

TEST(HostileModelTest, AllUnsupportedOperatorsAreListedAtOnce) {
  TestModel model;
  model.Input("x", {1})
      .Node("Foo", {"x"}, {"a"})
      .Node("Bar", {"a"}, {"b"})
      .Node("Foo", {"b"}, {"c"})
      .Node("Foo", {"c"}, {"y"})
      .Node("Unneeded", {"c"}, {"z"})
      .Output("y");
  model.graph().mutable_node(1)->set_domain("com.example");
  EXPECT_EQ(model.Text(),
            "2 operators are not supported: Foo (3 nodes: 'a_node', 'c_node', 'y_node'), "
            "com.example.Bar (1 node: 'b_node')");
}

TEST(HostileModelTest, WrongNumberOfOperandsIsRefused) {
  TestModel model;
  model.Input("x", {1, 1, 4, 4}).Node("Conv", {"x"}, {"y"}).Output("y");
  EXPECT_EQ(model.Text(), "node 'y_node' (Conv): has 1 operand, expected 2 to 3");
  TestModel absent;
  absent.Input("x", {1}).Node("Add", {"", "x"}, {"y"}).Output("y");
  EXPECT_THAT(absent.Text(), HasSubstr("(Add): operand 0 is absent, expected a tensor"));
}

TEST(HostileModelTest, AttributesOfWrongTypeAreRefused) {
  TestModel model;
  model.Input("x", {1, 4})
      .Node("Flatten", {"x"}, {"y"}, {{"axis", std::string("one")}})
      .Output("y");
  EXPECT_THAT(model.Text(), HasSubstr("attribute 'axis' is STRING, expected INT"));
}

TEST(HostileModelTest, UnknownAttributesAreRefused) {
  TestModel model;
  model.Input("x", {1}).Node("Identity", {"x"}, {"y"}, {{"power", int64_t{2}}}).Output("y");
  EXPECT_EQ(model.Text(), "node 'y_node' (Identity): attribute 'power' is not supported");
}

TEST(HostileModelTest, DataMustFillItsDimensions) {
  const auto text = [](const TestModel::Dims& dims) {
    return TestModel().Floats("w", dims, {1, 2}).Node("Identity", {"w"}, {"y"}).Output("y").Text();
  };
  EXPECT_THAT(text({3}),
              HasSubstr("initializer 'w': has 8 bytes of data, expected 12 for shape 3"));
  EXPECT_THAT(text({1 << 20, 1 << 19}), HasSubstr("expected 2199023255552"));
  EXPECT_THAT(text({int64_t{1} << 40, int64_t{1} << 40}), HasSubstr("elements"));
  EXPECT_THAT(text({-2}), HasSubstr("negative dimension"));
  EXPECT_THAT(text({1, 1, 1, 1, 1, 1, 1, 1, 2}), HasSubstr("rank 9"));
}

TEST(HostileModelTest, UnsupportedDataTypesAreNamed) {
  TestModel model;
  model.Input("x", {1}, onnx::TensorProto::STRING).Node("Identity", {"x"}, {"y"}).Output("y");
  EXPECT_EQ(model.Text(), "input 'x': data type STRING can't be imported");
  model.graph().mutable_input(0)->mutable_type()->mutable_tensor_type()->set_elem_type(99);
  EXPECT_EQ(model.Text(), "input 'x': data type number 99 can't be imported");
}

TEST(HostileModelTest, HugeConstantsAreRefusedBeforeTheyAreMade) {
  TestModel model;
  model.Ints("n", {2}, {1 << 20, 1 << 19}).Node("ConstantOfShape", {"n"}, {"y"}).Output("y");
  EXPECT_THAT(model.Text(), HasSubstr("a constant of 2199023255552 bytes is too large"));
}

TEST(HostileModelTest, HugeRangeIsRefused) {
  const auto text = [](int64_t limit, int64_t delta) {
    TestModel model;
    model.Ints("a", {}, {0}).Ints("b", {}, {limit}).Ints("c", {}, {delta});
    return model.Node("Range", {"a", "b", "c"}, {"y"}).Output("y").Text();
  };
  EXPECT_THAT(text(int64_t{1} << 40, 1), HasSubstr("is too large"));
  EXPECT_THAT(text(std::numeric_limits<int64_t>::min(), -1),
              HasSubstr("its range has the number -9223372036854775808"));
  EXPECT_THAT(text(5, 0), HasSubstr("its range has a step of 0"));
}

TEST(HostileModelTest, DeepChainsNeedNoDeepStack) {
  TestModel model;
  model.Input("x", {1});
  std::string last = "x";
  for (int i = 0; i < 100000; ++i) {
    std::string next = "t" + std::to_string(i);
    model.Node("Identity", {last}, {next});
    last = next;
  }
  EXPECT_TRUE(model.Output(last).Import().ok());
}

}  // namespace
}  // namespace synap_internal::onnx_import
