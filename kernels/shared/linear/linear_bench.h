// Microbenchmarks of the ops with weights.
#ifndef KERNELS_SHARED_LINEAR_LINEAR_BENCH_H_
#define KERNELS_SHARED_LINEAR_LINEAR_BENCH_H_

#include <utility>
#include <vector>

#include "kernels/testing/bench_op.h"

namespace synap_internal {

// x, w, bias[channels], all uint8 with zero points in the middle (and a table
// with `table`), int16 with zero points 0, or all float32 or float16. uint8
// weights minus `w_zero_point` fit into an int8 if that is 128, else not all of them.
inline BenchCase LinearBench(DataType dtype, const Shape& x, const Shape& w, int64_t channels,
                             Attributes attributes = {}, bool table = false,
                             int w_zero_point = 120) {
  BenchCase bench;
  bench.constant = {false, true, true, true};
  bench.attributes = std::move(attributes);
  if (IsFloat(dtype)) {
    bench.inputs = {{dtype, x}, {dtype, w}, {dtype, {channels}}};
    return bench;
  }
  if (dtype == DataType::kInt16) {
    const QuantParams quant = QuantParams::Affine(0.001f, 0);
    bench.inputs = {{dtype, x, quant}, {dtype, w, quant}, {DataType::kInt64, {channels}}};
    bench.outputs = {{dtype, {}, QuantParams::Affine(1, 0)}};
    return bench;
  }
  const QuantParams quant = QuantParams::Affine(0.02f, 120);
  bench.inputs = {{dtype, x, quant},
                  {dtype, w, QuantParams::Affine(0.02f, w_zero_point)},
                  {DataType::kInt32, {channels}, QuantParams::Affine(0.02f * 0.02f, 0)}};
  bench.outputs = {{dtype, {}, QuantParams::Affine(1, 128)}};
  if (table) {
    bench.inputs.push_back({DataType::kUint8, {256}});
    bench.attributes["table_scale"] = 1.0f;
    bench.attributes["table_zero_point"] = int64_t{128};
  }
  return bench;
}

// x of int16 and weights of int8 ("16x8"), with a scale for each output channel, dimension `axis`
// of w.
inline BenchCase LinearBench16x8(const Shape& x, const Shape& w, int32_t axis,
                                 Attributes attributes = {}) {
  const int64_t channels = w[static_cast<size_t>(axis)];
  BenchCase bench = LinearBench(DataType::kInt16, x, w, channels, std::move(attributes));
  const std::vector<float> scales(static_cast<size_t>(channels), 0.001f);
  bench.inputs[1] = {DataType::kInt8, w, QuantParams::PerChannel(scales, axis)};
  return bench;
}

}  // namespace synap_internal

#endif  // KERNELS_SHARED_LINEAR_LINEAR_BENCH_H_
