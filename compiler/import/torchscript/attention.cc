// Attention: scaled dot products, and the fused layers that modules traced in evaluation mode hold.
#include "compiler/import/emit/attention.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/emit/normalization.h"
#include "compiler/import/emit/reduction.h"
#include "compiler/import/emit/shape.h"
#include "compiler/import/emit/slice.h"
#include "compiler/import/torchscript/layers.h"
#include "compiler/import/torchscript/op_table.h"

namespace synap_internal::torchscript_import {
namespace {

using Dims = std::vector<int64_t>;

constexpr float kNegativeInfinity = -std::numeric_limits<float>::infinity();

// --- Scaled dot product attention

// Where the operators have the arguments after query, key and value.
struct AttentionArguments {
  absl::string_view kind;
  size_t mask, dropout, causal, scale;
};
constexpr size_t kNoArgument = std::numeric_limits<size_t>::max();

constexpr AttentionArguments kAttentionArguments[] = {
    {"aten::scaled_dot_product_attention", 3, 4, 5, 6},
    {"aten::_scaled_dot_product_attention_math", 3, 4, 5, 7},
    {"aten::_scaled_dot_product_flash_attention_for_cpu", 5, 3, 4, 6},
    {"aten::_scaled_dot_product_flash_attention", kNoArgument, 3, 4, 6},
    {"aten::_scaled_dot_product_efficient_attention", 3, 5, 6, 7},
    {"aten::_scaled_dot_product_cudnn_attention", 3, 5, 6, 8},
    {"aten::_scaled_dot_product_fused_attention_overrideable", 3, 4, 5, 7},
};

const AttentionArguments& ArgumentsOfAttention(absl::string_view kind) {
  for (const AttentionArguments& row : kAttentionArguments) {
    if (row.kind == kind) return row;
  }
  return kAttentionArguments[0];
}

Emitted AsShaped(NodeContext& node, const Emitted& x, Dims dims, absl::string_view suffix) {
  RETURN_IF_ERROR(x.status());
  if ((*x)->type.shape.dims() == dims) return x;
  return node.Reshape(x, std::move(dims), suffix);
}

// The dimensions of query, key and value before heads, S and D, which broadcast, and the largest
// rank.
struct AttentionBatch {
  Dims dims;
  size_t rank = 2;

  // REQUIRES: Shape(dims) is valid.
  int64_t size() const { return Shape(dims).elements(); }
};

absl::Status AddToBatch(const Shape& x, AttentionBatch& batch) {
  if (x.rank() < 2) {
    return absl::InvalidArgumentError(
        absl::StrCat("its operand is ", x.ToString(), ", expected [...,heads,S,D]"));
  }
  batch.rank = std::max(batch.rank, x.rank());
  const size_t own = x.rank() > 3 ? x.rank() - 3 : 0;
  if (batch.dims.size() < own) batch.dims.insert(batch.dims.begin(), own - batch.dims.size(), 1);
  for (size_t i = 0; i < own; ++i) {
    int64_t& dim = batch.dims[batch.dims.size() - own + i];
    if (dim == 1) dim = x[i];
  }
  return absl::OkStatus();
}

// x as [B,heads,S,D]: the batch of all operands as one dimension, 1 if there is none. One head
// becomes `heads`.
Emitted AsHeads(NodeContext& node, Tensor* x, const AttentionBatch& batch, int64_t heads,
                absl::string_view suffix) {
  Dims own = x->type.shape.dims();
  if (own.size() < batch.dims.size() + 3) {
    own.insert(own.begin(), batch.dims.size() + 3 - own.size(), 1);
  }
  Dims wide = batch.dims;
  wide.insert(wide.end(), own.end() - 3, own.end());
  int64_t& own_heads = wide[batch.dims.size()];
  if (own_heads == 1) own_heads = heads;
  const Dims flat = {batch.size(), own_heads, wide[wide.size() - 2], wide.back()};
  ASSIGN_OR_RETURN(Tensor * shaped, AsShaped(node, x, std::move(own), suffix));
  return AsShaped(node, EmitExpand(node, shaped, wide, suffix), flat, suffix);
}

int64_t HeadsOf(const Tensor& x) {
  const Shape& shape = x.type.shape;
  return shape.rank() < 3 ? 1 : shape[shape.rank() - 3];
}

// Query, key and value as EmitAttention has them. Key and value have the same heads, of which each
// may be for several of the query.
absl::StatusOr<Attention> GetHeads(NodeContext& node, AttentionBatch& batch) {
  Tensor* operands[3];
  for (size_t i = 0; i < 3; ++i) {
    ASSIGN_OR_RETURN(operands[i], node.GetTensor(i));
    RETURN_IF_ERROR(AddToBatch(operands[i]->type.shape, batch));
  }
  RETURN_IF_ERROR(Shape(batch.dims).Validate());
  const int64_t heads = std::max(HeadsOf(*operands[1]), HeadsOf(*operands[2]));
  Attention in;
  ASSIGN_OR_RETURN(in.q, AsHeads(node, operands[0], batch, heads, ".query"));
  ASSIGN_OR_RETURN(in.k, AsHeads(node, operands[1], batch, heads, ".key"));
  ASSIGN_OR_RETURN(in.v, AsHeads(node, operands[2], batch, heads, ".value"));
  RETURN_IF_ERROR(CheckAttention(in));
  return in;
}

// A mask that broadcasts to the scores [batch...,heads,S,T], as EmitAttention has it: for each key,
// and of at most 4 dimensions.
Emitted ShapedMask(NodeContext& node, Tensor* mask, const AttentionBatch& batch,
                   const Attention& in) {
  Dims dims = mask->type.shape.dims();
  const int64_t keys = in.k->type.shape[2];
  if (dims.empty()) dims.push_back(keys);
  if (dims.back() == 1) dims.back() = keys;
  const bool batched = dims.size() > 3 && batch.dims.size() > 1;
  const size_t own = batched ? dims.size() - 3 : 0;
  if (own > batch.dims.size()) {
    return absl::InvalidArgumentError(absl::StrCat("its mask is ", mask->type.shape.ToString(),
                                                   ", which has more dimensions than its scores"));
  }
  if (batched) {
    dims.erase(dims.begin(), dims.begin() + static_cast<ptrdiff_t>(own));
    dims.insert(dims.begin(), batch.dims.begin(), batch.dims.end());
  }
  ASSIGN_OR_RETURN(mask, EmitExpand(node, mask, dims, ".mask"));
  if (!batched) return mask;
  const size_t rank = dims.size();
  return node.Reshape(mask, {batch.size(), dims[rank - 3], dims[rank - 2], dims[rank - 1]},
                      ".mask");
}

// A constant mask of real numbers as the scores that count, and what is added to these: minus
// infinity leaves a score out. No bias that is 0 everywhere.
absl::Status SplitMask(NodeContext& node, const Tensor& mask, Attention& in) {
  const absl::Span<const float> values = mask.values<float>();
  if (std::find(values.begin(), values.end(), kNegativeInfinity) == values.end()) {
    return absl::OkStatus();
  }
  constexpr auto kBytes = static_cast<int64_t>(sizeof(float) + 1);
  RETURN_IF_ERROR(node.builder().Charge(mask.type.shape.elements() * kBytes));
  std::vector<uint8_t> allowed;
  std::vector<float> bias;
  for (const float value : values) {
    const bool counts = value != kNegativeInfinity;
    allowed.push_back(counts);
    bias.push_back(counts ? value : 0);
  }
  const bool biased = std::any_of(bias.begin(), bias.end(), [](float x) { return x != 0; });
  in.allowed = node.Bools(mask.type.shape, std::move(allowed), ".allowed");
  in.bias = biased ? node.Values(mask.type.shape, std::move(bias), ".bias") : nullptr;
  return absl::OkStatus();
}

// The same of a mask that the network computes.
absl::Status SplitComputedMask(NodeContext& node, Tensor* mask, Attention& in) {
  const Emitted infinity = node.Scalar(kNegativeInfinity, ".infinity");
  const Emitted excluded = node.Emit("equal", {mask, infinity}, {}, ".excluded");
  ASSIGN_OR_RETURN(in.allowed, node.Emit("logical_not", {excluded}, {}, ".allowed"));
  ASSIGN_OR_RETURN(in.bias,
                   node.Emit("where", {excluded, node.Scalar(0, ".none"), mask}, {}, ".bias"));
  return absl::OkStatus();
}

// A mask of bools is true where a score counts, one of numbers is added to the scores.
absl::Status SetMask(NodeContext& node, Tensor* mask, const AttentionBatch& batch, Attention& in) {
  ASSIGN_OR_RETURN(mask, ShapedMask(node, mask, batch, in));
  const bool flags = mask->type.dtype == DataType::kBool;
  (flags ? in.allowed : in.bias) = mask;
  if (mask->type.dtype != DataType::kFloat32) return absl::OkStatus();
  return mask->is_constant() ? SplitMask(node, *mask, in) : SplitComputedMask(node, mask, in);
}

// The result [B,heads,S,D] with the dimensions that the operands have.
Emitted Unbatched(NodeContext& node, Tensor* y, const AttentionBatch& batch) {
  const Dims flat = y->type.shape.dims();
  Dims dims = batch.dims;
  dims.insert(dims.end(), flat.begin() + 1, flat.end());
  if (dims.size() > batch.rank) {
    dims.erase(dims.begin(), dims.end() - static_cast<ptrdiff_t>(batch.rank));
  }
  return dims == flat ? y : node.Reshape(y, std::move(dims));
}

// Unimplemented for the overload of quantized tensors, which has three more arguments.
absl::Status CheckOverload(const NodeContext& node) {
  constexpr size_t kArguments = 7;
  const bool flash = node.kind() == "aten::_scaled_dot_product_flash_attention";
  if (!flash || node.size() <= kArguments) return absl::OkStatus();
  return absl::UnimplementedError(absl::StrCat("it has ", node.size(),
                                               " arguments, as for quantized tensors, expected ",
                                               kArguments, " or fewer"));
}

// (query, key, value, ...): the result and, of ..._math, the probabilities.
absl::Status MapAttention(NodeContext& node) {
  const AttentionArguments& at = ArgumentsOfAttention(node.kind());
  RETURN_IF_ERROR(CheckOverload(node));
  ASSIGN_OR_RETURN(const float dropout, node.GetRealOr(at.dropout, 0));
  if (dropout != 0) return absl::UnimplementedError("it drops values, as in training");
  AttentionBatch batch;
  ASSIGN_OR_RETURN(Attention in, GetHeads(node, batch));
  ASSIGN_OR_RETURN(in.scale, node.GetRealOr(at.scale, DefaultAttentionScale(*in.q)));
  ASSIGN_OR_RETURN(Tensor * mask, node.GetOptionalTensor(at.mask));
  ASSIGN_OR_RETURN(const bool causal, node.GetBoolOr(at.causal, false));
  if (causal && mask != nullptr) {
    return absl::InvalidArgumentError("it is causal and has a mask, expected one of them");
  }
  if (mask != nullptr) RETURN_IF_ERROR(SetMask(node, mask, batch, in));
  if (causal) {
    KeyWindow window;
    window.after = 0;
    ASSIGN_OR_RETURN(in.allowed,
                     EmitWindowMask(node, window, in.q->type.shape[2], in.k->type.shape[2]));
  }
  const bool whole = batch.rank == 4;
  ASSIGN_OR_RETURN(const Attended out, EmitAttention(node, in, whole ? "" : ".heads"));
  RETURN_IF_ERROR(node.SetOutput(Unbatched(node, out.y, batch)));
  if (node.kind() == "aten::_scaled_dot_product_attention_math" && whole) {
    node.outputs().push_back(Value::Of(out.probabilities));
  }
  node.AddUnread("values for training");
  return absl::OkStatus();
}

// (x, dim, ...): softmax that gives 0, and no NaN, where all elements are minus infinity.
absl::Status MapSafeSoftmax(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, node.Cast(node.GetTensor(0), DataType::kFloat32, ".real"));
  ASSIGN_OR_RETURN(const int64_t axis, node.GetAxis(1, x->type.shape.rank()));
  const Emitted excluded =
      node.Emit("equal", {x, node.Scalar(kNegativeInfinity, ".infinity")}, {}, ".excluded");
  const Emitted finite =
      node.Emit("where", {excluded, node.Scalar(kExcludedScore, ".low"), x}, {}, ".finite");
  const Emitted y = node.Emit("softmax", {finite}, {{"axis", axis}}, ".softmax");
  return node.SetOutput(node.Emit("where", {excluded, node.Scalar(0, ".zero"), y}));
}

// --- Layers of multi-head attention

// Kinds of masks, which PyTorch numbers so.
enum MaskType : int64_t {
  kOfScores = 0,  // [S,T]
  kOfKeys = 1,    // [B,T]
  kOfHeads = 2,   // [B,heads,S,T]
};

// A mask that is true, or a number other than 0, where a score doesn't count, turned into one that
// broadcasts to the scores [B,heads,S,T] and is true where it does.
Emitted AllowedScores(NodeContext& node, const Emitted& mask, int64_t type) {
  const Emitted excluded = node.Cast(mask, DataType::kBool, ".excluded");
  ASSIGN_OR_RETURN(Tensor * allowed, node.Emit("logical_not", {excluded}, {}, ".allowed"));
  const Shape& shape = allowed->type.shape;
  if (type == kOfKeys && shape.rank() == 2) {
    return node.Reshape(allowed, {shape[0], 1, 1, shape[1]}, ".allowed");
  }
  if ((type == kOfScores && shape.rank() == 2) || (type == kOfHeads && shape.rank() == 4)) {
    return allowed;
  }
  return absl::InvalidArgumentError(absl::StrCat("its mask is ", shape.ToString(), " of type ",
                                                 type, ", expected [S,T] of type 0, [B,T] of type ",
                                                 "1 or [B,heads,S,T] of type 2"));
}

// The mask that argument `at` is, of the type at `type_at`; null if there is none.
Emitted GetAllowed(NodeContext& node, size_t at, size_t type_at) {
  if (!node.Has(at)) return nullptr;
  ASSIGN_OR_RETURN(const int64_t type, node.GetInt(type_at));
  return AllowedScores(node, node.GetTensor(at), type);
}

// Weights of a layer with `width` features. qkv: [3 * width,width] and [3 * width], those of query,
// key and value after each other.
struct HeadsLayer {
  int64_t width = 0, heads = 0;
  Tensor *qkv_weight, *qkv_bias, *weight, *bias;
};

// (..., width, heads, qkv_weight, qkv_bias, weight, bias) from argument `first` on
absl::StatusOr<HeadsLayer> GetHeadsLayer(NodeContext& node, size_t first) {
  HeadsLayer layer;
  ASSIGN_OR_RETURN(layer.width, node.GetInt(first));
  ASSIGN_OR_RETURN(layer.heads, node.GetInt(first + 1));
  ASSIGN_OR_RETURN(layer.qkv_weight, node.GetTensor(first + 2));
  ASSIGN_OR_RETURN(layer.qkv_bias, node.GetTensor(first + 3));
  ASSIGN_OR_RETURN(layer.weight, node.GetTensor(first + 4));
  ASSIGN_OR_RETURN(layer.bias, node.GetTensor(first + 5));
  const int64_t width = layer.width;
  if (layer.heads < 1 || width < 1 || width % layer.heads != 0) {
    return absl::InvalidArgumentError(absl::StrCat("it has ", layer.heads, " heads for ", width,
                                                   " features, expected a divisor of these"));
  }
  const Shape &weight = layer.qkv_weight->type.shape, &bias = layer.qkv_bias->type.shape;
  const bool fits = weight.rank() == 2 && bias.rank() == 1 && weight[0] % 3 == 0 &&
                    weight[0] / 3 == width && weight[1] == width && bias[0] == weight[0];
  if (fits) return layer;
  return absl::InvalidArgumentError(absl::StrCat("its weights and bias are ", weight.ToString(),
                                                 " and ", bias.ToString(), " for ", width,
                                                 " features, expected three times as many rows"));
}

// [B,S,width] -> [B,heads,S,D]
Emitted SplitHeads(NodeContext& node, const Emitted& x, int64_t heads, absl::string_view suffix) {
  RETURN_IF_ERROR(x.status());
  const Shape s = (*x)->type.shape;
  const Emitted split = node.Reshape(x, {s[0], s[1], heads, s[2] / heads}, suffix);
  return node.Transpose(split, {0, 2, 1, 3}, suffix);
}

// Query, key and value of the layer: [B,heads,S,D] each. One product where all are of the same
// tensor.
absl::Status ProjectHeads(NodeContext& node, const HeadsLayer& layer,
                          const std::vector<Tensor*>& operands, Attention& in) {
  constexpr absl::string_view kSuffixes[] = {".query", ".key", ".value"};
  Tensor** const projected[] = {&in.q, &in.k, &in.v};
  const bool packed = operands[0] == operands[1] && operands[0] == operands[2];
  Emitted all = nullptr;
  if (packed) {
    all = EmitLinear(node, operands[0], layer.qkv_weight, layer.qkv_bias, ".qkv");
  }
  for (size_t i = 0; i < 3; ++i) {
    const int64_t start = static_cast<int64_t>(i) * layer.width;
    Emitted part = nullptr;
    if (packed) {
      part = EmitAxisSlice(node, all, 2, start, layer.width, kSuffixes[i]);
    } else {
      ASSIGN_OR_RETURN(Tensor * weight,
                       EmitAxisSlice(node, layer.qkv_weight, 0, start, layer.width, ".weight"));
      ASSIGN_OR_RETURN(Tensor * bias,
                       EmitAxisSlice(node, layer.qkv_bias, 0, start, layer.width, ".bias"));
      part = EmitLinear(node, operands[i], weight, bias, kSuffixes[i]);
    }
    ASSIGN_OR_RETURN(*projected[i], SplitHeads(node, part, layer.heads, kSuffixes[i]));
  }
  return absl::OkStatus();
}

struct HeadsResult {
  Tensor* y = nullptr;              // [B,S,width], named Name(suffix)
  Tensor* probabilities = nullptr;  // [B,heads,S,T]
};

absl::StatusOr<HeadsResult> EmitHeadsLayer(NodeContext& node, const HeadsLayer& layer,
                                           const std::vector<Tensor*>& operands, Tensor* allowed,
                                           absl::string_view suffix) {
  for (const Tensor* x : operands) {
    const Shape& shape = x->type.shape;
    if (shape.rank() == 3 && shape[2] == layer.width) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("its operand is ", shape.ToString(), ", expected [B,S,", layer.width, "]"));
  }
  Attention in;
  RETURN_IF_ERROR(ProjectHeads(node, layer, operands, in));
  in.scale = DefaultAttentionScale(*in.q);
  in.allowed = allowed;
  ASSIGN_OR_RETURN(const Attended out, EmitAttention(node, in, ".heads"));
  const Emitted joined = node.Reshape(node.Transpose(out.y, {0, 2, 1, 3}, ".joined"),
                                      operands[0]->type.shape.dims(), ".joined");
  HeadsResult result;
  ASSIGN_OR_RETURN(result.y, EmitLinear(node, joined, layer.weight, layer.bias, suffix));
  result.probabilities = out.probabilities;
  return result;
}

// (query, key, value, width, heads, qkv_weight, qkv_bias, weight, bias, mask, need_weights,
// average_attn_weights, mask_type) -> y, probabilities [B,heads,S,T], or [B,S,T] of their mean
absl::Status MapMultiHeadAttention(NodeContext& node) {
  std::vector<Tensor*> operands(3);
  for (size_t i = 0; i < 3; ++i) {
    ASSIGN_OR_RETURN(operands[i], node.GetTensor(i));
  }
  ASSIGN_OR_RETURN(const HeadsLayer layer, GetHeadsLayer(node, 3));
  ASSIGN_OR_RETURN(Tensor * allowed, GetAllowed(node, 9, 12));
  ASSIGN_OR_RETURN(const bool need_weights, node.GetBoolOr(10, true));
  ASSIGN_OR_RETURN(const bool average, node.GetBoolOr(11, true));
  ASSIGN_OR_RETURN(const HeadsResult result, EmitHeadsLayer(node, layer, operands, allowed, ""));
  if (!need_weights) return node.SetOutputs({Value::Of(result.y), Value{None{}}});
  Emitted weights = result.probabilities;
  if (average) weights = EmitReduce(node, "reduce_mean", weights, {1}, false, ".weights");
  return node.SetTensors({result.y, weights});
}

// --- Encoder layers of transformers

// Sequences of different lengths as PyTorch's nested tensors hold them: x [B,S,D] with all that
// `kept`, bool [B,S], leaves out. As a value it is the list of the two.
struct Sequences {
  Tensor* x = nullptr;
  Tensor* kept = nullptr;  // null: all
};

absl::StatusOr<Sequences> GetSequences(NodeContext& node) {
  Sequences sequences;
  if (node.argument(0).AsList() == nullptr) {
    ASSIGN_OR_RETURN(sequences.x, node.GetTensor(0));
    return sequences;
  }
  ASSIGN_OR_RETURN(const std::vector<Tensor*> parts, node.GetTensors(0));
  if (parts.size() != 2) return absl::InvalidArgumentError("its argument 0 is a list of tensors");
  return Sequences{parts[0], parts[1]};
}

absl::Status CheckSequences(const Shape& x, const Shape& mask) {
  if (x.rank() == 3 && mask == Shape({x[0], x[1]})) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("its operand and mask are ", x.ToString(), " and ",
                                                 mask.ToString(), ", expected [B,S,D] and [B,S]"));
}

// (x, mask, ...): the mask is true where x counts.
absl::Status MapNestedTensor(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, node.GetTensor(0));
  ASSIGN_OR_RETURN(Tensor * kept, node.Cast(node.GetTensor(1), DataType::kBool, ".kept"));
  RETURN_IF_ERROR(CheckSequences(x->type.shape, kept->type.shape));
  return node.SetList(std::vector<Tensor*>{x, kept});
}

// (x, padding, output_size): x [B,S,D] with the padding where its sequences are over.
absl::Status MapPaddedTensor(NodeContext& node) {
  ASSIGN_OR_RETURN(const Sequences in, GetSequences(node));
  if (in.kept == nullptr) return node.SetOutput(in.x);
  const Shape shape = in.x->type.shape;
  if (!node.Has(2)) {
    return absl::UnimplementedError(
        "its result is as long as the longest sequence, which depends on the values of a mask; "
        "give its output_size");
  }
  ASSIGN_OR_RETURN(const Dims size, node.GetInts(2));
  if (size != shape.dims()) {
    return absl::UnimplementedError(absl::StrCat("its output_size is ", Shape(size).ToString(),
                                                 ", expected ", shape.ToString()));
  }
  ASSIGN_OR_RETURN(const float padding, node.GetReal(1));
  const Emitted kept = node.Reshape(in.kept, {shape[0], shape[1], 1}, ".kept");
  return node.SetOutput(node.Emit("where", {kept, in.x, node.Scalar(padding, ".padding")}));
}

// Layer normalization over the last dimension, with the weight and bias at `first`.
Emitted Normalized(NodeContext& node, const Emitted& x, float epsilon, size_t first,
                   absl::string_view suffix) {
  RETURN_IF_ERROR(x.status());
  const auto axis = static_cast<int64_t>((*x)->type.shape.rank()) - 1;
  ASSIGN_OR_RETURN(const Standardized standard, EmitStandardized(node, x, {axis}, epsilon));
  return EmitAffine(node, standard.y, node.GetTensor(first), node.GetTensor(first + 1), suffix);
}

// The layer's two linear layers, with the weights and biases from argument 14 on.
Emitted FeedForward(NodeContext& node, const Emitted& x, absl::string_view suffix) {
  ASSIGN_OR_RETURN(Tensor * first, node.GetTensor(14));
  ASSIGN_OR_RETURN(Tensor * first_bias, node.GetTensor(15));
  ASSIGN_OR_RETURN(Tensor * second, node.GetTensor(16));
  ASSIGN_OR_RETURN(Tensor * second_bias, node.GetTensor(17));
  ASSIGN_OR_RETURN(const bool gelu, node.GetBool(7));
  const Emitted hidden = EmitLinear(node, x, first, first_bias, ".hidden");
  const Emitted active = gelu ? node.Emit("gelu", {hidden}, {{"approximate", int64_t{0}}}, ".gelu")
                              : node.Emit("relu", {hidden}, {}, ".relu");
  return EmitLinear(node, active, second, second_bias, suffix);
}

// (src, width, heads, qkv_weight, qkv_bias, weight, bias, use_gelu, norm_first, eps, norm_weight_1,
// norm_bias_1, norm_weight_2, norm_bias_2, ffn_weight_1, ffn_bias_1, ffn_weight_2, ffn_bias_2,
// mask, mask_type): attention and two linear layers, each added to what it reads and normalized, or
// of what was normalized.
absl::Status MapEncoderLayer(NodeContext& node) {
  ASSIGN_OR_RETURN(const Sequences in, GetSequences(node));
  ASSIGN_OR_RETURN(const HeadsLayer layer, GetHeadsLayer(node, 1));
  ASSIGN_OR_RETURN(const bool norm_first, node.GetBool(8));
  ASSIGN_OR_RETURN(const float epsilon, node.GetReal(9));
  ASSIGN_OR_RETURN(Tensor * allowed, GetAllowed(node, 18, 19));
  if (in.kept != nullptr) {
    const Shape& kept = in.kept->type.shape;
    ASSIGN_OR_RETURN(allowed, node.Reshape(in.kept, {kept[0], 1, 1, kept[1]}, ".allowed"));
  }
  Tensor* x = in.x;
  if (norm_first) {
    ASSIGN_OR_RETURN(x, Normalized(node, x, epsilon, 10, ".norm1"));
  }
  ASSIGN_OR_RETURN(const HeadsResult attended,
                   EmitHeadsLayer(node, layer, {x, x, x}, allowed, ".attention"));
  Emitted sum = node.Emit("add", {attended.y, in.x}, {}, ".attended");
  if (!norm_first) sum = Normalized(node, sum, epsilon, 10, ".norm1");
  Emitted fed = sum;
  if (norm_first) fed = Normalized(node, sum, epsilon, 12, ".norm2");
  fed = FeedForward(node, fed, ".feed_forward");
  ASSIGN_OR_RETURN(Tensor * y, node.Emit("add", {fed, sum}, {}, norm_first ? "" : ".sum"));
  if (!norm_first) {
    ASSIGN_OR_RETURN(y, Normalized(node, y, epsilon, 12, ""));
  }
  if (in.kept == nullptr) return node.SetOutput(y);
  return node.SetList(std::vector<Tensor*>{y, in.kept});
}

// --- Parts of these layers

// (qkv, bias, heads): query, key and value [B,heads,S,D] of qkv + bias [B,S,3 * heads * D]; the
// query is scaled.
absl::Status MapTransformBiasRescale(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * qkv, node.GetTensor(0));
  ASSIGN_OR_RETURN(const int64_t heads, node.GetInt(2));
  const Shape shape = qkv->type.shape;
  if (shape.rank() != 3 || heads < 1 || shape[2] % 3 != 0 || shape[2] / 3 % heads != 0) {
    return absl::InvalidArgumentError(absl::StrCat("its operand is ", shape.ToString(), " for ",
                                                   heads, " heads, expected [B,S,3*heads*D]"));
  }
  const int64_t width = shape[2] / 3;
  const Emitted biased = node.Emit("add", {qkv, node.GetTensor(1)}, {}, ".biased");
  std::vector<Emitted> parts;
  for (int64_t i = 0; i < 3; ++i) {
    const Emitted part = EmitAxisSlice(node, biased, 2, i * width, width, ".part");
    parts.push_back(SplitHeads(node, part, heads, ".heads"));
  }
  RETURN_IF_ERROR(parts[0].status());
  parts[0] = node.Scale(parts[0], DefaultAttentionScale(**parts[0]), ".query");
  return node.SetTensors(parts);
}

// (x, mask, dim, mask_type): softmax of the elements where the mask is false, NaN without any.
absl::Status MapMaskedSoftmax(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, node.GetTensor(0));
  const size_t rank = x->type.shape.rank();
  ASSIGN_OR_RETURN(const int64_t axis, node.GetAxisOr(2, rank, -1));
  ASSIGN_OR_RETURN(const int64_t type, node.GetIntOr(3, kOfHeads));
  Emitted allowed = nullptr;
  if (type == kOfHeads) {
    const Emitted excluded = node.Cast(node.GetTensor(1), DataType::kBool, ".excluded");
    allowed = node.Emit("logical_not", {excluded}, {}, ".allowed");
  } else {
    allowed = AllowedScores(node, node.GetTensor(1), type);
  }
  const Emitted masked =
      node.Emit("where", {allowed, x, node.Scalar(kNegativeInfinity, ".low")}, {}, ".masked");
  return node.SetOutput(node.Emit("softmax", {masked}, {{"axis", axis}}));
}

constexpr char kNoDropout[] = "no dropout";

constexpr OpMapping kAttentionMappings[] = {
    {"aten::scaled_dot_product_attention", 3, MapAttention, kNoDropout},
    {"aten::_scaled_dot_product_attention_math", 3, MapAttention, kNoDropout},
    {"aten::_scaled_dot_product_flash_attention_for_cpu", 3, MapAttention, kNoDropout},
    {"aten::_scaled_dot_product_flash_attention", 3, MapAttention, kNoDropout},
    {"aten::_scaled_dot_product_efficient_attention", 3, MapAttention, kNoDropout},
    {"aten::_scaled_dot_product_cudnn_attention", 3, MapAttention, kNoDropout},
    {"aten::_scaled_dot_product_fused_attention_overrideable", 3, MapAttention, kNoDropout},
    {"aten::_safe_softmax", 2, MapSafeSoftmax},
    {"aten::_masked_softmax", 2, MapMaskedSoftmax},
    {"aten::_native_multi_head_attention", 9, MapMultiHeadAttention},
    {"aten::_transformer_encoder_layer_fwd", 18, MapEncoderLayer},
    {"aten::_transform_bias_rescale_qkv", 3, MapTransformBiasRescale},
    {"aten::_nested_tensor_from_mask", 2, MapNestedTensor, "encoder layers of transformers"},
    {"aten::to_padded_tensor", 2, MapPaddedTensor, "its operand's own dimensions"},
    {"aten::nested_to_padded_tensor", 2, MapPaddedTensor, "its operand's own dimensions"},
};

}  // namespace

absl::Span<const OpMapping> AttentionMappings() { return kAttentionMappings; }

}  // namespace synap_internal::torchscript_import
