#include "compiler/cli/cached_stages.h"

#include <cstdio>
#include <memory>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/file.h"
#include "base/status_macros.h"
#include "compiler/ir/text.h"
#include "compiler/metafile/stage_parts.h"

namespace synap {

CachedStages::CachedStages(const Metafile& metafile, CachedStagesOptions options,
                           ProgressLine& progress, Warnings& warnings)
    : metafile_(metafile),
      options_(std::move(options)),
      cache_(options_.cache),
      progress_(progress),
      warnings_(warnings) {}

void CachedStages::Log(absl::string_view text) {
  absl::StrAppend(&log_, text, "\n");
  if (options_.verbose) std::printf("%s\n", std::string(text).c_str());
}

absl::StatusOr<Graph> CachedStages::Parse(const std::string& file) {
  auto owner = std::make_shared<const std::string>(file);
  return DeserializeGraph(*owner, owner);
}

// The result from the cache, or computed and put there. A cache that can't be
// written is no reason to fail: the result is what counts.
absl::StatusOr<std::string> CachedStages::Cached(
    absl::string_view stage, const std::vector<std::string>& key,
    const std::function<absl::StatusOr<std::string>()>& compute) {
  if (options_.cache.empty()) return compute();
  const std::string file = cache_.FileOf(stage, key);
  if (absl::StatusOr<std::string> known = cache_.Read(file); known.ok()) {
    Log(absl::StrCat(stage, ": from the cache"));
    return known;
  }
  ASSIGN_OR_RETURN(std::string result, compute());
  Log(absl::StrCat(stage, ": done, ", result.size(), " bytes"));
  if (absl::Status written = cache_.Write(file, result); !written.ok()) {
    Log(absl::StrCat("can't cache: ", written.message()));
  }
  return result;
}

absl::StatusOr<std::string> CachedStages::ImportedGraph() {
  const PassOptions& passes = options_.passes;
  const ModelFiles& files = options_.files;
  const auto import = [&]() -> absl::StatusOr<std::string> {
    ASSIGN_OR_RETURN(Graph graph, ImportStage(files, metafile_, passes, warnings_));
    return SerializeGraph(std::move(graph));
  };
  // Whoever looks at passes wants them to run, and a model may have weights in
  // files beside it that the key would miss.
  const bool inspecting =
      !passes.print_after.empty() || passes.timing || !passes.stop_after.empty();
  if (inspecting) return import();
  std::vector<std::string> key = {Basename(files.model), ImportPart(metafile_)};
  {
    ASSIGN_OR_RETURN(const std::string model, ReadFile(files.model));
    if (absl::StrContains(model, "location")) return import();
    key.push_back(StageCache::Digest(model));  // not in memory beside what it is imported to
  }
  if (!files.weights.empty()) {
    ASSIGN_OR_RETURN(const std::string weights, ReadFile(files.weights));
    key.push_back(StageCache::Digest(weights));
  }
  ASSIGN_OR_RETURN(std::string reader, ForeignReader(files));
  key.push_back(std::move(reader));
  return Cached("import", key, import);
}

absl::StatusOr<QuantizedModel> CachedStages::QuantizedGraph(const std::string& sir) {
  ASSIGN_OR_RETURN(const Graph graph, Parse(sir));
  const auto calibrate = [&]() -> absl::StatusOr<std::string> {
    CalibrateOptions options;
    options.threads = options_.threads;
    options.progress = [&](int done, int total) { progress_.Show("Quantizing...", done, total); };
    ASSIGN_OR_RETURN(const Statistics statistics,
                     CalibrateStage(graph, metafile_, options, warnings_));
    return statistics.Serialize();
  };
  ASSIGN_OR_RETURN(const std::vector<std::string> samples, DatasetFiles(metafile_, graph));
  std::vector<std::string> key = {std::string(Statistics::kFormat), sir, CalibratePart(metafile_)};
  for (const std::string& sample : samples) {
    ASSIGN_OR_RETURN(const std::string content, ReadFile(sample));
    key.push_back(Basename(sample));
    key.push_back(StageCache::Digest(content));  // not all samples in memory
  }
  ASSIGN_OR_RETURN(const std::string text, Cached("calibrate", key, calibrate));
  ASSIGN_OR_RETURN(const Statistics statistics, Statistics::Parse(text));
  QuantizeOptions options;
  options.target = options_.target;
  options.threads = options_.threads;
  options.progress = [&](int done, int total) { progress_.Show("Choosing...", done, total); };
  return QuantizeStage(graph, {&statistics, 1}, metafile_, options, warnings_);
}

}  // namespace synap
