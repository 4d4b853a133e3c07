#include "compiler/convert/stages/analyze_stage.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/convert/stages/compile_stage.h"
#include "compiler/convert/stages/graph_to_quantize.h"
#include "compiler/dataset/samples.h"
#include "compiler/graph/passes/unsigned_bytes.h"
#include "compiler/quantize/analysis/analyze.h"

namespace synap_internal {
namespace {

// The layers of a network of int8, which is compiled to uint8.
void DeclareSigned(Analysis& analysis) {
  for (LayerFigures& layer : analysis.layers) {
    if (layer.type == DataType::kUint8) layer.type = DataType::kInt8;
  }
}

}  // namespace

absl::Status CheckAnalyzable(const Metafile& metafile) {
  if (metafile.quantized()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(metafile.path.empty() ? "no metafile" : metafile.path,
                   ": nothing is quantized, expected 'quantization' with a 'dataset'; add them to "
                   "analyze the model"));
}

absl::StatusOr<Analysis> AnalyzeStage(const Graph& imported, const Graph& quantized,
                                      const Metafile& metafile, const AnalyzeOptions& options) {
  if (options.samples.empty()) RETURN_IF_ERROR(CheckAnalyzable(metafile));
  ASSIGN_OR_RETURN(const Graph graph,
                   Annotate(GraphToQuantize(imported.Clone(), metafile, {}), imported.name));
  ASSIGN_OR_RETURN(const Dataset dataset, ChooseSamples(graph, metafile, options.samples));
  size_t count = dataset.samples.size();
  if (options.max_samples > 0) count = std::min(count, static_cast<size_t>(options.max_samples));
  if (count == 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        metafile.path,
        ": the dataset has no samples, expected one at least; name some with --samples"));
  }
  ASSIGN_OR_RETURN(const SampleReader reader, SampleReader::Create(graph, metafile));
  ASSIGN_OR_RETURN(Graph compiled, CompiledGraph(quantized, metafile, {}));
  ASSIGN_OR_RETURN(std::unique_ptr<Analyzer> analyzer,
                   Analyzer::Create(graph.Clone(), std::move(compiled), options.threads));
  RETURN_IF_ERROR(analyzer->AddSamples(
      count,
      [&](size_t i) -> absl::StatusOr<NamedSample> {
        const DatasetSample& sample = dataset.samples[i];
        ASSIGN_OR_RETURN(std::vector<Constant> values, reader.Read(sample));
        return NamedSample{sample.name, std::move(values)};
      },
      [&](int done) {
        if (options.progress) options.progress(done, static_cast<int>(count));
      }));
  Analysis analysis = analyzer->Result();
  if (ComputesInSignedBytes(quantized)) DeclareSigned(analysis);
  return analysis;
}

}  // namespace synap_internal
