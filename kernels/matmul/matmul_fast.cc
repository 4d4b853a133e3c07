#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <numeric>

#include "kernels/matmul/matmul.h"
#include "kernels/matmul/matmul_tile.h"

namespace synap_internal {
namespace {

// Elements of output for one task.
constexpr int64_t kTaskRows = 32;
constexpr int64_t kTaskColumns = 256;
// Of 64-bit sums, with which a row of a has more than 16,512 elements.
constexpr int64_t kLongTaskRows = 8;

int64_t DivideUp(int64_t a, int64_t b) { return (a + b - 1) / b; }

struct Plan {
  explicit Plan(const Matmul& m)
      : matmul(m),
        loops(ChooseMatmulLoops()),
        task_rows(m.long_sums ? kLongTaskRows : kTaskRows),
        row_tasks(DivideUp(m.rows, task_rows)),
        column_tasks(DivideUp(m.columns, kTaskColumns)),
        widened_depth(DivideUp(m.depth, 2) * 2) {}

  int64_t tasks() const { return matmul.batch() * row_tasks * column_tasks; }

  void RunTask(const KernelArgs& args, int64_t task, int worker) const {
    const int64_t column = task % column_tasks * kTaskColumns;
    const int64_t row = task / column_tasks % row_tasks * task_rows;
    const int64_t matrix = task / column_tasks / row_tasks;
    const int64_t a = (matmul.MatrixOf(matmul.a_steps, matrix) * matmul.rows + row) * matmul.depth;
    const int64_t b =
        matmul.MatrixOf(matmul.b_steps, matrix) * matmul.depth * matmul.columns + column;
    const int64_t out = (matrix * matmul.rows + row) * matmul.columns + column;
    const int64_t rows = std::min(task_rows, matmul.rows - row);
    const int64_t columns = std::min(kTaskColumns, matmul.columns - column);
    if (matmul.quantized) {
      auto* widened = reinterpret_cast<int16_t*>(args.WorkerScratch(worker));
      std::array<float, kTaskRows> multipliers;
      Widen(args.input<uint8_t>(0) + a, rows, widened, multipliers.data());
      const auto tile = matmul.long_sums ? loops.long_uint8_tile : loops.uint8_tile;
      tile({widened, args.input<uint8_t>(1) + b, args.output<uint8_t>(0) + out, rows, matmul.depth,
            columns, widened_depth, matmul.columns, matmul.b_zero_point, multipliers.data(),
            matmul.output.zero_point});
    } else {
      loops.float_tile({args.input<float>(0) + a, args.input<float>(1) + b,
                        args.output<float>(0) + out, rows, matmul.depth, columns, matmul.depth,
                        matmul.columns, matmul.normalize});
    }
  }

  // multipliers[rows]
  void Widen(const uint8_t* a, int64_t rows, int16_t* to, float* multipliers) const {
    for (int64_t m = 0; m < rows; ++m, a += matmul.depth, to += widened_depth) {
      for (int64_t k = 0; k < matmul.depth; ++k) {
        to[k] = static_cast<int16_t>(a[k] - matmul.a_zero_point);
      }
      multipliers[m] = matmul.MultiplierOf(
          matmul.normalize ? std::accumulate(to, to + matmul.depth, int64_t{0}) : 0);
      if (matmul.depth < widened_depth) to[matmul.depth] = 0;
    }
  }

  const Matmul matmul;
  const MatmulLoops loops;
  const int64_t task_rows, row_tasks, column_tasks, widened_depth;
};

}  // namespace

Kernel MatmulKernel(const Matmul& matmul) {
  auto plan = std::make_shared<const Plan>(matmul);
  Kernel kernel;
  if (matmul.quantized) {
    const int64_t rows = std::min(plan->task_rows, matmul.rows);
    kernel.scratch_bytes = static_cast<size_t>(rows * plan->widened_depth) * sizeof(int16_t);
  }
  kernel.run = [plan](const KernelArgs& args) {
    args.pool->ParallelFor(plan->tasks(),
                           [&](int64_t task, int worker) { plan->RunTask(args, task, worker); });
  };
  return kernel;
}

}  // namespace synap_internal
