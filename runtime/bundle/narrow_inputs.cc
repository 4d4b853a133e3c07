#include "runtime/bundle/narrow_inputs.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <set>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/data_type.h"
#include "runtime/bundle/delegate_text.h"

namespace synap_internal {
namespace {

// Inputs of the bundle whose elements an int64 tensor may hold.
using Sources = std::set<int>;

// Follows the bundle's inputs through one subgraph.
class Walk {
 public:
  Walk(const Program& program, bool on_npu, std::vector<bool>& narrow)
      : program_(program), on_npu_(on_npu), narrow_(narrow), held_(program.tensors.size()) {}

  void Enter(int32_t tensor, const Sources& sources) {
    if (IsWide(tensor)) held_[static_cast<size_t>(tensor)] = sources;
  }

  void Run() {
    for (const Instruction& instruction : program_.instructions) {
      Sources read;
      for (const int32_t tensor : instruction.inputs) {
        if (IsWide(tensor)) read.insert(Held(tensor).begin(), Held(tensor).end());
      }
      for (const int input : read) {
        if (on_npu_) narrow_[static_cast<size_t>(input)] = true;
      }
      for (const int32_t tensor : instruction.outputs) Enter(tensor, read);
    }
  }

  const Sources& Held(int32_t tensor) const { return held_[static_cast<size_t>(tensor)]; }

 private:
  bool IsWide(int32_t tensor) const {
    return tensor >= 0 &&
           program_.tensors[static_cast<size_t>(tensor)].type.dtype == DataType::kInt64;
  }

  const Program& program_;
  const bool on_npu_;
  std::vector<bool>& narrow_;
  std::vector<Sources> held_;
};

}  // namespace

std::vector<bool> NarrowInputs(const Bundle& bundle, absl::Span<const Program> programs) {
  std::vector<bool> narrow(static_cast<size_t>(bundle.input_count));
  std::vector<std::vector<Sources>> results(programs.size());  // [subgraph][output]
  for (const int index : bundle.execution_order) {
    const auto s = static_cast<size_t>(index);
    const BundleSubgraph& subgraph = bundle.subgraphs[s];
    const absl::StatusOr<DelegateText> delegate = ParseDelegateText(subgraph.metadata.delegate);
    Walk walk(programs[s], delegate.ok() && delegate->word == "npu", narrow);
    for (size_t i = 0; i < subgraph.inputs.size(); ++i) {
      const BundleEdge& edge = subgraph.inputs[i];
      walk.Enter(
          programs[s].inputs[i],
          edge.subgraph == -1
              ? Sources{edge.index}
              : results[static_cast<size_t>(edge.subgraph)][static_cast<size_t>(edge.index)]);
    }
    walk.Run();
    for (const int32_t output : programs[s].outputs) results[s].push_back(walk.Held(output));
  }
  return narrow;
}

absl::Status CheckNarrow(absl::string_view input, absl::Span<const int64_t> values) {
  constexpr std::numeric_limits<int32_t> kHeld;
  const auto* const wide = std::find_if(values.begin(), values.end(), [&](int64_t value) {
    return value < kHeld.min() || value > kHeld.max();
  });
  if (wide == values.end()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "input '", input, "': element ", wide - values.begin(), " is ", *wide, ", expected ",
      kHeld.min(), " to ", kHeld.max(),
      ", because the NPU holds integers in 32 bits; for others give the layers that read it, and "
      "those that pass its values on, to 'cpu' in the metafile's 'delegate'"));
}

}  // namespace synap_internal
