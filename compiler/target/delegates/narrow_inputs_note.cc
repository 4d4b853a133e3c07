#include "compiler/target/delegates/narrow_inputs_note.h"

#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace synap_internal {

std::optional<Warning> NarrowInputsNote(const Graph& compiled,
                                        const DelegateAssignment& delegates) {
  // Inputs whose elements an int64 tensor may hold.
  std::map<const Tensor*, std::set<const Tensor*>> held;
  std::set<const Tensor*> read_by_npu;
  for (const Tensor* input : compiled.inputs) {
    if (input->type.dtype == DataType::kInt64) held[input] = {input};
  }
  for (const Op& op : compiled.ops()) {
    std::set<const Tensor*> read;
    for (const Tensor* operand : op.inputs) {
      const auto it = held.find(operand);
      if (it != held.end()) read.insert(it->second.begin(), it->second.end());
    }
    if (delegates.of.at(&op).delegate == Delegate::kNpu) {
      read_by_npu.insert(read.begin(), read.end());
    }
    for (const Tensor* result : op.outputs) {
      if (result->type.dtype == DataType::kInt64) held[result] = read;
    }
  }
  std::vector<std::string> narrow;
  for (const Tensor* input : compiled.inputs) {
    if (read_by_npu.count(input) > 0) narrow.push_back(absl::StrCat("'", input->name, "'"));
  }
  if (narrow.empty()) return std::nullopt;
  constexpr std::numeric_limits<int32_t> kHeld;
  return Warning{
      {},
      absl::StrCat(narrow.size() == 1 ? "input " : "inputs ", absl::StrJoin(narrow, ", "),
                   ": the NPU holds int64 in 32 bits, so values from ", kHeld.min(), " to ",
                   kHeld.max(), " are accepted, others are an error"),
      Severity::kNote};
}

}  // namespace synap_internal
