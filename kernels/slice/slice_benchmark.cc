#include "kernels/slice/slice.h"

#include "benchmark/benchmark.h"
#include "kernels/testing/bench_op.h"

namespace synap_internal {
namespace {

void BM_Slice(benchmark::State& state, DataType dtype, const Shape& shape,
              const std::vector<int64_t>& starts, const std::vector<int64_t>& sizes,
              const std::vector<int64_t>& steps) {
  BenchOp(state, SliceOps()[0],
          {.inputs = {{dtype, shape}},
           .attributes = {{"starts", starts}, {"sizes", sizes}, {"steps", steps}}});
}

// A channel split, the box columns of a detector, a focus layer.
BENCHMARK_CAPTURE(BM_Slice, u8_half_of_1x80x80x64, DataType::kUint8, Shape{1, 80, 80, 64},
                  {0, 0, 0, 32}, {1, 80, 80, 32}, {1, 1, 1, 1});
BENCHMARK_CAPTURE(BM_Slice, f32_boxes_of_1x25200x85, DataType::kFloat32, Shape{1, 25200, 85},
                  {0, 0, 0}, {1, 25200, 4}, {1, 1, 1});
BENCHMARK_CAPTURE(BM_Slice, u8_focus_of_1x640x640x3, DataType::kUint8, Shape{1, 640, 640, 3},
                  {0, 1, 0, 0}, {1, 320, 320, 3}, {1, 2, 2, 1});

}  // namespace
}  // namespace synap_internal
