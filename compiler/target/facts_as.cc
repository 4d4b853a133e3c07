#include "compiler/target/facts_as.h"

#include <vector>

#include "compiler/target/narrow_integers.h"
#include "compiler/target/placement.h"

namespace synap_internal {

LayerFacts FactsAs(const Op& op, DataType type, const std::set<const Tensor*>& narrow) {
  const auto flows = [type](std::vector<TensorType> types) {
    for (TensorType& t : types) {
      if (t.quant.quantized() || t.dtype == DataType::kFloat32) t.dtype = type;
    }
    return types;
  };
  return FactsOf(*op.def, flows(HeldInputs(op, narrow)), flows(HeldOutputs(op, narrow)),
                 op.attributes);
}

}  // namespace synap_internal
