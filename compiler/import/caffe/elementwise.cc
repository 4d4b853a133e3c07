// Layers of two or more blobs, element by element.
#include "compiler/import/emit/elementwise.h"

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/caffe/layer_table.h"

namespace synap_internal::caffe_import {
namespace {

absl::string_view EltwiseOp(caffe::EltwiseParameter::EltwiseOp operation) {
  switch (operation) {
    case caffe::EltwiseParameter::PROD:
      return "mul";
    case caffe::EltwiseParameter::MAX:
      return "maximum";
    default:
      return "add";
  }
}

absl::Status CheckSameShapes(const LayerContext& layer) {
  for (size_t i = 1; i < layer.input_count(); ++i) {
    if (layer.shape(i) == layer.shape(0)) continue;
    return absl::InvalidArgumentError(absl::StrCat("its bottoms are ", layer.shape(0).ToString(),
                                                   " and ", layer.shape(i).ToString(),
                                                   ", expected one shape"));
  }
  return absl::OkStatus();
}

// Bottom `i` times its coefficient, if the layer has coefficients.
Emitted Term(LayerContext& layer, size_t i) {
  const auto& coefficients = layer.param().eltwise_param().coeff();
  Tensor* x = layer.input(i);
  if (coefficients.empty()) return x;
  return layer.Scale(x, coefficients[static_cast<int>(i)], absl::StrCat(".term", i));
}

absl::Status MapEltwise(LayerContext& layer) {
  const caffe::EltwiseParameter& param = layer.param().eltwise_param();
  RETURN_IF_ERROR(CheckSameShapes(layer));
  const auto coefficients = static_cast<size_t>(param.coeff_size());
  const bool sum = param.operation() == caffe::EltwiseParameter::SUM;
  if (coefficients > 0 && (!sum || coefficients != layer.input_count())) {
    return absl::InvalidArgumentError(
        absl::StrCat("it has ", coefficients, " coefficients for ", layer.input_count(),
                     " bottoms, expected none or, of a sum, one for each"));
  }
  const auto term = [&](size_t i) { return Term(layer, i); };
  return layer.SetTop(EmitChain(layer, EltwiseOp(param.operation()), layer.input_count(), term));
}

constexpr LayerMapping kElementwiseMappings[] = {
    {"Eltwise", 1, kAnyCount, MapEltwise},
};

}  // namespace

absl::Span<const LayerMapping> ElementwiseMappings() { return kElementwiseMappings; }

}  // namespace synap_internal::caffe_import
