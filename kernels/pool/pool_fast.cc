#include <algorithm>
#include <memory>
#include <vector>

#include "kernels/pool/pool.h"
#include "kernels/pool/pool_tile.h"
#include "kernels/shared/tap_segments.h"

namespace synap_internal {
namespace {

// Output elements of one task: enough to outweigh the scheduling, few enough to
// balance a layer over the threads.
constexpr int64_t kTaskElements = int64_t{1} << 14;

int64_t DivideUp(int64_t a, int64_t b) { return (a + b - 1) / b; }

// A row or column segment, split further where a mean's divisor changes (because
// some taps in the padding are counted).
struct PoolSegment {
  TapSegment taps;
  int64_t count;
};

std::vector<PoolSegment> SegmentsOf(const WindowAxis& axis, int64_t count, int64_t input,
                                    bool padded) {
  std::vector<PoolSegment> segments;
  const TapPositions positions{-axis.pad_begin, axis.stride, axis.taps, axis.dilation};
  for (const TapSegment& taps : TapSegments(positions, count, input)) {
    for (int64_t o = taps.begin; o < taps.end; ++o) {
      const int64_t counted = CountTaps(axis, o, input, padded);
      if (o > taps.begin && segments.back().count == counted) {
        segments.back().taps.end = o + 1;
      } else {
        segments.push_back({{o, o + 1, taps.tap_begin, taps.tap_end}, counted});
      }
    }
  }
  return segments;
}

struct Plan {
  explicit Plan(const Pool& p)
      : pool(p),
        loops(ChoosePoolLoops()),
        rows(SegmentsOf(p.window.rows, p.output[1], p.x[1], p.count_include_pad)),
        columns(SegmentsOf(p.window.columns, p.output[2], p.x[2], p.count_include_pad)) {}

  // Output row `row` of image n.
  template <typename T>
  void RunRow(int64_t n, int64_t row, const PoolSegment& taps, const T* x, T* out) const;
  template <typename T>
  void RunRows(int64_t n, int64_t begin, int64_t end, const T* x, T* out) const {
    auto segment = rows.begin();
    for (int64_t row = begin; row < end; ++row) {
      while (segment->taps.end <= row) ++segment;
      RunRow(n, row, *segment, x, out);
    }
  }
  void Run(const PoolTile<float>& tile) const {
    (pool.average ? loops.average_float : loops.max_float)(tile);
  }
  void Run(const PoolTile<uint8_t>& tile) const {
    (pool.average ? loops.average_uint8 : loops.max_uint8)(tile);
  }

  const Pool pool;
  const PoolLoops loops;
  const std::vector<PoolSegment> rows, columns;
};

template <typename T>
void Plan::RunRow(int64_t n, int64_t row, const PoolSegment& row_taps, const T* x, T* out) const {
  const int64_t channels = pool.x[3], width = pool.x[2];
  PoolTile<T> tile{};
  tile.channels = channels;
  tile.pixel_stride = pool.window.columns.stride * channels;
  tile.tap_stride = pool.window.columns.dilation * channels;
  tile.tap_row_stride = pool.window.rows.dilation * width * channels;
  tile.tap_rows = row_taps.taps.taps();
  for (const PoolSegment& column : columns) {
    const TapSegment& taps = column.taps;
    tile.pixels = taps.end - taps.begin;
    tile.taps = taps.taps();
    tile.out = out + ((n * pool.output[1] + row) * pool.output[2] + taps.begin) * channels;
    if (tile.taps == 0 || tile.tap_rows == 0) {
      const int32_t zero = pool.quantized ? pool.output_quant.zero_point() : 0;
      std::fill_n(tile.out, tile.pixels * channels, static_cast<T>(zero));
      continue;
    }
    const int64_t in_row = n * pool.x[1] + pool.window.rows.Position(row, row_taps.taps.tap_begin);
    const int64_t in_column = pool.window.columns.Position(taps.begin, taps.tap_begin);
    tile.x = x + (in_row * width + in_column) * channels;
    const int64_t count = row_taps.count * column.count;
    tile.divisor = static_cast<float>(count);
    if (pool.average && pool.quantized) {
      tile.multiplier = AverageMultiplier(pool, count);
      tile.sum_offset =
          static_cast<int32_t>(-pool.x_quant.zero_point() * tile.taps * tile.tap_rows);
      tile.zero_point = pool.output_quant.zero_point();
    }
    Run(tile);
  }
}

}  // namespace

Kernel PoolKernel(const Pool& pool) {
  auto plan = std::make_shared<const Plan>(pool);
  Kernel kernel;
  kernel.run = [plan](const KernelArgs& args) {
    const Shape& out = plan->pool.output;
    const int64_t row_elements = std::max<int64_t>(1, out[2] * out[3]);
    const int64_t task_rows = std::clamp<int64_t>(kTaskElements / row_elements, 1, out[1]);
    const int64_t tasks = DivideUp(out[1], task_rows);
    args.pool->ParallelFor(out[0] * tasks, [&](int64_t i, int) {
      const int64_t begin = i % tasks * task_rows;
      const int64_t end = std::min(begin + task_rows, out[1]);
      if (plan->pool.quantized) {
        plan->RunRows(i / tasks, begin, end, args.input<uint8_t>(0), args.output<uint8_t>(0));
      } else {
        plan->RunRows(i / tasks, begin, end, args.input<float>(0), args.output<float>(0));
      }
    });
  };
  return kernel;
}

}  // namespace synap_internal
