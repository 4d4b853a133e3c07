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
  Emitted w =
      layer.Blob(0, param.transpose() ? Dims{inputs, outputs} : Dims{outputs, inputs}, ".weights");
  if (param.transpose()) w = layer.Transpose(w, {1, 0}, ".weights");
  Dims dims(x.dims().begin(), x.dims().begin() + axis);
  dims.push_back(inputs);
  Emitted vectors = layer.input(0);
  if (dims != x.dims()) vectors = layer.Reshape(vectors, std::move(dims), ".flat");
  std::vector<Emitted> operands = {vectors, w};
  if (param.bias_term()) operands.push_back(layer.Blob(1, {outputs}, ".bias"));
  return layer.SetTop(layer.Emit("fully_connected", operands));
}

constexpr LayerMapping kMatmulMappings[] = {
    {"InnerProduct", 1, 1, MapInnerProduct},
};

}  // namespace

absl::Span<const LayerMapping> MatmulMappings() { return kMatmulMappings; }

}  // namespace synap_internal::caffe_import
