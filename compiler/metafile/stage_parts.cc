#include "compiler/metafile/stage_parts.h"

#include <algorithm>
#include <utility>

#include "compiler/metafile/fields.h"
#include "runtime/vision/picture_format.h"

namespace synap_internal {
namespace {

// The metafile of inputs that have samples, whose formats say no more than how those are made.
Metafile OfSamples(Metafile metafile) {
  metafile.fixed_inputs.clear();
  const std::string for_all = SamplingFormat(metafile.input_format);
  for (size_t i = 0; i < metafile.inputs.size(); ++i) {
    const std::string format = SamplingFormat(metafile.InputFormat(i));
    metafile.inputs[i].format.reset();
    if (format != for_all) metafile.inputs[i].format = format;
  }
  metafile.input_format = for_all;
  return metafile;
}

StagePart PartOf(const Metafile& metafile, unsigned decided) {
  Metafile fields = KeepFields(metafile, decided);
  std::string text = TextOfFields(fields, decided);
  return {std::move(fields), std::move(text)};
}

}  // namespace

std::string CanonicalText(const Metafile& metafile) {
  return TextOfFields(metafile, Decides::kAll);
}

StagePart ImportPart(const Metafile& metafile) { return PartOf(metafile, Decides::kGraph); }

StagePart CalibratePart(const Metafile& metafile) {
  Metafile sampling = OfSamples(metafile);
  if (sampling.quantization.has_value()) {
    QuantizationSpec& spec = *sampling.quantization;
    // One word for all algorithms that read histograms, and none for the others.
    spec.algorithm =
        spec.reads_histograms() ? QuantizationAlgorithm::kAuto : QuantizationAlgorithm::kStandard;
    // Otherwise it is a part of the graph.
    if (spec.mode != QuantizationMode::kFull) spec.options.equalize = false;
  }
  return PartOf(sampling, Decides::kSamples | Decides::kStatistics);
}

StagePart QuantizePart(const Metafile& metafile) {
  if (!metafile.quantization.has_value()) return PartOf(metafile, 0);
  const QuantizationSpec& spec = *metafile.quantization;
  unsigned decided = Decides::kQuantizers;
  const bool keeps_float = std::any_of(metafile.delegates.begin(), metafile.delegates.end(),
                                       [](const DelegateRule& rule) { return rule.keeps_float(); });
  // The estimated time is that of the delegates.
  if (keeps_float || spec.choose_types) decided |= Decides::kDelegates;
  // Outputs in float32 change which layers stay real, and the estimated time.
  if (!metafile.optimize.empty() || spec.choose_types) decided |= Decides::kRealOutputs;
  if (!spec.needs_samples()) return PartOf(metafile, decided);
  return PartOf(OfSamples(metafile), decided | Decides::kSamples);
}

StagePart CompilePart(const Metafile& metafile) { return PartOf(metafile, Decides::kArtifact); }

StagePart WholePart(const Metafile& metafile) { return {metafile, CanonicalText(metafile)}; }

}  // namespace synap_internal
