#include "compiler/export/tflite/join_division.h"

#include <algorithm>

#include "base/axes.h"
#include "kernels/attributes.h"

namespace synap_internal::tflite_export {
namespace {

int64_t NormalizeOf(const Op& op, int64_t fallback) {
  return AttributeReader(op.attributes).Int("normalize", fallback);
}

// Whether a softmax is along the last dimension, whose sums products divide by.
bool SumsRows(const Op& op) {
  const size_t rank = op.output()->type.shape.rank();
  return AxisFromFront(AttributeReader(op.attributes).Int("axis", -1), rank) + 1 == rank;
}

// Whether the op divides products with `weights` by the sums of these.
bool Divides(const Op& op, const Tensor* weights) {
  return op.Is(LinearForm::kMatrices) && NormalizeOf(op, 0) != 0 && op.inputs[0] == weights &&
         op.inputs[1] != weights;
}

}  // namespace

QuantParams ProbabilitySteps(DataType type) {
  if (type == DataType::kInt16) return QuantParams::Affine(1.0f / 32768, 0);
  return QuantParams::Affine(1.0f / 256, type == DataType::kInt8 ? -128 : 0);
}

void JoinDivision(Graph& graph) {
  for (Op& op : graph.ops()) {
    if (!op.Is(Probability::kSoftmax) || NormalizeOf(op, 1) != 0 || !SumsRows(op)) continue;
    Tensor* weights = op.output();
    const bool all = std::all_of(weights->users.begin(), weights->users.end(),
                                 [&](const Op* user) { return Divides(*user, weights); });
    if (!all || weights->users.empty() || graph.IsOutput(weights)) continue;
    op.attributes.erase("normalize");
    for (Op* user : weights->users) user->attributes.erase("normalize");
    if (!weights->type.quant.quantized()) continue;
    weights->type.dtype = DataType::kInt16;
    weights->type.quant = ProbabilitySteps(DataType::kInt16);
  }
}

}  // namespace synap_internal::tflite_export
