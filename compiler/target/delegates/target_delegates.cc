#include "compiler/target/delegates/target_delegates.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "base/data_type.h"
#include "compiler/target/facts_as.h"
#include "compiler/target/narrow_integers.h"
#include "compiler/target/placement.h"

namespace synap_internal {
namespace {

// Types that quantizing may give to the values of a layer.
constexpr DataType kPossibleTypes[] = {DataType::kUint8, DataType::kInt8, DataType::kInt16,
                                       DataType::kFloat16, DataType::kFloat32};

// `facts`: of the layer, for the tensors that the delegate holds as narrow integers.
template <typename Facts>
std::string WhyNotOn(const Target& target, const std::set<const Tensor*>& narrow, Delegate delegate,
                     const Facts& facts) {
  if (delegate == Delegate::kNpu) return WhyNotNpu(target, facts(narrow)).value_or("");
  if (delegate != Delegate::kGpu) return "";
  // Only the NPU's driver converts integers of 64 bits.
  return WhyNot(target, Engine::kGpu, facts(std::set<const Tensor*>())).value_or("");
}

// The delegates that the target has, without `why_not`.
TargetDelegates AvailableOn(const Target& target) {
  TargetDelegates delegates;
  delegates.target = target.name;
  if (target.has_npu()) delegates.available.push_back(Delegate::kNpu);
  delegates.available.push_back(Delegate::kCpu);
  if (target.Find(Engine::kGpu) != nullptr) delegates.available.push_back(Delegate::kGpu);
  return delegates;
}

}  // namespace

bool TargetDelegates::Has(Delegate delegate) const {
  return std::find(available.begin(), available.end(), delegate) != available.end();
}

TargetDelegates DelegatesOf(const Target& target, const Graph& compiled) {
  TargetDelegates delegates = AvailableOn(target);
  delegates.why_not = [&target, narrow = NarrowIntegers(compiled)](const Op& op,
                                                                   Delegate delegate) {
    return WhyNotOn(target, narrow, delegate, [&](const std::set<const Tensor*>& held) {
      return FactsOf(*op.def, HeldInputs(op, held), HeldOutputs(op, held), op.attributes);
    });
  };
  return delegates;
}

TargetDelegates DelegatesBeforeQuantizing(const Target& target, const Graph& compiled) {
  TargetDelegates delegates = AvailableOn(target);
  delegates.why_not = [&target, narrow = NarrowIntegers(compiled)](const Op& op,
                                                                   Delegate delegate) {
    std::string first;
    for (const DataType type : kPossibleTypes) {
      std::string why =
          WhyNotOn(target, narrow, delegate,
                   [&](const std::set<const Tensor*>& held) { return FactsAs(op, type, held); });
      if (why.empty()) return why;
      if (first.empty()) first = std::move(why);
    }
    return first;
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
