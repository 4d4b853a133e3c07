#include "kernels/shared/convolution/convolution.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <numeric>
#include <type_traits>
#include <utility>

#include "base/aligned_memory.h"
#include "base/check.h"
#include "kernels/shared/convolution/convolution_tile.h"
#include "kernels/shared/linear/epilogue.h"
#include "kernels/shared/tap_segments.h"

namespace synap_internal {
namespace {

// Output pixels of a task: enough to outweigh the scheduling and the reading of
// the weights, few enough that the patch of a usual layer stays in the second-level
// cache and that two or four cores share a layer evenly.
constexpr int64_t kTilePixels = 196;
constexpr int64_t kMaxPatchBytes = int64_t{16} << 20;
constexpr int64_t kGoodPatchBytes = int64_t{256} << 10;
// Rows are added to a tile while it reads less than this: neighbouring tiles share
// rows of x, which are copied for each.
constexpr int64_t kSmallTileBytes = int64_t{32} << 10;
// With fewer tiles than this the output channels are split too, into tasks of whole kChunkOutputs:
// about kChunkTasks in all, since each copies its part of x. Then the pixels are split.
constexpr int64_t kMinTasks = 8;
constexpr int64_t kChunkTasks = 16;
constexpr int64_t kChunkOutputs = 64;
constexpr int64_t kMinTilePixels = 42;  // whole blocks of the inner loops
constexpr int64_t kMinTaskMacs = 100'000;

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

// Rows of x in the patch of `count` output rows: all that they reach, or, where a dilated window
// leaves out more than its rows share, those of each tap one after the other.
class PatchRows {
 public:
  PatchRows(const ConvolutionAxis& axis, int64_t begin, int64_t count)
      : axis_(axis),
        reach_(ReachOf(axis, begin, begin + count)),
        begin_(begin),
        outputs_(count),
        by_tap_(axis.taps * count < reach_.count) {}

  int64_t count() const { return by_tap_ ? axis_.taps * outputs_ : reach_.count; }
  // The row of x.
  int64_t operator[](int64_t row) const {
    if (!by_tap_) return reach_.begin + row;
    return axis_.Position(begin_ + row % outputs_, row / outputs_);
  }
  // The first output's first tap, and the rows from there to its next tap and to the next output's.
  int64_t first() const { return by_tap_ ? 0 : axis_.Position(begin_, 0) - reach_.begin; }
  int64_t tap_step() const { return by_tap_ ? outputs_ : axis_.tap_step; }
  int64_t output_step() const { return by_tap_ ? 1 : axis_.in_step; }

 private:
  const ConvolutionAxis& axis_;
  const Reach reach_;
  const int64_t begin_, outputs_;
  const bool by_tap_;
};

// Arithmetic of a Convolution.
enum class Form {
  kFloat,
  kInt16,  // uint8, widened to int16 minus the zero point; int16 whose sums fit in 32 bits
  kBytes,  // uint8 as stored, if the machine has a dot product of bytes
  kWide,   // int16 whose sums don't, and uint8 whose sums may pass 2^30
};

int64_t GroupOf(Form form) {
  switch (form) {
    case Form::kFloat:
      return kGroup<float>;
    case Form::kBytes:
      return kGroup<int8_t>;
    default:
      return kGroup<int16_t>;
  }
}

Form FormOf(const LinearData& data, const ConvolutionLoops& loops) {
  if (!data.quantized()) return Form::kFloat;
  if (data.type == DataType::kInt16) return data.short_sums ? Form::kInt16 : Form::kWide;
  if (data.long_sums) return Form::kWide;
  return loops.byte_tile != nullptr ? Form::kBytes : Form::kInt16;
}

// Biases are read in whole lines.
struct alignas(64) CacheLine {
  std::array<uint8_t, 64> bytes;
};

// One Convolution, planned and packed.
class Part {
 public:
  // data and loops stay with the kernel. Ok() must hold before the rest is used.
  Part(const Convolution& convolution, const LinearData& data, const ConvolutionLoops& loops);

  bool Ok() const { return scratch_bytes_ <= kMaxPatchBytes; }
  size_t scratch_bytes() const { return static_cast<size_t>(scratch_bytes_); }
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
  // A run of taps in the weights of an output channel.
  struct RunPlace {
    int64_t output, row, run;
  };

  void ChooseTiles();
  void CountTiles();
  // Pixels of x that a whole tile reads; a double, because it may exceed any integer.
  double TilePixels() const;
  // Bytes of scratch for a whole tile: the patch.
  double TileBytes() const;
  void PackWeights();
  void PackBytes();
  void PackExtras(const std::vector<bool>& has_rest);
  void AddExtras(int64_t row, int64_t run, int64_t k, int64_t begin,
                 const std::vector<int64_t>& outputs);
  void PackBiases();
  template <typename W, typename Copies>
  void PackAll(Copies copies);
  template <typename W, typename Copies>
  void PackRow(int64_t group, int64_t block, int64_t row, Copies copies, W* to) const;
  template <typename W, typename Copy>
  void CopyRun(const RunPlace& at, int64_t begin, int64_t count, Copy copy, W* to) const;
  int64_t WeightIndex(int64_t output, int64_t row, int64_t tap) const;
  int64_t SumOfWeights(int64_t output) const;
  // The weight minus its zero point, as ByteWeight.
  int16_t WideWeight(int64_t index, int64_t output) const {
    if (data_.type == DataType::kInt16) return static_cast<const int16_t*>(data_.weights)[index];
    return static_cast<int16_t>(ByteWeight(index, output));
  }
  // Whether weights of kWide have more than 8 bits.
  bool HasHighParts() const;
  // Whether sums include x's zero point, which the biases then correct for.
  bool KeepsZeroPoint() const { return form_ == Form::kBytes || data_.type == DataType::kInt16; }
  int32_t* Int32Bias() { return reinterpret_cast<int32_t*>(int32_bias_.data()); }
  int32_t ByteWeight(int64_t index, int64_t output) const {
    return ByteWeights()[index] - ZeroPoint(output);
  }
  const uint8_t* ByteWeights() const { return static_cast<const uint8_t*>(data_.weights); }
  int32_t ZeroPoint(int64_t output) const {
    return data_.w_zero_points[static_cast<size_t>(output)];
  }
  Task TaskOf(int64_t index) const;
  // The weights of a tap row are contiguous if its runs are.
  template <typename X, typename W>
  TileTaps<X, W> CommonTaps(const Task& task) const;
  // All but where the tile's taps are in x and how far its rows of taps are apart there.
  template <typename Tile>
  void SetQuantizedTaps(const Task& task, Tile& tile) const;
  void RunFloat(const Task& task, const float* x, float* out) const;
  void RunFloatRectangle(int64_t rows, int64_t columns, FloatTile tile) const;
  // Lets `tile`, which has its weights, read the task's first row from a patch of x, or from x
  // itself (in_place_); `outside` and copy(from, count, to) are FillPatch's. Returns the elements
  // there from an output row to the next.
  template <typename Tile, typename From, typename X, typename Copy>
  int64_t Gather(const Task& task, const From* x, X outside, Copy copy, X* scratch,
                 Tile& tile) const;
  // The task's rows, one after the other. run(tile, index) makes a row of outputs, from output
  // element `index` on.
  template <typename Tile, typename From, typename X, typename Copy, typename RunRow>
  void RunRows(const Task& task, Tile tile, const From* x, X outside, Copy copy, X* scratch,
               RunRow run) const;
  // Lets an Int16Tile or a ByteTile begin at output element `index`.
  template <typename Tile>
  void SetOutput(const KernelArgs& args, int64_t index, Tile& tile) const;
  void RunInt16(const Task& task, const KernelArgs& args, int16_t* scratch) const;
  void RunBytes(const Task& task, const KernelArgs& args, uint8_t* scratch) const;
  void RunWide(const Task& task, const int16_t* x, int16_t* out, int16_t* scratch) const;
  void RunWideBytes(const Task& task, const KernelArgs& args, uint8_t* scratch) const;
  // The pixels of x that the task reads, of its group's channels; `outside` around the image.
  // copy(from, count, to) copies values.
  template <typename From, typename X, typename Copy>
  void FillPatch(const Task& task, const PatchRows& rows, const Reach& columns, const From* x,
                 X outside, Copy copy, X* patch) const;
  void RunEpilogue(const Task& task, const KernelArgs& args) const;
  int64_t OutputIndex(const Task& task, int64_t row, int64_t column) const {
    const int64_t r = c_.rows.out_begin + row * c_.rows.out_step;
    const int64_t q = c_.columns.out_begin + column * c_.columns.out_step;
    return ((task.n * c_.out_height + r) * c_.out_width + q) * c_.out_channels +
           task.group * c_.group_outputs() + task.output_begin;
  }

  const Convolution c_;
  const LinearData& data_;
  const ConvolutionLoops loops_;
  const Form form_;
  const LinearEpilogue epilogue_;
  const int64_t lanes_;
  const int64_t blocks_;   // of a group
  const int planes_;       // blocks of packed weights for each of those: parts of them
  bool in_place_ = false;  // x is read directly, without a patch
  bool one_run_;           // all taps of a row are neighbours in x
  int64_t run_length_;     // elements of x, all taps inside
  int64_t packed_run_;     // run_length_ rounded up to whole groups
  int64_t packed_runs_;
  std::vector<TapSegment> row_segments_, column_segments_;
  std::shared_ptr<uint8_t> weights_;   // packed, of float, int16_t or int8_t
  std::vector<ExtraQuad> extras_;      // kBytes
  std::vector<int64_t> extra_begins_;  // by blocks, and the end
  std::vector<float> float_bias_;      // by blocks of a group, as the next three
  std::vector<CacheLine> int32_bias_;
  std::vector<double> wide_bias_;
  std::vector<float> multipliers_;
  int64_t tile_rows_ = 1, tile_columns_ = 1, row_tiles_ = 0, column_tiles_ = 0;
  int64_t chunk_outputs_ = 0, output_chunks_ = 1;
  int64_t patch_bytes_ = 0;
  int64_t scratch_bytes_ = 0;  // the patch, and for uint8 in 64 bits a row of int16 outputs
};

Part::Part(const Convolution& convolution, const LinearData& data, const ConvolutionLoops& loops)
    : c_(Unrolled(convolution)),
      data_(data),
      loops_(loops),
      form_(FormOf(data, loops)),
      epilogue_(data),
      lanes_(static_cast<int64_t>(loops.lanes)),
      blocks_(DivideUp(c_.group_outputs(), lanes_)),
      planes_(form_ == Form::kWide && HasHighParts() ? 2 : 1) {
  // In x, float's pixels are in_channels apart; in the patch, group_inputs.
  const bool dense = data.quantized() || c_.groups == 1;
  one_run_ = c_.columns.taps == 1 || (dense && c_.columns.tap_step == 1);
  run_length_ = c_.group_inputs() * (one_run_ ? c_.columns.taps : 1);
  packed_run_ = DivideUp(run_length_, GroupOf(form_)) * GroupOf(form_);
  packed_runs_ = one_run_ ? 1 : c_.columns.taps;
  const auto stays_inside = [](const ConvolutionAxis& axis, int64_t extent) {
    return axis.taps == 1 && axis.in_begin >= 0 && axis.in_step > 0 &&
           axis.Position(axis.count - 1, 0) < extent;
  };
  in_place_ = KeepsZeroPoint() && c_.groups == 1 && run_length_ == packed_run_ &&
              stays_inside(c_.rows, c_.in_height) && stays_inside(c_.columns, c_.in_width);
  ChooseTiles();
  if (!Ok()) return;
  if (!data.quantized()) {
    row_segments_ = SegmentsOf(c_.rows, c_.in_height);
    column_segments_ = SegmentsOf(c_.columns, c_.in_width);
  }
  PackWeights();
  PackBiases();
}

// A run's last group may extend beyond the patch, by less than this many elements.
constexpr int64_t kOverread = 4;

double Part::TilePixels() const {
  return static_cast<double>(PatchRows(c_.rows, 0, tile_rows_).count()) *
         static_cast<double>(ReachOf(c_.columns, 0, tile_columns_).count);
}

double Part::TileBytes() const {
  if (in_place_) return 0;
  return static_cast<double>(SizeOf(form_ == Form::kBytes ? DataType::kUint8 : DataType::kInt16)) *
         (TilePixels() * static_cast<double>(c_.group_inputs()) + kOverread);
}

void Part::ChooseTiles() {
  // Tiles of about the same size: reading the weights takes as long for a tile of few pixels.
  tile_columns_ = DivideUp(c_.columns.count, DivideUp(c_.columns.count, kTilePixels));
  tile_rows_ = std::clamp<int64_t>(kTilePixels / tile_columns_, 1, c_.rows.count);
  const double pixel_bytes = static_cast<double>(c_.group_inputs() * SizeOf(data_.type));
  const int64_t others = c_.batch * DivideUp(c_.columns.count, tile_columns_) * c_.groups;
  while (c_.rows.taps > 1 && 2 * TilePixels() * pixel_bytes <= kSmallTileBytes &&
         others * DivideUp(c_.rows.count, 2 * tile_rows_) >= kMinTasks) {
    tile_rows_ *= 2;
  }
  if (data_.quantized()) {
    while (tile_rows_ > 1 && TileBytes() > kGoodPatchBytes) tile_rows_ = (tile_rows_ + 1) / 2;
    while (tile_columns_ > 8 && TileBytes() > kGoodPatchBytes) {
      tile_columns_ = (tile_columns_ + 1) / 2;
    }
    const double size = std::min(TileBytes(), 2.0 * static_cast<double>(kMaxPatchBytes));
    patch_bytes_ = DivideUp(static_cast<int64_t>(size), 64) * 64;
  }
  CountTiles();
  chunk_outputs_ = c_.group_outputs();
  if (const int64_t tiles = tasks(); tiles < kMinTasks) {
    const int64_t chunks = DivideUp(kChunkTasks, tiles);
    const int64_t outputs = DivideUp(DivideUp(c_.group_outputs(), chunks), kChunkOutputs);
    chunk_outputs_ = std::min(c_.group_outputs(), outputs * kChunkOutputs);
  }
  output_chunks_ = DivideUp(c_.group_outputs(), chunk_outputs_);
  const auto tile_macs = [this] {
    return static_cast<double>(tile_rows_ * tile_columns_ * c_.rows.taps * c_.columns.taps) *
           static_cast<double>(c_.group_inputs() * chunk_outputs_);
  };
  while (tasks() < kMinTasks && tile_rows_ * tile_columns_ >= 2 * kMinTilePixels &&
         tile_macs() >= 2 * kMinTaskMacs) {
    int64_t& extent = tile_rows_ > 1 ? tile_rows_ : tile_columns_;
    extent = DivideUp(extent, 2);
    CountTiles();
  }
  scratch_bytes_ = patch_bytes_;
  if (form_ == Form::kWide && data_.type == DataType::kUint8) {
    const auto row_bytes = static_cast<int64_t>(sizeof(int16_t)) * tile_columns_ * chunk_outputs_;
    scratch_bytes_ += DivideUp(row_bytes, 64) * 64;
  }
}

void Part::CountTiles() {
  row_tiles_ = DivideUp(c_.rows.count, tile_rows_);
  column_tiles_ = DivideUp(c_.columns.count, tile_columns_);
}

// Index of the first weight of tap (row, tap) of output channel `output`.
int64_t Part::WeightIndex(int64_t output, int64_t row, int64_t tap) const {
  const int64_t kernel_row = c_.rows.kernel_begin + row * c_.rows.kernel_step;
  const int64_t column = c_.columns.kernel_begin + tap * c_.columns.kernel_step;
  return ((output * c_.kernel_height + kernel_row) * c_.kernel_width + column) * c_.group_inputs();
}

// Elements [begin, begin + count) of a run of an output channel; zeros after the run's end.
// copy(index, count, to) packs weights that are neighbours in memory.
template <typename W, typename Copy>
void Part::CopyRun(const RunPlace& at, int64_t begin, int64_t count, Copy copy, W* to) const {
  const bool contiguous = one_run_ && c_.columns.kernel_step == 1;
  const int64_t piece = contiguous ? run_length_ : c_.group_inputs();
  const int64_t end = std::min(begin + count, run_length_);
  W* const to_end = to + count;
  for (int64_t k = begin; k < end;) {
    const int64_t first = k % piece, size = std::min(piece - first, end - k);
    copy(WeightIndex(at.output, at.row, at.run + k / piece) + first, size, to);
    k += size;
    to += size;
  }
  std::fill(to, to_end, W{0});
}

// One block's weights of one tap row, in the order that the tile loops read. Loading a model
// consists mostly of this: a piece of a channel is converted, then its groups, of four bytes each,
// go to their lane. The pieces of all lanes together stay in the first-level cache.
template <typename W, typename Copies>
void Part::PackRow(int64_t group, int64_t block, int64_t row, Copies copies, W* to) const {
  std::array<W, 1024 / sizeof(W)> piece;
  const int64_t first = group * c_.group_outputs() + block * lanes_;
  const int64_t outputs = std::min(lanes_, c_.group_outputs() - block * lanes_);
  if (outputs < lanes_) std::fill_n(to, packed_runs_ * packed_run_ * lanes_, W{0});
  for (int64_t run = 0; run < packed_runs_; ++run) {
    for (int64_t k = 0; k < packed_run_;) {
      const int64_t count = std::min(static_cast<int64_t>(piece.size()), packed_run_ - k);
      for (int64_t lane = 0; lane < outputs; ++lane) {
        CopyRun({first + lane, row, run}, k, count, copies(first + lane), piece.data());
        W* group_to = to + lane * kGroup<W>;
        for (int64_t i = 0; i < count; i += kGroup<W>, group_to += lanes_ * kGroup<W>) {
          std::memcpy(group_to, &piece[static_cast<size_t>(i)], kGroup<W> * sizeof(W));
        }
      }
      k += count;
      to += count * lanes_;
    }
  }
}

// copies(output channel, plane) returns the function for CopyRun.
template <typename W, typename Copies>
void Part::PackAll(Copies copies) {
  const int64_t row_size = packed_runs_ * packed_run_ * lanes_;
  const int64_t size = c_.groups * blocks_ * planes_ * c_.rows.taps * row_size;
  weights_ = AllocateLasting(static_cast<size_t>(size) * sizeof(W));
  W* to = reinterpret_cast<W*>(weights_.get());
  for (int64_t g = 0; g < c_.groups; ++g) {
    for (int64_t b = 0; b < blocks_; ++b) {
      for (int plane = 0; plane < planes_; ++plane) {
        const auto of_plane = [&](int64_t output) { return copies(output, plane); };
        for (int64_t row = 0; row < c_.rows.taps; ++row, to += row_size) {
          PackRow(g, b, row, of_plane, to);
        }
      }
    }
  }
}

void Part::PackWeights() {
  switch (form_) {
    case Form::kFloat:
      return PackAll<float>([this](int64_t, int) {
        return [w = static_cast<const float*>(data_.weights)](int64_t i, int64_t count, float* to) {
          std::copy_n(w + i, count, to);
        };
      });
    case Form::kInt16:
      if (data_.type == DataType::kInt16) {
        return PackAll<int16_t>([this](int64_t, int) {
          return [this](int64_t i, int64_t count, int16_t* to) {
            std::copy_n(static_cast<const int16_t*>(data_.weights) + i, count, to);
          };
        });
      }
      return PackAll<int16_t>([this](int64_t output, int) {
        return [this, zero = ZeroPoint(output)](int64_t i, int64_t count, int16_t* to) {
          loops_.widen(ByteWeights() + i, count, zero, to);
        };
      });
    case Form::kBytes:
      return PackBytes();
    case Form::kWide:
      return PackAll<int16_t>([this](int64_t output, int plane) {
        return [this, output, plane](int64_t i, int64_t count, int16_t* to) {
          for (int64_t k = 0; k < count; ++k) {
            to[k] = static_cast<int16_t>(WeightPart(WideWeight(i + k, output), plane));
          }
        };
      });
  }
}

void Part::PackBytes() {
  std::vector<bool> has_rest(static_cast<size_t>(c_.out_channels), false);
  PackAll<int8_t>([&](int64_t output, int) {
    return [&, output, zero = ZeroPoint(output)](int64_t i, int64_t count, int8_t* to) {
      if (loops_.saturate(ByteWeights() + i, count, zero, to)) {
        has_rest[static_cast<size_t>(output)] = true;
      }
    };
  });
  PackExtras(has_rest);
}

// The excess of the weights that PackBytes has saturated.
void Part::PackExtras(const std::vector<bool>& has_rest) {
  for (int64_t block = 0; block < c_.groups * blocks_; ++block) {
    extra_begins_.push_back(static_cast<int64_t>(extras_.size()));
    const int64_t first = block % blocks_ * lanes_;
    const int64_t begin = block / blocks_ * c_.group_outputs() + first;
    std::vector<int64_t> outputs;
    for (int64_t o = begin; o < begin + std::min(lanes_, c_.group_outputs() - first); ++o) {
      if (has_rest[static_cast<size_t>(o)]) outputs.push_back(o);
    }
    if (outputs.empty()) continue;
    for (int64_t row = 0; row < c_.rows.taps; ++row) {
      for (int64_t run = 0; run < packed_runs_; ++run) {
        for (int64_t k = 0; k < run_length_; k += kGroup<int8_t>) {
          AddExtras(row, run, k, begin, outputs);
        }
      }
    }
  }
  extra_begins_.push_back(static_cast<int64_t>(extras_.size()));
}

// Elements [k, k + 4) of a run, of those outputs that have a rest, lane 0 being output `begin`:
// one quad, or two if a rest is 128.
void Part::AddExtras(int64_t row, int64_t run, int64_t k, int64_t begin,
                     const std::vector<int64_t>& outputs) {
  const int64_t inputs = c_.group_inputs();
  ExtraQuad quad{row, run * c_.columns.tap_step * inputs + k, {}}, second = quad;
  bool any = false, more = false;
  for (const int64_t o : outputs) {
    for (int64_t i = k; i < std::min(k + kGroup<int8_t>, run_length_); ++i) {
      const int64_t tap = one_run_ ? i / inputs : run, input = one_run_ ? i % inputs : i;
      const int32_t weight = ByteWeight(WeightIndex(o, row, tap) + input, o);
      const int32_t rest = weight - std::clamp(weight, -128, 127), low = std::min(rest, 127);
      const int64_t at = (o - begin) * kGroup<int8_t> + i - k;
      quad.w[at] = static_cast<int8_t>(low);
      second.w[at] = static_cast<int8_t>(rest - low);
      any = any || rest != 0;
      more = more || rest != low;
    }
  }
  if (any) extras_.push_back(quad);
  if (more) extras_.push_back(second);
}

// Sum of the weights of a channel, minus their zero point.
int64_t Part::SumOfWeights(int64_t output) const {
  int64_t sum = 0;
  for (int64_t row = 0; row < c_.rows.taps; ++row) {
    for (int64_t tap = 0; tap < c_.columns.taps; ++tap) {
      const int64_t from = WeightIndex(output, row, tap);
      if (data_.type == DataType::kInt16) {
        const int16_t* const weights = static_cast<const int16_t*>(data_.weights) + from;
        sum = std::accumulate(weights, weights + c_.group_inputs(), sum);
      } else {
        sum += loops_.sum(ByteWeights() + from, c_.group_inputs()) -
               c_.group_inputs() * ZeroPoint(output);
      }
    }
  }
  return sum;
}

bool Part::HasHighParts() const {
  for (int64_t output = 0; output < c_.out_channels; ++output) {
    for (int64_t row = 0; row < c_.rows.taps; ++row) {
      for (int64_t tap = 0; tap < c_.columns.taps; ++tap) {
        const int64_t from = WeightIndex(output, row, tap);
        for (int64_t i = from; i < from + c_.group_inputs(); ++i) {
          if (WeightPart(WideWeight(i, output), 1) != 0) return true;
        }
      }
    }
  }
  return false;
}

void Part::PackBiases() {
  const auto padded = static_cast<size_t>(c_.groups * blocks_ * lanes_);
  (form_ == Form::kFloat ? float_bias_ : multipliers_).assign(padded, 0);
  if (form_ == Form::kWide) wide_bias_.assign(padded, 0);
  if (form_ == Form::kInt16 || form_ == Form::kBytes) {
    int32_bias_.resize(static_cast<size_t>(
        DivideUp(static_cast<int64_t>(padded * sizeof(int32_t)), sizeof(CacheLine))));
    std::fill_n(Int32Bias(), padded, 0);
  }
  for (int64_t o = 0; o < c_.out_channels; ++o) {
    const int64_t group = o / c_.group_outputs();
    const auto to = static_cast<size_t>(group * blocks_ * lanes_ + o % c_.group_outputs());
    const auto from = static_cast<size_t>(o);
    // The contribution of x's zero point to sums over stored values of x.
    const int64_t zero_point =
        data_.x_zero_point - (form_ == Form::kBytes ? loops_.byte_offset : 0);
    const int64_t shift = KeepsZeroPoint() ? zero_point * SumOfWeights(o) : 0;
    if (form_ == Form::kFloat) {
      float_bias_[to] = data_.float_bias[from];
      continue;
    }
    multipliers_[to] = data_.output.multipliers[from];
    const bool narrow = data_.type == DataType::kUint8;
    const int64_t bias = (narrow ? data_.bias[from] : data_.wide_bias[from]) - shift;
    if (form_ == Form::kWide) {
      wide_bias_[to] = static_cast<double>(bias);
    } else {
      Int32Bias()[to] = static_cast<int32_t>(bias);
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
  switch (form_) {
    case Form::kFloat:
      RunFloat(task, args.input<float>(0), args.output<float>(0));
      break;
    case Form::kInt16:
      RunInt16(task, args, reinterpret_cast<int16_t*>(scratch));
      break;
    case Form::kBytes:
      RunBytes(task, args, scratch);
      break;
    case Form::kWide:
      if (data_.type == DataType::kUint8) {
        RunWideBytes(task, args, scratch);
      } else {
        RunWide(task, args.input<int16_t>(0), args.output<int16_t>(0),
                reinterpret_cast<int16_t*>(scratch));
      }
      break;
  }
  if (!epilogue_.empty()) RunEpilogue(task, args);
}

template <typename X, typename W>
TileTaps<X, W> Part::CommonTaps(const Task& task) const {
  TileTaps<X, W> taps{};
  taps.w_run_stride = packed_run_ * lanes_;
  taps.w_row_stride = packed_runs_ * taps.w_run_stride;
  taps.w_block_stride = c_.rows.taps * taps.w_row_stride;
  // Chunks start at whole blocks: kChunkOutputs is a multiple of any lanes.
  const int64_t block = task.group * blocks_ + task.output_begin / lanes_;
  taps.w = reinterpret_cast<const W*>(weights_.get()) + block * planes_ * taps.w_block_stride;
  taps.outputs = task.output_end - task.output_begin;
  taps.out_pixel_stride = c_.columns.out_step * c_.out_channels;
  return taps;
}

void Part::RunFloat(const Task& task, const float* x, float* out) const {
  FloatTile tile{};
  tile.taps = CommonTaps<float, float>(task);
  tile.bias = float_bias_.data() + task.group * blocks_ * lanes_ + task.output_begin;
  tile.min = data_.clamp.min;
  tile.max = data_.clamp.max;
  TileTaps<float>& taps = tile.taps;
  const float* all_weights = taps.w;
  const int64_t pixel = c_.in_channels;
  const int64_t row_size = c_.in_width * pixel;
  taps.tap_row_stride = c_.rows.tap_step * row_size;
  taps.run_stride = c_.columns.tap_step * pixel;
  for (const TapSegment& rows : row_segments_) {
    const int64_t row_begin = std::max(rows.begin, task.row_begin);
    const int64_t row_end = std::min(rows.end, task.row_end);
    for (const TapSegment& columns : column_segments_) {
      const int64_t column_begin = std::max(columns.begin, task.column_begin);
      const int64_t column_end = std::min(columns.end, task.column_end);
      if (row_begin >= row_end || column_begin >= column_end) continue;
      const int64_t width = columns.taps();
      taps.tap_rows = rows.taps();
      taps.runs = one_run_ ? 1 : width;
      taps.run_length = c_.group_inputs() * (one_run_ ? width : 1);
      taps.x = x;
      if (width > 0 && taps.tap_rows > 0) {
        taps.w = all_weights + rows.tap_begin * taps.w_row_stride +
                 columns.tap_begin * c_.group_inputs() * lanes_;
        taps.x += (task.n * c_.in_height + c_.rows.Position(row_begin, rows.tap_begin)) * row_size +
                  c_.columns.Position(column_begin, columns.tap_begin) * pixel +
                  task.group * c_.group_inputs();
      }
      tile.out = out + OutputIndex(task, row_begin, column_begin);
      RunFloatRectangle(row_end - row_begin, column_end - column_begin, tile);
    }
  }
}

// Computes a rectangle of outputs that have the same taps; the tile points to the first one. Each
// tile is a line of the rectangle along its longer side: the left and right borders are columns.
void Part::RunFloatRectangle(int64_t rows, int64_t columns, FloatTile tile) const {
  TileTaps<float>& taps = tile.taps;
  // Without taps x isn't read, and its pointer needn't move.
  const bool has_taps = taps.runs > 0 && taps.tap_rows > 0;
  int64_t pixel_stride = has_taps ? c_.columns.in_step * c_.in_channels : 0;
  int64_t line_stride = has_taps ? c_.rows.in_step * c_.in_width * c_.in_channels : 0;
  int64_t out_pixel_stride = c_.columns.out_step * c_.out_channels;
  int64_t out_line_stride = c_.rows.out_step * c_.out_width * c_.out_channels;
  int64_t lines = rows, pixels = columns;
  if (rows > columns) {
    std::swap(lines, pixels);
    std::swap(pixel_stride, line_stride);
    std::swap(out_pixel_stride, out_line_stride);
  }
  taps.pixel_stride = pixel_stride;
  taps.out_pixel_stride = out_pixel_stride;
  taps.pixels = pixels;
  for (int64_t line = 0; line < lines; ++line) {
    loops_.float_tile(tile);
    taps.x += line_stride;
    tile.out += out_line_stride;
  }
}

template <typename From, typename X, typename Copy>
void Part::FillPatch(const Task& task, const PatchRows& rows, const Reach& columns, const From* x,
                     X outside, Copy copy, X* patch) const {
  const int64_t inputs = c_.group_inputs();
  const int64_t first = std::clamp<int64_t>(columns.begin, 0, c_.in_width);
  const int64_t last = std::clamp<int64_t>(columns.begin + columns.count, first, c_.in_width);
  for (int64_t r = 0; r < rows.count(); ++r) {
    X* to = patch + r * columns.count * inputs;
    X* const row_end = to + columns.count * inputs;
    const int64_t row = rows[r];
    if (row >= 0 && row < c_.in_height && first < last) {
      X* const inside = to + (first - columns.begin) * inputs;
      std::fill(to, inside, outside);
      to = inside;
      const From* from = x +
                         ((task.n * c_.in_height + row) * c_.in_width + first) * c_.in_channels +
                         task.group * inputs;
      if (c_.groups == 1) {
        copy(from, (last - first) * inputs, to);
        to += (last - first) * inputs;
      } else {
        for (int64_t q = first; q < last; ++q, from += c_.in_channels, to += inputs) {
          copy(from, inputs, to);
        }
      }
    }
    std::fill(to, row_end, outside);
  }
  X* const end = patch + rows.count() * columns.count * inputs;
  std::fill(end, end + kOverread, X{0});  // multiplied with weights of zero
}

template <typename Tile>
void Part::SetQuantizedTaps(const Task& task, Tile& tile) const {
  const int64_t first = task.group * blocks_ * lanes_ + task.output_begin;
  if constexpr (std::is_same_v<Tile, WideTile>) {
    tile.planes = planes_;
    tile.bias = wide_bias_.data() + first;
  } else {
    tile.bias = reinterpret_cast<const int32_t*>(int32_bias_.data()) + first;
  }
  tile.multipliers = multipliers_.data() + first;
  tile.zero_point = data_.output.zero_point;
  tile.min = data_.output.min;
  tile.max = data_.output.max;
  const int64_t pixel = c_.group_inputs();
  tile.taps.pixel_stride = c_.columns.in_step * pixel;
  tile.taps.tap_rows = c_.rows.taps;
  tile.taps.runs = packed_runs_;
  tile.taps.run_stride = c_.columns.tap_step * pixel;
  tile.taps.run_length = run_length_;
  tile.taps.pixels = task.column_end - task.column_begin;
}

template <typename Tile, typename From, typename X, typename Copy>
int64_t Part::Gather(const Task& task, const From* x, X outside, Copy copy, X* scratch,
                     Tile& tile) const {
  const Reach columns = ReachOf(c_.columns, task.column_begin, task.column_end);
  const int64_t inputs = c_.group_inputs();
  SetQuantizedTaps(task, tile);
  if constexpr (std::is_same_v<From, X>) {
    if (in_place_) {
      const int64_t row_size = c_.in_width * inputs;
      const int64_t row = task.n * c_.in_height + c_.rows.Position(task.row_begin, 0);
      tile.taps.x = x + row * row_size + c_.columns.Position(task.column_begin, 0) * inputs;
      return c_.rows.in_step * row_size;
    }
  }
  const PatchRows rows(c_.rows, task.row_begin, task.row_end - task.row_begin);
  const int64_t row_size = columns.count * inputs;
  FillPatch(task, rows, columns, x, outside, copy, scratch);
  tile.taps.x = scratch + rows.first() * row_size +
                (c_.columns.Position(task.column_begin, 0) - columns.begin) * inputs;
  tile.taps.tap_row_stride = rows.tap_step() * row_size;
  return rows.output_step() * row_size;
}

template <typename Tile, typename From, typename X, typename Copy, typename RunRow>
void Part::RunRows(const Task& task, Tile tile, const From* x, X outside, Copy copy, X* scratch,
                   RunRow run) const {
  const int64_t output_stride = Gather(task, x, outside, copy, scratch, tile);
  for (int64_t row = task.row_begin; row < task.row_end; ++row) {
    run(tile, OutputIndex(task, row, task.column_begin));
    tile.taps.x += output_stride;
  }
}

// For RunRows: `loop` into `out` itself.
template <typename Tile, typename Out>
auto Into(Out* out, void (*loop)(const Tile&)) {
  return [out, loop](Tile& tile, int64_t index) {
    tile.out = out + index;
    loop(tile);
  };
}

template <typename T>
void CopyElements(const T* from, int64_t count, T* to) {
  std::memcpy(to, from, static_cast<size_t>(count) * sizeof(T));
}

template <typename Tile>
void Part::SetOutput(const KernelArgs& args, int64_t index, Tile& tile) const {
  if (data_.out_type == DataType::kInt16) {
    tile.words = args.output<int16_t>(0) + index;
  } else {
    tile.out = args.output<uint8_t>(0) + index;
  }
}

void Part::RunInt16(const Task& task, const KernelArgs& args, int16_t* scratch) const {
  Int16Tile tile{};
  tile.taps = CommonTaps<int16_t, int16_t>(task);
  const auto run = [&](Int16Tile& row, int64_t index) {
    SetOutput(args, index, row);
    loops_.int16_tile(row);
  };
  if (data_.type == DataType::kInt16) {
    RunRows(task, tile, args.input<int16_t>(0), static_cast<int16_t>(data_.x_zero_point),
            &CopyElements<int16_t>, scratch, run);
    return;
  }
  const auto widen = [this](const uint8_t* from, int64_t count, int16_t* to) {
    loops_.widen(from, count, data_.x_zero_point, to);
  };
  RunRows(task, tile, args.input<uint8_t>(0), int16_t{0}, widen, scratch, run);
}

void Part::RunBytes(const Task& task, const KernelArgs& args, uint8_t* scratch) const {
  ByteTile tile{};
  tile.taps = CommonTaps<uint8_t, int8_t>(task);
  tile.extras = extras_.data();
  tile.extra_begins = extra_begins_.data() + task.group * blocks_ + task.output_begin / lanes_;
  tile.rows = task.row_end - task.row_begin;
  tile.line_stride = Gather(task, args.input<uint8_t>(0), static_cast<uint8_t>(data_.x_zero_point),
                            &CopyElements<uint8_t>, scratch, tile);
  tile.out_line_stride = c_.rows.out_step * c_.out_width * c_.out_channels;
  SetOutput(args, OutputIndex(task, task.row_begin, task.column_begin), tile);
  loops_.byte_tile(tile);
}

void Part::RunWide(const Task& task, const int16_t* x, int16_t* out, int16_t* scratch) const {
  WideTile tile{};
  tile.taps = CommonTaps<int16_t, int16_t>(task);
  RunRows(task, tile, x, static_cast<int16_t>(data_.x_zero_point), &CopyElements<int16_t>, scratch,
          Into(out, loops_.wide_tile));
}

// The loops of int16 over widened bytes. With an output of bytes, their clamp is within a byte's
// range.
void Part::RunWideBytes(const Task& task, const KernelArgs& args, uint8_t* scratch) const {
  const auto* const x = args.input<uint8_t>(0);
  auto* const patch = reinterpret_cast<int16_t*>(scratch);
  WideTile tile{};
  tile.taps = CommonTaps<int16_t, int16_t>(task);
  const auto widen = [this](const uint8_t* from, int64_t count, int16_t* to) {
    loops_.widen(from, count, data_.x_zero_point, to);
  };
  if (data_.widens()) {
    RunRows(task, tile, x, int16_t{0}, widen, patch,
            Into(args.output<int16_t>(0), loops_.wide_tile));
    return;
  }
  auto* const out = args.output<uint8_t>(0);
  auto* const outputs = reinterpret_cast<int16_t*>(scratch + patch_bytes_);
  const int64_t out_pixel_stride = tile.taps.out_pixel_stride;
  tile.taps.out_pixel_stride = tile.taps.outputs;
  tile.out = outputs;
  RunRows(task, tile, x, int16_t{0}, widen, patch, [&](const WideTile& row, int64_t index) {
    loops_.wide_tile(row);
    const int16_t* from = outputs;
    for (int64_t p = 0; p < row.taps.pixels; ++p, from += row.taps.outputs) {
      uint8_t* const to = out + index + p * out_pixel_stride;
      std::transform(from, from + row.taps.outputs, to,
                     [](int16_t value) { return static_cast<uint8_t>(value); });
    }
  });
}

void Part::RunEpilogue(const Task& task, const KernelArgs& args) const {
  const int64_t outputs = task.output_end - task.output_begin;
  const int64_t columns = task.column_end - task.column_begin;
  const bool dense = outputs == c_.out_channels && c_.columns.out_step == 1;
  const LinearEpilogue::Rows pixels =
      dense ? LinearEpilogue::Rows{columns * outputs}
            : LinearEpilogue::Rows{outputs, columns, c_.columns.out_step * c_.out_channels};
  for (int64_t row = task.row_begin; row < task.row_end; ++row) {
    epilogue_.Run(args, OutputIndex(task, row, task.column_begin), pixels);
  }
}

struct Plan {
  LinearData data;
  std::vector<std::unique_ptr<Part>> parts;
};

}  // namespace

absl::optional<Kernel> ConvolutionKernel(const std::vector<Convolution>& parts, LinearData data) {
  if (data.long_sums && data.type == DataType::kInt16) return absl::nullopt;
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

}  // namespace synap_internal
