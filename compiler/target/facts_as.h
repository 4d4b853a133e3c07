// Facts that engines look at in a layer of a network that isn't quantized yet.
#ifndef COMPILER_TARGET_FACTS_AS_H_
#define COMPILER_TARGET_FACTS_AS_H_

#include <set>

#include "base/data_type.h"
#include "compiler/graph/graph.h"
#include "compiler/target/target.h"

namespace synap_internal {

// Of the op, if what flows as float32 or quantized had `type`. `narrow`: NarrowIntegers of the op's
// graph.
LayerFacts FactsAs(const Op& op, DataType type, const std::set<const Tensor*>& narrow);

}  // namespace synap_internal

#endif  // COMPILER_TARGET_FACTS_AS_H_
