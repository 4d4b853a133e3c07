#include "compiler/graph/long_sums.h"

#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "base/data_type.h"
#include "kernels/matmul/matmul.h"
#include "kernels/shared/linear/linear.h"

namespace synap_internal {
namespace {

// "output channel 3 sums up to 1988382135"; empty for an op without long sums.
std::string LongSumOf(const Op& op) {
  const bool product = op.Is(LinearForm::kMatrices);
  if (!product && !op.def->is_weighted_sum()) return "";
  const Tensor &x = *op.inputs[0], &w = *op.inputs[1];
  if (x.type.dtype != DataType::kUint8) return "";
  if (product) {
    const int64_t largest = LargestMatmulSum(x.type, w.type);
    return largest <= kMaxBias ? "" : absl::StrCat("an output sums up to ", largest);
  }
  if (!w.is_constant()) return "";
  const Shape& shape = w.type.shape;
  const auto axis = static_cast<size_t>(op.def->weight_channels);
  const absl::optional<LongSum> found =
      FindLongSum(x.type, w.type, w.constant->bytes.data(),
                  {shape[axis], shape.Product(axis + 1, shape.rank())});
  if (!found.has_value()) return "";
  return absl::StrCat("output channel ", found->channel, " sums up to ", found->sum);
}

}  // namespace

std::vector<Warning> LongSums(const Graph& compiled) {
  std::vector<Warning> warnings;
  for (const Op& op : compiled.ops()) {
    const std::string sum = LongSumOf(op);
    if (sum.empty()) continue;
    warnings.push_back(
        {AtNode("layer", op.LayerName()),
         absl::StrCat(sum,
                      ", beyond the 2^30 that a 32-bit accumulator is sure to hold; the layer runs "
                      "with 64-bit sums, which are exact and slower")});
  }
  return warnings;
}

}  // namespace synap_internal
