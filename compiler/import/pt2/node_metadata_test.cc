#include "compiler/import/pt2/node_metadata.h"

#include <gtest/gtest.h>

#include <string>

namespace synap_internal::pt2_import {
namespace {

Json NodeWith(const std::string& key, const std::string& text) {
  Json node;
  node["metadata"][key] = text;
  return node;
}

TEST(NodeMetadataTest, TheInnermostModuleIsNamed) {
  EXPECT_EQ(ModuleOf(NodeWith("nn_module_stack",
                              "L__self__,,M;L__self__model.22,model.22,m.Detect;"
                              "L__self__model.22.cv2,model.22.cv2,torch.nn.Conv2d")),
            "model.22.cv2");
  EXPECT_EQ(ModuleOf(NodeWith("nn_module_stack", "L__self__,,M")), "");
}

TEST(NodeMetadataTest, NodesOfNoModuleHaveNone) {
  const std::string none = "_empty_nn_module_stack_from_metadata_hook";
  EXPECT_EQ(ModuleOf(NodeWith("nn_module_stack", none + "," + none + "," + none)), "");
  EXPECT_EQ(ModuleOf(NodeWith("torch_fn", "relu_1;function.relu")), "");
  EXPECT_EQ(ModuleOf(Json()), "");
}

TEST(NodeMetadataTest, TheInnermostLineOutsideOfPyTorchIsTold) {
  EXPECT_EQ(SourceOf(NodeWith(
                "stack_trace",
                "File \"/home/me/net.py\", line 18, in forward\n    x = self.act(x)\n"
                "  File \"/home/me/blocks/act.py\", line 6, in forward\n    return F.silu(x)\n"
                "  File \"/usr/lib/python3/site-packages/torch/nn/functional.py\", line 2371, in "
                "silu\n    return torch._C._nn.silu(input)")),
            "act.py:6");
}

TEST(NodeMetadataTest, LinesOfPyTorchAloneAreNone) {
  EXPECT_EQ(SourceOf(NodeWith("stack_trace",
                              "File \"torch/fx/passes/runtime_assert.py\", line 24, in insert")),
            "");
  EXPECT_EQ(SourceOf(NodeWith("stack_trace", "File \"net.py\"")), "");
  EXPECT_EQ(SourceOf(Json()), "");
}

}  // namespace
}  // namespace synap_internal::pt2_import
