// A search for a way to quantize a network, within a time.
#ifndef COMPILER_CONVERT_CLI_TUNING_H_
#define COMPILER_CONVERT_CLI_TUNING_H_

#include <string>

#include "absl/status/statusor.h"
#include "compiler/convert/tune/tune_report.h"
#include "compiler/convert/tune/tuner.h"
#include "compiler/metafile/metafile.h"

namespace synap_internal {

// Tries Candidates() for `seconds` after the calibration, or until Ctrl-C, and shows its progress.
// `folder`: where the metafiles of the result's points will lie, as `<folder>/<any name>`. Errors
// as those of Tuner.
absl::StatusOr<TuneResult> TuneFor(int seconds, const TunerOptions& options,
                                   const Metafile& metafile, const std::string& folder);

}  // namespace synap_internal

#endif  // COMPILER_CONVERT_CLI_TUNING_H_
