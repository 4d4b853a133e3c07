// Operators that give the same elements another shape, order or type, or repeat
// them.
#include <algorithm>
#include <memory>
#include <numeric>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "compiler/import/emit/axes.h"
#include "compiler/import/emit/shape_ops.h"
#include "compiler/import/torchscript/op_table.h"
#include "compiler/import/torchscript/scalar_type.h"

namespace synap_internal::torchscript_import {
namespace {

using Dims = std::vector<int64_t>;

absl::Status SetReshaped(NodeContext& node, Tensor* x, Dims dims) {
  if (x->type.shape.dims() == dims) return node.SetOutput(x);
  return node.SetOutput(node.Reshape(x, std::move(dims)));
}

absl::Status MapView(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, node.GetTensor(0));
  ASSIGN_OR_RETURN(Dims dims, node.GetInts(1));
  ASSIGN_OR_RETURN(dims, ResolveReshape(x->type.shape, std::move(dims)));
  return SetReshaped(node, x, std::move(dims));
}

absl::Status MapViewAs(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, node.GetTensor(0));
  ASSIGN_OR_RETURN(const Tensor* other, node.GetTensor(1));
  return SetReshaped(node, x, other->type.shape.dims());
}

// (x, first, last dimension that become one)
absl::Status MapFlatten(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, node.GetTensor(0));
  const Shape& s = x->type.shape;
  if (s.rank() == 0) return SetReshaped(node, x, {1});
  ASSIGN_OR_RETURN(int64_t first, node.GetIntOr(1, 0));
  ASSIGN_OR_RETURN(int64_t last, node.GetIntOr(2, -1));
  ASSIGN_OR_RETURN(first, ResolveAxis(first, s.rank()));
  ASSIGN_OR_RETURN(last, ResolveAxis(last, s.rank()));
  if (first > last) {
    return absl::InvalidArgumentError(
        absl::StrCat("it flattens dimensions ", first, " to ", last, " of ", s.ToString()));
  }
  Dims dims(s.dims().begin(), s.dims().begin() + first);
  dims.push_back(s.Product(static_cast<size_t>(first), static_cast<size_t>(last) + 1));
  dims.insert(dims.end(), s.dims().begin() + last + 1, s.dims().end());
  return SetReshaped(node, x, std::move(dims));
}

// (x, dimension, its parts)
absl::Status MapUnflatten(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, node.GetTensor(0));
  ASSIGN_OR_RETURN(int64_t axis, node.GetInt(1));
  ASSIGN_OR_RETURN(axis, ResolveAxis(axis, x->type.shape.rank()));
  ASSIGN_OR_RETURN(Dims parts, node.GetInts(2));
  ASSIGN_OR_RETURN(parts, ResolveReshape(Shape({x->type.shape[static_cast<size_t>(axis)]}), parts));
  Dims dims = x->type.shape.dims();
  dims.erase(dims.begin() + axis);
  dims.insert(dims.begin() + axis, parts.begin(), parts.end());
  return SetReshaped(node, x, std::move(dims));
}

// All dimensions of 1, or those listed as far as they are 1.
absl::Status MapSqueeze(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, node.GetTensor(0));
  const Shape& s = x->type.shape;
  Dims axes(s.rank());
  std::iota(axes.begin(), axes.end(), 0);
  if (node.Has(1)) {
    ASSIGN_OR_RETURN(axes, node.argument(1).AsList() ? node.GetInts(1) : node.GetIntsOf(1, 1));
    ASSIGN_OR_RETURN(axes, ResolveAxes(std::move(axes), s.rank()));
  }
  Dims dims;
  for (size_t i = 0; i < s.rank(); ++i) {
    const bool listed = std::find(axes.begin(), axes.end(), static_cast<int64_t>(i)) != axes.end();
    if (!listed || s[i] != 1) dims.push_back(s[i]);
  }
  return SetReshaped(node, x, std::move(dims));
}

absl::Status MapUnsqueeze(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, node.GetTensor(0));
  ASSIGN_OR_RETURN(int64_t axis, node.GetInt(1));
  ASSIGN_OR_RETURN(axis, ResolveAxis(axis, x->type.shape.rank() + 1));
  Dims dims = x->type.shape.dims();
  dims.insert(dims.begin() + axis, 1);
  return node.SetOutput(node.Reshape(x, std::move(dims)));
}

absl::Status MapPermute(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, node.GetTensor(0));
  ASSIGN_OR_RETURN(Dims perm, node.GetInts(1));
  if (perm.size() != x->type.shape.rank()) {
    return absl::InvalidArgumentError(absl::StrCat("it permutes [", absl::StrJoin(perm, ", "),
                                                   "] of ", x->type.shape.ToString()));
  }
  ASSIGN_OR_RETURN(perm, ResolveAxes(std::move(perm), x->type.shape.rank()));
  return node.SetOutput(node.Transpose(x, std::move(perm)));
}

// Two dimensions change places; of t those of a matrix.
absl::Status MapTranspose(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, node.GetTensor(0));
  const size_t rank = x->type.shape.rank();
  int64_t a = 0, b = 1;
  if (node.kind() == "aten::t") {
    if (rank < 2) return node.SetOutput(x);
  } else {
    ASSIGN_OR_RETURN(a, node.GetInt(1));
    ASSIGN_OR_RETURN(b, node.GetInt(2));
  }
  ASSIGN_OR_RETURN(a, ResolveAxis(a, rank));
  ASSIGN_OR_RETURN(b, ResolveAxis(b, rank));
  Dims perm(rank);
  std::iota(perm.begin(), perm.end(), 0);
  std::swap(perm[static_cast<size_t>(a)], perm[static_cast<size_t>(b)]);
  return node.SetOutput(node.Transpose(x, std::move(perm)));
}

absl::Status MapExpandTo(NodeContext& node, Tensor* x, Dims dims) {
  const Shape& s = x->type.shape;
  if (dims.size() < s.rank()) {
    return absl::InvalidArgumentError(
        absl::StrCat("it expands ", s.ToString(), " to [", absl::StrJoin(dims, ", "), "]"));
  }
  const size_t added = dims.size() - s.rank();
  for (size_t i = added; i < dims.size(); ++i) {
    if (dims[i] == -1) dims[i] = s[i - added];
  }
  if (dims == s.dims()) return node.SetOutput(x);
  return node.SetOutput(node.Emit("expand", {x}, {{"shape", std::move(dims)}}));
}

absl::Status MapExpand(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, node.GetTensor(0));
  if (node.kind() == "aten::expand_as") {
    ASSIGN_OR_RETURN(const Tensor* other, node.GetTensor(1));
    return MapExpandTo(node, x, other->type.shape.dims());
  }
  ASSIGN_OR_RETURN(Dims dims, node.GetInts(1));
  return MapExpandTo(node, x, std::move(dims));
}

absl::Status MapRepeat(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, node.GetTensor(0));
  ASSIGN_OR_RETURN(Dims repeats, node.GetInts(1));
  const size_t rank = x->type.shape.rank();
  if (repeats.size() > Shape::kMaxRank) {
    return absl::InvalidArgumentError(absl::StrCat("it repeats ", repeats.size(), " dimensions"));
  }
  if (repeats.size() < rank) repeats.insert(repeats.begin(), rank - repeats.size(), 1);
  if (repeats.size() > rank) {
    Dims dims = x->type.shape.dims();
    dims.insert(dims.begin(), repeats.size() - rank, 1);
    ASSIGN_OR_RETURN(x, node.Reshape(x, std::move(dims), ".lifted"));
  }
  return node.SetOutput(EmitTile(node, x, repeats));
}

// Nothing changes for what is computed.
absl::Status MapIdentity(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, node.GetTensor(0));
  return node.SetOutput(x);
}

// (x, p, train): nothing in a network that is not being trained.
absl::Status MapDropout(NodeContext& node) {
  ASSIGN_OR_RETURN(const float p, node.GetRealOr(1, 0));
  ASSIGN_OR_RETURN(const bool train, node.GetBoolOr(2, false));
  if (train && p != 0) {
    return absl::UnimplementedError("it drops values also when the network is not being trained");
  }
  return MapIdentity(node);
}

absl::Status SetTyped(NodeContext& node, Tensor* x, DataType type, bool is_uint8) {
  ASSIGN_OR_RETURN(x, node.Cast(x, type, ""));
  node.SetOutput(Value::Of(x, is_uint8));
  return absl::OkStatus();
}

// Another type, or device: the first argument that is a type's number or another tensor.
absl::Status MapTo(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, node.GetTensor(0));
  for (size_t i = 1; i < node.size(); ++i) {
    const Value& argument = node.argument(i);
    if (argument.Get<int64_t>() != nullptr) {
      ASSIGN_OR_RETURN(const int64_t number, node.GetInt(i));
      ASSIGN_OR_RETURN(const DataType type, FlowDataType(number));
      return SetTyped(node, x, type, IsUint8(number));
    }
    if (const auto* variable = argument.Get<std::shared_ptr<Variable>>(); variable != nullptr) {
      ASSIGN_OR_RETURN(const Tensor* other, node.GetTensor(i));
      return SetTyped(node, x, other->type.dtype, (*variable)->is_uint8.value_or(false));
    }
    if (argument.Get<bool>() != nullptr) break;  // non_blocking
  }
  return node.SetOutput(x);
}

// What is written takes the shape and the type of what it is written to.
absl::Status MapCopy(NodeContext& node) {
  ASSIGN_OR_RETURN(const Tensor* to, node.GetTensor(0));
  ASSIGN_OR_RETURN(Tensor * x, node.GetNumbers(1));
  ASSIGN_OR_RETURN(x, node.Cast(x, to->type.dtype, ".cast"));
  return MapExpandTo(node, x, to->type.shape.dims());
}

constexpr char kInference[] = "not in training mode";

constexpr OpMapping kMappings[] = {
    {"aten::view", 2, MapView, Quantized::kSame, Result::kView},
    {"aten::reshape", 2, MapView, Quantized::kSame, Result::kView},
    {"aten::_unsafe_view", 2, MapView, Quantized::kSame, Result::kAlike},
    {"aten::view_as", 2, MapViewAs, Quantized::kSame, Result::kView},
    {"aten::reshape_as", 2, MapViewAs, Quantized::kSame, Result::kView},
    {"aten::flatten", 1, MapFlatten, Quantized::kSame, Result::kView},
    {"aten::unflatten", 3, MapUnflatten, Quantized::kSame, Result::kView},
    {"aten::squeeze", 1, MapSqueeze, Quantized::kSame, Result::kView},
    {"aten::unsqueeze", 2, MapUnsqueeze, Quantized::kSame, Result::kView},
    {"aten::permute", 2, MapPermute, Quantized::kSame, Result::kView},
    {"aten::transpose", 3, MapTranspose, Quantized::kSame, Result::kView},
    {"aten::swapaxes", 3, MapTranspose, Quantized::kSame, Result::kView},
    {"aten::t", 1, MapTranspose, Quantized::kSame, Result::kView},
    {"aten::expand", 2, MapExpand, Quantized::kSame, Result::kView},
    {"aten::expand_as", 2, MapExpand, Quantized::kSame, Result::kView},
    {"aten::repeat", 2, MapRepeat, Quantized::kSame, Result::kAlike},
    {"aten::contiguous", 1, MapIdentity, Quantized::kOwn, Result::kView},
    {"aten::clone", 1, MapIdentity, Quantized::kOwn, Result::kAlike},
    {"aten::detach", 1, MapIdentity, Quantized::kOwn, Result::kView},
    {"aten::alias", 1, MapIdentity, Quantized::kOwn, Result::kView},
    {"aten::cpu", 1, MapIdentity, Quantized::kOwn, Result::kView},
    {"aten::dropout", 1, MapDropout, Quantized::kOwn, Result::kView, kInference},
    {"aten::feature_dropout", 1, MapDropout, Quantized::kOwn, Result::kView, kInference},
    {"aten::alpha_dropout", 1, MapDropout, Quantized::kOwn, Result::kView, kInference},
    {"aten::to", 1, MapTo, Quantized::kSame, Result::kView},
    {"aten::type_as", 2, MapTo, Quantized::kSame, Result::kView},
    {"aten::copy", 2, MapCopy, Quantized::kSame, Result::kAlike},
    {"aten::fill", 2, MapCopy, Quantized::kSame, Result::kAlike},
};

}  // namespace

absl::Span<const OpMapping> ShapeMappings() { return kMappings; }

}  // namespace synap_internal::torchscript_import
