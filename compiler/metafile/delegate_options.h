// Options after the word of a delegate: "cpu num_threads=2".
#ifndef COMPILER_METAFILE_DELEGATE_OPTIONS_H_
#define COMPILER_METAFILE_DELEGATE_OPTIONS_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "compiler/metafile/words.h"

namespace synap_internal {

struct DelegateOption {
  absl::string_view name;
  absl::string_view meaning;  // for docs/metafile.md
};

// The options of gpu and cpu; the other delegates have none. They reach the artifact as written.
absl::Span<const DelegateOption> DelegateOptions();

// InvalidArgument without its place: an option that isn't key=value, isn't known, is written twice
// or has a value that it can't have, or any option of a delegate that has none.
absl::Status CheckDelegateOptions(Delegate delegate, absl::string_view options);

}  // namespace synap_internal

#endif  // COMPILER_METAFILE_DELEGATE_OPTIONS_H_
