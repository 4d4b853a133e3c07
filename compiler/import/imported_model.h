// The result of importing a model.
#ifndef COMPILER_IMPORT_IMPORTED_MODEL_H_
#define COMPILER_IMPORT_IMPORTED_MODEL_H_

#include <string>
#include <vector>

#include "compiler/graph/graph.h"

namespace synap_internal {

struct ImportedModel {
  Graph graph;
  std::vector<std::string> warnings;  // for the user, one sentence each
  std::vector<std::string> notes;     // the same of what is as it should be
};

}  // namespace synap_internal

#endif  // COMPILER_IMPORT_IMPORTED_MODEL_H_
