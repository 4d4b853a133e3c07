// A search for a way to quantize a network, within a time or a number of tries.
#ifndef COMPILER_CONVERT_CLI_TUNING_H_
#define COMPILER_CONVERT_CLI_TUNING_H_

#include <string>

#include "absl/status/statusor.h"
#include "compiler/convert/tune/tune_report.h"
#include "compiler/convert/tune/tuner.h"
#include "compiler/metafile/metafile.h"

namespace synap_internal {

// Which of Candidates() are tried.
struct TuneLimit {
  int seconds = 60;  // after the calibration
  int ways = 0;      // 0: those that are begun in time; else the first so many, whatever they take
};

// Tries ways to quantize within `limit`, or until Ctrl-C, and shows its progress unless `silent`.
// `folder`: where the metafiles of the result's points will lie, as `<folder>/<any name>`; "": in
// the metafile's place. Errors as those of Tuner.
absl::StatusOr<TuneResult> TuneWithin(const TuneLimit& limit, const TunerOptions& options,
                                      const Metafile& metafile, const std::string& folder,
                                      bool silent = false);

}  // namespace synap_internal

#endif  // COMPILER_CONVERT_CLI_TUNING_H_
