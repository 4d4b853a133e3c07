// Report of an analysis: text for people and JSON for programs.
#ifndef COMPILER_REPORT_ANALYSIS_REPORT_H_
#define COMPILER_REPORT_ANALYSIS_REPORT_H_

#include <string>
#include <vector>

#include "compiler/metafile/metafile.h"
#include "compiler/quantize/analysis/analyze.h"

namespace synap_internal {

// The 8-bit layers with the lowest own SQNR: at most 5, worst first, each 3 dB or more below the
// median of all 8-bit layers. Empty if there is no such layer.
std::vector<const LayerFigures*> CandidatesFor16Bits(const Analysis& analysis);

// Number of layers that an option would improve: bias_correction, by a quarter of their own noise
// (1.2 dB) or more.
struct CorrectableLayers {
  int layers = 0;
  int of = 0;  // linear layers that have the figure
  // A quarter of them or more, so that the option is worth trying.
  bool recommended() const { return layers > 0 && 4 * layers >= of; }
};
CorrectableLayers CorrectableByBiases(const Analysis& analysis);
// The same for `rounding: adaptive`: layers with half or more of their own noise from the weights.
CorrectableLayers CorrectableByRounding(const Analysis& analysis);

// The `data_type` of the metafile with int16 for these layers, in YAML's flow style: "{'*': uint8,
// 'Conv_12': int16}".
std::string DataTypeMap(const QuantizationSpec& spec,
                        const std::vector<const LayerFigures*>& layers);

// Table of the layers, those with the smallest own SQNR first and no more than `top` (0: all),
// outputs, conversions, warnings (three of each kind) and, if CandidatesFor16Bits has a layer, a
// data_type to try. Ends with a newline.
std::string TextReport(const Analysis& analysis, const QuantizationSpec& spec, int top);

// The same as data, all layers in the network's order (docs/quantization.md has the fields).
std::string JsonReport(const Analysis& analysis, const QuantizationSpec& spec);

}  // namespace synap_internal

#endif  // COMPILER_REPORT_ANALYSIS_REPORT_H_
