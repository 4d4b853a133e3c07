#include "compiler/start/first_layer.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

namespace synap_internal {
namespace {

// The only op with weights that `input` reaches through moves alone; null if there is another op.
const Op* FirstLayer(const Tensor& input) {
  std::vector<const Tensor*> open = {&input};
  std::set<const Tensor*> seen;
  const Op* layer = nullptr;
  while (!open.empty()) {
    const Tensor* tensor = open.back();
    open.pop_back();
    if (!seen.insert(tensor).second) continue;
    for (const Op* user : tensor->users) {
      if (user->def->movement != Movement::kNone) {
        open.push_back(user->output());
      } else if (HasRealWeights(*user) && user->input(0) == tensor &&
                 (layer == nullptr || layer == user)) {
        layer = user;
      } else {
        return nullptr;
      }
    }
  }
  return layer;
}

}  // namespace

std::optional<float> FirstKernelNorm(const Tensor& input) {
  const Op* layer = FirstLayer(input);
  // Of these, dimension 0 of the weights counts output channels.
  if (layer == nullptr || !(layer->Is(LinearForm::kWindow) || layer->Is(LinearForm::kDense))) {
    return std::nullopt;
  }
  const Tensor& weights = *layer->input(1);
  const auto values = weights.values<float>();
  const auto channels = static_cast<size_t>(weights.type.shape[0]);
  if (channels == 0 || values.empty()) return std::nullopt;
  const size_t kernel = values.size() / channels;
  std::vector<float> norms;
  for (size_t channel = 0; channel < channels; ++channel) {
    double sum = 0;
    for (const float w : values.subspan(channel * kernel, kernel)) sum += double{w} * w;
    norms.push_back(static_cast<float>(std::sqrt(sum)));
  }
  std::nth_element(norms.begin(), norms.begin() + channels / 2, norms.end());
  return norms[channels / 2];
}

}  // namespace synap_internal
