// Published inference times beside the layers of their networks: published*.csv and layers.txt.
#ifndef COMPILER_TARGET_PUBLISHED_LATENCY_H_
#define COMPILER_TARGET_PUBLISHED_LATENCY_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "compiler/target/estimate.h"

namespace synap_internal {

struct PublishedRow {
  enum class Half { kFit, kJudge, kLeftOut };
  Half half = Half::kLeftOut;
  std::string architecture, suite, model;
  std::string network;  // of layers.txt
  std::string target;
  Engine engine = Engine::kNn;  // one of the delegate's
  double seconds = 0;
  // Each layer's work, in the types of the row.
  std::vector<std::vector<LayerWork>> layers;
};

// The rows whose network is known; those of the table without one aren't in the result. `engine`:
// one of the delegate that ran all of the table.
absl::StatusOr<std::vector<PublishedRow>> ReadPublished(absl::string_view published_csv,
                                                        absl::string_view layers_text,
                                                        Engine engine = Engine::kNn);

// REQUIRES: the row's target is `target` or one with the same NPU.
double EstimatedSeconds(const PublishedRow& row, const Target& target,
                        const LatencyParameters& parameters);

}  // namespace synap_internal

#endif  // COMPILER_TARGET_PUBLISHED_LATENCY_H_
