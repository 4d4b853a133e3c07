// Concats that join parts of different size, which one scale would not serve.
#ifndef COMPILER_QUANTIZE_RANGES_JOINED_PARTS_H_
#define COMPILER_QUANTIZE_RANGES_JOINED_PARTS_H_

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/quantize/value_range.h"

namespace synap_internal {

// The part of the steps of 8 bits below which a tensor has few.
inline constexpr float kFewSteps = 64.0f / 256;

// A concat with a part that gets less than a quarter of the steps for all parts, and that matters:
// its values leave the network, or are taken apart again (a slice or a gather along the joined
// dimension; after a reshape that merges it, any whose samples have a quarter of the range), with
// ops in between that only move, choose or join them. A concat that only arithmetic reads isn't
// one: there each operand's noise is added to that of the others anyway.
struct JoinedParts {
  const Op* concat;
  ValueRange range;  // of all parts
  float narrowest;   // width of the narrowest part, more than 0
  // The concat, and the ops that hold its parts together on the way to outputs and to the ops that
  // take them apart, which are the last.
  std::vector<const Op*> holders;
  bool leaves_real = false;      // an output that leaves as float32 holds parts
  bool leaves_integers = false;  // another output does
  bool taken_apart = false;
};

// In the order of the graph. `ranges`: by tensor; a tensor without one says nothing.
// `real_outputs[i]`: whether output i leaves as float32. `may_change`: whether an op's type may;
// other ops are no holders, and what follows them isn't looked at.
std::vector<JoinedParts> FindJoinedParts(const Graph& graph,
                                         const std::map<std::string, ValueRange>& ranges,
                                         const std::vector<bool>& real_outputs,
                                         const std::function<bool(const Op&)>& may_change);

}  // namespace synap_internal

#endif  // COMPILER_QUANTIZE_RANGES_JOINED_PARTS_H_
