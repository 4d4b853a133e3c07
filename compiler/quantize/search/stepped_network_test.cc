#include "compiler/quantize/search/stepped_network.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "compiler/quantize/analysis/probe_graphs.h"
#include "compiler/quantize/ranges/layer_precision.h"
#include "compiler/quantize/ranges/quantize_graph.h"
#include "compiler/testing/run_pass.h"

namespace synap_internal {
namespace {

// Five layers in four steps. The second input comes late; %a is read by two layers, %s by the last
// op, too.
constexpr absl::string_view kNetwork = R"(
    input %x: float32[1x2x2x1]
    input %late: float32[1x2x2x2]
    const %w: float32[2x1x1x1] = [0.5, -0.25]
    const %v: float32[2x1x1x2] = [0.5, 0.25, -0.5, 0.125]
    const %u: float32[2x1x1x2] = [0.5, 0.25, -0.5, 0.25]
    %a: float32[1x2x2x2] = conv2d(%x, %w) from "a"
    %b: float32[1x2x2x2] = conv2d(%a, %v) from "b"
    %c: float32[1x2x2x2] = conv2d(%late, %u) from "c"
    %s: float32[1x2x2x2] = add(%b, %a) from "s"
    %t: float32[1x2x2x2] = add(%s, %late) from "t"
    %d: float32[1x2x2x2] = conv2d(%t, %u) from "d"
    %e: float32[1x2x2x2] = add(%d, %c) from "e"
    %f: float32[1x2x2x2] = conv2d(%e, %u) from "f"
    %g: float32[1x2x2x2] = add(%f, %s) from "g"
    output %g)";

constexpr size_t kBytesOfATensor = 3 * 8;  // uint8, of all samples

struct CountedSamples {
  int* reads;

  absl::Status operator()(const SampleUse& use) const {
    ++*reads;
    for (const float first : {10.0f, 50.0f, 90.0f}) {
      const absl::Status status =
          use("sample", {Constant::Own<float>({first, 20, 30, 40}),
                         Constant::Own<float>({1, 2, 3, 4, 5, 6, 7, first})});
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }
};

Graph Quantized() {
  Graph graph = GraphOfBody(kNetwork);
  const RangesByBits ranges{{{"x", {0, 100}},
                             {"late", {0, 100}},
                             {"a", {-25, 50}},
                             {"b", {-30, 30}},
                             {"c", {-50, 75}},
                             {"s", {-55, 80}},
                             {"t", {-55, 180}},
                             {"d", {-100, 100}},
                             {"e", {-150, 175}},
                             {"f", {-200, 200}},
                             {"g", {-255, 280}}},
                            {}};
  Warnings warnings;
  const absl::Status status = QuantizeGraph(ranges, LayerPrecisions(Precision{}), graph, warnings);
  EXPECT_TRUE(status.ok()) << status;
  return graph;
}

class SteppedNetworkTest : public testing::Test {
 protected:
  // What each step shows of each of its layers, all samples one after the other. After the second
  // step the layer `changed_` gets other weights.
  std::vector<std::vector<float>> ShowAll(size_t kept_bytes) {
    Graph graph = Quantized();
    const std::vector<LinearLayer> layers = FindLinearLayers(real_, graph);
    EXPECT_EQ(layers.size(), 5);
    SteppedNetwork network(real_, graph, CountedSamples{&reads_}, 1, kept_bytes);
    std::vector<std::vector<float>> shown;
    for (const std::vector<LinearLayer>& step : ByDepth(layers)) {
      const size_t before = shown.size();
      shown.resize(before + step.size());
      const absl::Status status =
          network.Observe(step, [&](size_t layer, absl::Span<const float> values) {
            std::vector<float>& all = shown[before + layer];
            all.insert(all.end(), values.begin(), values.end());
          });
      EXPECT_TRUE(status.ok()) << status;
      if (before == 2 && !changed_.empty()) SwapWeights(*graph.FindTensor(changed_)->producer);
    }
    return shown;
  }

  // The same, from one run of the whole network.
  std::vector<std::vector<float>> ShowWholeRun() {
    const Graph graph = Quantized();
    const std::vector<const Tensor*> operands = {graph.FindTensor("a"), graph.FindTensor("t"),
                                                 graph.FindTensor("e")};
    const absl::StatusOr<ProbeGraph> probed = ProbedNetwork(real_, graph, operands);
    EXPECT_TRUE(probed.ok()) << probed.status();
    const std::vector<std::string> names = {"x", "late", probed->probes[0], probed->probes[1],
                                            probed->probes[2]};
    std::vector<std::vector<float>> shown(names.size());
    const absl::Status status =
        ObserveSamples(probed->graph, CountedSamples{&reads_}, 1,
                       [&](const std::string& name, const Shape&, absl::Span<const float> values) {
                         for (size_t i = 0; i < names.size(); ++i) {
                           if (names[i] == name)
                             shown[i].insert(shown[i].end(), values.begin(), values.end());
                         }
                       });
    EXPECT_TRUE(status.ok()) << status;
    return shown;
  }

  const Graph real_ = GraphOfBody(kNetwork);
  int reads_ = 0;
  std::string changed_;

 private:
  // Exchanges the first and the last one.
  static void SwapWeights(const Op& layer) {
    Tensor& weights = *layer.inputs[1];
    std::vector<uint8_t> bytes(weights.constant->bytes.begin(), weights.constant->bytes.end());
    std::swap(bytes.front(), bytes.back());
    weights.constant = std::make_shared<Constant>(Constant::Own(std::move(bytes)));
  }
};

TEST_F(SteppedNetworkTest, ShowsWhatAWholeRunShows) {
  const std::vector<std::vector<float>> whole = ShowWholeRun();
  ASSERT_EQ(whole.size(), 5);
  EXPECT_EQ(whole[0], std::vector<float>({10, 20, 30, 40, 50, 20, 30, 40, 90, 20, 30, 40}));
  for (const std::vector<float>& values : whole) {
    EXPECT_GT(std::set<float>(values.begin(), values.end()).size(), 5);
  }
  EXPECT_EQ(ShowAll(SteppedNetwork::kKeptBytes), whole);
  EXPECT_EQ(ShowAll(0), whole);
  // Room for %a after the second step, not for %s and %t after the third one.
  EXPECT_EQ(ShowAll(kBytesOfATensor), whole);
}

TEST_F(SteppedNetworkTest, ReadsSamplesOnlyForInputsThatAStepReads) {
  Graph graph = Quantized();
  const std::vector<LinearLayer> layers = FindLinearLayers(real_, graph);
  SteppedNetwork network(real_, graph, CountedSamples{&reads_}, 1);
  int shown = 0;
  const auto count = [&](size_t, absl::Span<const float>) { ++shown; };
  ASSERT_TRUE(network.Observe({}, count).ok());
  EXPECT_EQ(reads_, 0);
  ASSERT_TRUE(network.Observe({layers[1]}, count).ok());
  ASSERT_TRUE(network.Observe({layers[1]}, count).ok());
  EXPECT_EQ(reads_, 1);
  EXPECT_EQ(shown, 6);
}

TEST_F(SteppedNetworkTest, OpsThatRanDoNotRunAgainAndOthersMayChange) {
  const std::vector<std::vector<float>> before = ShowAll(SteppedNetwork::kKeptBytes);
  // The second step has run %a, the third one runs %b.
  changed_ = "b";
  EXPECT_NE(ShowAll(SteppedNetwork::kKeptBytes)[3], before[3]);
  changed_ = "a";
  EXPECT_EQ(ShowAll(SteppedNetwork::kKeptBytes), before);
  EXPECT_NE(ShowAll(0)[3], before[3]);
}

}  // namespace
}  // namespace synap_internal
