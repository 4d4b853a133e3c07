// The arguments of PyTorch's operators in the order in which TorchScript has them: files of
// torch.export leave out those that have their default.
#ifndef COMPILER_IMPORT_PT2_SCHEMAS_H_
#define COMPILER_IMPORT_PT2_SCHEMAS_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "compiler/import/torchscript/script_graph.pb.h"

namespace synap_internal::pt2_import {

struct Parameter {
  absl::string_view name;
  std::optional<torchscript::Constant> fallback;  // nothing: every file names it
};
using Schema = std::vector<Parameter>;

// Of an operator of ATen, "add.Tensor" or "conv2d"; of one in place, "add_.Tensor", that of the
// other unless it has its own. Null if it is unknown.
const Schema* FindSchema(absl::string_view op);

}  // namespace synap_internal::pt2_import

#endif  // COMPILER_IMPORT_PT2_SCHEMAS_H_
