// Fields and samples that `quantization.effort` decides about.
#ifndef COMPILER_METAFILE_EFFORT_H_
#define COMPILER_METAFILE_EFFORT_H_

#include <cstddef>
#include <string>
#include <vector>

#include "compiler/metafile/metafile.h"
#include "compiler/metafile/words.h"

namespace synap_internal {

// `effort: fast` calibrates with at most so many samples, the first by name.
inline constexpr size_t kFastSamples = 32;

// Gives the algorithm, the rounding and the correction of biases the effort's values.
void SetEffortFields(Effort effort, QuantizationSpec& quantization);

// The greatest name, bytewise, of a sample that calibrates if `names` are those of all samples; ""
// if all do.
std::string LastSample(const QuantizationSpec& quantization, std::vector<std::string> names);

}  // namespace synap_internal

#endif  // COMPILER_METAFILE_EFFORT_H_
