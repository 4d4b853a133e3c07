#include "compiler/convert/checks/weight_checks.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "base/rounding.h"
#include "base/tensor_type.h"
#include "kernels/op_def.h"

namespace synap_internal {
namespace {

struct NonFinite {
  int64_t nans = 0;
  int64_t infinities = 0;

  void Count(float value) {
    nans += std::isnan(value) ? 1 : 0;
    infinities += std::isinf(value) ? 1 : 0;
  }
};

NonFinite CountNonFinite(const Tensor& constant) {
  NonFinite found;
  if (constant.type.dtype == DataType::kFloat32) {
    for (const float value : constant.values<float>()) found.Count(value);
  } else if (constant.type.dtype == DataType::kFloat16) {
    for (const uint16_t bits : constant.values<uint16_t>()) found.Count(HalfToFloat(bits));
  }
  return found;
}

bool NeedsFinite(const Op& op, size_t i) {
  const OperandRole role = RoleOf(op, i);
  return role == OperandRole::kWeight || role == OperandRole::kBias || role == OperandRole::kReal ||
         !op.Is(LinearForm::kNone) || op.Is(Arithmetic::kProduct) || op.Is(Arithmetic::kQuotient);
}

// "3 NaN and 1 infinite value"; "" if nothing is wrong.
std::string Text(const NonFinite& found, bool needs_finite) {
  const std::string nans = found.nans == 0 ? "" : absl::StrCat(found.nans, " NaN");
  if (!needs_finite || found.infinities == 0) return nans;
  return absl::StrCat(nans, nans.empty() ? "" : " and ", found.infinities, " infinite value",
                      found.infinities == 1 ? "" : "s");
}

}  // namespace

void WarnOfNonFiniteWeights(const Graph& graph, Warnings& warnings) {
  std::set<const Tensor*> told;
  for (const Op& op : graph.ops()) {
    for (size_t i = 0; i < op.inputs.size(); ++i) {
      const Tensor* operand = op.inputs[i];
      if (operand == nullptr || !operand->is_constant()) continue;
      const std::string found = Text(CountNonFinite(*operand), NeedsFinite(op, i));
      if (found.empty() || !told.insert(operand).second) continue;
      warnings.Add(AtNode("layer", op.LayerName()),
                   absl::StrCat("its constant '", operand->name, "' has ", found, " among ",
                                operand->type.shape.elements(),
                                " values, which spoil what is computed of them: export the model "
                                "again, from a training that didn't diverge"));
    }
  }
}

}  // namespace synap_internal
