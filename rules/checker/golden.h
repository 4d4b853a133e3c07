// Golden of a model's outputs: digests that find a change of a single bit, and sampled values that
// give its size. A golden is a JSON text:
//
//   {"runs": [{
//     "input": "sample.jpg",
//     "outputs": [{"name": "stride_8", "type": "uint8", "shape": [1, 3, 60, 80, 16],
//                  "sha256": "...", "every": 911, "values": [12, 200, ...]}],
//     "detections": [{"class": 0, "confidence": 0.91, "box": [10, 20, 30, 40],
//                     "landmarks": [[15, 25], ...]}]
//   }]}
//
// sha256 is that of the output's bytes; values are its elements 0, every, 2 * every, ... (quantized
// ones as they are stored); detections are there for detectors only, boxes as x, y, width, height.
#ifndef RULES_CHECKER_GOLDEN_H_
#define RULES_CHECKER_GOLDEN_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "nlohmann/json.hpp"
#include "synap/input_data.hpp"
#include "synap/network.hpp"
#include "synap/types.hpp"

namespace synap_internal {

using Json = nlohmann::ordered_json;

// True if the format of the network's first output says how to read detections.
bool IsDetector(const synaptics::synap::Network& network);

// Assigns the picture to the network's input and runs it. Returns the rectangle of the picture that
// the input shows. The error doesn't name the picture.
absl::StatusOr<synaptics::synap::Rect> RunOnPicture(const synaptics::synap::InputData& picture,
                                                    synaptics::synap::Network& network);

// Runs the network on a picture: {"input", "outputs"[, "detections"]}. The error names the picture.
absl::StatusOr<Json> RecordRun(synaptics::synap::Network& network, const std::string& picture);

// As it is written to files: arrays of plain values on one line.
std::string GoldenText(const Json& golden);

// InvalidArgument naming `path` if `text` is no JSON object with "runs".
absl::StatusOr<Json> ParseGolden(absl::string_view text, absl::string_view path);

// One sentence for each output and each list of detections that differs; empty: none does.
std::vector<std::string> Differences(const Json& golden, const Json& found);

// One sentence for each output that differs in its values alone: signal to noise ratio and cosine
// of the sampled values of `found`, with those of `golden` as the signal.
std::vector<std::string> Fidelities(const Json& golden, const Json& found);

}  // namespace synap_internal

#endif  // RULES_CHECKER_GOLDEN_H_
