#include "compiler/convert/tune/advise.h"

#include <optional>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/status_macros.h"
#include "base/warnings.h"
#include "compiler/convert/stages/compile_stage.h"
#include "compiler/convert/stages/quantize_stage.h"
#include "compiler/convert/tune/candidates.h"
#include "compiler/metafile/stage_parts.h"

namespace synap_internal {
namespace {

struct Change {
  const char* text;
  DataType type;
  QuantizationScheme scheme;
};

constexpr Change kChanges[] = {
    {"'data_type: int8' with 'scheme: perchannel_symmetric_affine'", DataType::kInt8,
     QuantizationScheme::kPerchannelSymmetricAffine},
    {"'data_type: int16'", DataType::kInt16, QuantizationScheme::kDynamicFixedPoint},
};

struct Tried {
  const Change* change;
  ModelLoss loss;
  double seconds;

  bool is_enough() const { return LossComplaint(loss).empty(); }
  // Larger is better.
  std::tuple<bool, double, LossQuality> Rank() const {
    return {is_enough(), is_enough() ? -seconds : 0, QualityOf(loss)};
  }
};

}  // namespace

absl::StatusOr<std::string> AdviseTypes(const Graph& graph, const Statistics& statistics,
                                        const Metafile& metafile, const Target& target,
                                        const LossMeter& meter, const ModelLoss& loss) {
  std::optional<Tried> best;
  Warnings repeated;
  for (const Change& change : kChanges) {
    Candidate candidate;
    candidate.type = change.type;
    candidate.scheme = change.scheme;
    candidate.effort = Effort::kStandard;
    const Metafile changed = WithCandidate(metafile, candidate);
    ASSIGN_OR_RETURN(
        const QuantizedModel quantized,
        QuantizeStage(graph, {&statistics, 1}, QuantizePart(changed).metafile, {}, repeated));
    Tried tried{&change, {}, 0};
    ASSIGN_OR_RETURN(
        const CompiledModel model,
        CompileStage(quantized.graph, CompilePart(changed).metafile, target, {}, repeated));
    ASSIGN_OR_RETURN(tried.loss, meter.Measure(quantized.graph, changed, model));
    tried.seconds = model.latency.seconds;
    if (QualityOf(tried.loss) <= QualityOf(loss)) continue;
    if (!best.has_value() || best->Rank() < tried.Rank()) best = tried;
  }
  if (!best.has_value()) return std::string();
  return absl::StrFormat("%s %s, in about %.2f ms", best->change->text,
                         best->loss.answers.of_float > 0
                             ? LossText(best->loss)
                             : absl::StrCat("has ", LossText(best->loss)),
                         1e3 * best->seconds);
}

}  // namespace synap_internal
