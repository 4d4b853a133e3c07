#include "compiler/import/emit/convolution.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/emit/nhwc.h"

namespace synap_internal {
namespace {

using Dims = std::vector<int64_t>;

Emitted Permuted(OpEmitter& emitter, const Emitted& weights, Dims perm, absl::string_view name,
                 absl::string_view suffix) {
  ASSIGN_OR_RETURN(Tensor * w, weights);
  if (name.empty()) name = w->name;
  return emitter.builder().Emit("transpose", {w}, {{"perm", std::move(perm)}}, emitter.origin(),
                                absl::StrCat(name, suffix));
}

// [A,B,L] -> [A,B,1,L]
Emitted WeightsAsImage(OpEmitter& emitter, const Emitted& weights) {
  ASSIGN_OR_RETURN(Tensor * w, weights);
  const Shape& s = w->type.shape;
  if (s.rank() == 4) return w;
  if (s.rank() != 3) {
    return absl::UnimplementedError(
        absl::StrCat("its weights ", s.ToString(), " have rank ", s.rank(), ", expected 3 or 4"));
  }
  return emitter.builder().Emit("reshape", {w}, {{"shape", Dims{s[0], s[1], 1, s[2]}}},
                                emitter.origin(), absl::StrCat(w->name, ".oihw"));
}

Emitted Emit(OpEmitter& emitter, absl::string_view op, const Convolution& convolution,
             Attributes attributes) {
  attributes.merge(convolution.window.ToAttributes());
  return EmitImage(emitter, op, WithBias(convolution.x, convolution.weights, convolution.bias),
                   std::move(attributes));
}

}  // namespace

absl::Status CheckConvolution(const Shape& x, const Shape& weights, int64_t groups,
                              bool transposed) {
  if (x.rank() < 3 || weights.rank() != x.rank()) {
    return absl::InvalidArgumentError(absl::StrCat("its weights ", weights.ToString(),
                                                   " and its input ", x.ToString(),
                                                   " should have the same rank, 3 or more"));
  }
  if (groups < 1 || x[1] % groups != 0) {
    return absl::InvalidArgumentError(absl::StrCat("its number of groups is ", groups,
                                                   ", expected a divisor of the ", x[1],
                                                   " channels of its input ", x.ToString()));
  }
  const bool fits =
      transposed ? weights[0] == x[1] : weights[1] == x[1] / groups && weights[0] % groups == 0;
  if (fits && weights.elements() > 0) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("its weights ", weights.ToString(), " in ", groups,
                                                 " groups don't fit to its input ", x.ToString()));
}

Emitted PermutedWeights(OpEmitter& emitter, const Emitted& weights, Dims perm,
                        absl::string_view suffix) {
  return Permuted(emitter, weights, std::move(perm), "", suffix);
}

Emitted ConvolutionWeights(OpEmitter& emitter, const Emitted& weights, int64_t groups,
                           absl::string_view name) {
  ASSIGN_OR_RETURN(Tensor * w, WeightsAsImage(emitter, weights));
  const Shape& s = w->type.shape;
  const bool depthwise = groups > 1 && groups == s[0] && s[1] == 1;
  return depthwise ? Permuted(emitter, w, {1, 2, 3, 0}, name, ".ihwo")
                   : Permuted(emitter, w, {0, 2, 3, 1}, name, ".ohwi");
}

Emitted TransposedConvolutionWeights(OpEmitter& emitter, const Emitted& weights, int64_t groups) {
  ASSIGN_OR_RETURN(Tensor * w, WeightsAsImage(emitter, weights));
  if (groups == 1) return Permuted(emitter, w, {1, 2, 3, 0}, "", ".ohwi");
  const Shape s = w->type.shape;
  Emitted y = emitter.Reshape(w, {groups, s[0] / groups, s[1], s[2], s[3]}, ".w.grouped");
  y = emitter.Transpose(y, {0, 2, 3, 4, 1}, ".w.permuted");
  return emitter.Reshape(y, {groups * s[1], s[2], s[3], s[0] / groups}, ".w");
}

Convolution OverImages(Convolution convolution) {
  convolution.window = LiftedToImage(std::move(convolution.window));
  std::vector<int64_t>& extra = convolution.output_padding;
  if (extra.size() == 1) extra.insert(extra.begin(), 0);
  return convolution;
}

Emitted EmitConvolution(OpEmitter& emitter, const Convolution& convolution) {
  ASSIGN_OR_RETURN(const Tensor* weights, convolution.weights);
  const bool depthwise = convolution.groups > 1 && weights->type.shape[0] == 1;
  if (depthwise) return Emit(emitter, "depthwise_conv2d", convolution, {});
  return Emit(emitter, "conv2d", convolution, {{"groups", convolution.groups}});
}

Emitted EmitTransposedConvolution(OpEmitter& emitter, const Convolution& convolution) {
  Attributes attributes = {{"groups", convolution.groups}};
  const Dims& extra = convolution.output_padding;
  if (!extra.empty()) attributes["output_padding"] = extra;
  return Emit(emitter, "conv_transpose2d", convolution, std::move(attributes));
}

absl::Status CheckFilter(const Shape& filter) {
  if (filter.rank() == 4 && filter.elements() > 0) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("its weights are ", filter.ToString(), ", expected four dimensions"));
}

absl::Status FilterMismatch(const Shape& filter, const Shape& x) {
  return absl::InvalidArgumentError(
      absl::StrCat("its weights ", filter.ToString(), " don't fit to its input ", x.ToString()));
}

}  // namespace synap_internal
