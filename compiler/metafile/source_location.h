// Place in a YAML file.
#ifndef COMPILER_METAFILE_SOURCE_LOCATION_H_
#define COMPILER_METAFILE_SOURCE_LOCATION_H_

namespace synap_internal {

// Both from 1; line 0: not written in the file. After ${ENV:} brought lines of its own into a
// metafile, lines are those of the expanded text.
struct SourceLocation {
  int line = 0;
  int column = 0;
};

}  // namespace synap_internal

#endif  // COMPILER_METAFILE_SOURCE_LOCATION_H_
