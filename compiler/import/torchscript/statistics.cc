// Covariances, and how many elements are in each bin.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/constant_operand.h"
#include "compiler/import/emit/constant_elements.h"
#include "compiler/import/emit/diagonal.h"
#include "compiler/import/emit/indexing.h"
#include "compiler/import/emit/matmul.h"
#include "compiler/import/emit/reduction.h"
#include "compiler/import/emit/shape.h"
#include "compiler/import/torchscript/op_table.h"
#include "compiler/import/torchscript/operands.h"

namespace synap_internal::torchscript_import {
namespace {

using Dims = std::vector<int64_t>;

// --- Bins

// The first and the last edge of the bins, as float32.
struct BinRange {
  Emitted least, most;
};

// (x, bins, min, max): from the smallest to the largest element where these two are equal.
absl::StatusOr<BinRange> ReadBinRange(NodeContext& node, const Emitted& list) {
  ASSIGN_OR_RETURN(const float least, node.GetRealOr(2, 0));
  ASSIGN_OR_RETURN(const float most, node.GetRealOr(3, 0));
  if (least > most) {
    return absl::InvalidArgumentError(absl::StrCat("its bins range from ", least, " to ", most,
                                                   ", expected a range that isn't negative"));
  }
  if (least < most) return BinRange{node.Scalar(least, ".least"), node.Scalar(most, ".most")};
  const Emitted low = EmitReduce(node, "reduce_min", list, {0}, false, ".low");
  const Emitted high = EmitReduce(node, "reduce_max", list, {0}, false, ".high");
  // Equal elements are in the middle of a range of 2.
  const Emitted same = node.Emit("equal", {low, high}, {}, ".same");
  const Emitted margin = node.Cast(same, DataType::kFloat32, ".margin");
  return BinRange{node.Emit("sub", {low, margin}, {}, ".least"),
                  node.Emit("add", {high, margin}, {}, ".most")};
}

// (x, bins, min, max): how many elements are in each of equal bins; those outside, and NaN, in
// none. The last bin has its end too.
absl::Status MapHistogram(NodeContext& node) {
  ASSIGN_OR_RETURN(const int64_t bins, node.GetIntOr(1, 100));
  if (bins < 1) {
    return absl::InvalidArgumentError(absl::StrCat("it has ", bins, " bins, expected 1 or more"));
  }
  RETURN_IF_ERROR(Shape({bins}).Validate());
  const Emitted list = EmitFlat(node, GetRealTensor(node, 0), ".elements");
  ASSIGN_OR_RETURN(const BinRange range, ReadBinRange(node, list));
  const Emitted distance = node.Emit("sub", {list, range.least}, {}, ".distance");
  const Emitted scaled = node.Scale(distance, static_cast<float>(bins), ".scaled");
  const Emitted extent = node.Emit("sub", {range.most, range.least}, {}, ".extent");
  const Emitted place =
      node.Emit("floor", {node.Emit("div", {scaled, extent}, {}, ".place")}, {}, ".floor");
  // The end, and what rounding takes there, isn't behind the last bin. NaN is in none.
  Tensor* last = node.Scalar(static_cast<float>(bins - 1), ".last");
  const Emitted ended = node.Emit("greater", {place, last}, {}, ".ended");
  const Emitted held = node.Emit("where", {ended, last, place}, {}, ".held");
  const Emitted outside = node.Emit("greater", {list, range.most}, {}, ".outside");
  const Emitted bin = node.Emit("where", {outside, node.Scalar(-1, ".none"), held}, {}, ".bin");
  ASSIGN_OR_RETURN(const Tensor* elements, bin);
  const Emitted column = node.Reshape(bin, {elements->type.shape[0], 1}, ".column");
  ASSIGN_OR_RETURN(Tensor * numbers, node.builder().AddRange(node.Name(".range"), 0, bins));
  const Emitted row = node.Cast(numbers, DataType::kFloat32, ".bins");
  const Emitted inside = node.Emit("equal", {column, row}, {}, ".inside");
  const Emitted ones = node.Cast(inside, DataType::kFloat32, ".ones");
  return node.SetOutput(EmitReduce(node, "reduce_sum", ones, {0}, false));
}

// The number of bins of bincount, whose elements are constant.
absl::StatusOr<int64_t> CountBins(const NodeContext& node, const Dims& elements) {
  ASSIGN_OR_RETURN(int64_t bins, node.GetIntOr(2, 0));
  for (const int64_t element : elements) {
    if (element < 0 || element >= Shape::kMaxElements) {
      return absl::InvalidArgumentError(absl::StrCat("one of its elements is ", element,
                                                     ", expected 0 to ", Shape::kMaxElements - 1));
    }
    bins = std::max(bins, element + 1);
  }
  return bins;
}

// (x, weights, minlength): how often each number is in x, or the sum of the weights of these.
absl::Status MapBinCount(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, node.GetTensor(0));
  RETURN_IF_ERROR(CheckSelectsByConstant(*x));
  ASSIGN_OR_RETURN(const Dims elements, ConstantInts(*x, "self"));
  ASSIGN_OR_RETURN(const int64_t bins, CountBins(node, elements));
  const Shape shape({bins});
  RETURN_IF_ERROR(node.ChargeValues<int64_t>(shape));
  if (!node.Has(1)) {
    Dims counts(static_cast<size_t>(bins));
    for (const int64_t element : elements) ++counts[static_cast<size_t>(element)];
    return node.SetOutput(node.Values(shape, std::move(counts), ".counts"), false);
  }
  ASSIGN_OR_RETURN(Tensor * weights, GetRealTensor(node, 1));
  ASSIGN_OR_RETURN(Tensor * zeros, node.Zeros({DataType::kFloat32, shape, {}}, ".zeros"));
  return node.SetOutput(EmitScatterElements(node, zeros, x, weights, 0, "add"));
}

// --- Covariances

// x [variables, observations]; a list is one variable.
Emitted GetObservations(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, GetRealTensor(node, 0));
  const Shape& s = x->type.shape;
  if (s.rank() == 2) return x;
  if (s.rank() < 2) return node.Reshape(x, {1, s.elements()}, ".observations");
  return absl::InvalidArgumentError(
      absl::StrCat("its input is ", s.ToString(), ", expected at most two dimensions"));
}

// The weights of the observations [observations] and their sum, null if all count alike, and what
// the sum of their products is divided by.
struct ObservationWeights {
  Emitted weights = nullptr, total = nullptr;
  Emitted divisor = nullptr;
};

// (x, correction, counts, weights): at least one of the two is there.
absl::StatusOr<ObservationWeights> ReadObservationWeights(NodeContext& node, float correction) {
  ObservationWeights all;
  const bool counted = node.Has(2), weighted = node.Has(3);
  all.weights = GetRealTensor(node, weighted ? 3 : 2);
  if (counted && weighted) {
    all.weights = node.Emit("mul", {GetRealTensor(node, 2), all.weights}, {}, ".weights");
  }
  all.total = EmitReduce(node, "reduce_sum", all.weights, {0}, false, ".total");
  Emitted lost = node.Scalar(correction, ".correction");
  if (weighted && correction != 0) {
    const Emitted products =
        node.Emit("mul", {all.weights, GetRealTensor(node, 3)}, {}, ".products");
    const Emitted sum = EmitReduce(node, "reduce_sum", products, {0}, false, ".product_sum");
    lost = node.Scale(node.Emit("div", {sum, all.total}, {}, ".mean_weight"), correction, ".lost");
  }
  all.divisor = node.Emit("sub", {all.total, lost}, {}, ".freedom");
  return all;
}

// The mean of all observations of each variable, [variables, 1].
Emitted MeanObservation(NodeContext& node, Tensor* x, const ObservationWeights& all) {
  if (!IsGiven(all.weights)) return EmitReduce(node, "reduce_mean", x, {1}, true, ".mean");
  const Emitted weighted = node.Emit("mul", {x, all.weights}, {}, ".weighted");
  const Emitted sum = EmitReduce(node, "reduce_sum", weighted, {1}, true, ".weighted_sum");
  return node.Emit("div", {sum, all.total}, {}, ".mean");
}

// (x, correction, counts, weights): [variables, variables], a scalar of one variable.
Emitted EmitCovariance(NodeContext& node, absl::string_view suffix) {
  ASSIGN_OR_RETURN(Tensor * x, GetObservations(node));
  ASSIGN_OR_RETURN(const float correction, node.GetRealOr(1, 1));
  const int64_t variables = x->type.shape[0];
  ObservationWeights all;
  if (node.Has(2) || node.Has(3)) {
    ASSIGN_OR_RETURN(all, ReadObservationWeights(node, correction));
  } else {
    all.divisor = node.Scalar(static_cast<float>(x->type.shape[1]) - correction, ".freedom");
  }
  const Emitted centered = node.Emit("sub", {x, MeanObservation(node, x, all)}, {}, ".centered");
  Emitted rows = centered;
  if (IsGiven(all.weights)) rows = node.Emit("mul", {centered, all.weights}, {}, ".rows");
  const Emitted product =
      EmitMatmul(node, rows, EmitMatrixTranspose(node, centered, ".columns"), ".products_sum");
  const Emitted divisor = node.Emit("relu", {all.divisor}, {}, ".divisor");
  const Emitted y = node.Emit("div", {product, divisor}, {}, variables == 1 ? ".matrix" : suffix);
  return variables == 1 ? node.Reshape(y, {}, suffix) : y;
}

absl::Status MapCovariance(NodeContext& node) { return node.SetOutput(EmitCovariance(node, "")); }

// (x): covariances divided by the deviations of both variables, -1 to 1.
absl::Status MapCorrelation(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * covariance, EmitCovariance(node, ".covariance"));
  if (covariance->type.shape.rank() == 0) {
    return node.SetOutput(node.Emit("div", {covariance, covariance}));
  }
  const int64_t variables = covariance->type.shape[0];
  const Emitted variances = EmitDiagonal(node, covariance, 0, ".variances");
  const Emitted deviations = node.Emit("sqrt", {variances}, {}, ".deviations");
  const Emitted column = node.Reshape(deviations, {variables, 1}, ".deviation_column");
  const Emitted rows = node.Emit("div", {covariance, column}, {}, ".of_rows");
  const Emitted both = node.Emit("div", {rows, deviations}, {}, ".of_both");
  return node.SetOutput(node.Emit("clip", {both}, {{"min", -1.0f}, {"max", 1.0f}}));
}

constexpr OpMapping kStatisticsMappings[] = {
    {"aten::histc", 1, MapHistogram},
    {"aten::bincount", 1, MapBinCount,
     "constants: how many bins there are depends on their values"},
    {"aten::cov", 1, MapCovariance},
    {"aten::corrcoef", 1, MapCorrelation},
};

}  // namespace

absl::Span<const OpMapping> StatisticsMappings() { return kStatisticsMappings; }

}  // namespace synap_internal::torchscript_import
