#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/axes.h"
#include "base/status_macros.h"
#include "kernels/normalization/normalization.h"

namespace synap_internal::normalization {
namespace {

// Dimensions [begin, end) that rows run over.
struct RowDimensions {
  size_t begin = 0, end = 0;
};

absl::StatusOr<RowDimensions> RowsOf(const Shape& x, const std::vector<int64_t>& axes) {
  std::vector<bool> is_axis(x.rank());
  for (const int64_t axis : axes) is_axis[static_cast<size_t>(axis)] = true;
  const auto in_row = [&](size_t d) { return is_axis[d] && x[d] != 1; };
  RowDimensions rows;
  while (rows.begin < x.rank() && !in_row(rows.begin)) ++rows.begin;
  rows.end = x.rank();
  while (rows.end > rows.begin && !in_row(rows.end - 1)) --rows.end;
  for (size_t d = rows.begin; d < rows.end; ++d) {
    if (!is_axis[d] && x[d] != 1) {
      return absl::InvalidArgumentError(
          absl::StrCat("dimension ", d, " of ", x.ToString(),
                       " is between the axes, expected axes next to each other"
                       " (normalization_c3)"));
    }
  }
  return rows;
}

// How a factor repeats over dimensions [begin, end) of x: its own elements there, and how often
// each of them (`each`) and all of them (`all`) come in a row.
struct Repetition {
  int64_t own = 1, each = 1, all = 1;
};

// The dimensions of 1 may be first, last or both; nullopt if others are between them.
std::optional<Repetition> RepetitionIn(const std::vector<int64_t>& factor, const Shape& x,
                                       size_t begin, size_t end) {
  Repetition found;
  while (end > begin && factor[end - 1] == 1) found.each *= x[--end];
  while (begin < end && factor[begin] == 1) found.all *= x[begin++];
  for (; begin < end; ++begin) {
    if (factor[begin] != x[begin]) return std::nullopt;
    found.own *= x[begin];
  }
  return found;
}

absl::StatusOr<Factors> FactorsOf(absl::string_view name, const TensorType& type, const Shape& x,
                                  const RowDimensions& rows) {
  const auto error = [&] {
    return absl::InvalidArgumentError(
        absl::StrCat(name, " is ", Name(type.dtype), "[", type.shape.ToString(),
                     "], expected float32 with x's ", x.ToString(),
                     " or 1s in its dimensions: before the axes 1s come first, within them last,"
                     " after them all are 1s or none (normalization_c4)"));
  };
  if (type.dtype != DataType::kFloat32 || type.shape.rank() > x.rank()) return error();
  std::vector<int64_t> dims(x.rank() - type.shape.rank(), 1);
  dims.insert(dims.end(), type.shape.dims().begin(), type.shape.dims().end());
  const auto outer = RepetitionIn(dims, x, 0, rows.begin);
  const auto row = RepetitionIn(dims, x, rows.begin, rows.end);
  const auto inner = RepetitionIn(dims, x, rows.end, x.rank());
  if (!outer || !row || !inner) return error();
  const bool outer_fits = outer->own == 1 || outer->each == 1;
  const bool row_fits = row->own == 1 || row->all == 1;
  const bool inner_fits = inner->own == 1 || (inner->each == 1 && inner->all == 1);
  if (!outer_fits || !row_fits || !inner_fits) return error();
  return Factors{.present = true,
                 .outer = outer->own,
                 .length = row->own,
                 .inner = inner->own,
                 .repeat = row->each};
}

}  // namespace

absl::StatusOr<Params> ReadParams(absl::Span<const TensorType> inputs,
                                  const Attributes& attributes) {
  const Shape& x = inputs[0].shape;
  AttributeReader reader(attributes);
  std::vector<int64_t> axes = reader.RequiredInts("axes", -1);
  Params params;
  params.center = reader.Int("center", 1) != 0;
  params.epsilon = reader.Float("epsilon", 0);
  params.clamp.min = reader.Float("min", params.clamp.min);
  params.clamp.max = reader.Float("max", params.clamp.max);
  RETURN_IF_ERROR(reader.Finish());
  ASSIGN_OR_RETURN(axes, ResolveAxes(std::move(axes), x.rank()));  // normalization_c2
  if (!(params.epsilon >= 0) || !(params.clamp.min <= params.clamp.max)) {
    return absl::InvalidArgumentError(
        absl::StrCat("epsilon is ", FloatToString(params.epsilon), ", min ",
                     FloatToString(params.clamp.min), " and max ", FloatToString(params.clamp.max),
                     ", expected epsilon >= 0 and min <= max (normalization_c5)"));
  }
  ASSIGN_OR_RETURN(const RowDimensions rows, RowsOf(x, axes));
  params.outer = x.Product(0, rows.begin);
  params.length = x.Product(rows.begin, rows.end);
  params.inner = x.Product(rows.end, x.rank());
  const auto present = [&](size_t i) { return i < inputs.size() && inputs[i].present(); };
  if (present(kScale)) {
    ASSIGN_OR_RETURN(params.scale, FactorsOf("scale", inputs[kScale], x, rows));
  }
  if (present(kBias)) {
    ASSIGN_OR_RETURN(params.bias, FactorsOf("bias", inputs[kBias], x, rows));
  }
  return params;
}

}  // namespace synap_internal::normalization
