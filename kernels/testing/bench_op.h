// Body of an op's microbenchmark.
#ifndef KERNELS_TESTING_BENCH_OP_H_
#define KERNELS_TESTING_BENCH_OP_H_

#include <vector>

#include "benchmark/benchmark.h"
#include "kernels/op_def.h"

namespace synap_internal {

struct BenchCase {
  std::vector<TensorType> inputs;
  Attributes attributes;
  std::vector<bool> constant;       // as OpCase::constant
  std::vector<TensorType> outputs;  // as OpCase::outputs
};

// Runs the fast path over random data with one thread and reports as counters
//   OP/s   operations per second, two for a multiply-accumulate; only for ops
//          with arithmetic
//   B/s    bytes of operands and outputs per second
//   limit  the fraction of the machine's peak (machine_limits.h) that was reached:
//          of its multiply-adds of that type if the op has any, else of a copy of
//          as many bytes
void BenchOp(benchmark::State& state, const OpDef& op, const BenchCase& bench_case);

}  // namespace synap_internal

#endif  // KERNELS_TESTING_BENCH_OP_H_
