// Results of tuning: which points are worth having and which one to take, as text and as a page.
#ifndef COMPILER_CONVERT_TUNE_TUNE_REPORT_H_
#define COMPILER_CONVERT_TUNE_TUNE_REPORT_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "compiler/convert/tune/tuner.h"
#include "compiler/target/target.h"

namespace synap_internal {

struct TuneResult {
  std::string model;                   // the file's name
  std::vector<const Target*> targets;  // of TunedPoint::costs
  size_t calibrating = 0, measured = 0;
  bool in_turns = false;  // Tuner::takes_turns
  std::vector<TunedPoint> points;
  size_t untried = 0;                  // candidates that `limit` left out
  std::string limit = "--time";        // the option that allows more of them
  std::vector<std::string> metafiles;  // by point: what the page shows
};

// The points that no other one beats on `target`: none is at least as fast and loses less, or is
// faster and loses as little. Fastest first. Less is lost where, with labels, the accuracy is
// higher; of equal ones where more answers are kept, and then where the worst output has the higher
// SQNR.
std::vector<size_t> BestPoints(const TuneResult& result, size_t target);

// The point to take on a target, and why.
struct Recommendation {
  size_t point = 0;
  std::string reason;
};

// The fastest of those that, with labels, lose at most 0.5 points of accuracy (top-1, mAP@0.5), or
// else keep 95 % of the answers or, where these aren't known, have 20 dB; within 2 % of its time
// the one that loses least. If there are none, the one that loses least. Nullopt if no candidate
// worked.
std::optional<Recommendation> Recommend(const TuneResult& result, size_t target);

// For each target a table of all points, fastest first. BestPoints are marked with '*', the
// recommended one with '>'. Ends with the errors and the number of candidates that weren't tried.
std::string TuneText(const TuneResult& result);

// The same as a page of its own: a plot of loss and time, whose points show their metafiles.
std::string TuneHtml(const TuneResult& result);

}  // namespace synap_internal

#endif  // COMPILER_CONVERT_TUNE_TUNE_REPORT_H_
