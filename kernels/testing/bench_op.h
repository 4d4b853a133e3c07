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

// Runs the fast path over random data with one thread and reports as counters
//   OP/s   operations per second, a multiply-accumulate being two; ops with
//          arithmetic only
//   B/s    bytes of operands and outputs per second
//   limit  the part of what the machine can do at best that was reached
//          (machine_limits.h): of its multiply-adds of that type where the op has
//          any, else of a copy of as many bytes
void BenchOp(benchmark::State& state, const OpDef& op, const BenchCase& bench_case);

}  // namespace synap

#endif  // KERNELS_TESTING_BENCH_OP_H_
