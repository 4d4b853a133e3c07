#include "compiler/testing/random_graph.h"

#include <set>
#include <string>

#include "compiler/graph/text.h"
#include "gtest/gtest.h"
#include "kernels/registry.h"

namespace synap_internal {
namespace {

constexpr uint64_t kSeeds = 400;

TEST(RandomGraphTest, TheSameSeedIsTheSameGraph) {
  for (const GraphKind kind : kAllGraphKinds) {
    EXPECT_EQ(PrintGraph(RandomGraph(kind, 7)), PrintGraph(RandomGraph(kind, 7))) << Name(kind);
    EXPECT_NE(PrintGraph(RandomGraph(kind, 7)), PrintGraph(RandomGraph(kind, 8))) << Name(kind);
  }
}

TEST(RandomGraphTest, EveryOpIsInSomeGraph) {
  std::set<std::string> found;
  for (const GraphKind kind : kAllGraphKinds) {
    for (uint64_t seed = 0; seed < kSeeds; ++seed) {
      const Graph graph = RandomGraph(kind, seed);
      for (const Op& op : graph.ops()) found.insert(std::string(op.def->name));
    }
  }
  for (const OpDef* op : AllOps()) {
    EXPECT_EQ(found.count(std::string(op->name)), 1u)
        << "no random graph has " << op->name << "; give random_graph.cc a recipe for it";
  }
}

TEST(RandomGraphTest, GraphsHaveSeveralOpsAndOutputs) {
  for (const GraphKind kind : kAllGraphKinds) {
    size_t ops = 0, outputs = 0;
    for (uint64_t seed = 0; seed < kSeeds; ++seed) {
      const Graph graph = RandomGraph(kind, seed);
      ops += graph.ops().size();
      outputs += graph.outputs.size();
    }
    EXPECT_GT(ops / kSeeds, 4u) << Name(kind);
    EXPECT_GT(outputs / kSeeds, 1u) << Name(kind);
  }
}

}  // namespace
}  // namespace synap_internal
