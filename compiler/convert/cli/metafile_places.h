// Places of warnings in a metafile that may change or move while the warnings are cached.
#ifndef COMPILER_CONVERT_CLI_METAFILE_PLACES_H_
#define COMPILER_CONVERT_CLI_METAFILE_PLACES_H_

#include <string>

#include "base/warnings.h"

namespace synap_internal {

class MetafilePlaces {
 public:
  // `path`: of the metafile as it is now; "" if there is none.
  explicit MetafilePlaces(std::string path);

  // A warning that doesn't depend on the metafile's path. Warnings about other files stay as they
  // are.
  Warning Detach(Warning warning) const;
  // The inverse, for the metafile as it is now: the line is kept only if the metafile's text is the
  // same as when the warning was detached.
  Warning Attach(Warning warning) const;

 private:
  std::string path_;
  std::string digest_;  // of the text; empty without a path
};

}  // namespace synap_internal

#endif  // COMPILER_CONVERT_CLI_METAFILE_PLACES_H_
