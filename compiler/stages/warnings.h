// What a stage tells its user beside the result.
#ifndef COMPILER_STAGES_WARNINGS_H_
#define COMPILER_STAGES_WARNINGS_H_

#include <cstdio>
#include <string>
#include <vector>

namespace synap {

// A line each, to stderr.
inline void PrintWarnings(const std::vector<std::string>& warnings) {
  for (const std::string& warning : warnings) {
    std::fprintf(stderr, "Warning: %s\n", warning.c_str());
  }
}

}  // namespace synap

#endif  // COMPILER_STAGES_WARNINGS_H_
