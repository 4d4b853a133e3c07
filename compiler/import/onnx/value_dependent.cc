// Operators whose results have as many elements as values decide, of constants only.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/constant_operand.h"
#include "compiler/import/emit/axes.h"
#include "compiler/import/emit/constant_elements.h"
#include "compiler/import/emit/indexing.h"
#include "compiler/import/emit/shape.h"
#include "compiler/import/onnx/op_table.h"

namespace synap_internal::onnx_import {
namespace {

// Operand 0, and the axis that attribute 'axis' names; without it all elements along axis 0.
Emitted OperandAndAxis(NodeContext& node, int64_t& axis) {
  axis = 0;
  const Shape& x = node.shape(0);
  if (!node.HasAttribute("axis")) return EmitFlat(node, node.input(0), ".flat");
  ASSIGN_OR_RETURN(axis, ResolveAxis(node.Int("axis", 0), x.rank()));
  return node.input(0);
}

// --- NonZero and Compress

// Output [rank, count]: the indices of the elements that aren't 0.
absl::Status MapNonZero(NodeContext& node) {
  const Tensor& x = *node.input(0);
  RETURN_IF_ERROR(CheckSelectsByConstant(x));
  ASSIGN_OR_RETURN(const std::vector<int64_t> found, NonZeroElements(node.builder(), x));
  ASSIGN_OR_RETURN(const std::vector<std::vector<int64_t>> rows,
                   CoordinatesOf(node.builder(), x.type.shape, found));
  const Shape shape({static_cast<int64_t>(rows.size()), static_cast<int64_t>(found.size())});
  std::vector<int64_t> indices;
  for (const std::vector<int64_t>& row : rows) {
    indices.insert(indices.end(), row.begin(), row.end());
  }
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

absl::Status MapUnique(NodeContext& node) {
  RETURN_IF_ERROR(CheckSelectsByConstant(*node.input(0)));
  int64_t axis;
  ASSIGN_OR_RETURN(Tensor * x, OperandAndAxis(node, axis));
  const bool sorted = node.Int("sorted", 1) != 0;
  ASSIGN_OR_RETURN(const Distinct distinct,
                   FindDistinct(node, x, static_cast<size_t>(axis),
                                sorted ? DistinctOrder::kAscending : DistinctOrder::kByOccurrence,
                                EqualNan::kYes));
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
