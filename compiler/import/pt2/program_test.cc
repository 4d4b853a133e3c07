// Programs written by hand: open sizes, several programs, and errors about nodes.
#include "compiler/import/pt2/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "compiler/import/import_options.h"
#include "compiler/import/torchscript/import_torchscript.h"
#include "runtime/bundle/stored_zip.h"

namespace synap_internal::pt2_import {
namespace {

using ::testing::HasSubstr;

// A file of torch.export with these programs.
std::string FileOf(const std::map<std::string, std::string>& programs) {
  std::map<std::string, std::string> entries;
  for (const auto& [name, program] : programs) {
    entries[absl::StrCat("m/models/", name, ".json")] = program;
    entries[absl::StrCat("m/data/weights/", name, "_weights_config.json")] = R"({"config": {}})";
    entries[absl::StrCat("m/data/constants/", name, "_constants_config.json")] =
        R"({"config": {}})";
  }
  std::vector<ZipEntry> all;
  for (const auto& [name, text] : entries) {
    const auto* data = reinterpret_cast<const uint8_t*>(text.data());
    all.push_back({name, absl::MakeConstSpan(data, text.size())});
  }
  return WriteStoredZip(all).value();
}

// {"as_int": 3}, or for "2*s+1" and a hint that expression of s.
std::string Fixed(int size) { return absl::StrCat(R"({"as_int": )", size, "}"); }

std::string Open(const std::string& expression, int hint) {
  return absl::StrCat(R"({"as_expr": {"expr_str": ")", expression, R"(", "hint": {"as_int": )",
                      hint, "}}}");
}

constexpr char kS[] = "Symbol('s0', positive=True, integer=True)";
constexpr char kT[] = "Symbol('s1', positive=True, integer=True)";

std::string TimesPlus(int factor, const std::string& symbol, int constant) {
  return absl::StrCat("Add(Mul(Integer(", factor, "), ", symbol, "), Integer(", constant, "))");
}

using Sizes = std::vector<std::string>;

std::string Tensor(const Sizes& sizes) {
  std::string list;
  for (const std::string& size : sizes) absl::StrAppend(&list, list.empty() ? "" : ", ", size);
  return absl::StrCat(R"({"dtype": 7, "sizes": [)", list, "]}");
}

// Inputs x and y; relu(x) and relu(y).
std::string TwoInputs(const Sizes& x, const Sizes& y, const std::string& ranges = "") {
  std::string nodes, specs, results;
  for (const char* name : {"x", "y"}) {
    absl::StrAppend(&nodes, nodes.empty() ? "" : ", ", R"({"name": "of_)", name,
                    R"(", "target": "torch.ops.aten.relu.default", )",
                    R"("inputs": [{"name": "self", "arg": {"as_tensor": {"name": ")", name,
                    R"("}}}], "outputs": [{"as_tensor": {"name": "of_)", name, R"("}}]})");
    absl::StrAppend(&specs, specs.empty() ? "" : ", ",
                    R"({"user_input": {"arg": {"as_tensor": {"name": ")", name, R"("}}}})");
    absl::StrAppend(&results, results.empty() ? "" : ", ",
                    R"({"user_output": {"arg": {"as_tensor": {"name": "of_)", name, R"("}}}})");
  }
  return absl::StrCat(R"({"range_constraints": {)", ranges, R"(}, "graph_module": {"graph": {)",
                      R"("tensor_values": {"x": )", Tensor(x), R"(, "y": )", Tensor(y),
                      R"(}, "nodes": [)", nodes, R"(]}, "signature": {"input_specs": [)", specs,
                      R"(], "output_specs": [)", results, "]}}}");
}

absl::StatusOr<Graph> Import(const std::string& program, std::vector<ImportInput> inputs = {}) {
  const auto graph = ReadProgram(FileOf({{"model", program}}), 1 << 20);
  if (!graph.ok()) return graph.status();
  ImportOptions options;
  options.inputs = std::move(inputs);
  return ImportTorchscriptGraph(*graph, "test", options);
}

// "1x5 1x4"
std::string ShapesOf(const std::string& program, std::vector<ImportInput> inputs = {}) {
  const auto graph = Import(program, std::move(inputs));
  if (!graph.ok()) return std::string(graph.status().message());
  return absl::StrCat(graph->inputs[0]->type.shape.ToString(), " ",
                      graph->inputs[1]->type.shape.ToString());
}

std::string Texts(const Shape& x, const Shape& y) {
  return absl::StrCat(x.ToString(), " ", y.ToString());
}

TEST(OpenSizesTest, AreThoseOfTheExample) {
  const std::string program =
      TwoInputs({Open(kS, 3), Open(kT, 5)}, {Fixed(2), Open(TimesPlus(2, kT, 1), 11)});
  EXPECT_EQ(ShapesOf(program), Texts(Shape({1, 5}), Shape({2, 11})));
}

TEST(OpenSizesTest, ABatchIsOneWhereverItIs) {
  const std::string program = TwoInputs({Open(kS, 3), Fixed(5)}, {Open(kS, 3)});
  EXPECT_EQ(ShapesOf(program), Texts(Shape({1, 5}), Shape({1})));
}

TEST(OpenSizesTest, FollowFromThoseOfTheMetafile) {
  const std::string program =
      TwoInputs({Fixed(2), Open(kS, 5)}, {Open(TimesPlus(2, kS, 1), 11), Open(kT, 4)});
  EXPECT_EQ(ShapesOf(program, {{"x", Shape({2, 7})}, {"", std::nullopt}}),
            Texts(Shape({2, 7}), Shape({15, 4})));
  EXPECT_EQ(ShapesOf(program, {{"", std::nullopt}, {"y", Shape({13, 9})}}),
            Texts(Shape({2, 6}), Shape({13, 9})));
}

TEST(OpenSizesTest, OfSeveralSymbolsAreSolvedInAnyOrder) {
  const std::string sum = absl::StrCat("Add(", kS, ", ", kT, ")");
  const std::string program = TwoInputs({Open(sum, 9), Open(kT, 4)}, {Fixed(3), Open(kS, 5)});
  EXPECT_EQ(ShapesOf(program, {{"x", Shape({10, 4})}, {"", std::nullopt}}),
            Texts(Shape({10, 4}), Shape({3, 6})));
}

TEST(OpenSizesTest, OfOtherExpressionsAreThoseOfTheExample) {
  const std::string half = absl::StrCat("FloorDiv(", kS, ", Integer(2))");
  const std::string program = TwoInputs({Fixed(2), Open(kS, 5)}, {Fixed(2), Open(half, 2)});
  EXPECT_EQ(ShapesOf(program), Texts(Shape({2, 5}), Shape({2, 2})));
}

TEST(OpenSizesTest, MustAgree) {
  const std::string program =
      TwoInputs({Fixed(2), Open(kS, 5)}, {Fixed(2), Open(TimesPlus(2, kS, 1), 11)});
  EXPECT_EQ(ShapesOf(program, {{"x", Shape({2, 7})}, {"y", Shape({2, 14})}}),
            "dimension 1 of input 'y' is 14, expected 15: the file has 2*s0 + 1 there, and s0 is 7 "
            "because of dimension 1 of input 'x'");
  EXPECT_EQ(ShapesOf(program, {{"", std::nullopt}, {"y", Shape({2, 14})}}),
            "dimension 1 of input 'y' is 14, expected 2*s0 + 1 for a whole number s0");
}

TEST(OpenSizesTest, MustBeAmongThoseOfTheExport) {
  const std::string program =
      TwoInputs({Fixed(2), Open(kS, 5)}, {Fixed(2), Open(kT, 5)},
                R"("s0": {"min_val": 4, "max_val": 64}, "s1": {"min_val": 2, "max_val": null})");
  EXPECT_EQ(ShapesOf(program, {{"x", Shape({2, 64})}, {"y", Shape({2, 1})}}),
            Texts(Shape({2, 64}), Shape({2, 1})));
  EXPECT_EQ(ShapesOf(program, {{"x", Shape({2, 65})}, {"y", Shape({2, 5})}}),
            "dimension 1 of input 'x' is 65, which makes the file's s0 65, expected 4 to 64, the "
            "sizes that it was exported for");
  EXPECT_THAT(ShapesOf(program, {{"x", Shape({2, 1})}, {"y", Shape({2, 5})}}),
              HasSubstr("expected 4 to 64"));
}

TEST(ProgramTest, SeveralProgramsAreListed) {
  const std::string program = TwoInputs({Fixed(2)}, {Fixed(2)});
  EXPECT_EQ(ReadProgram(FileOf({{"decoder", program}, {"encoder", program}}), 1).status().message(),
            "has 2 programs, expected one: decoder, encoder");
}

// The input x, nodes, and outputs of the signature.
std::string ProgramOf(const std::string& nodes, const std::string& output_specs) {
  return absl::StrCat(
      R"({"graph_module": {"graph": {"tensor_values": {"x": )", Tensor({Fixed(2)}),
      R"(}, "nodes": [)", nodes,
      R"(]}, "signature": {"input_specs": [{"user_input": {"arg": {"as_tensor": {"name": "x"}}}}],)",
      R"("output_specs": [)", output_specs, "]}}}");
}

std::string Node(const std::string& op, const std::string& name, const std::string& operand,
                 const std::string& path) {
  return absl::StrCat(R"({"name": ")", name, R"(", "target": "torch.ops.)", op,
                      R"(.default", "inputs": [{"name": "self", "arg": {"as_tensor": {"name": ")",
                      operand, R"("}}}], "outputs": [{"as_tensor": {"name": ")", name,
                      R"("}}], "metadata": {"nn_module_stack": "L__self__,,M;a,)", path,
                      R"(,M", "stack_trace": "File \"/home/me/net.py\", line 7, in forward"}})");
}

constexpr char kOutputZ[] = R"({"user_output": {"arg": {"as_tensor": {"name": "z"}}}})";

TEST(ProgramTest, UnsupportedOperatorsAreListedWithTheirPlaces) {
  const std::string program = ProgramOf(Node("lib.foo", "y", "x", "model.3") + ", " +
                                            Node("aten.randn_like", "z", "y", "model.5.attn"),
                                        kOutputZ);
  EXPECT_EQ(Import(program).status().message(),
            "2 operators are not supported: lib::foo (1 node: 'y' in model.3 (net.py:7)), "
            "aten::randn_like (1 node: 'z' in model.5.attn (net.py:7); its values are random; give "
            "them to the network as an input)");
}

TEST(ProgramTest, ChangesOfBuffersAreListed) {
  std::string specs = kOutputZ;
  for (int i = 0; i < 7; ++i) {
    absl::StrAppend(&specs, R"(, {"buffer_mutation": {"arg": {"name": "z"}, "buffer_name": "bn.)",
                    i, R"("}})");
  }
  const std::string error(
      Import(ProgramOf(Node("aten.relu", "z", "x", "act"), specs)).status().message());
  EXPECT_THAT(error, HasSubstr("changes 7 of its buffers or inputs in place"));
  EXPECT_THAT(error, HasSubstr(": bn.0, bn.1, bn.2, bn.3, bn.4 and 2 more; "));
  EXPECT_THAT(error, HasSubstr("exported after eval()"));
}

}  // namespace
}  // namespace synap_internal::pt2_import
