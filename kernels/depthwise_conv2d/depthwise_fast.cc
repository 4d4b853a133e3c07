#include <algorithm>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "kernels/depthwise_conv2d/depthwise_conv2d.h"
#include "kernels/depthwise_conv2d/depthwise_tile.h"
#include "kernels/shared/linear/epilogue.h"
#include "kernels/shared/tap_segments.h"

namespace synap_internal {
namespace {

// Output pixels of a task, in whole rows. With fewer tasks than kMinTasks they have fewer, but
// kMinTaskOutputs outputs, some 2 us, at least.
constexpr int64_t kTaskPixels = 512;
constexpr int64_t kMinTasks = 8;
constexpr int64_t kMinTaskOutputs = 4096;
// Columns of a strip inside of a task: its pairs stay in the first-level cache.
constexpr int64_t kStripColumns = 80;

TapPositions PositionsOf(const WindowAxis& axis) {
  return {-axis.pad_begin, axis.stride, axis.taps, axis.dilation};
}

// Input columns that `count` neighbouring outputs reach.
int64_t ColumnsOf(const WindowAxis& axis, int64_t count) {
  return (count - 1) * axis.stride + axis.reach();
}

class Depthwise {
 public:
  Depthwise(const Window& window, LinearData data, const Shape& x, const Shape& output);

  // Before the rest is used.
  bool Ok() const { return scratch_bytes_ <= kMaxScratchBytes && fits_; }
  size_t scratch_bytes() const { return static_cast<size_t>(scratch_bytes_); }
  void Run(const KernelArgs& args) const;

 private:
  void PackBlock(int64_t block);
  void PackBias(int64_t channel, size_t packed);
  int16_t Weight(int64_t kh, int64_t kw, int64_t channel) const;
  // Output rows [begin, end) of image n.
  void RunFloat(int64_t n, int64_t begin, int64_t end, const float* x, float* out) const;
  // T, Sum: as DepthwisePairTile's.
  template <typename Sum, typename T>
  void RunPairs(int64_t n, int64_t begin, int64_t end, const T* x, T* out, int16_t* pairs) const;
  template <typename Sum, typename T>
  void RunStrip(int64_t row, int64_t strip, int64_t block, const T* image, T* out_row,
                int16_t* pairs) const;
  const int32_t* BiasOf(int32_t) const { return bias_.data(); }
  const double* BiasOf(double) const { return wide_bias_.data(); }
  auto LoopOf(uint8_t, int32_t) const { return loops_.pair_tile; }
  auto LoopOf(int16_t, int32_t) const { return loops_.int16_tile; }
  auto LoopOf(int16_t, double) const { return loops_.wide_tile; }
  template <typename T>
  void FillPairs(int64_t row, int64_t first, int64_t count, int64_t channel, const T* image,
                 int16_t* pairs) const;
  void Interleave(const uint8_t* a, const uint8_t* b, int64_t pixels, int64_t channels,
                  int16_t* to) const {
    loops_.interleave8(a, b, pixels, channels_, channels, data_.x_zero_point, to);
  }
  void Interleave(const int16_t* a, const int16_t* b, int64_t pixels, int64_t channels,
                  int16_t* to) const {
    loops_.interleave16(a, b, pixels, channels_, channels, data_.x_zero_point, to);
  }
  // First channel of a block: the last block overlaps the one before, so that
  // only images of fewer channels than a block have a partial one.
  int64_t ChannelOf(int64_t block) const {
    return std::max<int64_t>(0, std::min(block * kDepthwiseBlock, channels_ - kDepthwiseBlock));
  }

  const Window window_;
  const LinearData data_;
  const DepthwiseLoops loops_;
  const LinearEpilogue epilogue_;
  const int64_t height_, width_, channels_, batch_;
  const int64_t out_height_, out_width_;
  const int64_t blocks_, pair_rows_;
  std::vector<TapSegment> row_segments_, column_segments_;  // float32
  std::vector<int16_t> weights_;                            // uint8 and int16: by blocks and planes
  std::vector<int32_t> bias_;                               // by blocks, as the next two
  std::vector<double> wide_bias_;
  std::vector<float> multipliers_;
  const int planes_;  // of the weights: parts, for int16 whose sums pass 32 bits
  bool fits_ = true;  // the sums of a part do
  int64_t scratch_bytes_ = 0;
};

Depthwise::Depthwise(const Window& window, LinearData data, const Shape& x, const Shape& output)
    : window_(window),
      data_(std::move(data)),
      loops_(ChooseDepthwiseLoops()),
      epilogue_(data_),
      height_(x[1]),
      width_(x[2]),
      channels_(x[3]),
      batch_(x[0]),
      out_height_(output[1]),
      out_width_(output[2]),
      blocks_(DivideUp(channels_, kDepthwiseBlock)),
      pair_rows_(DivideUp(window.rows.taps, 2)),
      planes_(data_.type == DataType::kInt16 && !data_.short_sums ? 2 : 1) {
  if (!data_.quantized()) {
    row_segments_ = TapSegments(PositionsOf(window.rows), out_height_, height_);
    column_segments_ = TapSegments(PositionsOf(window.columns), out_width_, width_);
    return;
  }
  // A double, because a hostile program may have huge taps and extents.
  const double columns =
      static_cast<double>(ColumnsOf(window.columns, std::min(out_width_, kStripColumns)));
  const double bytes = static_cast<double>(pair_rows_) * columns * 2 * kDepthwiseBlock * 2;
  scratch_bytes_ = static_cast<int64_t>(std::min(bytes, 2.0 * kMaxScratchBytes));
  fits_ = planes_ == 1 || window.rows.taps * window.columns.taps <= kPartProducts;
  if (!Ok()) return;
  const auto padded = static_cast<size_t>(blocks_ * kDepthwiseBlock);
  const int64_t pairs = planes_ * pair_rows_ * window.columns.taps;
  weights_.assign(padded * static_cast<size_t>(pairs * 2), 0);
  if (planes_ == 1) bias_.assign(padded, 0);
  if (planes_ == 2) wide_bias_.assign(padded, 0);
  multipliers_.assign(padded, 0);
  for (int64_t block = 0; block < blocks_; ++block) PackBlock(block);
}

void Depthwise::PackBlock(int64_t block) {
  const int64_t taps = window_.columns.taps;
  const int64_t plane_size = pair_rows_ * taps * kDepthwiseBlock * 2;
  const int64_t first = ChannelOf(block);
  int16_t* const to = weights_.data() + block * planes_ * plane_size;
  for (int64_t i = 0; i < std::min(channels_, kDepthwiseBlock); ++i) {
    const auto packed = static_cast<size_t>(block * kDepthwiseBlock + i);
    multipliers_[packed] = data_.output.multipliers[static_cast<size_t>(first + i)];
    PackBias(first + i, packed);
    for (int64_t kh = 0; kh < window_.rows.taps; ++kh) {
      for (int64_t kw = 0; kw < taps; ++kw) {
        const int16_t weight = Weight(kh, kw, first + i);
        int16_t* pair = to + ((kh / 2 * taps + kw) * kDepthwiseBlock + i) * 2 + kh % 2;
        for (int plane = 0; plane < planes_; ++plane, pair += plane_size) {
          *pair = planes_ == 1 ? weight : WeightPart(weight, plane);
        }
      }
    }
  }
}

// Minus the zero point.
int16_t Depthwise::Weight(int64_t kh, int64_t kw, int64_t channel) const {
  const int64_t index = (kh * window_.columns.taps + kw) * channels_ + channel;
  if (data_.type == DataType::kInt16) return static_cast<const int16_t*>(data_.weights)[index];
  return static_cast<int16_t>(static_cast<const uint8_t*>(data_.weights)[index] -
                              data_.w_zero_points[static_cast<size_t>(channel)]);
}

void Depthwise::PackBias(int64_t channel, size_t packed) {
  const auto c = static_cast<size_t>(channel);
  if (data_.type == DataType::kUint8) {
    bias_[packed] = data_.bias[c];
    return;
  }
  // The pairs hold stored values of x; the bias corrects for its zero point.
  int64_t sum = 0;
  for (int64_t kh = 0; kh < window_.rows.taps; ++kh) {
    for (int64_t kw = 0; kw < window_.columns.taps; ++kw) sum += Weight(kh, kw, channel);
  }
  const int64_t bias = data_.wide_bias[c] - data_.x_zero_point * sum;
  if (planes_ == 1) {
    bias_[packed] = static_cast<int32_t>(bias);
  } else {
    wide_bias_[packed] = static_cast<double>(bias);
  }
}

void Depthwise::Run(const KernelArgs& args) const {
  const int64_t task_rows = RowsOfTask(batch_, out_height_, out_width_, channels_, 1);
  const int64_t tasks = DivideUp(out_height_, task_rows);
  args.pool->ParallelFor(batch_ * tasks, [&](int64_t i, int worker) {
    const int64_t n = i / tasks;
    const int64_t begin = i % tasks * task_rows;
    const int64_t end = std::min(begin + task_rows, out_height_);
    auto* pairs = reinterpret_cast<int16_t*>(args.WorkerScratch(worker));
    if (data_.type == DataType::kFloat32) {
      RunFloat(n, begin, end, args.input<float>(0), args.output<float>(0));
    } else if (data_.type == DataType::kUint8) {
      RunPairs<int32_t>(n, begin, end, args.input<uint8_t>(0), args.output<uint8_t>(0), pairs);
    } else if (planes_ == 1) {
      RunPairs<int32_t>(n, begin, end, args.input<int16_t>(0), args.output<int16_t>(0), pairs);
    } else {
      RunPairs<double>(n, begin, end, args.input<int16_t>(0), args.output<int16_t>(0), pairs);
    }
    const int64_t row = out_width_ * channels_;
    epilogue_.Run(args, (n * out_height_ + begin) * row, LinearEpilogue::Rows{(end - begin) * row});
  });
}

void Depthwise::RunFloat(int64_t n, int64_t begin, int64_t end, const float* x, float* out) const {
  DepthwiseFloatTile tile{};
  tile.channels = channels_;
  tile.pixel_stride = window_.columns.stride * channels_;
  tile.tap_stride = window_.columns.dilation * channels_;
  tile.tap_row_stride = window_.rows.dilation * width_ * channels_;
  tile.w_tap_stride = channels_;
  tile.w_row_stride = window_.columns.taps * channels_;
  tile.bias = data_.float_bias.data();
  tile.min = data_.clamp.min;
  tile.max = data_.clamp.max;
  auto rows = row_segments_.begin();
  for (int64_t row = begin; row < end; ++row) {
    while (rows->end <= row) ++rows;
    tile.tap_rows = rows->taps();
    for (const TapSegment& columns : column_segments_) {
      tile.pixels = columns.end - columns.begin;
      tile.taps = columns.taps();
      tile.x = x;
      tile.w = static_cast<const float*>(data_.weights) + rows->tap_begin * tile.w_row_stride +
               columns.tap_begin * channels_;
      if (tile.taps > 0 && tile.tap_rows > 0) {
        const int64_t in_row = n * height_ + window_.rows.Position(row, rows->tap_begin);
        tile.x += (in_row * width_ + window_.columns.Position(columns.begin, columns.tap_begin)) *
                  channels_;
      }
      tile.out = out + ((n * out_height_ + row) * out_width_ + columns.begin) * channels_;
      loops_.float_tile(tile);
    }
  }
}

template <typename Sum, typename T>
void Depthwise::RunPairs(int64_t n, int64_t begin, int64_t end, const T* x, T* out,
                         int16_t* pairs) const {
  const T* image = x + n * height_ * width_ * channels_;
  T* const first = out + (n * out_height_ + begin) * out_width_ * channels_;
  for (int64_t strip = 0; strip < out_width_; strip += kStripColumns) {
    for (int64_t block = 0; block < blocks_; ++block) {
      for (int64_t row = begin; row < end; ++row) {
        T* out_row = first + (row - begin) * out_width_ * channels_;
        RunStrip<Sum>(row, strip, block, image, out_row, pairs);
      }
    }
  }
}

template <typename Sum, typename T>
void Depthwise::RunStrip(int64_t row, int64_t strip, int64_t block, const T* image, T* out_row,
                         int16_t* pairs) const {
  const int64_t pixels = std::min(kStripColumns, out_width_ - strip);
  const int64_t columns = ColumnsOf(window_.columns, pixels);
  const int64_t channel = ChannelOf(block);
  FillPairs(row, window_.columns.Position(strip, 0), columns, channel, image, pairs);
  DepthwisePairTile<T, Sum> tile{};
  tile.pairs = pairs;
  tile.pair_rows = pair_rows_;
  tile.pair_row_stride = columns * kDepthwiseBlock * 2;
  tile.pixel_stride = window_.columns.stride * kDepthwiseBlock * 2;
  tile.tap_stride = window_.columns.dilation * kDepthwiseBlock * 2;
  tile.taps = window_.columns.taps;
  tile.w = weights_.data() + block * planes_ * pair_rows_ * tile.taps * kDepthwiseBlock * 2;
  tile.multipliers = multipliers_.data() + block * kDepthwiseBlock;
  tile.zero_point = data_.output.zero_point;
  tile.min = data_.output.min;
  tile.max = data_.output.max;
  tile.out = out_row + strip * channels_ + channel;
  tile.out_pixel_stride = channels_;
  tile.pixels = pixels;
  tile.channels = std::min(channels_, kDepthwiseBlock);
  tile.bias = BiasOf(Sum()) + block * kDepthwiseBlock;
  LoopOf(T(), Sum())(tile);
}

// The rows that output row `row` reads, in pairs, columns [first, first + count).
template <typename T>
void Depthwise::FillPairs(int64_t row, int64_t first, int64_t count, int64_t channel,
                          const T* image, int16_t* pairs) const {
  const int64_t begin = std::clamp<int64_t>(first, 0, width_);
  const int64_t end = std::clamp<int64_t>(first + count, begin, width_);
  const int64_t block_channels = std::min(channels_, kDepthwiseBlock);
  // Stored value of a pixel outside of the image.
  const auto outside = static_cast<int16_t>(std::is_same_v<T, uint8_t> ? 0 : data_.x_zero_point);
  const auto row_at = [&](int64_t kh) -> const T* {
    const int64_t r = window_.rows.Position(row, kh);
    if (kh >= window_.rows.taps || r < 0 || r >= height_ || begin == end) return nullptr;
    return image + (r * width_ + begin) * channels_ + channel;
  };
  constexpr int64_t kPixel = kDepthwiseBlock * 2;
  for (int64_t pair = 0; pair < pair_rows_; ++pair, pairs += count * kPixel) {
    const int64_t left = end > begin ? begin - first : count;
    std::fill(pairs, pairs + left * kPixel, outside);
    if (begin == end) continue;
    Interleave(row_at(2 * pair), row_at(2 * pair + 1), end - begin, block_channels,
               pairs + left * kPixel);
    std::fill(pairs + (end - first) * kPixel, pairs + count * kPixel, outside);
  }
}

}  // namespace

int64_t RowsOfTask(int64_t images, int64_t height, int64_t width, int64_t channels, int64_t group) {
  const int64_t most = kTaskPixels / width;
  const int64_t least = DivideUp(kMinTaskOutputs, width * channels);
  const int64_t even = DivideUp(images * height, kMinTasks);
  const int64_t rows = std::max<int64_t>(1, std::min(most, std::max(least, even)));
  return std::min(DivideUp(rows, group) * group, height);
}

absl::optional<Kernel> DepthwiseKernel(const Window& window, LinearData data, const Shape& x_shape,
                                       const Shape& output_shape) {
  // Windows of so many taps, and outputs of more bits, are rare; the reference computes them.
  if (data.long_sums || data.widens()) return absl::nullopt;
  if (data.type == DataType::kUint8) {
    if (auto kernel = DepthwiseQuadKernel(window, data, x_shape, output_shape)) return kernel;
  }
  auto depthwise = std::make_shared<Depthwise>(window, std::move(data), x_shape, output_shape);
  if (!depthwise->Ok()) return absl::nullopt;
  Kernel kernel;
  kernel.scratch_bytes = depthwise->scratch_bytes();
  kernel.run = [depthwise](const KernelArgs& args) { depthwise->Run(args); };
  return kernel;
}

}  // namespace synap_internal
