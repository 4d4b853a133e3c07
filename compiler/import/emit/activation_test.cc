#include "compiler/import/emit/activation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/import/emit/emitted_graph.h"
#include "compiler/import/emit/op_name.h"

namespace synap_internal {
namespace {

using ::testing::ElementsAre;
using ::testing::FloatNear;

template <OpName kOp>
Emitted EmitUnary(EmittedGraph& graph, Tensor* x) {
  return graph.op().Emit(kOp, {x});
}

TEST(ActivationTest, SoftsignApproachesOne) {
  EmittedGraph graph;
  Tensor* x = graph.Constant({3}, {-1, 0, 3});
  EXPECT_THAT(Values(EmitSoftsign(graph.op(), x, ".sum")), ElementsAre(-0.5f, 0, 0.75f));
}

TEST(ActivationTest, SeluScalesElu) {
  EmittedGraph graph;
  Tensor* x = graph.Constant({2}, {2, -1});
  EXPECT_THAT(Values(EmitSelu(graph.op(), x, 2, 3, ".scale")),
              ElementsAre(6, FloatNear(3 * 2 * (0.36787944f - 1), 1e-5f)));
}

TEST(ActivationTest, ConstantsHaveTheirNames) {
  EmittedGraph graph;
  EXPECT_THAT(graph.Text(EmitSelu(graph.op(), graph.Input({1}), 2, 3, ".gamma")),
              ::testing::HasSubstr("y = mul(y.elu, y.gamma)"));
}

TEST(OpNameTest, ATemplateArgumentNamesTheOp) {
  EmittedGraph graph;
  EXPECT_THAT(Values(EmitUnary<"neg">(graph, graph.Constant({1}, {4}))), ElementsAre(-4));
  EXPECT_THAT(Values(EmitUnary<"abs">(graph, graph.Constant({1}, {-4}))), ElementsAre(4));
}

}  // namespace
}  // namespace synap_internal
