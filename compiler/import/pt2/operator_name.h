// Names of operators in files of torch.export.
#ifndef COMPILER_IMPORT_PT2_OPERATOR_NAME_H_
#define COMPILER_IMPORT_PT2_OPERATOR_NAME_H_

#include <string>

#include "absl/strings/string_view.h"

namespace synap_internal::pt2_import {

// "torch.ops.aten.add.Tensor": namespace "aten", name "add", overload "Tensor".
struct Operator {
  std::string space, name, overload;
  bool of_numbers = false;  // Python's, with arguments in their order and without defaults

  // As TorchScript has it: "aten::add".
  std::string kind() const;
  // As schemas.h has it: "add.Tensor".
  std::string key() const;
  // Whether it computes what the graph among its arguments does, of the arguments after that.
  bool RunsItsGraph() const;
};

// Functions of Python on sizes ("_operator.mul") become the operators of TorchScript that compute
// them.
Operator ParseTarget(absl::string_view target);

}  // namespace synap_internal::pt2_import

#endif  // COMPILER_IMPORT_PT2_OPERATOR_NAME_H_
