#include "compiler/graph/inputs_of_other_layout.h"

#include "absl/strings/str_cat.h"
#include "compiler/graph/picture_layout.h"

namespace synap_internal {

std::vector<Warning> InputsOfOtherLayout(const Graph& given, absl::string_view wanted) {
  std::vector<Warning> warnings;
  if (given.layout == wanted) return warnings;
  for (const Tensor* input : given.inputs) {
    if (LayoutOfInput(input->type.shape, given.layout) == given.layout) continue;
    warnings.push_back({AtNode("input", input->name),
                        absl::StrCat("its shape in the model file is ",
                                     input->type.shape.ToString(), ", which is ", wanted,
                                     " already, though models of this format are generally ",
                                     given.layout, "; 'data_layout: ", wanted, "' leaves it so"),
                        Severity::kNote});
  }
  return warnings;
}

}  // namespace synap_internal
