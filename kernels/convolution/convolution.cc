#include "kernels/convolution/convolution.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include "base/check.h"
#include "kernels/convolution/convolution_tile.h"
#include "kernels/lookup/lookup.h"
#include "kernels/tap_segments.h"

namespace synap {
namespace {

// Output pixels of a task: enough to pay for the scheduling and for reading the
// weights, few enough that the patch of a usual layer stays in the second-level
// cache and two or four cores share a layer evenly.
constexpr int64_t kTilePixels = 192;
constexpr int64_t kMaxPatchBytes = int64_t{16} << 20;
constexpr int64_t kGoodPatchBytes = int64_t{256} << 10;
// With fewer tiles than this the output channels are split too.
constexpr int64_t kMinTasks = 8;
constexpr int64_t kChunkOutputs = 64;

int64_t DivideUp(int64_t a, int64_t b) { return (a + b - 1) / b; }

std::vector<TapSegment> SegmentsOf(const ConvolutionAxis& axis, int64_t extent) {
  return TapSegments({axis.in_begin, axis.in_step, axis.taps, axis.tap_step}, axis.count, extent);
}

// Without borders and with steps of 1 the image is a list of pixels.
Convolution Unrolled(Convolution c) {
  const auto plain = [](const ConvolutionAxis& axis, int64_t in, int64_t out) {
    return axis.taps == 1 && axis.in_begin == 0 && axis.in_step == 1 && axis.out_begin == 0 &&
           axis.out_step == 1 && axis.count == in && axis.count == out;
  };
  if (!plain(c.rows, c.in_height, c.out_height) || !plain(c.columns, c.in_width, c.out_width)) {
    return c;
  }
  const int64_t pixels = c.batch * c.in_height * c.in_width;
  c.batch = c.in_height = c.out_height = c.rows.count = 1;
  c.in_width = c.out_width = c.columns.count = pixels;
  return c;
}

// First input position that a range of outputs touches, and how many.
struct Reach {
  int64_t begin, count;
};

Reach ReachOf(const ConvolutionAxis& axis, int64_t begin, int64_t end) {
  const int64_t a = axis.Position(begin, 0), b = axis.Position(begin, axis.taps - 1);
  const int64_t c = axis.Position(end - 1, 0), d = axis.Position(end - 1, axis.taps - 1);
  const int64_t first = std::min({a, b, c, d});
  return {first, std::max({a, b, c, d}) - first + 1};
}

// One Convolution, planned and packed.
class Part {
 public:
  // data and loops stay with the kernel. Ok() must hold before the rest is used.
  Part(const Convolution& convolution, const LinearData& data, const ConvolutionLoops& loops);

  bool Ok() const { return !data_.quantized || patch_bytes_ <= kMaxPatchBytes; }
  size_t scratch_bytes() const { return static_cast<size_t>(patch_bytes_); }
  int64_t tasks() const {
    return c_.batch * row_tiles_ * column_tiles_ * c_.groups * output_chunks_;
  }
  void Run(const KernelArgs& args, int64_t task, uint8_t* scratch) const;

 private:
  struct Task {
    int64_t n, group;
    int64_t row_begin, row_end, column_begin, column_end;
    int64_t output_begin, output_end;  // inside of the group
  };

  void ChooseTiles();
  void PackWeights();
  template <typename T>
  void PackRow(int64_t group, int64_t block, int64_t row, T* to) const;
  Task TaskOf(int64_t index) const;
  // A tap row's weights follow each other when its runs do.
  template <typename T>
  TileTaps<T> CommonTaps(const Task& task, const T* weights) const;
  void RunFloat(const Task& task, const float* x, float* out) const;
  void RunUint8(const Task& task, const uint8_t* x, uint8_t* out, int16_t* patch) const;
  void FillPatch(const Task& task, const Reach& rows, const Reach& columns, const uint8_t* x,
                 int16_t* patch) const;
  void ApplyTable(const Task& task, uint8_t* out) const;
  int64_t OutputIndex(const Task& task, int64_t row, int64_t column) const {
    const int64_t r = c_.rows.out_begin + row * c_.rows.out_step;
    const int64_t q = c_.columns.out_begin + column * c_.columns.out_step;
    return ((task.n * c_.out_height + r) * c_.out_width + q) * c_.out_channels +
           task.group * c_.group_outputs() + task.output_begin;
  }

  const Convolution c_;
  const LinearData& data_;
  const ConvolutionLoops loops_;
  const lookup::Function table_;
  const int64_t lanes_;
  const int64_t blocks_;  // of a group
  bool one_run_;          // all taps of a row are neighbours in x
  int64_t run_length_;    // elements of x, all taps inside
  int64_t packed_run_;    // run_length_, int16: rounded up to even
  int64_t packed_runs_;
  std::vector<TapSegment> row_segments_, column_segments_;
  std::vector<float> float_weights_;
  std::vector<int16_t> int16_weights_;
  std::vector<float> float_bias_;  // by blocks of a group, as the next two
  std::vector<int32_t> int32_bias_;
  std::vector<float> multipliers_;
  int64_t tile_rows_ = 1, tile_columns_ = 1, row_tiles_ = 0, column_tiles_ = 0;
  int64_t chunk_outputs_ = 0, output_chunks_ = 1;
  int64_t patch_bytes_ = 0;
};

Part::Part(const Convolution& convolution, const LinearData& data, const ConvolutionLoops& loops)
    : c_(Unrolled(convolution)),
      data_(data),
      loops_(loops),
      table_(lookup::FindFunction()),
      lanes_(static_cast<int64_t>(loops.lanes)),
      blocks_(DivideUp(c_.group_outputs(), lanes_)) {
  // In x, float's pixels are in_channels apart; in the patch, group_inputs.
  const bool dense = data.quantized || c_.groups == 1;
  one_run_ = c_.columns.taps == 1 || (dense && c_.columns.tap_step == 1);
  run_length_ = c_.group_inputs() * (one_run_ ? c_.columns.taps : 1);
  packed_run_ = data.quantized ? DivideUp(run_length_, 2) * 2 : run_length_;
  packed_runs_ = one_run_ ? 1 : c_.columns.taps;
  ChooseTiles();
  if (!Ok()) return;
  if (!data.quantized) {
    row_segments_ = SegmentsOf(c_.rows, c_.in_height);
    column_segments_ = SegmentsOf(c_.columns, c_.in_width);
  }
  PackWeights();
}

void Part::ChooseTiles() {
  tile_columns_ = std::min(c_.columns.count, kTilePixels);
  tile_rows_ = std::clamp<int64_t>(kTilePixels / tile_columns_, 1, c_.rows.count);
  if (data_.quantized) {
    const auto bytes = [this] {
      const double rows = static_cast<double>(ReachOf(c_.rows, 0, tile_rows_).count);
      const double columns = static_cast<double>(ReachOf(c_.columns, 0, tile_columns_).count);
      // One element more: an odd run is read as pairs.
      return 2 * (rows * columns * static_cast<double>(c_.group_inputs()) + 1);
    };
    while (tile_rows_ > 1 && bytes() > kGoodPatchBytes) tile_rows_ = (tile_rows_ + 1) / 2;
    while (tile_columns_ > 8 && bytes() > kGoodPatchBytes) tile_columns_ = (tile_columns_ + 1) / 2;
    const double size = std::min(bytes(), 2.0 * static_cast<double>(kMaxPatchBytes));
    patch_bytes_ = DivideUp(static_cast<int64_t>(size), 64) * 64;
  }
  row_tiles_ = DivideUp(c_.rows.count, tile_rows_);
  column_tiles_ = DivideUp(c_.columns.count, tile_columns_);
  const bool few = c_.batch * row_tiles_ * column_tiles_ * c_.groups < kMinTasks;
  chunk_outputs_ = few ? std::min(c_.group_outputs(), kChunkOutputs) : c_.group_outputs();
  output_chunks_ = DivideUp(c_.group_outputs(), chunk_outputs_);
}

// One block's weights of one tap row, in the order that the tile loops read.
template <typename T>
void Part::PackRow(int64_t group, int64_t block, int64_t row, T* to) const {
  constexpr int64_t kPair = std::is_same_v<T, float> ? 1 : 2;
  const int64_t inputs = c_.group_inputs();
  const int64_t kernel_row = c_.rows.kernel_begin + row * c_.rows.kernel_step;
  for (int64_t lane = 0; lane < lanes_; ++lane) {
    const int64_t output = block * lanes_ + lane;
    if (output >= c_.group_outputs()) break;  // the packed weights start as zeros
    const int64_t o = group * c_.group_outputs() + output;
    for (int64_t tap = 0; tap < c_.columns.taps; ++tap) {
      const int64_t column = c_.columns.kernel_begin + tap * c_.columns.kernel_step;
      const int64_t from =
          ((o * c_.kernel_height + kernel_row) * c_.kernel_width + column) * inputs;
      for (int64_t i = 0; i < inputs; ++i) {
        const int64_t k = one_run_ ? tap * inputs + i : i;
        T* run = to + (one_run_ ? 0 : tap * packed_run_ * lanes_);
        T& packed = run[(k / kPair * lanes_ + lane) * kPair + k % kPair];
        if constexpr (std::is_same_v<T, float>) {
          packed = static_cast<const float*>(data_.weights)[from + i];
        } else {
          packed = static_cast<int16_t>(static_cast<const uint8_t*>(data_.weights)[from + i] -
                                        data_.w_zero_points[static_cast<size_t>(o)]);
        }
      }
    }
  }
}

void Part::PackWeights() {
  const int64_t row_size = packed_runs_ * packed_run_ * lanes_;
  const auto size = static_cast<size_t>(c_.groups * blocks_ * c_.rows.taps * row_size);
  const auto padded = static_cast<size_t>(c_.groups * blocks_ * lanes_);
  if (data_.quantized) {
    int16_weights_.assign(size, 0);
    int32_bias_.assign(padded, 0);
    multipliers_.assign(padded, 0);
  } else {
    float_weights_.assign(size, 0);
    float_bias_.assign(padded, 0);
  }
  for (int64_t g = 0; g < c_.groups; ++g) {
    for (int64_t b = 0; b < blocks_; ++b) {
      for (int64_t row = 0; row < c_.rows.taps; ++row) {
        const int64_t at = ((g * blocks_ + b) * c_.rows.taps + row) * row_size;
        if (data_.quantized) {
          PackRow(g, b, row, int16_weights_.data() + at);
        } else {
          PackRow(g, b, row, float_weights_.data() + at);
        }
      }
    }
    for (int64_t o = 0; o < c_.group_outputs(); ++o) {
      const auto to = static_cast<size_t>(g * blocks_ * lanes_ + o);
      const auto from = static_cast<size_t>(g * c_.group_outputs() + o);
      if (data_.quantized) {
        int32_bias_[to] = data_.bias[from];
        multipliers_[to] = data_.output.multipliers[from];
      } else {
        float_bias_[to] = data_.float_bias[from];
      }
    }
  }
}

Part::Task Part::TaskOf(int64_t index) const {
  Task task;
  const int64_t chunk = index % output_chunks_;
  index /= output_chunks_;
  task.group = index % c_.groups;
  index /= c_.groups;
  const int64_t column = index % column_tiles_;
  index /= column_tiles_;
  const int64_t row = index % row_tiles_;
  task.n = index / row_tiles_;
  task.output_begin = chunk * chunk_outputs_;
  task.output_end = std::min(task.output_begin + chunk_outputs_, c_.group_outputs());
  task.row_begin = row * tile_rows_;
  task.row_end = std::min(task.row_begin + tile_rows_, c_.rows.count);
  task.column_begin = column * tile_columns_;
  task.column_end = std::min(task.column_begin + tile_columns_, c_.columns.count);
  return task;
}

void Part::Run(const KernelArgs& args, int64_t index, uint8_t* scratch) const {
  const Task task = TaskOf(index);
  if (data_.quantized) {
    RunUint8(task, args.input<uint8_t>(0), args.output<uint8_t>(0),
             reinterpret_cast<int16_t*>(scratch));
  } else {
    RunFloat(task, args.input<float>(0), args.output<float>(0));
  }
}

template <typename T>
TileTaps<T> Part::CommonTaps(const Task& task, const T* weights) const {
  TileTaps<T> taps{};
  taps.w_run_stride = packed_run_ * lanes_;
  taps.w_row_stride = packed_runs_ * taps.w_run_stride;
  taps.w_block_stride = c_.rows.taps * taps.w_row_stride;
  // Chunks start at whole blocks: kChunkOutputs is a multiple of any lanes.
  taps.w = weights + (task.group * blocks_ + task.output_begin / lanes_) * taps.w_block_stride;
  taps.outputs = task.output_end - task.output_begin;
  taps.out_pixel_stride = c_.columns.out_step * c_.out_channels;
  return taps;
}

void Part::RunFloat(const Task& task, const float* x, float* out) const {
  FloatTile tile{};
  tile.taps = CommonTaps(task, float_weights_.data());
  tile.bias = float_bias_.data() + task.group * blocks_ * lanes_ + task.output_begin;
  tile.min = data_.clamp.min;
  tile.max = data_.clamp.max;
  TileTaps<float>& taps = tile.taps;
  const float* all_weights = taps.w;
  const int64_t pixel = c_.in_channels;
  const int64_t row_size = c_.in_width * pixel;
  taps.pixel_stride = c_.columns.in_step * pixel;
  taps.tap_row_stride = c_.rows.tap_step * row_size;
  taps.run_stride = c_.columns.tap_step * pixel;
  auto rows = row_segments_.begin();
  for (int64_t row = task.row_begin; row < task.row_end; ++row) {
    while (rows->end <= row) ++rows;
    taps.tap_rows = rows->taps();
    for (const TapSegment& columns : column_segments_) {
      const int64_t begin = std::max(columns.begin, task.column_begin);
      const int64_t end = std::min(columns.end, task.column_end);
      if (begin >= end) continue;
      const int64_t width = columns.taps();
      taps.pixels = end - begin;
      taps.runs = one_run_ ? 1 : width;
      taps.run_length = c_.group_inputs() * (one_run_ ? width : 1);
      taps.x = x;
      taps.w = all_weights + rows->tap_begin * taps.w_row_stride +
               columns.tap_begin * c_.group_inputs() * lanes_;
      if (width > 0 && taps.tap_rows > 0) {
        taps.x += (task.n * c_.in_height + c_.rows.Position(row, rows->tap_begin)) * row_size +
                  c_.columns.Position(begin, columns.tap_begin) * pixel +
                  task.group * c_.group_inputs();
      }
      tile.out = out + OutputIndex(task, row, begin);
      loops_.float_tile(tile);
    }
  }
}

// The part of x that the task reads, of its group's channels, minus the zero
// point; zeros outside of the image. Rows of columns.count pixels.
void Part::FillPatch(const Task& task, const Reach& rows, const Reach& columns, const uint8_t* x,
                     int16_t* patch) const {
  const int64_t inputs = c_.group_inputs();
  const int64_t first = std::clamp<int64_t>(columns.begin, 0, c_.in_width);
  const int64_t last = std::clamp<int64_t>(columns.begin + columns.count, first, c_.in_width);
  for (int64_t r = 0; r < rows.count; ++r) {
    int16_t* to = patch + r * columns.count * inputs;
    int16_t* const row_end = to + columns.count * inputs;
    const int64_t row = rows.begin + r;
    if (row >= 0 && row < c_.in_height && first < last) {
      int16_t* const inside = to + (first - columns.begin) * inputs;
      std::fill(to, inside, int16_t{0});
      to = inside;
      const uint8_t* from = x +
                            ((task.n * c_.in_height + row) * c_.in_width + first) * c_.in_channels +
                            task.group * inputs;
      if (c_.groups == 1) {
        loops_.widen(from, (last - first) * inputs, data_.x_zero_point, to);
        to += (last - first) * inputs;
      } else {
        for (int64_t q = first; q < last; ++q, from += c_.in_channels, to += inputs) {
          loops_.widen(from, inputs, data_.x_zero_point, to);
        }
      }
    }
    std::fill(to, row_end, int16_t{0});
  }
  patch[rows.count * columns.count * inputs] = 0;  // the other half of an odd last pair
}

void Part::RunUint8(const Task& task, const uint8_t* x, uint8_t* out, int16_t* patch) const {
  const Reach rows = ReachOf(c_.rows, task.row_begin, task.row_end);
  const Reach columns = ReachOf(c_.columns, task.column_begin, task.column_end);
  FillPatch(task, rows, columns, x, patch);
  Int16Tile tile{};
  tile.taps = CommonTaps(task, int16_weights_.data());
  const int64_t first = task.group * blocks_ * lanes_ + task.output_begin;
  tile.bias = int32_bias_.data() + first;
  tile.multipliers = multipliers_.data() + first;
  tile.zero_point = data_.output.zero_point;
  tile.min = data_.output.min;
  tile.max = data_.output.max;
  TileTaps<int16_t>& taps = tile.taps;
  const int64_t pixel = c_.group_inputs();
  const int64_t row_size = columns.count * pixel;
  taps.pixel_stride = c_.columns.in_step * pixel;
  taps.tap_rows = c_.rows.taps;
  taps.tap_row_stride = c_.rows.tap_step * row_size;
  taps.runs = packed_runs_;
  taps.run_stride = c_.columns.tap_step * pixel;
  taps.run_length = run_length_;
  taps.pixels = task.column_end - task.column_begin;
  for (int64_t row = task.row_begin; row < task.row_end; ++row) {
    taps.x = patch + (c_.rows.Position(row, 0) - rows.begin) * row_size +
             (c_.columns.Position(task.column_begin, 0) - columns.begin) * pixel;
    tile.out = out + OutputIndex(task, row, task.column_begin);
    loops_.int16_tile(tile);
  }
  if (data_.output.table != nullptr) ApplyTable(task, out);
}

void Part::ApplyTable(const Task& task, uint8_t* out) const {
  const int64_t outputs = task.output_end - task.output_begin;
  const int64_t columns = task.column_end - task.column_begin;
  const bool dense = outputs == c_.out_channels && c_.columns.out_step == 1;
  for (int64_t row = task.row_begin; row < task.row_end; ++row) {
    uint8_t* to = out + OutputIndex(task, row, task.column_begin);
    if (dense) {
      table_(data_.output.table, to, to, columns * outputs);
      continue;
    }
    for (int64_t q = 0; q < columns; ++q, to += c_.columns.out_step * c_.out_channels) {
      table_(data_.output.table, to, to, outputs);
    }
  }
}

struct Plan {
  LinearData data;
  std::vector<std::unique_ptr<Part>> parts;
};

}  // namespace

absl::optional<Kernel> ConvolutionKernel(const std::vector<Convolution>& parts, LinearData data) {
  auto plan = std::make_shared<Plan>();
  plan->data = std::move(data);
  const ConvolutionLoops loops = ChooseConvolutionLoops();
  CHECK(kChunkOutputs % static_cast<int64_t>(loops.lanes) == 0);
  Kernel kernel;
  for (const Convolution& part : parts) {
    if (part.batch == 0 || part.rows.count == 0 || part.columns.count == 0) continue;
    plan->parts.push_back(std::make_unique<Part>(part, plan->data, loops));
    if (!plan->parts.back()->Ok()) return absl::nullopt;
    kernel.scratch_bytes = std::max(kernel.scratch_bytes, plan->parts.back()->scratch_bytes());
  }
  kernel.run = [plan](const KernelArgs& args) {
    for (const std::unique_ptr<Part>& part : plan->parts) {
      args.pool->ParallelFor(part->tasks(), [&](int64_t task, int worker) {
        part->Run(args, task, args.WorkerScratch(worker));
      });
    }
  };
  return kernel;
}

}  // namespace synap
