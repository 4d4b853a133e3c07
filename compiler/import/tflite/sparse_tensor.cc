#include "compiler/import/tflite/sparse_tensor.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "compiler/import/tflite/model_file.h"

namespace synap_internal::tflite_import {
namespace {

absl::Status Bad(absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("its sparsity is damaged: ", what));
}

// One level of the tree whose leaves are the values.
struct Level {
  size_t dim = 0;    // of the tensor, which this level's index belongs to
  int64_t size = 0;  // dense: the number of children; of the tensor's dimension, how many parts
  bool dense = true;
  std::vector<int64_t> segments;  // children of node i: [segments[i], segments[i + 1])
  std::vector<int64_t> indices;   // of the children
};

template <typename Vector>
std::vector<int64_t> Widened(const Vector* vector) {
  if (vector == nullptr) return {};
  const auto values = Elements(vector->values());
  return {values.begin(), values.end()};
}

std::vector<int64_t> Segments(const tflite::DimensionMetadata& dim) {
  if (const auto* v = dim.array_segments_as_Uint8Vector()) return Widened(v);
  if (const auto* v = dim.array_segments_as_Uint16Vector()) return Widened(v);
  return Widened(dim.array_segments_as_Int32Vector());
}

std::vector<int64_t> Indices(const tflite::DimensionMetadata& dim) {
  if (const auto* v = dim.array_indices_as_Uint8Vector()) return Widened(v);
  if (const auto* v = dim.array_indices_as_Uint16Vector()) return Widened(v);
  return Widened(dim.array_indices_as_Int32Vector());
}

// The tensor's dimension of each level: first the dimensions, then their blocks.
absl::StatusOr<std::vector<size_t>> LevelDims(const tflite::SparsityParameters& sparsity,
                                              size_t rank) {
  const auto order = Elements(sparsity.traversal_order());
  const auto blocks = Elements(sparsity.block_map());
  const size_t levels = rank + blocks.size();
  if (order.size() != levels || sparsity.dim_metadata() == nullptr ||
      sparsity.dim_metadata()->size() != levels || levels > 2 * Shape::kMaxRank) {
    return Bad("the counts of its dimensions differ");
  }
  std::vector<size_t> dims;
  for (size_t i = 0; i < levels; ++i) {
    const auto entry = static_cast<size_t>(order[i]);
    if (order[i] < 0 || entry >= levels || (entry < rank) != (i < rank)) {
      return Bad("its order of traversal");
    }
    const int64_t dim = entry < rank ? order[i] : blocks[entry - rank];
    if (dim < 0 || static_cast<size_t>(dim) >= rank) return Bad("its blocks");
    dims.push_back(static_cast<size_t>(dim));
  }
  return dims;
}

absl::Status CheckCsr(const Level& level, int64_t parents) {
  const bool fits = static_cast<int64_t>(level.segments.size()) == parents + 1 &&
                    level.segments.front() == 0 &&
                    level.segments.back() == static_cast<int64_t>(level.indices.size()) &&
                    std::is_sorted(level.segments.begin(), level.segments.end());
  return fits ? absl::OkStatus() : Bad("its segments");
}

// Levels that are sure to have as many leaves as there are values.
absl::StatusOr<std::vector<Level>> ReadLevels(const tflite::SparsityParameters& sparsity,
                                              size_t rank, int64_t values) {
  ASSIGN_OR_RETURN(const std::vector<size_t> dims, LevelDims(sparsity, rank));
  std::vector<Level> levels;
  int64_t nodes = 1;
  for (size_t i = 0; i < dims.size(); ++i) {
    const tflite::DimensionMetadata& dim = *sparsity.dim_metadata()->Get(static_cast<uint32_t>(i));
    Level level;
    level.dim = dims[i];
    level.dense = dim.format() == tflite::DimensionType::DENSE;
    level.size = dim.dense_size();
    if (level.dense) {
      const bool fits = nodes == 0 || level.size <= Shape::kMaxElements / nodes;
      if (level.size < 1 || !fits) return Bad("its sizes");
      nodes *= level.size;
    } else {
      level.segments = Segments(dim);
      level.indices = Indices(dim);
      RETURN_IF_ERROR(CheckCsr(level, nodes));
      nodes = static_cast<int64_t>(level.indices.size());
    }
    levels.push_back(std::move(level));
  }
  if (nodes == values) return levels;
  return Bad(absl::StrCat("it places ", nodes, " values of ", values));
}

class Expander {
 public:
  Expander(const std::vector<Level>& levels, const Shape& shape, size_t element_size,
           absl::Span<const uint8_t> values)
      : levels_(levels),
        shape_(shape),
        element_size_(element_size),
        values_(values),
        bytes_(static_cast<size_t>(shape.elements()) * element_size) {}

  absl::StatusOr<std::vector<uint8_t>> Run(size_t rank) {
    RETURN_IF_ERROR(Visit(0, 0, std::vector<int64_t>(rank)));
    return std::move(bytes_);
  }

 private:
  // `node`: number within the level above; `index`: of the tensor, as far as the
  // levels above have refined it.
  absl::Status Visit(size_t depth, int64_t node, const std::vector<int64_t>& index) {
    if (depth == levels_.size()) return Store(node, index);
    const Level& level = levels_[depth];
    const auto parent = static_cast<size_t>(node);
    const int64_t begin = level.dense ? node * level.size : level.segments[parent];
    const int64_t end = level.dense ? begin + level.size : level.segments[parent + 1];
    const bool block = depth >= index.size();
    for (int64_t child = begin; child < end; ++child) {
      const int64_t i = level.dense ? child - begin : level.indices[static_cast<size_t>(child)];
      std::vector<int64_t> refined = index;
      int64_t& at = refined[level.dim];
      at = block ? at * level.size + i : i;
      if (i < 0 || at < 0 || at >= shape_[level.dim]) return Bad("an index");
      RETURN_IF_ERROR(Visit(depth + 1, child, refined));
    }
    return absl::OkStatus();
  }

  absl::Status Store(int64_t value, const std::vector<int64_t>& index) {
    int64_t flat = 0;
    for (size_t d = 0; d < index.size(); ++d) flat = flat * shape_[d] + index[d];
    std::memcpy(bytes_.data() + static_cast<size_t>(flat) * element_size_,
                values_.data() + static_cast<size_t>(value) * element_size_, element_size_);
    return absl::OkStatus();
  }

  const std::vector<Level>& levels_;
  const Shape& shape_;
  const size_t element_size_;
  const absl::Span<const uint8_t> values_;
  std::vector<uint8_t> bytes_;
};

}  // namespace

absl::StatusOr<std::vector<uint8_t>> DenseBytes(const tflite::SparsityParameters& sparsity,
                                                const Shape& shape, size_t element_size,
                                                absl::Span<const uint8_t> values) {
  if (shape.rank() == 0 || values.size() % element_size != 0) return Bad("its values");
  const auto count = static_cast<int64_t>(values.size() / element_size);
  ASSIGN_OR_RETURN(const std::vector<Level> levels, ReadLevels(sparsity, shape.rank(), count));
  return Expander(levels, shape, element_size, values).Run(shape.rank());
}

}  // namespace synap_internal::tflite_import
