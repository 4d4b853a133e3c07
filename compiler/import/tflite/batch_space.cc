// SPACE_TO_BATCH_ND and BATCH_TO_SPACE_ND: alone they move data; around a
// convolution they are how the format used to write a dilation, and are written
// as one.
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "compiler/import/tflite/op_table.h"
#include "compiler/import/tflite/window.h"

namespace synap::tflite_import {
namespace {

using Dims = std::vector<int64_t>;

// Of both operators.
struct Blocks {
  Dims block;  // height, width
  Dims edges;  // pads or crops: top, left, bottom, right
};

absl::StatusOr<Blocks> ReadBlocks(OperatorContext& op, absl::string_view what) {
  RETURN_IF_ERROR(CheckImage(op.shape(0)));
  ASSIGN_OR_RETURN(const Dims block, op.ConstantInts(1, "block shape"));
  ASSIGN_OR_RETURN(const Dims edges, op.ConstantInts(2, what));
  constexpr int64_t kLimit = int64_t{1} << 20;
  bool sane = block.size() == 2 && edges.size() == 4;
  for (const int64_t b : block) sane &= b >= 1 && b <= kLimit;
  for (const int64_t e : edges) sane &= e >= 0 && e <= kLimit;
  if (sane) return Blocks{block, {edges[0], edges[2], edges[1], edges[3]}};
  return absl::UnimplementedError(absl::StrCat("its block shape is [", absl::StrJoin(block, ", "),
                                               "] and its ", what, " [", absl::StrJoin(edges, ", "),
                                               "], supported are those of height and width"));
}

absl::Status MapSpaceToBatch(OperatorContext& op) {
  ASSIGN_OR_RETURN(const Blocks blocks, ReadBlocks(op, "paddings"));
  const auto& [block, pads] = blocks;
  ASSIGN_OR_RETURN(
      Tensor * padded,
      op.Emit("pad", {op.input(0)},
              {{"pads", Dims{0, pads[0], pads[1], 0, 0, pads[2], pads[3], 0}}}, ".padded"));
  const Shape x = padded->type.shape;
  if (x[1] % block[0] != 0 || x[2] % block[1] != 0) {
    return absl::InvalidArgumentError(absl::StrCat("its block shape [", absl::StrJoin(block, ", "),
                                                   "] doesn't divide ", x.ToString()));
  }
  const int64_t h = x[1] / block[0], w = x[2] / block[1];
  ASSIGN_OR_RETURN(Tensor * y,
                   op.Reshape(padded, {x[0], h, block[0], w, block[1], x[3]}, ".blocks"));
  ASSIGN_OR_RETURN(y, op.Transpose(y, {2, 4, 0, 1, 3, 5}, ".moved"));
  ASSIGN_OR_RETURN(y, op.Reshape(y, {block[0] * block[1] * x[0], h, w, x[3]}));
  op.state().space_to_batch[y] = {op.input(0), block, pads};
  return op.SetOutput(y);
}

bool IsOnly(const Op& op, absl::string_view name, const Dims& values) {
  const auto it = op.attributes.find(name);
  return it == op.attributes.end() || std::get<Dims>(it->second) == values;
}

// The convolution and the activation behind it, if any, whose input
// SPACE_TO_BATCH_ND made with the same blocks.
struct DilatedConvolution {
  const Op* convolution = nullptr;
  const Op* activation = nullptr;
  SpaceToBatch source;
};

std::optional<DilatedConvolution> MatchDilation(OperatorContext& op, const Dims& block) {
  DilatedConvolution match;
  match.convolution = op.input(0)->producer;
  if (match.convolution != nullptr && match.convolution->inputs.size() == 1 &&
      match.convolution->def->elementwise) {
    match.activation = match.convolution;
    match.convolution = match.activation->inputs[0]->producer;
  }
  const Op* convolution = match.convolution;
  if (convolution == nullptr ||
      (!convolution->Is("conv2d") && !convolution->Is("depthwise_conv2d"))) {
    return std::nullopt;
  }
  const auto source = op.state().space_to_batch.find(convolution->inputs[0]);
  if (source == op.state().space_to_batch.end() || source->second.block != block) {
    return std::nullopt;
  }
  match.source = source->second;
  const bool plain = IsOnly(*convolution, "strides", {1, 1}) &&
                     IsOnly(*convolution, "dilations", {1, 1}) &&
                     IsOnly(*convolution, "pads", {0, 0, 0, 0});
  return plain ? std::optional(match) : std::nullopt;
}

// Cropping an end of the output is padding that end less.
std::optional<Dims> CroppedPads(const Dims& pads, const Dims& crops) {
  Dims left;
  for (size_t i = 0; i < pads.size(); ++i) {
    if (crops[i] > pads[i]) return std::nullopt;
    left.push_back(pads[i] - crops[i]);
  }
  return left;
}

absl::StatusOr<Tensor*> EmitDilated(OperatorContext& op, const DilatedConvolution& match,
                                    Dims pads) {
  Attributes attributes = match.convolution->attributes;
  attributes["dilations"] = match.source.block;
  attributes["pads"] = std::move(pads);
  std::vector<Tensor*> operands = match.convolution->inputs;
  operands[0] = match.source.x;
  ASSIGN_OR_RETURN(Tensor * y,
                   op.Emit(match.convolution->def->name, std::move(operands), std::move(attributes),
                           match.activation == nullptr ? "" : ".linear"));
  // Not what BATCH_TO_SPACE_ND's own output says, though it hardly ever differs.
  if (y->type.quant.quantized()) y->type.quant = match.convolution->output()->type.quant;
  if (match.activation == nullptr) return y;
  return op.Emit(match.activation->def->name, {y}, match.activation->attributes);
}

absl::Status MapBatchToSpace(OperatorContext& op) {
  ASSIGN_OR_RETURN(const Blocks blocks, ReadBlocks(op, "crops"));
  const auto& [block, crops] = blocks;
  if (const std::optional<DilatedConvolution> match = MatchDilation(op, block)) {
    std::optional<Dims> pads = CroppedPads(match->source.pads, crops);
    if (pads.has_value()) return op.SetOutput(EmitDilated(op, *match, *std::move(pads)));
  }
  const Shape x = op.shape(0);
  const int64_t images = x[0] / (block[0] * block[1]);
  const int64_t h = x[1] * block[0], w = x[2] * block[1];
  if (images * block[0] * block[1] != x[0] || crops[0] + crops[2] > h || crops[1] + crops[3] > w) {
    return absl::InvalidArgumentError(absl::StrCat("its block shape [", absl::StrJoin(block, ", "),
                                                   "] and its crops [", absl::StrJoin(crops, ", "),
                                                   "] don't fit to its input ", x.ToString()));
  }
  ASSIGN_OR_RETURN(
      Tensor * y,
      op.Reshape(op.input(0), {block[0], block[1], images, x[1], x[2], x[3]}, ".blocks"));
  ASSIGN_OR_RETURN(y, op.Transpose(y, {2, 3, 0, 4, 1, 5}, ".moved"));
  ASSIGN_OR_RETURN(y, op.Reshape(y, {images, h, w, x[3]}, ".whole"));
  return op.SetOutput(
      op.Emit("slice", {y},
              {{"starts", Dims{0, crops[0], crops[1], 0}},
               {"sizes", Dims{images, h - crops[0] - crops[2], w - crops[1] - crops[3], x[3]}}}));
}

constexpr OpMapping kMappings[] = {
    {tflite::BuiltinOperator::BATCH_TO_SPACE_ND, 3, 3, MapBatchToSpace},
    {tflite::BuiltinOperator::SPACE_TO_BATCH_ND, 3, 3, MapSpaceToBatch},
};

}  // namespace

absl::Span<const OpMapping> BatchSpaceMappings() { return kMappings; }

}  // namespace synap::tflite_import
