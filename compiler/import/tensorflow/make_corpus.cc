// make_corpus FOLDER: writes the corpus of tensorflow_fuzz, small graphs, sound
// and hostile, from "x" to "y".
#include <cstdio>
#include <limits>
#include <map>
#include <string>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/file.h"
#include "compiler/import/tensorflow/test_graph.h"

namespace synap_internal::tensorflow_import {
namespace {

using Dims = std::vector<int64_t>;

constexpr int32_t kMin = std::numeric_limits<int32_t>::min();
constexpr int32_t kMax = std::numeric_limits<int32_t>::max();

TestGraph Image() { return TestGraph().Input("x", {-1, 4, 4, 2}); }

TestGraph Convolution(int64_t stride, const std::string& format) {
  TestGraph graph = Image().Floats("w", {3, 3, 2, 2}, {0.5f}).Floats("b", {2}, {1, 2});
  graph.Node("Conv2D", "c", {"x", "w"},
             {{"strides", Dims{1, stride, stride, 1}},
              {"dilations", Dims{1, 1, 1, 1}},
              {"padding", std::string("SAME")},
              {"data_format", format}});
  return graph.Node("BiasAdd", "s", {"c", "b"}).Node("Relu6", "y", {"s"});
}

TestGraph With(const std::string& op, const std::vector<int32_t>& numbers,
               const Attributes& attributes = {}) {
  return Image().Ints("n", numbers).Node(op, "y", {"x", "n"}, attributes);
}

TestGraph StridedSlice(int32_t begin, int32_t end, int32_t stride, int64_t mask) {
  TestGraph graph = Image().Ints("b", {begin, begin}).Ints("e", {end, end});
  graph.Ints("s", {stride, stride});
  return graph.Node("StridedSlice", "y", {"x", "b", "e", "s"},
                    {{"begin_mask", mask}, {"shrink_axis_mask", mask}, {"new_axis_mask", mask}});
}

TestGraph Dropout() {
  TestGraph graph = Image();
  graph.Node("Placeholder", "keep_prob", {}).Type("dtype", tensorflow::DT_FLOAT);
  graph.Node("Shape", "shape", {"x"}).Node("RandomUniform", "r", {"shape"});
  graph.Node("Add", "sum", {"keep_prob", "r"}).Node("Floor", "mask", {"sum"});
  return graph.Node("Mul", "y", {"x", "mask"});
}

TestGraph Branches() {
  TestGraph graph = Image();
  graph.Node("Placeholder", "train", {}).Type("dtype", tensorflow::DT_BOOL);
  graph.Node("Switch", "s", {"x", "train"}).Node("Neg", "no", {"s"}).Node("Abs", "yes", {"s:1"});
  return graph.Node("Merge", "y", {"no", "yes"});
}

TestGraph Dilation() {
  TestGraph graph = Image().Floats("w", {2, 2, 2, 1}, {1}).Ints("block", {2, 2});
  graph.Ints("flat", {0, 0, 0, 0}).Ints("two", {2, 2}).Node("Reshape", "pads", {"flat", "two"});
  graph.Node("SpaceToBatchND", "s", {"x", "block", "pads"});
  graph.Node("Conv2D", "c", {"s", "w"}, {{"padding", std::string("VALID")}});
  return graph.Node("BatchToSpaceND", "y", {"c", "block", "pads"});
}

TestGraph BatchNorm() {
  TestGraph graph = Image().Floats("v", {2}, {1, 2});
  return graph.Node("FusedBatchNorm", "y", {"x", "v", "v", "v", "v"}).Flag("is_training", false);
}

std::map<std::string, TestGraph> Graphs() {
  return {
      {"convolution", Convolution(2, "NHWC")},
      {"convolution_nchw", Convolution(1, "NCHW")},
      {"convolution_extremes", Convolution(std::numeric_limits<int64_t>::max(), "NHWC")},
      {"batch_norm", BatchNorm()},
      {"dilation", Dilation()},
      {"dropout", Dropout()},
      {"branches", Branches()},
      {"strided_slice", StridedSlice(0, 2, 1, 1)},
      {"strided_slice_extremes", StridedSlice(kMin, kMax, kMin, -1)},
      {"reshape", With("Reshape", {-1, 8})},
      {"reshape_extremes", With("Reshape", {kMax, kMax, -1})},
      {"tile_huge", With("Tile", {kMax, kMax, 1, 1})},
      {"pad_extremes", With("Pad", {kMax, kMin, 0, 0, 0, 0, 0, 0})},
      {"broadcast_huge", With("BroadcastTo", {kMax, 4, 4, 2})},
      {"transpose", With("Transpose", {0, 3, 1, 2})},
      {"resize", With("ResizeBilinear", {8, 8})},
      {"mean", With("Mean", {1, 2})},
      {"const_huge", TestGraph().Floats("x", {1}, {1}).Floats("y", {1 << 20, 1 << 20}, {1})},
      {"cycle", Image().Node("Add", "a", {"x", "y"}).Node("Neg", "y", {"a"})},
      {"variable", Image().Node("VariableV2", "v", {}).Node("Mul", "y", {"x", "v"})},
  };
}

void WriteAll(const std::string& folder) {
  for (const auto& [name, graph] : Graphs()) {
    CHECK(WriteFileAtomically(absl::StrCat(folder, "/", name, ".pb"), graph.Bytes()).ok());
  }
}

}  // namespace
}  // namespace synap_internal::tensorflow_import

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("make_corpus FOLDER\n", stderr);
    return 2;
  }
  synap_internal::tensorflow_import::WriteAll(argv[1]);
  return 0;
}
