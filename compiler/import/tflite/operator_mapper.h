// Maps the operators of a subgraph one by one.
#ifndef COMPILER_IMPORT_TFLITE_OPERATOR_MAPPER_H_
#define COMPILER_IMPORT_TFLITE_OPERATOR_MAPPER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "compiler/graph/graph.h"
#include "compiler/import/tflite/model_file.h"
#include "compiler/import/tflite/operator_context.h"

namespace synap_internal::tflite_import {

// The tensor of an operand; constants are read when they are needed.
Emitted ValueOf(ImportState& state, int32_t index);

// Emits ops for an operator and makes them its outputs' values. Errors are without its name.
absl::Status MapOperator(ImportState& state, const tflite::Operator& op);

// Names in a subgraph that an operator runs begin with `prefix`.
struct SubgraphCall {
  int64_t index = 0;
  std::string prefix;
};

// The outputs of a subgraph for `inputs`. Errors name the subgraph and its operator.
// InvalidArgument for one that doesn't exist or takes another number of inputs, or is too deep
// among others; Unimplemented for one with operators that keep a state; ResourceExhausted beyond
// the builder's budget.
absl::StatusOr<std::vector<Tensor*>> RunSubgraph(ImportState& caller, const SubgraphCall& call,
                                                 const std::vector<Tensor*>& inputs);

}  // namespace synap_internal::tflite_import

#endif  // COMPILER_IMPORT_TFLITE_OPERATOR_MAPPER_H_
