#include "compiler/import/emit/batch_space.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "compiler/import/emit/window.h"

namespace synap_internal {
namespace {

using Dims = std::vector<int64_t>;
using Sources = std::map<const Tensor*, BatchSpace::Source>;

struct Blocks {
  Dims block;  // height, width
  Dims edges;  // pads or crops: top, left, bottom, right
};

absl::StatusOr<Blocks> ResolveBlocks(const Tensor* x, const Dims& block, absl::string_view what,
                                     const Dims& edges) {
  RETURN_IF_ERROR(CheckImage(x->type.shape));
  constexpr int64_t kLimit = int64_t{1} << 20;
  bool sane = block.size() == 2 && edges.size() == 4;
  for (const int64_t b : block) sane &= b >= 1 && b <= kLimit;
  for (const int64_t e : edges) sane &= e >= 0 && e <= kLimit;
  if (sane) return Blocks{block, {edges[0], edges[2], edges[1], edges[3]}};
  return absl::UnimplementedError(absl::StrCat("its block shape is [", absl::StrJoin(block, ", "),
                                               "] and its ", what, " [", absl::StrJoin(edges, ", "),
                                               "]"));
}

bool IsOnly(const Op& op, absl::string_view name, const Dims& values) {
  const auto it = op.attributes.find(name);
  return it == op.attributes.end() || std::get<Dims>(it->second) == values;
}

// A convolution whose input ToBatch made with the same blocks, and the activation after it, if
// there is one.
struct DilatedConvolution {
  const Op* convolution = nullptr;
  const Op* activation = nullptr;
  BatchSpace::Source source;
};

std::optional<DilatedConvolution> MatchDilation(const Sources& sources, const Tensor* x,
                                                const Dims& block) {
  DilatedConvolution match;
  match.convolution = x->producer;
  if (match.convolution != nullptr && match.convolution->inputs.size() == 1 &&
      match.convolution->def->elementwise) {
    match.activation = match.convolution;
    match.convolution = match.activation->inputs[0]->producer;
  }
  const Op* convolution = match.convolution;
  if (convolution == nullptr ||
      (!convolution->Is(LinearForm::kWindow) && !convolution->Is(LinearForm::kDepthwise))) {
    return std::nullopt;
  }
  const auto source = sources.find(convolution->inputs[0]);
  if (source == sources.end() || source->second.block != block) {
    return std::nullopt;
  }
  match.source = source->second;
  const bool plain = IsOnly(*convolution, "strides", {1, 1}) &&
                     IsOnly(*convolution, "dilations", {1, 1}) &&
                     IsOnly(*convolution, "pads", {0, 0, 0, 0});
  return plain ? std::optional(match) : std::nullopt;
}

// The pads of the dilated convolution: cropping its output pads its input less.
std::optional<Dims> CroppedPads(const Dims& pads, const Dims& crops) {
  Dims left;
  for (size_t i = 0; i < pads.size(); ++i) {
    if (crops[i] > pads[i]) return std::nullopt;
    left.push_back(pads[i] - crops[i]);
  }
  return left;
}

Emitted EmitDilated(OpEmitter& op, const DilatedConvolution& match, Dims pads) {
  Attributes attributes = match.convolution->attributes;
  attributes["dilations"] = match.source.block;
  attributes["pads"] = std::move(pads);
  std::vector<Tensor*> operands = match.convolution->inputs;
  operands[0] = match.source.x;
  ASSIGN_OR_RETURN(Tensor * y,
                   op.Emit(match.convolution->def->name, std::move(operands), std::move(attributes),
                           match.activation == nullptr ? "" : ".linear"));
  // The convolution's own quantizer, which BatchToSpaceND's output may differ from.
  if (y->type.quant.quantized()) y->type.quant = match.convolution->output()->type.quant;
  if (match.activation == nullptr) return y;
  return op.Emit(match.activation->def->name, {y}, match.activation->attributes);
}

}  // namespace

Emitted BatchSpace::ToBatch(OpEmitter& op, Tensor* x, const Dims& block_shape,
                            const Dims& paddings) {
  ASSIGN_OR_RETURN(const Blocks blocks, ResolveBlocks(x, block_shape, "paddings", paddings));
  const auto& [block, pads] = blocks;
  ASSIGN_OR_RETURN(
      Tensor * padded,
      op.Emit("pad", {x}, {{"pads", Dims{0, pads[0], pads[1], 0, 0, pads[2], pads[3], 0}}},
              ".padded"));
  const Shape s = padded->type.shape;
  if (s[1] % block[0] != 0 || s[2] % block[1] != 0) {
    return absl::InvalidArgumentError(absl::StrCat("its block shape [", absl::StrJoin(block, ", "),
                                                   "] doesn't divide its padded input ",
                                                   s.ToString()));
  }
  const int64_t h = s[1] / block[0], w = s[2] / block[1];
  const Emitted apart = op.Reshape(padded, {s[0], h, block[0], w, block[1], s[3]}, ".blocks");
  const Emitted moved = op.Transpose(apart, {2, 4, 0, 1, 3, 5}, ".moved");
  ASSIGN_OR_RETURN(Tensor * y, op.Reshape(moved, {block[0] * block[1] * s[0], h, w, s[3]}));
  sources_[y] = {x, block, pads};
  return y;
}

Emitted BatchSpace::ToSpace(OpEmitter& op, Tensor* x, const Dims& block_shape,
                            const Dims& crop_pairs) {
  ASSIGN_OR_RETURN(const Blocks blocks, ResolveBlocks(x, block_shape, "crops", crop_pairs));
  const auto& [block, crops] = blocks;
  if (const std::optional<DilatedConvolution> match = MatchDilation(sources_, x, block)) {
    std::optional<Dims> pads = CroppedPads(match->source.pads, crops);
    if (pads.has_value()) return EmitDilated(op, *match, *std::move(pads));
  }
  const Shape s = x->type.shape;
  const int64_t images = s[0] / (block[0] * block[1]);
  const int64_t h = s[1] * block[0], w = s[2] * block[1];
  if (images * block[0] * block[1] != s[0] || crops[0] + crops[2] > h || crops[1] + crops[3] > w) {
    return absl::InvalidArgumentError(absl::StrCat("its block shape [", absl::StrJoin(block, ", "),
                                                   "] and its crops [", absl::StrJoin(crops, ", "),
                                                   "] don't fit its input ", s.ToString()));
  }
  Emitted y = op.Reshape(x, {block[0], block[1], images, s[1], s[2], s[3]}, ".blocks");
  y = op.Transpose(y, {2, 3, 0, 4, 1, 5}, ".moved");
  return op.Emit("slice", {op.Reshape(y, {images, h, w, s[3]}, ".whole")},
                 {{"starts", Dims{0, crops[0], crops[1], 0}},
                  {"sizes", Dims{images, h - crops[0] - crops[2], w - crops[1] - crops[3], s[3]}}});
}

}  // namespace synap_internal
