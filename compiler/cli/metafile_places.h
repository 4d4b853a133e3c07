// Warnings about places in a metafile, kept while the metafile may change or move.
#ifndef COMPILER_CLI_METAFILE_PLACES_H_
#define COMPILER_CLI_METAFILE_PLACES_H_

#include <string>

namespace synap_internal {

// Sentences about a metafile begin with its path, or with "<path>:<line>:<column>".
class MetafilePlaces {
 public:
  // `path`: of the metafile as it is now; "" if there is none.
  explicit MetafilePlaces(std::string path);

  // A sentence that doesn't depend on where the metafile is. Others stay as they are.
  std::string Detach(const std::string& sentence) const;
  // The inverse, about the metafile as it is now: the line is given only if its text is the same
  // as when the sentence was detached.
  std::string Attach(const std::string& sentence) const;

 private:
  std::string path_;
  std::string digest_;  // of the text; empty without a path
};

}  // namespace synap_internal

#endif  // COMPILER_CLI_METAFILE_PLACES_H_
