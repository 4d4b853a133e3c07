// The body of an op's microbenchmark.
#ifndef KERNELS_TESTING_BENCH_OP_H_
#define KERNELS_TESTING_BENCH_OP_H_

#include <vector>

#include "benchmark/benchmark.h"
#include "kernels/op_def.h"

namespace synap {

struct BenchCase {
  std::vector<TensorType> inputs;
  Attributes attributes;
  std::vector<bool> constant;       // as OpCase::constant
  std::vector<TensorType> outputs;  // as OpCase::outputs
};

// Runs the fast path over random data with one thread and reports GOP/s (a
// multiply-accumulate is two operations) or, for ops without arithmetic, GB/s.
void BenchOp(benchmark::State& state, const OpDef& op, const BenchCase& bench_case);

}  // namespace synap

#endif  // KERNELS_TESTING_BENCH_OP_H_
