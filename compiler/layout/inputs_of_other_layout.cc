#include "compiler/layout/inputs_of_other_layout.h"

#include <cstddef>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/shape.h"

namespace synap_internal {
namespace {

bool LooksLikeOtherLayout(const Shape& shape, absl::string_view layout) {
  if (shape.rank() != 4) return false;
  const size_t channels = layout == "nchw" ? 1 : 3, other = layout == "nchw" ? 3 : 1;
  constexpr int64_t kMostChannels = 4;
  return shape[other] <= kMostChannels && shape[channels] > kMostChannels &&
         shape[2] > kMostChannels;
}

}  // namespace

std::vector<Warning> InputsOfOtherLayout(const Graph& given, const Graph& changed) {
  std::vector<Warning> warnings;
  if (given.layout == changed.layout) return warnings;
  for (size_t i = 0; i < given.inputs.size(); ++i) {
    const Shape& shape = given.inputs[i]->type.shape;
    if (!LooksLikeOtherLayout(shape, given.layout)) continue;
    warnings.push_back(
        {AtNode("input", given.inputs[i]->name),
         absl::StrCat("its shape in the model file is ", shape.ToString(), ", which looks like ",
                      given.layout == "nchw" ? "nhwc" : "nchw",
                      " already, but models of this format are taken to be ", given.layout,
                      ", so that 'data_layout: ", changed.layout, "' makes it ",
                      changed.inputs[i]->type.shape.ToString(), "; leave 'data_layout' out")});
  }
  return warnings;
}

}  // namespace synap_internal
