#include "compiler/import/caffe/layer_context.h"

#include <cstring>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace synap_internal::caffe_import {
namespace {

std::vector<Tensor*> BottomsOf(const Layer& layer, const ImportState& state) {
  std::vector<Tensor*> tensors;
  for (const size_t bottom : layer.bottoms) tensors.push_back(state.values[bottom]);
  return tensors;
}

}  // namespace

void ImportState::Bind(size_t value, Tensor* tensor) {
  values[value] = tensor;
  // Of a blob that is changed in place, the name stands for its last value.
  const std::string& blob = network.blobs[value];
  if (network.last.at(blob) != value) return;
  // An input keeps it, so that users find it again.
  const Tensor* namesake = builder.graph().FindTensor(blob);
  if (!GraphBuilder::IsInput(namesake) || namesake == tensor) builder.Name(tensor, blob);
}

LayerContext::LayerContext(const Layer& layer, ImportState& state)
    : OperandContext(
          state.builder,
          layer.param->name().empty() ? state.network.blobs[layer.tops[0]] : layer.param->name(),
          state.network.blobs[layer.tops[0]], BottomsOf(layer, state)),
      layer_(layer),
      state_(state) {}

absl::Status LayerContext::CheckImage() const {
  if (shape(0).rank() == 4) return absl::OkStatus();
  return absl::UnimplementedError(
      absl::StrCat("its bottom is ", shape(0).ToString(), ", expected [N,C,H,W]"));
}

Emitted LayerContext::Blob(size_t i, const std::vector<int64_t>& dims, absl::string_view suffix) {
  const Shape blob_shape(dims);
  RETURN_IF_ERROR(blob_shape.Validate());
  ASSIGN_OR_RETURN(Constant constant, state_.weights.Blob(param().name(), i, dims));
  return builder().graph().AddConstant(absl::StrCat(param().name(), suffix),
                                       {DataType::kFloat32, blob_shape, {}}, std::move(constant));
}

absl::StatusOr<std::vector<float>> LayerContext::BlobValues(size_t i, int64_t count) {
  ASSIGN_OR_RETURN(const Constant constant, state_.weights.Blob(param().name(), i, {count}));
  std::vector<float> values(static_cast<size_t>(count));
  std::memcpy(values.data(), constant.bytes.data(), constant.bytes.size());
  return values;
}

absl::Status LayerContext::BindOutput(size_t i, Tensor* tensor) {
  if (i >= layer_.tops.size()) return absl::OkStatus();
  if (state_.values[layer_.tops[i]] == nullptr) state_.Bind(layer_.tops[i], tensor);
  return absl::OkStatus();
}

}  // namespace synap_internal::caffe_import
