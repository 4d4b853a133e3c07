// Sizes that files of torch.export leave open, as SymPy prints them.
#ifndef COMPILER_IMPORT_PT2_SIZE_EXPRESSION_H_
#define COMPILER_IMPORT_PT2_SIZE_EXPRESSION_H_

#include <optional>

#include "absl/strings/string_view.h"
#include "compiler/import/torchscript/script_graph.pb.h"

namespace synap_internal::pt2_import {

// "Add(Mul(Integer(2), Symbol('s27', positive=True, integer=True)), Integer(1))" is 2*s27 + 1.
// Nothing for what isn't a sum of multiples of symbols. The dimension isn't set.
std::optional<torchscript::OpenSize> ParseSize(absl::string_view text);

}  // namespace synap_internal::pt2_import

#endif  // COMPILER_IMPORT_PT2_SIZE_EXPRESSION_H_
