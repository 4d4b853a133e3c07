#include "compiler/delegates/target_delegates.h"

#include <algorithm>
#include <optional>
#include <set>

#include "compiler/placement/narrow_integers.h"
#include "compiler/placement/placement.h"

namespace synap_internal {
namespace {

std::string WhyNotOn(const Target& target, const Op& op, const std::set<const Tensor*>& narrow,
                     Delegate delegate) {
  if (delegate != Delegate::kNpu && delegate != Delegate::kGpu) return "";
  // Only the NPU's driver converts integers of 64 bits.
  const std::set<const Tensor*> held =
      delegate == Delegate::kNpu ? narrow : std::set<const Tensor*>();
  const LayerFacts layer =
      FactsOf(*op.def, HeldInputs(op, held), HeldOutputs(op, held), op.attributes);
  return (delegate == Delegate::kNpu ? WhyNotNpu(target, layer)
                                     : WhyNot(target, Engine::kGpu, layer))
      .value_or("");
}

}  // namespace

bool TargetDelegates::Has(Delegate delegate) const {
  return std::find(available.begin(), available.end(), delegate) != available.end();
}

TargetDelegates DelegatesOf(const Target& target, const Graph& compiled) {
  TargetDelegates delegates;
  delegates.target = target.name;
  if (target.has_npu()) delegates.available.push_back(Delegate::kNpu);
  delegates.available.push_back(Delegate::kCpu);
  if (target.Find(Engine::kGpu) != nullptr) delegates.available.push_back(Delegate::kGpu);
  delegates.why_not = [&target, narrow = NarrowIntegers(compiled)](const Op& op,
                                                                   Delegate delegate) {
    return WhyNotOn(target, op, narrow, delegate);
  };
  return delegates;
}

EngineFilter EnginesOf(Delegate delegate) {
  switch (delegate) {
    case Delegate::kGpu:
      return [](Engine engine) { return engine == Engine::kGpu; };
    case Delegate::kCpu:
      return [](Engine engine) { return engine == Engine::kCpu; };
    default:
      return IsNpu;
  }
}

}  // namespace synap_internal
