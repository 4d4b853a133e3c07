#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "kernels/depthwise_conv2d/depthwise_conv2d.h"
#include "kernels/depthwise_conv2d/depthwise_tile.h"
#include "kernels/shared/linear/epilogue.h"

namespace synap_internal {
namespace {

// The quads of a strip of columns stay in the first-level cache, if it has enough columns then.
constexpr int64_t kStripBytes = int64_t{32} << 10;
constexpr int64_t kMinStripColumns = 8;
constexpr int64_t kQuad = 4;  // input rows
// Whole vectors may be read from the last pixel's first channel on.
constexpr int64_t kOverread = kDepthwiseBlock * kQuad;

// Number of output rows that can share the quads of input rows that one of them needs.
int GroupOf(const WindowAxis& rows) {
  if (rows.dilation != 1) return 1;
  const int64_t spare = DivideUp(rows.taps, kQuad) * kQuad - rows.taps;
  const int64_t fit = spare / rows.stride + 1;
  return fit >= 4 ? 4 : fit >= 2 ? 2 : 1;
}

// uint8 by dot products of four bytes: the values of four input rows are adjacent for
// each channel and column, so that a dot product with four weights covers a part of a
// window's column. Rows that one output row doesn't need serve the next ones.
class QuadDepthwise {
 public:
  QuadDepthwise(const Window& window, LinearData data, const Shape& x, const Shape& output,
                const DepthwiseLoops& loops);

  // Before the rest is used.
  bool Ok() const { return fits_ && scratch_bytes_ <= kMaxScratchBytes; }
  size_t scratch_bytes() const { return static_cast<size_t>(scratch_bytes_); }
  void Run(const KernelArgs& args) const;

 private:
  int64_t ColumnsOf(int64_t pixels) const {
    return (pixels - 1) * window_.columns.stride + window_.columns.reach();
  }
  // Bytes for `pixels` output columns; a double, because it may exceed any integer.
  double QuadBytes(int64_t pixels) const {
    return static_cast<double>(ColumnsOf(pixels)) * static_cast<double>(channels_) * kQuad *
           static_cast<double>(quads_);
  }
  // Minus the zero point: -255 to 255.
  int32_t Weight(int64_t kh, int64_t kw, int64_t channel) const {
    const int64_t index = (kh * window_.columns.taps + kw) * channels_ + channel;
    return static_cast<const uint8_t*>(data_.weights)[index] -
           data_.w_zero_points[static_cast<size_t>(channel)];
  }
  // Finds out how many planes of int8 hold the weights, and whether any do.
  void ChoosePlanes();
  void PackBlock(int64_t block);
  void PackBias(int64_t channel, size_t packed);
  void RunRows(int64_t begin, int64_t end, const uint8_t* image, uint8_t* out,
               uint8_t* scratch) const;
  // The rows that output rows [row, row + group_) read, columns [first, first + count).
  void FillQuads(int64_t row, int64_t first, int64_t count, const uint8_t* image,
                 uint8_t* quads) const;
  // First channel of a block: the last block overlaps the one before, so that
  // only images of fewer channels than a block have a partial one.
  int64_t ChannelOf(int64_t block) const {
    return std::max<int64_t>(0, std::min(block * kDepthwiseBlock, channels_ - kDepthwiseBlock));
  }
  int64_t WeightsOfBlock() const {
    return planes_ * quads_ * window_.columns.taps * group_ * kDepthwiseBlock * kQuad;
  }

  const Window window_;
  const LinearData data_;
  const DepthwiseLoops loops_;
  const LinearEpilogue epilogue_;
  const int64_t height_, width_, channels_, batch_;
  const int64_t out_height_, out_width_;
  const int64_t blocks_, quads_;
  const int group_;  // output rows that share quads
  int planes_ = 1;
  bool fits_ = true;
  int64_t strip_ = 0;  // output columns
  int64_t scratch_bytes_ = 0;
  std::vector<int8_t> weights_;  // by blocks, as the next two
  std::vector<int32_t> bias_;
  std::vector<float> multipliers_;
};

QuadDepthwise::QuadDepthwise(const Window& window, LinearData data, const Shape& x,
                             const Shape& output, const DepthwiseLoops& loops)
    : window_(window),
      data_(std::move(data)),
      loops_(loops),
      epilogue_(data_),
      height_(x[1]),
      width_(x[2]),
      channels_(x[3]),
      batch_(x[0]),
      out_height_(output[1]),
      out_width_(output[2]),
      blocks_(DivideUp(channels_, kDepthwiseBlock)),
      quads_(DivideUp(window.rows.taps, kQuad)),
      group_(GroupOf(window.rows)) {
  strip_ = out_width_;
  while (strip_ > kMinStripColumns && QuadBytes(strip_) > kStripBytes) strip_ = DivideUp(strip_, 2);
  scratch_bytes_ =
      static_cast<int64_t>(std::min(QuadBytes(strip_), 2.0 * kMaxScratchBytes)) + kOverread;
  ChoosePlanes();
  if (!Ok()) return;
  const auto padded = static_cast<size_t>(blocks_ * kDepthwiseBlock);
  weights_.assign(static_cast<size_t>(blocks_ * WeightsOfBlock()), 0);
  bias_.assign(padded, 0);
  multipliers_.assign(padded, 0);
  for (int64_t block = 0; block < blocks_; ++block) PackBlock(block);
}

void QuadDepthwise::ChoosePlanes() {
  for (int64_t kh = 0; kh < window_.rows.taps; ++kh) {
    for (int64_t kw = 0; kw < window_.columns.taps; ++kw) {
      for (int64_t channel = 0; channel < channels_; ++channel) {
        const int32_t weight = Weight(kh, kw, channel);
        if (weight < -128 || weight > 127) planes_ = 2;
        if (weight > 2 * 127) fits_ = false;
      }
    }
  }
}

void QuadDepthwise::PackBlock(int64_t block) {
  const int64_t first = ChannelOf(block), taps = window_.columns.taps;
  int8_t* to = weights_.data() + block * WeightsOfBlock();
  for (int plane = 0; plane < planes_; ++plane) {
    for (int64_t row = 0; row < quads_ * taps * group_; ++row, to += kDepthwiseBlock * kQuad) {
      const int64_t g = row % group_, kw = row / group_ % taps, quad = row / group_ / taps;
      for (int64_t i = 0; i < std::min(channels_, kDepthwiseBlock) * kQuad; ++i) {
        const int64_t kh = quad * kQuad + i % kQuad - g * window_.rows.stride;
        if (kh < 0 || kh >= window_.rows.taps) continue;
        const int32_t weight = Weight(kh, kw, first + i / kQuad);
        const int32_t low = std::clamp(weight, -128, 127);
        to[i] = static_cast<int8_t>(plane == 0 ? low : weight - low);
      }
    }
  }
  for (int64_t i = 0; i < std::min(channels_, kDepthwiseBlock); ++i) {
    PackBias(first + i, static_cast<size_t>(block * kDepthwiseBlock + i));
  }
}

void QuadDepthwise::PackBias(int64_t channel, size_t packed) {
  const auto c = static_cast<size_t>(channel);
  multipliers_[packed] = data_.output.multipliers[c];
  // The quads hold stored values of x; the bias corrects for its zero point. Partial sums may
  // wrap around.
  int64_t sum = 0;
  for (int64_t kh = 0; kh < window_.rows.taps; ++kh) {
    for (int64_t kw = 0; kw < window_.columns.taps; ++kw) sum += Weight(kh, kw, channel);
  }
  bias_[packed] =
      static_cast<int32_t>(data_.bias[c] - (data_.x_zero_point - loops_.quad_offset) * sum);
}

void QuadDepthwise::Run(const KernelArgs& args) const {
  const int64_t task_rows = RowsOfTask(batch_, out_height_, out_width_, channels_, group_);
  const int64_t tasks = DivideUp(out_height_, task_rows);
  args.pool->ParallelFor(batch_ * tasks, [&](int64_t i, int worker) {
    const int64_t n = i / tasks, begin = i % tasks * task_rows;
    const int64_t end = std::min(begin + task_rows, out_height_), row = out_width_ * channels_;
    const uint8_t* image = args.input<uint8_t>(0) + n * height_ * width_ * channels_;
    uint8_t* out = args.output<uint8_t>(0) + n * out_height_ * row;
    RunRows(begin, end, image, out, args.WorkerScratch(worker));
    epilogue_.Run(args, (n * out_height_ + begin) * row, LinearEpilogue::Rows{(end - begin) * row});
  });
}

void QuadDepthwise::RunRows(int64_t begin, int64_t end, const uint8_t* image, uint8_t* out,
                            uint8_t* scratch) const {
  const int64_t out_row = out_width_ * channels_;
  DepthwiseQuadTile tile{};
  tile.group = group_;
  tile.planes = planes_;
  tile.quads = quads_;
  tile.taps = window_.columns.taps;
  tile.tap_stride = window_.columns.dilation * channels_ * kQuad;
  tile.pixel_stride = window_.columns.stride * channels_ * kQuad;
  tile.zero_point = data_.output.zero_point;
  tile.min = data_.output.min;
  tile.max = data_.output.max;
  tile.out_row_stride = out_row;
  tile.out_pixel_stride = channels_;
  tile.channels = std::min(channels_, kDepthwiseBlock);
  for (int64_t column = 0; column < out_width_; column += strip_) {
    tile.pixels = std::min(strip_, out_width_ - column);
    const int64_t columns = ColumnsOf(tile.pixels);
    tile.quad_stride = columns * channels_ * kQuad;
    for (int64_t row = begin; row < end; row += group_) {
      FillQuads(row, window_.columns.Position(column, 0), columns, image, scratch);
      tile.rows = std::min<int64_t>(group_, end - row);
      for (int64_t block = 0; block < blocks_; ++block) {
        const int64_t channel = ChannelOf(block);
        tile.x = scratch + channel * kQuad;
        tile.w = weights_.data() + block * WeightsOfBlock();
        tile.bias = bias_.data() + block * kDepthwiseBlock;
        tile.multipliers = multipliers_.data() + block * kDepthwiseBlock;
        tile.out = out + row * out_row + column * channels_ + channel;
        loops_.quad_tile(tile);
      }
    }
  }
}

void QuadDepthwise::FillQuads(int64_t row, int64_t first, int64_t count, const uint8_t* image,
                              uint8_t* quads) const {
  const int64_t begin = std::clamp<int64_t>(first, 0, width_);
  const int64_t end = std::clamp<int64_t>(first + count, begin, width_);
  const auto outside = static_cast<uint8_t>(data_.x_zero_point);
  const int64_t pixel = channels_ * kQuad;
  const int64_t slots = (group_ - 1) * window_.rows.stride + window_.rows.taps;
  const auto row_at = [&](int64_t slot) -> const uint8_t* {
    const int64_t r = window_.rows.Position(row, slot);
    if (slot >= slots || r < 0 || r >= height_) return nullptr;
    return image + (r * width_ + begin) * channels_;
  };
  const int64_t left = end > begin ? begin - first : count;
  for (int64_t quad = 0; quad < quads_; ++quad, quads += count * pixel) {
    std::fill(quads, quads + left * pixel, outside);
    if (begin == end) continue;
    const uint8_t* const rows[kQuad] = {row_at(quad * kQuad), row_at(quad * kQuad + 1),
                                        row_at(quad * kQuad + 2), row_at(quad * kQuad + 3)};
    loops_.interleave_quads(rows, (end - begin) * channels_, outside, quads + left * pixel);
    std::fill(quads + (end - first) * pixel, quads + count * pixel, outside);
  }
}

}  // namespace

absl::optional<Kernel> DepthwiseQuadKernel(const Window& window, LinearData data,
                                           const Shape& x_shape, const Shape& output_shape) {
  const DepthwiseLoops loops = ChooseDepthwiseLoops();
  if (loops.quad_tile == nullptr) return absl::nullopt;
  auto depthwise =
      std::make_shared<QuadDepthwise>(window, std::move(data), x_shape, output_shape, loops);
  if (!depthwise->Ok()) return absl::nullopt;
  Kernel kernel;
  kernel.scratch_bytes = depthwise->scratch_bytes();
  kernel.run = [depthwise](const KernelArgs& args) { depthwise->Run(args); };
  return kernel;
}

}  // namespace synap_internal
