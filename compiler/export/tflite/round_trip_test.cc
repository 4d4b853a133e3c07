// Ops of each family, exported and imported again.
#include <algorithm>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "compiler/export/tflite/export_tflite.h"
#include "compiler/export/tflite/exported_file.h"
#include "compiler/graph/graph.h"
#include "compiler/testing/random_graph.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace synap_internal::tflite_export {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(RoundTripTest, PaddingThatNoWordIsForIsAnOperator) {
  const std::string text = Graph1("uint8[1x4x4x1]<affine 0.5 7>", R"(
    const %w: uint8[1x3x3x1]<affine 0.25 3> = splat 5
    %y: uint8[1x3x2x1]<affine 1.0 0> = conv2d(%x, %w) {strides=[2, 2], pads=[2, 1, 1, 0]} from "conv"
)");
  const ExportedFile file(text);
  EXPECT_THAT(file.Operators(), ElementsAre("PAD", "CONV_2D"));
  ExpectSameAfterRoundTrip(text);
  ExpectSameAfterRoundTrip(Graph1("uint8[1x4x4x1]<affine 0.5 7>", R"(
    %y: uint8[1x4x5x1]<affine 0.5 7> = max_pool2d(%x) {kernel=[2, 2], pads=[1, 1, 0, 1]} from "pool"
)"));
}

TEST(RoundTripTest, GroupsOfOneChannelAreDepthwise) {
  const std::string text = Graph1("float32[1x3x3x2]", R"(
    const %w: float32[4x2x1x1] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]
    const %b: float32[4] = [0.5, -0.5, 1.0, 2.0]
    %y: float32[1x2x3x4] = conv2d(%x, %w, %b) {groups=2} from "conv"
)");
  const ExportedFile file(text);
  ASSERT_THAT(file.Operators(), ElementsAre("DEPTHWISE_CONV_2D"));
  EXPECT_EQ(file.op(0).builtin_options_as_DepthwiseConv2DOptions()->depth_multiplier(), 2);
  ExpectSameAfterRoundTrip(text);
}

TEST(RoundTripTest, TransposedConvolutionsAreCroppedWhereTheirPadsSaySo) {
  for (const std::string attributes :
       {"{strides=[2, 2]} 7 9", "{strides=[2, 2], pads=[1, 1, 1, 1], output_padding=[1, 1]} 6 8",
        "{strides=[2, 2], pads=[2, 0, 0, 1], min=0.0} 5 8",
        "{strides=[2, 2], pads=[0, 0, 1, 1], max=2.5} 6 8"}) {
    const size_t end = attributes.find('}') + 1;
    std::string size = attributes.substr(end + 1);
    std::replace(size.begin(), size.end(), ' ', 'x');
    const std::string call = " = conv_transpose2d(%x, %w, %b) " + attributes.substr(0, end);
    ExpectSameAfterRoundTrip(Graph1("float32[1x3x4x2]",
                                    "    const %w: float32[1x3x3x2] = splat 0.5\n"
                                    "    const %b: float32[1] = [0.25]\n    %y: float32[1x" +
                                        size + "x1]" + call + " from \"up\"\n"));
    ExpectSameAfterRoundTrip(Graph1("int8[1x3x4x2]<affine 0.5 1>",
                                    "    const %w: int8[1x3x3x2]<affine 0.25 0> = splat 3\n"
                                    "    %y: int8[1x" +
                                        size + "x1]<affine 0.5 2>" +
                                        " = conv_transpose2d(%x, %w) " + attributes.substr(0, end) +
                                        " from \"up\"\n"));
  }
}

TEST(RoundTripTest, FullyConnectedOfAnyRank) {
  for (const std::string rows : {"", "2x", "2x3x"}) {
    const std::string out = rows.empty() ? "2" : rows + "2";
    ExpectSameAfterRoundTrip(Graph1("float32[" + rows + "3]", R"(
    const %w: float32[2x3] = [1.0, 2.0, 3.0, -1.0, 0.5, 0.25]
    %y: float32[)" + out + R"(] = fully_connected(%x, %w) {max=3.0} from "fc"
)"));
  }
}

TEST(RoundTripTest, ImageOps) {
  for (const std::string op : {
           "%y: float32[1x3x3x2] = max_pool2d(%x) {kernel=[2, 2], strides=[2, 2], ceil_mode=1}",
           "%y: float32[1x3x3x2] = avg_pool2d(%x) {kernel=[2, 2], strides=[2, 2], ceil_mode=1}",
           "%y: float32[1x3x3x2] = avg_pool2d(%x) {kernel=[3, 3], strides=[2, 2], pads=[1, 1, 1, "
           "1], count_include_pad=1}",
           "%y: float32[1x4x4x2] = avg_pool2d(%x) {kernel=[3, 3], pads=[1, 1, 0, 0]}",
           "%y: float32[1x2x2x2] = avg_pool2d(%x) {kernel=[2, 2], strides=[2, 2], "
           "count_include_pad=1}",
           "%y: float32[1x10x7x2] = resize(%x) {size=[10, 7], mode=\"linear\"}",
           "%y: float32[1x10x7x2] = resize(%x) {size=[10, 7], mode=\"linear\", "
           "coordinates=\"align_corners\"}",
           "%y: float32[1x10x7x2] = resize(%x) {size=[10, 7], mode=\"nearest\", "
           "coordinates=\"asymmetric\", rounding=\"floor\"}",
           "%y: float32[1x10x7x2] = resize(%x) {size=[10, 7], mode=\"nearest\"}",
           "%y: float32[1x3x2x2] = resize(%x) {size=[3, 2], mode=\"nearest\", "
           "rounding=\"ceil\"}",
       }) {
    ExpectSameAfterRoundTrip(Graph1("float32[1x5x5x2]", "    " + op + " from \"op\"\n"));
  }
}

TEST(RoundTripTest, OpsAlongDimensionsAndOfShapes) {
  for (const std::string op : {
           "%y: float32[1x3] = reduce_mean(%x) {axes=[1, 2], keep_dims=0}",
           "%y: float32[1x4x3] = reduce_max(%x) {axes=[-2], keep_dims=0}",
           "%y: float32[1x4x4x1] = reduce_l2(%x) {axes=[3]}",
           "%y: float32[1x4x4x3] = reduce_sum(%x) {axes=[]}",
           "%y: int64[1x4x4x1] = argmax(%x) {axis=-1}",
           "%y: int64[1x4x3] = argmax(%x) {axis=1, keep_dims=0}",
           "%y: float32[1x4x4x3] = softmax(%x) {axis=1}",
           "%y: float32[1x4x4x3] = log_softmax(%x) {axis=-1}",
           "%y: float32[1x4x4x3] = cumsum(%x) {axis=1, reverse=1}",
           "%y: float32[1x4x4x6] = concat(%x, %x) {axis=-1}",
           "%y: float32[1x2x4x2] = slice(%x) {starts=[0, 3, 0, 1], sizes=[1, 2, 4, 2], steps=[1, "
           "-3, 1, 1]}",
           "%y: float32[1x4x4x3] = slice(%x) {starts=[0, 3, 0, 0], sizes=[1, 4, 4, 3], steps=[1, "
           "-1, 1, 1]}",
           "%y: float32[1x1x2x3] = slice(%x) {starts=[0, 3, 0, 0], sizes=[1, 1, 2, 3], steps=[1, "
           "-4611686018427387904, 3, 1]}",
           "%y: float32[1x5x4x5] = pad(%x) {pads=[0, 1, 0, 0, 0, 0, 0, 2], value=1.5}",
           "%y: float32[1x7x4x3] = pad(%x) {pads=[0, 1, 0, 0, 0, 2, 0, 0], mode=\"reflect\"}",
           "%y: float32[1x7x4x4] = pad(%x) {pads=[0, 1, 0, 0, 0, 2, 0, 1], mode=\"edge\"}",
           "%y: float32[1x4x4x3] = prelu(%x, %s)",
           "%y: float32[48] = reshape(%x) {shape=[48]}",
           "%y: float32[1x2x4x3] = gather(%x, %i) {axis=1}",
           "%y: int64[1x4x4x2] = top_k(%x) {k=2}",
           "%y: int64[1x4x4x2] = top_k(%x) {k=2, largest=0}",
           "%y: float32[2x4x4x3] = expand(%x) {shape=[2, 4, 4, 3]}",
           "%y: bool[1x4x4x3] = less(%x, %s)",
           "%y: float32[1x4x4x3] = mod(%x, %s)",
           "%y: float32[1x4x4x3] = normalization(%x, %s, %s) {axes=[3], epsilon=0.5, max=1.0}",
           "%y: float32[1x4x4x3] = normalization(%x) {axes=[1, 2], epsilon=0.5, center=0}",
       }) {
    ExpectSameAfterRoundTrip(Graph1("float32[1x4x4x3]", R"(
    const %s: float32[3] = [0.5, 1.5, -2.0]
    const %i: int64[2] = [3, -4]
    )" + op + " from \"op\"\n"));
  }
}

TEST(RoundTripTest, FunctionsThatTensorFlowLiteHasInPieces) {
  for (const std::string op : {"silu(%x)",
                               "rsqrt(%x)",
                               "square(%x)",
                               "clip(%x) {min=-1.0}",
                               "clip(%x) {max=1.0}",
                               "clip(%x) {min=-0.5, max=2.0}",
                               "elu(%x) {alpha=0.5}",
                               "leaky_relu(%x)",
                               "hard_sigmoid(%x)",
                               "gelu(%x)",
                               "gelu(%x) {approximate=1}",
                               "hard_swish(%x)",
                               "mish(%x)",
                               "softplus(%x)",
                               "erf(%x)",
                               "reciprocal(%x)",
                               "tan(%x)",
                               "sinh(%x)",
                               "cosh(%x)",
                               "asinh(%x)",
                               "acosh(%x)",
                               "atanh(%x)"}) {
    const std::string text =
        Graph1("float32[2x5]", "    %y: float32[2x5] = " + op + " from \"f\"\n");
    // Composed of other roundings; erf is within 1.5e-7.
    ExpectSameAfterRoundTrip(text, 1e-5f);
  }
}

TEST(RoundTripTest, Transposes) {
  const std::string shuffle = Graph1("float32[1x4x4x2x3]", R"(
    %y: float32[1x4x4x3x2] = transpose(%x) {perm=[0, 1, 2, 4, 3]} from "shuffle"
)");
  const ExportedFile file(shuffle);
  EXPECT_THAT(file.Operators(), ElementsAre("RESHAPE", "TRANSPOSE", "RESHAPE"));
  EXPECT_THAT(*file.output(1).shape(), ElementsAre(16, 3, 2));
  ExpectSameAfterRoundTrip(shuffle);
  ExpectSameAfterRoundTrip(Graph1("float32[1x2x3x2x1x2]", R"(
    %y: float32[2x1x3x2x1x2] = transpose(%x) {perm=[5, 0, 2, 3, 4, 1]} from "turn"
)"));
  ExpectSameAfterRoundTrip(Graph1("float32[2x3x2x2x3]", R"(
    %y: float32[3x2x3x2x2] = transpose(%x) {perm=[4, 3, 1, 2, 0]} from "turn"
)"));
}

TEST(RoundTripTest, ScatterAndWhere) {
  ExpectSameAfterRoundTrip(Graph1("float32[3x2]", R"(
    const %i: int64[2] = [2, -3]
    const %u: float32[2x2] = [1.0, 2.0, 3.0, 4.0]
    const %zero: float32[1] = [0.0]
    %a: float32[3x2] = scatter(%x, %i, %u) from "set"
    %s: float32[3x2] = scatter(%a, %i, %u) {reduction="add"} from "sum"
    %above: bool[3x2] = greater(%s, %zero) from "g"
    %y: float32[3x2] = where(%above, %s, %zero) from "w"
)"));
  EXPECT_THAT(ExportError(Graph1("int64[2]", R"(
    const %k: float32[3x2] = splat 1.0
    const %u: float32[2x2] = splat 2.0
    %y: float32[3x2] = scatter(%k, %x, %u) from "set"
)")),
              HasSubstr("scatter 'set': it replaces slices at several computed indices"));
}

TEST(RoundTripTest, ConstantIndicesOutsideOfTheExtentAreRefused) {
  for (const std::string op : {"scatter(%x, %i, %u)", "scatter(%x, %i, %u) {reduction=\"add\"}",
                               "gather(%x, %i) {axis=0}"}) {
    for (const std::string index : {"3", "-4", "4294967296"}) {
      const bool gathers = op.front() == 'g';
      const std::string text = Graph1("float32[3x2]", R"(
    const %i: int64[1] = [)" + index + R"(]
    const %u: float32[1x2] = [1.0, 2.0]
    %y: float32[)" + (gathers ? "1" : "3") + "x2] = " + op +
                                                          " from \"at\"\n");
      EXPECT_THAT(ExportError(text), HasSubstr("'at': index " + index +
                                               " is outside of the extent 3, expected -3 to 2"));
    }
  }
}

TEST(RoundTripTest, SlicesOfNothingStartAnywhere) {
  const std::string text = Graph1("float32[4]", R"(
    %y: float32[0] = slice(%x) {starts=[4294967296], sizes=[0], steps=[4294967296]} from "none"
)");
  EXPECT_THAT(ExportedFile(text).Operators(), ElementsAre("SLICE"));
}

TEST(RoundTripTest, AttentionDividesInItsSoftmax) {
  const std::string attention = R"(
    %p: float32[2x3x3] = softmax(%x) {axis=-1, normalize=0} from "softmax"
    %y: float32[2x3x3] = matmul(%p, %x) {normalize=1} from "mix"
)";
  EXPECT_THAT(ExportedFile(Graph1("float32[2x3x3]", attention)).Operators(),
              ElementsAre("SOFTMAX", "BATCH_MATMUL"));
  ExpectSameAfterRoundTrip(Graph1("float32[2x3x3]", attention));
  const std::string bytes = Graph1("int8[2x3x3]<affine 0.0625 3>", R"(
    %p: int8[2x3x3]<affine 0.003921569 -128> = softmax(%x) {axis=-1, normalize=0} from "softmax"
    %y: int8[2x3x3]<affine 0.0625 3> = matmul(%p, %x) {normalize=1} from "mix"
)");
  const ExportedFile file(bytes);
  EXPECT_THAT(file.Operators(), ElementsAre("QUANTIZE", "SOFTMAX", "BATCH_MATMUL", "QUANTIZE"));
  EXPECT_EQ(TypeOf(file.output(1)), "INT16 " + FloatToString(1.0f / 32768) + " 0");
  ExpectSameAfterRoundTrip(bytes, 1);
  // The product divides by sums of rows; softmaxes of columns have others.
  const std::string columns = Graph1("float32[2x3x3]", R"(
    %p: float32[2x3x3] = softmax(%x) {axis=1, normalize=0} from "softmax"
    %y: float32[2x3x3] = matmul(%p, %x) {normalize=1} from "mix"
)");
  EXPECT_THAT(ExportedFile(columns).Operators(),
              ElementsAre("REDUCE_MAX", "SUB", "EXP", "BATCH_MATMUL", "SUM", "DIV"));
  ExpectSameAfterRoundTrip(columns);
  // Another reader sees the undivided numbers.
  const std::string read = Graph1("float32[2x3x3]", R"(
    %p: float32[2x3x3] = softmax(%x) {axis=-1, normalize=0} from "softmax"
    %m: float32[2x3x3] = matmul(%p, %x) {normalize=1} from "mix"
    %y: float32[2x3x3] = add(%m, %p) from "sum"
)");
  EXPECT_THAT(ExportedFile(read).Operators(),
              ElementsAre("REDUCE_MAX", "SUB", "EXP", "BATCH_MATMUL", "SUM", "DIV", "ADD"));
  ExpectSameAfterRoundTrip(read);
}

TEST(RoundTripTest, RandomNetworks) {
  size_t written = 0;
  for (const GraphKind kind : {GraphKind::kSmooth, GraphKind::kConverted}) {
    for (uint64_t seed = 0; seed < 40; ++seed) {
      SCOPED_TRACE(Name(kind) + " " + std::to_string(seed));
      const Graph graph = RandomGraph(kind, seed);
      const auto bytes = ExportTflite(graph, kFallback);
      if (absl::IsUnimplemented(bytes.status())) continue;
      ++written;
      ExpectSameAfterRoundTrip(graph, 1, kFallback);
    }
  }
  EXPECT_GT(written, 60u);
}

}  // namespace
}  // namespace synap_internal::tflite_export
