// An op's attributes by name, where verification has checked their types already.
#ifndef COMPILER_GRAPH_PASSES_OP_ATTRIBUTES_H_
#define COMPILER_GRAPH_PASSES_OP_ATTRIBUTES_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/strings/string_view.h"
#include "compiler/graph/graph.h"

namespace synap_internal {

// REQUIRES: the attribute is there, a list of integers. The result lives as long as the attribute.
const std::vector<int64_t>& IntsAttribute(const Op& op, absl::string_view name);

// `fallback` where the attribute is absent. REQUIRES: if it is there, it has this type; an integer
// may stand for a float.
int64_t IntAttribute(const Op& op, absl::string_view name, int64_t fallback);
float FloatAttribute(const Op& op, absl::string_view name, float fallback);

// The number that an op of Movement::kPad puts around its operand; nullopt for other modes and ops.
std::optional<float> PadValue(const Op& op);

// Whether the op clamps its results itself.
bool HasClamp(const Op& op);

}  // namespace synap_internal

#endif  // COMPILER_GRAPH_PASSES_OP_ATTRIBUTES_H_
