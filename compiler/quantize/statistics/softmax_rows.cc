#include "compiler/quantize/statistics/softmax_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "base/axes.h"
#include "base/float_math.h"

namespace synap_internal {
namespace {

// Before ops after which the largest of a row may be masked.
constexpr float kOperandReach = 4096;
// Values out of reach add at most 1 / kIgnored of the row's sum.
constexpr float kIgnored = 8192;
constexpr float kMaskedRow = 256;  // times the reach

constexpr int64_t kWhole = -1;  // all elements are one row

// Rows by the dimension that they run along, to follow `SoftmaxRows` through ops.
struct Rows {
  int64_t axis = kWhole;
  float reach = 0;
};
using MaybeRows = std::optional<Rows>;

int64_t AxisAttribute(const Op& op, int64_t fallback) {
  const auto it = op.attributes.find("axis");
  const int64_t axis = it == op.attributes.end() ? fallback : std::get<int64_t>(it->second);
  return static_cast<int64_t>(AxisFromFront(axis, op.output()->type.shape.rank()));
}

// The one value of all elements of a constant, if it is positive and finite.
std::optional<float> PositiveFactor(const Tensor* tensor) {
  if (tensor == nullptr || !tensor->is_constant() || tensor->type.dtype != DataType::kFloat32) {
    return std::nullopt;
  }
  const auto values = tensor->values<float>();
  if (values.empty() || !(values[0] > 0) || !std::isfinite(values[0])) return std::nullopt;
  const bool same =
      std::all_of(values.begin(), values.end(), [&](float value) { return value == values[0]; });
  return same ? std::optional<float>(values[0]) : std::nullopt;
}

// Of an operand that is broadcast to the output's shape.
Rows BroadcastRows(const Rows& rows, const Shape& operand, const Shape& output) {
  const int64_t missing = static_cast<int64_t>(output.rank() - operand.rank());
  const int64_t axis = rows.axis - missing;
  const bool along = rows.axis != kWhole && axis >= 0 &&
                     operand[static_cast<size_t>(axis)] == output[static_cast<size_t>(rows.axis)];
  return {along ? axis : kWhole, rows.reach};
}

MaybeRows RowsBeforeReshape(const Rows& rows, const Shape& from, const Shape& to) {
  if (rows.axis == kWhole) return rows;
  const auto axis = static_cast<size_t>(rows.axis);
  for (size_t i = 0; i < from.rank(); ++i) {
    if (from[i] == to[axis] && from.Product(0, i) == to.Product(0, axis)) {
      return Rows{static_cast<int64_t>(i), rows.reach};
    }
  }
  return std::nullopt;
}

Rows RowsBeforeTranspose(const Rows& rows, const Op& op) {
  if (rows.axis == kWhole) return rows;
  const auto& perm = std::get<std::vector<int64_t>>(op.attributes.at("perm"));
  return {perm[static_cast<size_t>(rows.axis)], rows.reach};
}

// Before an op that adds masks, or puts them in.
Rows WithOperandReach(const Rows& rows) { return {rows.axis, std::max(rows.reach, kOperandReach)}; }

// Rows of operand `i` of an op that only moves values, if those of the output are `rows`.
MaybeRows RowsOfMoved(const Op& op, size_t i, const Rows& rows) {
  const Shape& from = op.inputs[i]->type.shape;
  const Shape& to = op.output()->type.shape;
  switch (op.def->movement) {
    case Movement::kReshape:
      return i == 0 ? RowsBeforeReshape(rows, from, to) : std::nullopt;
    case Movement::kTranspose:
      return RowsBeforeTranspose(rows, op);
    case Movement::kBroadcast:
      return i == 0 ? MaybeRows(BroadcastRows(rows, from, to)) : std::nullopt;
    case Movement::kSlice:  // what is left out may have been the largest of its row
    case Movement::kConcat:
      return WithOperandReach(rows);
    default:
      return std::nullopt;
  }
}

// Rows of operand `i` if those of the output are `rows`.
MaybeRows RowsOfOperand(const Op& op, size_t i, const Rows& rows) {
  const Shape& from = op.inputs[i]->type.shape;
  const Shape& to = op.output()->type.shape;
  const bool masks = op.Is(Arithmetic::kSum) || (op.Is(Arithmetic::kDifference) && i == 0) ||
                     (op.Is(Arithmetic::kSelection) && i > 0);
  if (masks) return BroadcastRows(WithOperandReach(rows), from, to);
  if (from == to) {
    if (op.Is(Arithmetic::kMaximum) && op.inputs[1 - i]->is_constant()) return rows;
    if (op.Is(Arithmetic::kProduct)) {
      const auto factor = PositiveFactor(op.inputs[1 - i]);
      if (factor.has_value()) return Rows{rows.axis, rows.reach / *factor};
    }
    if (op.Is(Arithmetic::kQuotient) && i == 0) {
      const auto divisor = PositiveFactor(op.inputs[1]);
      if (divisor.has_value()) return Rows{rows.axis, rows.reach * *divisor};
    }
  }
  return RowsOfMoved(op, i, rows);
}

// Whether the op that made the tensor can have masked it.
bool MayBeMasked(const Tensor* tensor) {
  while (tensor->producer != nullptr) {
    const Op& op = *tensor->producer;
    switch (op.def->arithmetic) {
      case Arithmetic::kSum:
      case Arithmetic::kDifference:
      case Arithmetic::kSelection:
        return true;
      case Arithmetic::kNone:
        if (op.Is(Movement::kNone) || op.Is(Movement::kPad)) return false;
        break;
      default:
        break;
    }
    tensor = op.inputs[0]->is_constant() && op.input(1) != nullptr ? op.input(1) : op.inputs[0];
  }
  return false;
}

MaybeRows RowsOfSoftmax(const Op& op) {
  if (!MayBeMasked(op.inputs[0])) return std::nullopt;
  const int64_t axis = AxisAttribute(op, -1);
  const auto length = static_cast<float>(op.output()->type.shape[static_cast<size_t>(axis)]);
  return Rows{axis, Log(kIgnored * length)};
}

// The rows that all readers of a tensor agree on.
struct Agreement {
  bool failed = false;
  MaybeRows rows;

  void Add(const MaybeRows& more) {
    if (!more.has_value() || !(more->reach < std::numeric_limits<float>::max()) ||
        (rows.has_value() && rows->axis != more->axis)) {
      failed = true;
    } else {
      rows = {more->axis, std::max(rows.has_value() ? rows->reach : 0, more->reach)};
    }
  }
};

SoftmaxRows Extents(const Rows& rows, const Shape& shape) {
  if (rows.axis == kWhole) return {1, shape.elements(), 1, rows.reach};
  const auto axis = static_cast<size_t>(rows.axis);
  return {shape.Product(0, axis), shape[axis], shape.Product(axis + 1, shape.rank()), rows.reach};
}

}  // namespace

std::map<const Tensor*, SoftmaxRows> FindSoftmaxRows(const Graph& graph) {
  std::map<const Tensor*, Agreement> found;
  for (const Tensor* output : graph.outputs) found[output].failed = true;
  // Readers come first.
  for (auto op = graph.ops().rbegin(); op != graph.ops().rend(); ++op) {
    MaybeRows rows;
    const bool softmax = op->Is(Probability::kSoftmax);
    const auto output = found.find(op->output());
    if (!softmax && output != found.end() && !output->second.failed) rows = output->second.rows;
    for (size_t i = 0; i < op->inputs.size(); ++i) {
      const Tensor* operand = op->inputs[i];
      if (operand == nullptr || operand->type.dtype != DataType::kFloat32) continue;
      found[operand].Add(softmax            ? RowsOfSoftmax(*op)
                         : rows.has_value() ? RowsOfOperand(*op, i, *rows)
                                            : std::nullopt);
    }
  }
  std::map<const Tensor*, SoftmaxRows> rows;
  for (const auto& [tensor, agreement] : found) {
    if (agreement.failed) continue;
    rows.emplace(tensor, Extents(*agreement.rows, tensor->type.shape));
  }
  return rows;
}

std::vector<float> WithinReach(const SoftmaxRows& rows, absl::Span<const float> values) {
  constexpr float kLowest = -std::numeric_limits<float>::infinity();
  const auto larger = [](float a, float b) { return b > a ? b : a; };  // NaN is never larger
  float largest = kLowest;
  for (const float value : values) largest = larger(largest, value);
  std::vector<float> within(values.begin(), values.end());
  std::vector<float> tops(static_cast<size_t>(rows.inner));
  for (int64_t o = 0; o < rows.outer; ++o) {
    float* const begin = within.data() + o * rows.length * rows.inner;
    std::fill(tops.begin(), tops.end(), kLowest);
    for (int64_t k = 0; k < rows.length; ++k) {
      for (size_t i = 0; i < tops.size(); ++i) {
        tops[i] = larger(tops[i], begin[k * rows.inner + static_cast<int64_t>(i)]);
      }
    }
    for (int64_t k = 0; k < rows.length; ++k) {
      for (size_t i = 0; i < tops.size(); ++i) {
        float& value = begin[k * rows.inner + static_cast<int64_t>(i)];
        const bool whole = tops[i] < largest - kMaskedRow * rows.reach;
        const float floor = whole ? largest : tops[i] - rows.reach;
        if (value < floor) value = floor;
      }
    }
  }
  return within;
}

}  // namespace synap_internal
