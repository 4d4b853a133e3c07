// The delegate that runs each layer of a compiled graph.
#ifndef COMPILER_TARGET_DELEGATES_ASSIGN_DELEGATES_H_
#define COMPILER_TARGET_DELEGATES_ASSIGN_DELEGATES_H_

#include <map>
#include <string>
#include <tuple>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/warnings.h"
#include "compiler/graph/graph.h"
#include "compiler/metafile/metafile.h"
#include "compiler/target/delegates/target_delegates.h"

namespace synap_internal {

// A delegate of the target with its options.
struct AssignedDelegate {
  Delegate delegate = Delegate::kNpu;  // not kDefault
  std::string options;

  // "cpu num_threads=2", as model.json has it.
  std::string Text() const;
  friend bool operator<(const AssignedDelegate& a, const AssignedDelegate& b) {
    return std::tie(a.delegate, a.options) < std::tie(b.delegate, b.options);
  }
  friend bool operator==(const AssignedDelegate& a, const AssignedDelegate& b) {
    return a.delegate == b.delegate && a.options == b.options;
  }
};

struct DelegateAssignment {
  std::map<const Op*, AssignedDelegate> of;  // every op of the compiled graph
  AssignedDelegate standard;                 // of '*', also of a graph without ops
  // A note for each layer that `default` moves to the CPU.
  std::vector<Warning> moved;
};

// Errors that are known before the model is: a delegate that the target lacks, and a secure model
// for a target without an NPU. They name the rule's place.
absl::Status CheckDelegates(const Metafile& metafile, const TargetDelegates& target);

// The delegates that the metafile's rules ask for, '*' first and then in the order written. A layer
// that was fused of several nodes runs as a whole: the last rule that selects one of them counts.
// `imported`: the graph before the compile passes; a rule may name a node of it that no layer is
// left of. Errors beside those of CheckDelegates name the rule's place: a pattern that selects
// nothing (layer_patterns.h); all layers of a rule that its delegate can't run. In a secure model
// `default` means npu: layers that it can't run are errors.
absl::StatusOr<DelegateAssignment> AssignDelegates(const Graph& compiled, const Graph& imported,
                                                   const Metafile& metafile,
                                                   const TargetDelegates& target);

}  // namespace synap_internal

#endif  // COMPILER_TARGET_DELEGATES_ASSIGN_DELEGATES_H_
