#include "compiler/convert/cli/tuning.h"

#include <atomic>
#include <chrono>
#include <csignal>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "base/file.h"
#include "base/status_macros.h"
#include "compiler/convert/cli/progress.h"
#include "compiler/convert/programs/command.h"
#include "compiler/convert/stages/quantize_stage.h"
#include "compiler/convert/tune/candidates.h"
#include "compiler/metafile/stage_parts.h"

namespace synap_internal {
namespace {

std::atomic<bool> interrupted{false};

// The first Ctrl-C ends the search and keeps what it found, the second one the program.
void Interrupt(int) {
  interrupted = true;
  std::signal(SIGINT, SIG_DFL);
}

std::string CostText(const TunedPoint& point, const TuneResult& result) {
  std::vector<std::string> costs;
  for (size_t t = 0; t < result.targets.size(); ++t) {
    costs.push_back(absl::StrFormat("%.2f ms on %s", 1e3 * point.costs[t].latency.seconds,
                                    result.targets[t]->name));
  }
  return absl::StrJoin(costs, ", ");
}

// The metafile of a point, with what it was measured to be; `folder` as TuneWithin has it.
std::string MetafileOf(const Metafile& metafile, const TunedPoint& point, const TuneResult& result,
                       const std::string& folder) {
  Metafile tuned = WithCandidate(metafile, point.candidate);
  if (!folder.empty()) {
    tuned = MovedMetafile(std::move(tuned), FolderFrom(JoinPath(folder, "x"), metafile.path));
  }
  return absl::StrCat("# ", Describe(point.candidate), ": ", LossText(point.loss), ", ",
                      CostText(point, result), "\n", CanonicalText(tuned));
}

std::vector<Candidate> CandidatesWithin(const TuneLimit& limit) {
  std::vector<Candidate> candidates = Candidates();
  const auto ways = static_cast<size_t>(limit.ways);
  if (ways > 0 && ways < candidates.size()) candidates.resize(ways);
  return candidates;
}

}  // namespace

absl::StatusOr<TuneResult> TuneWithin(const TuneLimit& limit, const TunerOptions& options,
                                      const Metafile& metafile, const std::string& folder,
                                      bool silent) {
  ProgressLine progress(silent);
  progress.Show("Calibrating...");
  ASSIGN_OR_RETURN(const std::unique_ptr<Tuner> tuner, Tuner::Create(options, metafile));
  using Clock = std::chrono::steady_clock;
  const Clock::time_point end = Clock::now() + std::chrono::seconds(limit.seconds);
  const std::vector<Candidate> candidates = CandidatesWithin(limit);
  const auto total = static_cast<int>(candidates.size());
  interrupted = false;
  const auto previous = std::signal(SIGINT, Interrupt);
  std::vector<TunedPoint> points = tuner->Run(
      candidates, [&] { return interrupted || (limit.ways == 0 && Clock::now() >= end); },
      [&](size_t tried) { progress.Show("Trying...", static_cast<int>(tried), total); });
  std::signal(SIGINT, previous);
  TuneResult result;
  result.model = Basename(options.files.model);
  result.targets = options.targets;
  result.calibrating = tuner->calibrating();
  result.measured = tuner->measured();
  result.in_turns = tuner->takes_turns();
  result.untried = Candidates().size() - points.size();
  result.limit = limit.ways > 0 ? "--ways" : "--time";
  result.points = std::move(points);
  for (const TunedPoint& point : result.points) {
    result.metafiles.push_back(point.error.ok() ? MetafileOf(metafile, point, result, folder) : "");
  }
  return result;
}

}  // namespace synap_internal
