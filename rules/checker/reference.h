// Comparison of a float model with what a reference runtime computes.
#ifndef RULES_CHECKER_REFERENCE_H_
#define RULES_CHECKER_REFERENCE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "synap/network.hpp"

namespace synap_internal {

struct OutputError {
  std::string output;
  size_t compared = 0;  // elements
  double largest = 0;   // absolute difference; NaN where one side isn't a number
  size_t index = 0;     // of that element in the output, dense
  float expected = 0;   // and its two values
  float found = 0;
  double range = 0;  // largest minus smallest expected value
  double relative() const { return range > 0 ? largest / range : largest; }
};

// A drawn input, the same as in models/zoo/pattern.py: some faces over a ramp, stretched over a
// [N, C, H, W] shape, or [N, H, W, C] with `nhwc`; pixels p from 0 to 255 become
// (p - mean) / scale. Other ranks are padded with 1 in front, or merged into N.
std::vector<float> PatternInput(absl::Span<const int32_t> shape, bool nhwc, float mean,
                                float scale);

// Runs `network`, whose inputs are float32, on the inputs of an .npz file and compares its outputs:
//   input__<tensor>    an input's values;  or
//   pattern__<tensor>  mean and scale of a PatternInput
//   output__<tensor>   an output's values; or
//   sampled__<tensor>  its elements 0, every, 2 * every, ... with every__<tensor> a number
// A file with one input, or one output, may call it as it likes. InvalidArgument naming the tensor
// for anything missing or of another size.
absl::StatusOr<std::vector<OutputError>> CompareWithReference(synaptics::synap::Network& network,
                                                              const std::string& npz_path);

}  // namespace synap_internal

#endif  // RULES_CHECKER_REFERENCE_H_
