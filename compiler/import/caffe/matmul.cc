// InnerProduct.
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "compiler/import/caffe/layer_table.h"
#include "compiler/import/emit/axes.h"

namespace synap_internal::caffe_import {
namespace {

using Dims = std::vector<int64_t>;

// Fully connected layer: the dimensions from `axis` on are one vector.
absl::Status MapInnerProduct(LayerContext& layer) {
  const caffe::InnerProductParameter& param = layer.param().inner_product_param();
  const Shape x = layer.shape(0);
  ASSIGN_OR_RETURN(const int64_t axis, ResolveAxis(param.axis(), x.rank()));
  const int64_t inputs = x.Product(static_cast<size_t>(axis), x.rank());
  const int64_t outputs = param.num_output();
  ASSIGN_OR_RETURN(
      Tensor * w,
      layer.Blob(0, param.transpose() ? Dims{inputs, outputs} : Dims{outputs, inputs}, ".weights"));
  if (param.transpose()) {
    ASSIGN_OR_RETURN(w, layer.Transpose(w, {1, 0}, ".weights"));
  }
  Dims dims(x.dims().begin(), x.dims().begin() + axis);
  dims.push_back(inputs);
  Tensor* vectors = layer.input(0);
  if (dims != x.dims()) {
    ASSIGN_OR_RETURN(vectors, layer.Reshape(vectors, std::move(dims), ".flat"));
  }
  std::vector<Tensor*> operands = {vectors, w};
  if (param.bias_term()) {
    ASSIGN_OR_RETURN(Tensor * bias, layer.Blob(1, {outputs}, ".bias"));
    operands.push_back(bias);
  }
  return layer.SetTop(layer.Emit("fully_connected", std::move(operands)));
}

constexpr LayerMapping kMatmulMappings[] = {
    {"InnerProduct", 1, 1, MapInnerProduct},
};

}  // namespace

absl::Span<const LayerMapping> MatmulMappings() { return kMatmulMappings; }

}  // namespace synap_internal::caffe_import
