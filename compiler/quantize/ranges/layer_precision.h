// The data type in which each layer computes.
#ifndef COMPILER_QUANTIZE_RANGES_LAYER_PRECISION_H_
#define COMPILER_QUANTIZE_RANGES_LAYER_PRECISION_H_

#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "compiler/graph/graph.h"
#include "compiler/metafile/metafile.h"
#include "compiler/quantize/precision.h"

namespace synap_internal {

// The precisions of a graph. A value; refers to the graph's ops.
class LayerPrecisions {
 public:
  explicit LayerPrecisions(Precision base) : base_(base), inputs_(base) {}

  // The precision of layers without a rule of their own.
  const Precision& base() const { return base_; }
  const Precision& inputs() const { return inputs_; }
  const Precision& of(const Op& op) const {
    const auto it = layers_.find(&op);
    return it == layers_.end() ? base_ : it->second;
  }
  // Whether an op, an op's result or the inputs have `bits`.
  bool Uses(int bits) const;

  void SetInputs(const Precision& precision) { inputs_ = precision; }

  // The precision of an input of the graph: that of the inputs, or its own.
  const Precision& of_input(const Tensor& input) const {
    const auto it = own_inputs_.find(&input);
    return it == own_inputs_.end() ? inputs_ : it->second;
  }
  void SetInput(const Tensor& input, const Precision& precision) {
    own_inputs_[&input] = precision;
  }
  // Whether a rule INPUTS chose the inputs' type, which is then final.
  bool AreInputsNamed() const { return are_inputs_named_; }
  void SetInputsNamed() { are_inputs_named_ = true; }

  void Set(const Op& op, const Precision& precision) { layers_[&op] = precision; }

  // Whether a rule other than '*' selected the op, whose type is then final.
  bool IsNamed(const Op& op) const { return named_.count(&op) > 0; }
  void SetNamed(const Op& op) { named_.insert(&op); }

  // Whether the op's results have the range that was measured, though mathematics fixes a wider
  // one.
  bool IsMeasured(const Op& op) const { return measured_.count(&op) > 0; }
  void SetMeasured(const Op& op) { measured_.insert(&op); }

  // Whether the op's results have int16, though its operands have the 8 bits of its precision.
  bool HasWideResult(const Op& op) const {
    return of(op).bits() == 8 && wide_results_.count(&op) > 0;
  }
  void SetWideResult(const Op& op) { wide_results_.insert(&op); }

 private:
  Precision base_;
  Precision inputs_;
  bool are_inputs_named_ = false;
  std::map<const Tensor*, Precision> own_inputs_;
  std::map<const Op*, Precision> layers_;
  std::set<const Op*> named_;
  std::set<const Op*> measured_;
  std::set<const Op*> wide_results_;
};

// The precisions that the metafile asks for: its scheme and data type, or its
// rules for layers, '*' first and then in the order written. A rule selects the layers of its
// pattern (compiler/graph/layer_patterns.h); '*' the inputs as well, INPUTS the inputs alone.
// Layers that the metafile gives to gpu or cpu have float32 instead of a quantized type. NotFound
// naming place, pattern and similar names for a layer that doesn't exist; InvalidArgument for a
// rule that selects no layer.
absl::StatusOr<LayerPrecisions> ChoosePrecisions(const Metafile& metafile, const Graph& graph);

}  // namespace synap_internal

#endif  // COMPILER_QUANTIZE_RANGES_LAYER_PRECISION_H_
