// Operators whose results have as many elements as values decide, of constants only.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/constant_operand.h"
#include "compiler/import/emit/axes.h"
#include "compiler/import/emit/indexing.h"
#include "compiler/import/onnx/op_table.h"

namespace synap_internal::onnx_import {
namespace {

// Operand 0, and the axis that attribute 'axis' names; without it all elements along axis 0.
Emitted OperandAndAxis(NodeContext& node, int64_t& axis) {
  axis = 0;
  const Shape& x = node.shape(0);
  if (!node.HasAttribute("axis")) return node.Reshape(node.input(0), {x.elements()}, ".flat");
  ASSIGN_OR_RETURN(axis, ResolveAxis(node.Int("axis", 0), x.rank()));
  return node.input(0);
}

// --- NonZero and Compress

bool IsNonZero(const Tensor& tensor, int64_t i) {
  const size_t size = SizeOf(tensor.type.dtype);
  const uint8_t* at = tensor.constant->bytes.data() + static_cast<size_t>(i) * size;
  if (tensor.type.dtype == DataType::kFloat32) return tensor.values<float>()[i] != 0;
  return std::any_of(at, at + size, [](uint8_t byte) { return byte != 0; });
}

// Output [rank, count]: the indices of the elements that aren't 0.
absl::Status MapNonZero(NodeContext& node) {
  const Tensor& x = *node.input(0);
  if (!x.is_constant()) {
    return absl::UnimplementedError(absl::StrCat(
        "its operand '", x.name, "' must be constant: the output's shape would depend on values"));
  }
  std::vector<int64_t> found;
  for (int64_t i = 0; i < x.type.shape.elements(); ++i) {
    if (IsNonZero(x, i)) found.push_back(i);
  }
  const size_t rank = x.type.shape.rank(), count = found.size();
  RETURN_IF_ERROR(node.builder().Charge(static_cast<int64_t>(rank * count * sizeof(int64_t))));
  std::vector<int64_t> indices(rank * count);
  for (size_t column = 0; column < count; ++column) {
    int64_t rest = found[column];
    for (size_t row = rank; row-- > 0; rest /= x.type.shape[row]) {
      indices[row * count + column] = rest % x.type.shape[row];
    }
  }
  const Shape shape({static_cast<int64_t>(rank), static_cast<int64_t>(count)});
  return node.SetOutput(node.Values(shape, std::move(indices)));
}

// The elements for which a constant condition is true.
absl::Status MapCompress(NodeContext& node) {
  const Tensor& condition = *node.input(1);
  if (!condition.is_constant() || condition.type.dtype != DataType::kBool) {
    return absl::UnimplementedError(absl::StrCat(
        "its 'condition' must be a bool constant: the output's shape would depend on values"));
  }
  int64_t axis;
  ASSIGN_OR_RETURN(Tensor * x, OperandAndAxis(node, axis));
  std::vector<int64_t> kept;
  const auto bytes = condition.constant->bytes;
  for (size_t i = 0; i < bytes.size(); ++i) {
    if (bytes[i] != 0) kept.push_back(static_cast<int64_t>(i));
  }
  return node.SetOutput(
      EmitGather(node, x, node.builder().AddInts(node.Name(".kept"), kept), axis));
}

// --- Unique

// Numbers in ascending order, NaN after all others.
bool Less(int64_t a, int64_t b) { return a < b; }
bool Less(float a, float b) { return std::isnan(b) ? !std::isnan(a) : a < b; }

// The slices of a constant along a dimension, as things that have an order: element by element.
template <typename T>
class Slices {
 public:
  Slices(const Tensor& x, size_t axis)
      : values_(x.values<T>()),
        outer_(static_cast<size_t>(x.type.shape.Product(0, axis))),
        count_(static_cast<size_t>(x.type.shape[axis])),
        inner_(static_cast<size_t>(x.type.shape.Product(axis + 1, x.type.shape.rank()))) {}

  size_t count() const { return count_; }
  bool IsLess(size_t a, size_t b) const {
    for (size_t o = 0; o < outer_; ++o) {
      for (size_t i = 0; i < inner_; ++i) {
        const T x = values_[(o * count_ + a) * inner_ + i];
        const T y = values_[(o * count_ + b) * inner_ + i];
        if (Less(x, y)) return true;
        if (Less(y, x)) return false;
      }
    }
    return false;
  }

 private:
  const absl::Span<const T> values_;
  const size_t outer_, count_, inner_;
};

// Operands of the outputs beside the values, for each distinct slice but `inverse`.
struct Distinct {
  std::vector<int64_t> first;    // the first slice that is equal
  std::vector<int64_t> inverse;  // of each slice, its place among the distinct ones
  std::vector<int64_t> counts;
};

template <typename T>
Distinct FindDistinct(const Slices<T>& slices, bool sorted) {
  std::vector<size_t> order(slices.count());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return slices.IsLess(a, b); });
  // Of equal ones the first comes first.
  std::vector<std::vector<size_t>> groups;
  for (const size_t slice : order) {
    if (groups.empty() || slices.IsLess(groups.back()[0], slice)) groups.emplace_back();
    groups.back().push_back(slice);
  }
  if (!sorted) std::sort(groups.begin(), groups.end());
  Distinct distinct;
  distinct.inverse.resize(slices.count());
  for (const std::vector<size_t>& group : groups) {
    for (const size_t slice : group) {
      distinct.inverse[slice] = static_cast<int64_t>(distinct.first.size());
    }
    distinct.first.push_back(static_cast<int64_t>(group[0]));
    distinct.counts.push_back(static_cast<int64_t>(group.size()));
  }
  return distinct;
}

absl::Status MapUnique(NodeContext& node) {
  Tensor* x = node.input(0);
  if (!x->is_constant()) {
    return absl::UnimplementedError(
        "its input isn't constant: the output's shape would depend on values");
  }
  int64_t axis;
  ASSIGN_OR_RETURN(x, OperandAndAxis(node, axis));
  const bool floats = IsFloat(x->type.dtype);
  ASSIGN_OR_RETURN(const Tensor* keys,
                   node.Cast(x, floats ? DataType::kFloat32 : DataType::kInt64, ".keys"));
  if (!keys->is_constant()) return NotConstant("X", *x);
  // The three lists of indices.
  RETURN_IF_ERROR(node.builder().Charge(3 * keys->type.bytes()));
  const bool sorted = node.Int("sorted", 1) != 0;
  const auto at = static_cast<size_t>(axis);
  const Distinct distinct = floats ? FindDistinct(Slices<float>(*keys, at), sorted)
                                   : FindDistinct(Slices<int64_t>(*keys, at), sorted);
  Tensor* first = node.builder().AddInts(node.Name(".first"), distinct.first);
  RETURN_IF_ERROR(node.SetOutput(EmitGather(node, x, first, axis)));
  RETURN_IF_ERROR(node.SetOutput(1, first));
  RETURN_IF_ERROR(
      node.SetOutput(2, node.builder().AddInts(node.Name(".inverse"), distinct.inverse)));
  return node.SetOutput(3, node.builder().AddInts(node.Name(".counts"), distinct.counts));
}

// --- NonMaxSuppression. That of a network's own boxes is cut off (detection_head.h).

// Corners, the lower ones first.
struct Box {
  float top, left, bottom, right;

  float area() const { return (bottom - top) * (right - left); }
};

// [y1, x1, y2, x2] of two opposite corners, or [x, y, width, height] around a center.
Box ReadBox(const float* numbers, bool is_centered) {
  if (is_centered) {
    const float half_width = numbers[2] / 2, half_height = numbers[3] / 2;
    return {numbers[1] - half_height, numbers[0] - half_width, numbers[1] + half_height,
            numbers[0] + half_width};
  }
  return {std::min(numbers[0], numbers[2]), std::min(numbers[1], numbers[3]),
          std::max(numbers[0], numbers[2]), std::max(numbers[1], numbers[3])};
}

// Intersection over union; 0 if one of them has no area.
float Overlap(const Box& a, const Box& b) {
  const float height = std::min(a.bottom, b.bottom) - std::max(a.top, b.top);
  const float width = std::min(a.right, b.right) - std::max(a.left, b.left);
  if (height <= 0 || width <= 0 || a.area() <= 0 || b.area() <= 0) return 0;
  const float common = height * width;
  return common / (a.area() + b.area() - common);
}

struct Limits {
  int64_t most;  // boxes of a class
  float overlap, score;
};

// The boxes of one class that stay, by descending score.
std::vector<int64_t> Suppressed(const std::vector<Box>& boxes, const float* scores,
                                const Limits& limits) {
  std::vector<size_t> order(boxes.size());
  std::iota(order.begin(), order.end(), size_t{0});
  order.erase(std::remove_if(order.begin(), order.end(),
                             [&](size_t i) { return !(scores[i] > limits.score); }),
              order.end());
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return scores[a] > scores[b]; });
  std::vector<int64_t> kept;
  for (const size_t i : order) {
    if (static_cast<int64_t>(kept.size()) >= limits.most) break;
    const bool overlaps = std::any_of(kept.begin(), kept.end(), [&](int64_t k) {
      return Overlap(boxes[i], boxes[static_cast<size_t>(k)]) > limits.overlap;
    });
    if (!overlaps) kept.push_back(static_cast<int64_t>(i));
  }
  return kept;
}

absl::StatusOr<Limits> ReadLimits(NodeContext& node) {
  Limits limits{0, 0, -std::numeric_limits<float>::infinity()};
  if (node.HasInput(2)) {
    ASSIGN_OR_RETURN(limits.most, node.ConstantInt(2, "max_output_boxes_per_class"));
  }
  if (node.HasInput(3)) {
    ASSIGN_OR_RETURN(limits.overlap, node.ConstantReal(3, "iou_threshold"));
  }
  if (node.HasInput(4)) {
    ASSIGN_OR_RETURN(limits.score, node.ConstantReal(4, "score_threshold"));
  }
  return limits;
}

absl::Status CheckBoxes(const NodeContext& node) {
  const Tensor &boxes = *node.input(0), &scores = *node.input(1);
  if (!boxes.is_constant() || !scores.is_constant()) {
    return absl::UnimplementedError(
        "its boxes or scores aren't constant: the output's shape would depend on values");
  }
  const Shape &b = boxes.type.shape, &s = scores.type.shape;
  const bool floats =
      boxes.type.dtype == DataType::kFloat32 && scores.type.dtype == DataType::kFloat32;
  if (floats && b.rank() == 3 && s.rank() == 3 && b[2] == 4 && b[0] == s[0] && b[1] == s[2]) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat("its boxes are ", b.ToString(), " and its scores ",
                                                 s.ToString(),
                                                 ", expected floats [B,N,4] and [B,classes,N]"));
}

absl::Status MapNonMaxSuppression(NodeContext& node) {
  const bool is_centered = node.Int("center_point_box", 0) != 0;
  RETURN_IF_ERROR(CheckBoxes(node));
  ASSIGN_OR_RETURN(const Limits limits, ReadLimits(node));
  const Shape &boxes = node.shape(0), &scores = node.shape(1);
  const float* box = node.input(0)->values<float>().data();
  const float* score = node.input(1)->values<float>().data();
  constexpr int64_t kMaxComparisons = int64_t{1} << 30;
  const int64_t kept_most = std::max<int64_t>(std::min(boxes[1], limits.most), 1);
  if (scores.elements() > kMaxComparisons / kept_most) {
    return absl::ResourceExhaustedError(
        absl::StrCat("it compares ", scores.elements(), " boxes of all classes with up to ",
                     kept_most, " each, expected at most ", kMaxComparisons, " comparisons"));
  }
  std::vector<int64_t> rows;
  for (int64_t image = 0; image < boxes[0]; ++image) {
    std::vector<Box> own;
    for (int64_t i = 0; i < boxes[1]; ++i, box += 4) own.push_back(ReadBox(box, is_centered));
    for (int64_t c = 0; c < scores[1]; ++c, score += boxes[1]) {
      for (const int64_t kept : Suppressed(own, score, limits)) {
        rows.insert(rows.end(), {image, c, kept});
      }
    }
  }
  const auto count = static_cast<int64_t>(rows.size() / 3);
  return node.SetOutput(node.Values(Shape({count, 3}), std::move(rows)));
}

constexpr OpMapping kValueDependentMappings[] = {
    {"NonZero", 1, 1, MapNonZero,
     "a constant operand: how many elements there are depends on its values"},
    {"Compress", 2, 2, MapCompress,
     "a constant 'condition': how many elements there are depends on its values"},
    {"Unique", 1, 1, MapUnique, "constants: how many elements are distinct depends on values"},
    {"NonMaxSuppression", 2, 5, MapNonMaxSuppression,
     "constants; at the end of a detector, where it is cut off"},
};

}  // namespace

absl::Span<const OpMapping> ValueDependentMappings() { return kValueDependentMappings; }

}  // namespace synap_internal::onnx_import
