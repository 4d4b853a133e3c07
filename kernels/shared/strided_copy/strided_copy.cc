#include "kernels/shared/strided_copy/strided_copy.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "kernels/shared/data_movement/data_movement.h"

namespace synap_internal {
namespace {

// Number of elements and least number of rows of a transposed tile: its input and
// output fit the first-level cache for any element size up to 8 bytes.
constexpr int64_t kTileElements = 4096;
constexpr int64_t kTileSide = 64;

// Runs of at least this many bytes are copied with memcpy and may be split
// between tasks.
constexpr int64_t kLongRun = 256;

int64_t DivideUp(int64_t a, int64_t b) { return (a + b - 1) / b; }

// A StridedCopy over as few dimensions as possible, in bytes: dimensions of
// extent 1 are dropped, neighbours that step through memory together are one,
// and a dense innermost run is one larger element.
struct ByteCopy {
  int64_t size;                  // of an element
  std::vector<int64_t> dims;     // of the output
  std::vector<int64_t> strides;  // of the input
  int64_t offset;                // of the input

  int64_t elements() const {
    int64_t product = 1;
    for (const int64_t dim : dims) product *= dim;
    return product;
  }
};

ByteCopy Simplify(const StridedCopy& copy) {
  const int64_t size = static_cast<int64_t>(copy.element_size);
  ByteCopy merged{size, {}, {}, copy.offset * size};
  for (size_t d = 0; d < copy.dims.size(); ++d) {
    if (copy.dims[d] == 1) continue;
    const int64_t stride = copy.strides[d] * size;
    if (!merged.dims.empty() && merged.strides.back() == stride * copy.dims[d]) {
      merged.dims.back() *= copy.dims[d];
      merged.strides.back() = stride;
    } else {
      merged.dims.push_back(copy.dims[d]);
      merged.strides.push_back(stride);
    }
  }
  if (!merged.dims.empty() && merged.strides.back() == size) {
    merged.size *= merged.dims.back();
    merged.dims.pop_back();
    merged.strides.pop_back();
  }
  return merged;
}

// Walks the positions of a copy in output order and keeps the input's offset.
class Walker {
 public:
  Walker(const ByteCopy& copy, int64_t start) : copy_(copy), offset_(copy.offset) {
    for (size_t d = copy.dims.size(); d-- > 0;) {
      index_[d] = start % copy.dims[d];
      start /= copy.dims[d];
      offset_ += index_[d] * copy.strides[d];
    }
  }
  int64_t offset() const { return offset_; }
  // Positions left in the innermost dimension.
  int64_t Left() const {
    return copy_.dims.empty() ? 1 : copy_.dims.back() - index_[copy_.dims.size() - 1];
  }
  // Moves on by `count` <= Left().
  void Advance(int64_t count) {
    for (size_t d = copy_.dims.size(); d-- > 0;) {
      index_[d] += count;
      offset_ += count * copy_.strides[d];
      if (index_[d] < copy_.dims[d]) return;
      offset_ -= index_[d] * copy_.strides[d];
      index_[d] = 0;
      count = 1;
    }
  }

 private:
  const ByteCopy& copy_;
  int64_t index_[Shape::kMaxRank];
  int64_t offset_;
};

// Output positions [begin, end).
void CopyPositions(const ByteCopy& copy, const uint8_t* input, uint8_t* output, int64_t begin,
                   int64_t end) {
  const int64_t stride = copy.dims.empty() ? 0 : copy.strides.back();
  Walker walker(copy, begin);
  output += begin * copy.size;
  while (begin < end) {
    const int64_t count = std::min(walker.Left(), end - begin);
    CopyStridedElements(input + walker.offset(), stride, output, copy.size, copy.size, count);
    walker.Advance(count);
    output += count * copy.size;
    begin += count;
  }
}

// Output bytes [begin, end).
void CopyBytes(const ByteCopy& copy, const uint8_t* input, uint8_t* output, int64_t begin,
               int64_t end) {
  Walker walker(copy, begin / copy.size);
  while (begin < end) {
    const int64_t inside = begin % copy.size;
    const int64_t count = std::min(copy.size - inside, end - begin);
    std::memcpy(output + begin, input + walker.offset() + inside, static_cast<size_t>(count));
    walker.Advance(1);
    begin += count;
  }
}

Kernel ElementKernel(ByteCopy copy) {
  const int64_t elements = copy.elements();
  Kernel kernel;
  if (copy.size >= kLongRun) {
    kernel.run = [bytes = elements * copy.size, copy = std::move(copy)](const KernelArgs& args) {
      args.pool->ParallelFor(DivideUp(bytes, kCopyTaskBytes), [&](int64_t task, int) {
        CopyBytes(copy, args.input<uint8_t>(0), args.output<uint8_t>(0), task * kCopyTaskBytes,
                  std::min(bytes, (task + 1) * kCopyTaskBytes));
      });
    };
    return kernel;
  }
  const int64_t block = kCopyTaskBytes / copy.size;
  kernel.run = [copy = std::move(copy), elements, block](const KernelArgs& args) {
    args.pool->ParallelFor(DivideUp(elements, block), [&](int64_t task, int) {
      CopyPositions(copy, args.input<uint8_t>(0), args.output<uint8_t>(0), task * block,
                    std::min(elements, (task + 1) * block));
    });
  };
  return kernel;
}

// A copy whose output is contiguous along the last dimension ("columns") and
// whose input is along another one ("rows"): for each position of the remaining
// dimensions a 2-D transpose. Small ones that follow each other are one task.
// Strides and offset in bytes.
struct Transposed {
  int64_t size;
  int64_t offset;
  std::vector<int64_t> dims, input_strides, output_strides;  // the other remaining dimensions
  TransposedBlocks blocks;  // all along the last remaining dimension
  int64_t tile_rows = 0, tile_columns = 0, tile_count = 0;

  int64_t tiles() const {
    int64_t product = DivideUp(blocks.rows, tile_rows) * DivideUp(blocks.columns, tile_columns) *
                      DivideUp(blocks.count, tile_count);
    for (const int64_t dim : dims) product *= dim;
    return product;
  }
};

void RunTile(const Transposed& t, const uint8_t* input, uint8_t* output, int64_t tile) {
  TransposedBlocks blocks = t.blocks;
  // Begin of the next tile along an axis of `extent`; sets `extent` to the tile's.
  int64_t position = tile;
  const auto next = [&position](int64_t side, int64_t& extent) {
    const int64_t tiles = DivideUp(extent, side);
    const int64_t begin = position % tiles * side;
    position /= tiles;
    extent = std::min(side, extent - begin);
    return begin;
  };
  const int64_t column = next(t.tile_columns, blocks.columns);
  const int64_t row = next(t.tile_rows, blocks.rows);
  const int64_t block = next(t.tile_count, blocks.count);
  input += t.offset + row * t.size + column * blocks.input_stride + block * blocks.input_step;
  output += row * blocks.output_stride + column * t.size + block * blocks.output_step;
  for (size_t d = t.dims.size(); d-- > 0;) {
    const int64_t index = position % t.dims[d];
    position /= t.dims[d];
    input += index * t.input_strides[d];
    output += index * t.output_strides[d];
  }
  TransposeBlocks(static_cast<size_t>(t.size), blocks, input, output);
}

Kernel TransposeKernel(const ByteCopy& copy, size_t row_dim) {
  const size_t last = copy.dims.size() - 1;
  Transposed t{.size = copy.size, .offset = copy.offset};
  TransposedBlocks& blocks = t.blocks;
  blocks.rows = copy.dims[row_dim];
  blocks.columns = copy.dims[last];
  blocks.input_stride = copy.strides[last];
  t.tile_columns = std::min(blocks.columns, kTileSide);
  t.tile_rows = std::max(kTileSide, kTileElements / t.tile_columns);
  int64_t dense = copy.size * copy.dims[last];
  for (size_t d = last; d-- > 0;) {
    if (d == row_dim) {
      blocks.output_stride = dense;
    } else if (blocks.output_step == 0) {
      blocks.count = copy.dims[d];
      blocks.input_step = copy.strides[d];
      blocks.output_step = dense;
    } else {
      t.dims.insert(t.dims.begin(), copy.dims[d]);
      t.input_strides.insert(t.input_strides.begin(), copy.strides[d]);
      t.output_strides.insert(t.output_strides.begin(), dense);
    }
    dense *= copy.dims[d];
  }
  const int64_t block_bytes =
      std::min(t.tile_rows, blocks.rows) * std::min(t.tile_columns, blocks.columns) * copy.size;
  t.tile_count = std::max<int64_t>(1, kCopyTaskBytes / block_bytes);
  Kernel kernel;
  kernel.run = [t = std::move(t)](const KernelArgs& args) {
    args.pool->ParallelFor(t.tiles(), [&](int64_t tile, int) {
      RunTile(t, args.input<uint8_t>(0), args.output<uint8_t>(0), tile);
    });
  };
  return kernel;
}

// The dimension along which the input is contiguous, if it is worth a
// transpose; the number of dimensions otherwise.
size_t FindRowDim(const ByteCopy& copy) {
  const size_t none = copy.dims.size();
  if (copy.size != 1 && copy.size != 2 && copy.size != 4 && copy.size != 8) return none;
  for (size_t d = 0; d + 1 < copy.dims.size(); ++d) {
    if (copy.strides[d] == copy.size && copy.dims[d] >= 4) return d;
  }
  return none;
}

}  // namespace

int64_t StridedCopy::elements() const {
  int64_t product = 1;
  for (const int64_t dim : dims) product *= dim;
  return product;
}

std::vector<int64_t> DenseStrides(const Shape& shape) {
  std::vector<int64_t> strides(shape.rank());
  int64_t stride = 1;
  for (size_t d = shape.rank(); d-- > 0;) {
    strides[d] = stride;
    stride *= shape[d];
  }
  return strides;
}

Kernel StridedCopyKernel(const StridedCopy& copy, KernelPath path) {
  Kernel kernel;
  if (path == KernelPath::kReference || copy.elements() == 0) {
    kernel.run = [copy](const KernelArgs& args) {
      RunStridedCopyReference(copy, args.inputs[0], args.outputs[0]);
    };
    return kernel;
  }
  const ByteCopy simple = Simplify(copy);
  const size_t row_dim = FindRowDim(simple);
  if (row_dim < simple.dims.size()) return TransposeKernel(simple, row_dim);
  return ElementKernel(simple);
}

}  // namespace synap_internal
