#include "compiler/graph/passes/fully_connected_from_matmul.h"

#include "base/status_macros.h"
#include "compiler/graph/passes/fold_constants.h"
#include "compiler/testing/run_pass.h"
#include "gtest/gtest.h"

namespace synap_internal {
namespace {

// With the transposed weights, which are left to constant folding: kernels want them constant.
absl::StatusOr<int> ConnectAndFold(Graph& graph) {
  ASSIGN_OR_RETURN(const int rewrites, FullyConnectedFromMatmul(graph));
  RETURN_IF_ERROR(FoldConstants(graph).status());
  return rewrites;
}

TEST(FullyConnectedFromMatmulTest, TransposesTheMatrix) {
  ExpectPass(ConnectAndFold, R"(
    input %x: float32[2x3]
    const %w: float32[3x4] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0]
    %y: float32[2x4] = matmul(%x, %w) from "y"
    output %y)",
             R"(
    input %x: float32[2x3]
    const %w.1.1: float32[4x3] = [1.0, 5.0, 9.0, 2.0, 6.0, 10.0, 3.0, 7.0, 11.0, 4.0, 8.0, 12.0]
    %y: float32[2x4] = fully_connected(%x, %w.1.1) from "y"
    output %y)");
}

TEST(FullyConnectedFromMatmulTest, KeepsLeadingDimensionsAndQuantizers) {
  ExpectPass(ConnectAndFold, R"(
    input %x: uint8[5x2x3]<affine 0.5 10>
    const %w: uint8[3x2]<affine 0.25 100> = [90, 120, 110, 80, 130, 200]
    %y: uint8[5x2x2]<affine 4.0 128> = matmul(%x, %w) from "y"
    output %y)",
             R"(
    input %x: uint8[5x2x3]<affine 0.5 10>
    const %w.1.1: uint8[2x3]<affine 0.25 100> = [90, 110, 130, 120, 80, 200]
    %y: uint8[5x2x2]<affine 4.0 128> = fully_connected(%x, %w.1.1) from "y"
    output %y)");
}

TEST(FullyConnectedFromMatmulTest, ReadersOfTheMatrixKeepIt) {
  ExpectPass(ConnectAndFold, R"(
    input %x: float32[3x2]
    const %w: float32[2x2] = [1.0, 2.0, 3.0, 4.0]
    %y: float32[3x2] = matmul(%x, %w) from "y"
    output %y
    output %w)",
             R"(
    input %x: float32[3x2]
    const %w: float32[2x2] = [1.0, 2.0, 3.0, 4.0]
    const %w.1.1: float32[2x2] = [1.0, 3.0, 2.0, 4.0]
    %y: float32[3x2] = fully_connected(%x, %w.1.1) from "y"
    output %y
    output %w)");
}

TEST(FullyConnectedFromMatmulTest, ComputedMatricesStay) {
  ExpectNoRewrite(FullyConnectedFromMatmul, R"(
    input %x: float32[2x3]
    input %w: float32[3x4]
    %y: float32[2x4] = matmul(%x, %w) from "y"
    output %y)");
}

TEST(FullyConnectedFromMatmulTest, AConstantOnTheLeftStays) {
  ExpectNoRewrite(FullyConnectedFromMatmul, R"(
    input %x: float32[3x2]
    const %w: float32[4x3] = splat 2.0
    %y: float32[4x2] = matmul(%w, %x) from "y"
    output %y)");
}

TEST(FullyConnectedFromMatmulTest, BatchesOfMatricesStay) {
  ExpectNoRewrite(FullyConnectedFromMatmul, R"(
    input %x: float32[5x2x3]
    const %w: float32[5x3x4] = splat 2.0
    %y: float32[5x2x4] = matmul(%x, %w) from "y"
    output %y)");
}

}  // namespace
}  // namespace synap_internal
