// A search for a way to quantize a network, within a time.
#ifndef COMPILER_CONVERT_CLI_TUNING_H_
#define COMPILER_CONVERT_CLI_TUNING_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
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

// Makes the pictures' folder the dataset, those of their suffix if they have one. InvalidArgument
// naming a picture of another folder, or one for a certain input ("1=a.npy").
absl::Status SetDataset(const std::vector<std::string>& pictures, Metafile& metafile);

}  // namespace synap_internal

#endif  // COMPILER_CONVERT_CLI_TUNING_H_
