// Comparison of a metafile's dataset with the samples that a build rule declares.
#ifndef COMPILER_CONVERT_PROGRAMS_DECLARED_DATASET_H_
#define COMPILER_CONVERT_PROGRAMS_DECLARED_DATASET_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "compiler/metafile/metafile.h"

namespace synap_internal {

// `declared`: a sample a line, "<path>" or for several inputs "<position of the input>=<path>".
// The samples of each input have to match the input's glob. A rule may take them from any folder,
// so a glob of n components is compared with a path's last n; '..' in a glob is skipped.
// InvalidArgument with the place in the metafile, the globs and the samples that don't match.
// OK for a metafile without a dataset, and without declared samples.
absl::Status CheckDeclaredDataset(const Metafile& metafile, absl::string_view declared);

// The names of declared samples: the base names of the first input's files.
std::vector<std::string> DeclaredNames(absl::string_view declared);

}  // namespace synap_internal

#endif  // COMPILER_CONVERT_PROGRAMS_DECLARED_DATASET_H_
