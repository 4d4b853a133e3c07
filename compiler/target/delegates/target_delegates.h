// The delegates of a target, and the layers that they can't run.
#ifndef COMPILER_TARGET_DELEGATES_TARGET_DELEGATES_H_
#define COMPILER_TARGET_DELEGATES_TARGET_DELEGATES_H_

#include <functional>
#include <string>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/metafile/words.h"
#include "compiler/target/engine.h"
#include "compiler/target/target.h"

namespace synap_internal {

struct TargetDelegates {
  std::string target;               // its name, for messages
  std::vector<Delegate> available;  // the metafile's `default` first; the CPU is always there
  // Why a delegate of the target can't run the layer, as a sentence without its place; "" if it
  // can. The CPU runs all layers.
  std::function<std::string(const Op& op, Delegate delegate)> why_not;

  bool Has(Delegate delegate) const;
};

// For the layers of `compiled`. `target` outlives the result.
TargetDelegates DelegatesOf(const Target& target, const Graph& compiled);

// The same for a network that is still to be quantized: a delegate can't run a layer if it can't
// whatever type the layer's values get.
TargetDelegates DelegatesBeforeQuantizing(const Target& target, const Graph& compiled);

// Whether an engine belongs to the delegate, which isn't kDefault: for PlaceLayer.
using EngineFilter = bool (*)(Engine engine);
EngineFilter EnginesOf(Delegate delegate);

}  // namespace synap_internal

#endif  // COMPILER_TARGET_DELEGATES_TARGET_DELEGATES_H_
