// Precision policy: finds the layers at which quantized detectors lose boxes or scores, and
// transformers their attention, and gives them more precision. `optimize: true` of the metafile
// applies it, `optimize: [wide_concats]` single measures of it; quantization_info.yaml has what it
// changed in `detector_safety`.
#ifndef COMPILER_QUANTIZE_RANGES_PRECISION_POLICY_H_
#define COMPILER_QUANTIZE_RANGES_PRECISION_POLICY_H_

#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "compiler/graph/graph.h"
#include "compiler/metafile/words.h"
#include "compiler/quantize/ranges/layer_precision.h"
#include "compiler/quantize/statistics/statistics.h"

namespace synap_internal {

// A measure and its layers, by the names of their imported nodes; each once.
struct PrecisionMeasure {
  MeasureKind kind;
  std::vector<std::string> layers;
};

// Input of the decision.
struct PolicyEvidence {
  const Graph& graph;  // float
  const Statistics& statistics;
  const std::map<std::string, ValueRange>& ranges;  // for 8 bits, if layers have them; by tensor
  std::vector<bool> real_outputs;                   // whether output i leaves as float32
  bool float_ends = true;                           // whether compile passes include float_outputs
};

// Applies those of `kinds` that change types to `precisions`. Layers that the metafile names keep
// their precision, and so do those of other than 8 bits, but for kWideConcats and kFineAttention,
// which layers of int16 get too: int16 is never to be worse than 8 bits. "Different size": the
// smaller one would get less than 64 of 256 steps.
// - kWideConcats: the ops that hold the parts together, unless they will be float32 (kFloatEnds).
//   int16 where it gives the smallest part the steps of 8 bits; else float16 instead of bytes, and
//   float32 instead of int16, for what only leaves as float32, and beyond float16's range.
// - kWideOutputs: int16, only for outputs that leave quantized.
// - kWideInputs: inputs that only slices and moves read, such as one tensor of a recurrent cell's
//   states; also the slices, so that their readers convert each part by its own range. Not for
//   pictures (1, 3 or 4 channels), nor where a rule INPUTS says 8 bits.
// - kWideOutputs: a channel's range is estimated by its bias b, its weights w, and mean m and
//   standard deviation s of what it reads, as b + m sum(w) +- 4 s |w|.
// - kWideExpectations: a softmax that only a linear layer of one channel reads.
// - kFineAttention: where the largest result is at most half of 1.
// - kFineFunctions: functions of one operand that mathematics bounds and that have 8 bits, where
//   what they gave is at most half as wide, and a sum of products comes before each output: a
//   detector's scores may be larger in real use than in the samples.
// - kWideNorms: int16 for all of those that are still several ops. A layer or a sum whose result
//   only a normalization of one op reads gives int16, and so does one that only outputs follow.
// - kWideResiduals: int16. A layer whose result only a stream reads takes 8-bit operands and gives
//   int16, but for depthwise ones.
// - kWideOutliers: where 8-bit steps are noise of more than 1 / 400 (26 dB) of the operand's power,
//   and normalizations or functions of other layers' results compute it: those, which get int16,
//   and the layer, whose weights keep 8.
// - kWideStates: the cells of recurrences.h, and the inputs that they read. Layers that read a
//   state have int16 operands, with 8-bit weights as for kWideOutliers; the others give int16 from
//   8-bit operands, but for depthwise ones.
// - kWideSigmoids: with the linear layer before it, unless that stays float32 up to the output.
absl::StatusOr<std::vector<PrecisionMeasure>> ApplyPrecisionPolicy(
    const PolicyEvidence& evidence, const std::set<MeasureKind>& kinds,
    LayerPrecisions& precisions);

// A layer that joins parts of which the smallest has fewer than 64 steps, and a warning's sentence.
struct LostParts {
  std::string layer;
  std::string sentence;
};

// The layers whose parts are lost with `precisions`: those that ApplyPrecisionPolicy may not
// change, or all of them where it wasn't asked.
std::vector<LostParts> FindLostParts(const PolicyEvidence& evidence,
                                     const LayerPrecisions& precisions);

// Names of the tensors whose histograms ApplyPrecisionPolicy may read, for any types and real
// outputs: the operands of last layers, and of all where there are normalizations.
std::set<std::string> HistogramsOfPolicy(const Graph& graph);

// The layers whose tensors have different ranges in `before` and `after`.
PrecisionMeasure ChangedRanges(const Graph& graph, MeasureKind kind,
                               const std::map<std::string, ValueRange>& before,
                               const std::map<std::string, ValueRange>& after);

}  // namespace synap_internal

#endif  // COMPILER_QUANTIZE_RANGES_PRECISION_POLICY_H_
