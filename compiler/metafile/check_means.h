// Check of the metafile's `means` against the network's inputs.
#ifndef COMPILER_METAFILE_CHECK_MEANS_H_
#define COMPILER_METAFILE_CHECK_MEANS_H_

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "compiler/metafile/metafile.h"

namespace synap_internal {

// `means` of input number `input` must be missing, one number, or one for each channel of the
// tensor: runtimes refuse to load a model with another number of them. `channels` is 1 for inputs
// that are no image. InvalidArgument naming the place in the metafile, the tensor and both numbers.
absl::Status CheckMeans(const Metafile& metafile, size_t input, absl::string_view tensor,
                        int64_t channels);

}  // namespace synap_internal

#endif  // COMPILER_METAFILE_CHECK_MEANS_H_
