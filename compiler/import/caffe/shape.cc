// Layers that give the same elements another shape or order.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "compiler/import/caffe/layer_table.h"
#include "compiler/import/emit/axes.h"

namespace synap_internal::caffe_import {
namespace {

using Dims = std::vector<int64_t>;

absl::Status MapDropout(LayerContext& layer) { return layer.SetTop(layer.input(0)); }

// Dimensions axis to end_axis become one.
absl::Status MapFlatten(LayerContext& layer) {
  const caffe::FlattenParameter& param = layer.param().flatten_param();
  const Shape& x = layer.shape(0);
  ASSIGN_OR_RETURN(const int64_t axis, ResolveAxis(param.axis(), x.rank()));
  ASSIGN_OR_RETURN(const int64_t end, ResolveAxis(param.end_axis(), x.rank()));
  if (end < axis) {
    return absl::InvalidArgumentError(
        absl::StrCat("its axes ", axis, " to ", end, " are in the wrong order"));
  }
  const auto first = static_cast<size_t>(axis), behind = static_cast<size_t>(end) + 1;
  Dims dims(x.dims().begin(), x.dims().begin() + axis);
  dims.push_back(x.Product(first, behind));
  dims.insert(dims.end(), x.dims().begin() + end + 1, x.dims().end());
  return layer.SetTop(layer.Reshape(layer.input(0), std::move(dims)));
}

// The dimensions [first, behind) of a shape, which `wanted` replaces: 0 keeps
// the dimension at its place, one -1 takes what the others leave.
absl::StatusOr<Dims> Replaced(const Shape& x, size_t first, size_t behind, Dims wanted) {
  const auto mismatch = [&] {
    return absl::InvalidArgumentError(absl::StrCat("can't reshape ", x.ToString(), " to [",
                                                   absl::StrJoin(wanted, ", "), "] from axis ",
                                                   first, " to ", behind));
  };
  const int64_t elements = x.Product(first, behind);
  int64_t known = 1;
  int64_t* open = nullptr;
  for (size_t i = 0; i < wanted.size(); ++i) {
    int64_t& dim = wanted[i];
    if (dim == 0 && first + i < x.rank()) dim = x[first + i];
    if (dim == -1 && open == nullptr) {
      open = &dim;
      continue;
    }
    if (dim < 1 || dim > Shape::kMaxElements || known > Shape::kMaxElements / dim) {
      return mismatch();
    }
    known *= dim;
  }
  if (elements % known != 0 || (open == nullptr && elements != known)) return mismatch();
  if (open != nullptr) *open = elements / known;
  Dims dims(x.dims().begin(), x.dims().begin() + static_cast<ptrdiff_t>(first));
  dims.insert(dims.end(), wanted.begin(), wanted.end());
  dims.insert(dims.end(), x.dims().begin() + static_cast<ptrdiff_t>(behind), x.dims().end());
  return dims;
}

absl::Status MapReshape(LayerContext& layer) {
  const caffe::ReshapeParameter& param = layer.param().reshape_param();
  const Shape x = layer.shape(0);
  // One more place than axes: -1 stands for behind the last.
  ASSIGN_OR_RETURN(const int64_t first, ResolveAxis(param.axis(), x.rank() + 1));
  const auto rank = static_cast<int64_t>(x.rank());
  const int64_t behind = param.num_axes() == -1 ? rank : first + param.num_axes();
  if (param.num_axes() < -1 || behind > rank) {
    return absl::InvalidArgumentError(absl::StrCat(
        "its num_axes is ", param.num_axes(), " from axis ", first, " of ", x.ToString(), " on"));
  }
  const auto& wanted = param.shape().dim();
  ASSIGN_OR_RETURN(Dims dims, Replaced(x, static_cast<size_t>(first), static_cast<size_t>(behind),
                                       Dims(wanted.begin(), wanted.end())));
  return layer.SetTop(layer.Reshape(layer.input(0), std::move(dims)));
}

// Axes that aren't named come last, in order.
absl::Status MapPermute(LayerContext& layer) {
  const auto& given = layer.param().permute_param().order();
  const size_t rank = layer.shape(0).rank();
  ASSIGN_OR_RETURN(Dims order, ResolveAxes(Dims(given.begin(), given.end()), rank));
  for (int64_t axis = 0; axis < static_cast<int64_t>(rank); ++axis) {
    if (std::find(order.begin(), order.end(), axis) == order.end()) order.push_back(axis);
  }
  return layer.SetTop(layer.Transpose(layer.input(0), std::move(order)));
}

constexpr LayerMapping kMappings[] = {
    {"Dropout", 1, 1, MapDropout},
    {"Flatten", 1, 1, MapFlatten},
    {"Reshape", 1, 1, MapReshape},
    {"Permute", 1, 1, MapPermute},
};

}  // namespace

absl::Span<const LayerMapping> ShapeMappings() { return kMappings; }

}  // namespace synap_internal::caffe_import
