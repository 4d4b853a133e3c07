#include "compiler/import/input_shape.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"

namespace synap_internal {

std::string ToString(const OpenShape& shape) {
  return absl::StrJoin(shape, "x", [](std::string* out, std::optional<int64_t> dim) {
    absl::StrAppend(out, dim.has_value() ? absl::StrCat(*dim) : "?");
  });
}

namespace {

// Whether dimension 0 of an input can be nothing but a batch: the others are taken by the rows,
// columns and channels of pictures. Of fewer dimensions it is as often time, or points.
bool BeginsWithBatch(size_t rank) { return rank >= 4; }

// A shape of the metafile against that of the model.
absl::StatusOr<OpenShape> Merge(const std::optional<OpenShape>& model, const Shape& given) {
  for (const int64_t dim : given.dims()) {
    if (dim < 1) {
      return absl::InvalidArgumentError(
          absl::StrCat("has shape ", given.ToString(), " in the metafile"));
    }
  }
  OpenShape merged(given.dims().begin(), given.dims().end());
  if (!model.has_value()) return merged;
  // A metafile writes the shape of a single number as [1], as artifacts show it.
  if (model->empty() && given == Shape({1})) return OpenShape();
  const bool is_open = given.rank() >= 2 && !model->empty() && !(*model)[0].has_value();
  const bool is_ignored = given.rank() >= 2 && (!is_open || BeginsWithBatch(given.rank()));
  if (is_ignored) merged[0] = std::nullopt;
  bool agrees = model->size() == merged.size();
  for (size_t i = 0; agrees && i < merged.size(); ++i) {
    if (!(*model)[i].has_value()) continue;
    agrees = !merged[i].has_value() || merged[i] == (*model)[i];
    merged[i] = (*model)[i];
  }
  if (agrees) return merged;
  return absl::InvalidArgumentError(absl::StrCat(
      "has shape ", ToString(*model), " in the model, but ", given.ToString(), " in the metafile"));
}

}  // namespace

absl::StatusOr<Shape> ResolveInputShape(const std::optional<OpenShape>& model,
                                        const std::optional<Shape>& given) {
  if (!model.has_value() && !given.has_value()) {
    return absl::InvalidArgumentError(
        "has no shape in the model; give inputs[].shape in the metafile");
  }
  OpenShape shape;
  if (given.has_value()) {
    ASSIGN_OR_RETURN(shape, Merge(model, *given));
  } else {
    shape = *model;
  }
  std::vector<int64_t> dims;
  for (size_t i = 0; i < shape.size(); ++i) {
    const bool batch = i == 0 && shape.size() >= 2;
    if (!shape[i].has_value() && !batch) {
      return absl::InvalidArgumentError(
          absl::StrCat("has shape ", ToString(shape),
                       " in the model, which leaves more open than the batch; give "
                       "inputs[].shape in the metafile"));
    }
    dims.push_back(shape[i].value_or(1));
  }
  const Shape known(std::move(dims));
  RETURN_IF_ERROR(known.Validate());
  return known;
}

}  // namespace synap_internal
