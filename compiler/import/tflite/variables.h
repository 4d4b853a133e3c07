// Resource variables of a TensorFlow Lite file: values that operators keep from one inference to
// the next under a name.
#ifndef COMPILER_IMPORT_TFLITE_VARIABLES_H_
#define COMPILER_IMPORT_TFLITE_VARIABLES_H_

#include <cstddef>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "compiler/import/tflite/model_file.h"

namespace synap_internal::tflite_import {

// For each READ_VARIABLE of subgraph `main`, in the order of its operators, what it reads. Initial
// values are those that subgraphs of CALL_ONCE in `main` assign; the last one counts.
absl::flat_hash_map<const tflite::Operator*, Model::VariableRead> FindVariables(
    const std::vector<Model>& subgraphs, size_t main);

}  // namespace synap_internal::tflite_import

#endif  // COMPILER_IMPORT_TFLITE_VARIABLES_H_
