#include "compiler/import/caffe/upgrade.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"

namespace synap_internal::caffe_import {
namespace {

using caffe::V0LayerParameter;
using caffe::V1LayerParameter;
using google::protobuf::FieldDescriptor;

struct V1TypeName {
  V1LayerParameter::LayerType v1;
  const char* type;
};

constexpr V1TypeName kV1TypeNames[] = {
    {V1LayerParameter::ABSVAL, "AbsVal"},
    {V1LayerParameter::ACCURACY, "Accuracy"},
    {V1LayerParameter::ARGMAX, "ArgMax"},
    {V1LayerParameter::BNLL, "BNLL"},
    {V1LayerParameter::CONCAT, "Concat"},
    {V1LayerParameter::CONTRASTIVE_LOSS, "ContrastiveLoss"},
    {V1LayerParameter::CONVOLUTION, "Convolution"},
    {V1LayerParameter::DATA, "Data"},
    {V1LayerParameter::DECONVOLUTION, "Deconvolution"},
    {V1LayerParameter::DROPOUT, "Dropout"},
    {V1LayerParameter::DUMMY_DATA, "DummyData"},
    {V1LayerParameter::ELTWISE, "Eltwise"},
    {V1LayerParameter::EUCLIDEAN_LOSS, "EuclideanLoss"},
    {V1LayerParameter::EXP, "Exp"},
    {V1LayerParameter::FLATTEN, "Flatten"},
    {V1LayerParameter::HDF5_DATA, "HDF5Data"},
    {V1LayerParameter::HDF5_OUTPUT, "HDF5Output"},
    {V1LayerParameter::HINGE_LOSS, "HingeLoss"},
    {V1LayerParameter::IM2COL, "Im2col"},
    {V1LayerParameter::IMAGE_DATA, "ImageData"},
    {V1LayerParameter::INFOGAIN_LOSS, "InfogainLoss"},
    {V1LayerParameter::INNER_PRODUCT, "InnerProduct"},
    {V1LayerParameter::LRN, "LRN"},
    {V1LayerParameter::MEMORY_DATA, "MemoryData"},
    {V1LayerParameter::MULTINOMIAL_LOGISTIC_LOSS, "MultinomialLogisticLoss"},
    {V1LayerParameter::MVN, "MVN"},
    {V1LayerParameter::POOLING, "Pooling"},
    {V1LayerParameter::POWER, "Power"},
    {V1LayerParameter::RELU, "ReLU"},
    {V1LayerParameter::SIGMOID, "Sigmoid"},
    {V1LayerParameter::SIGMOID_CROSS_ENTROPY_LOSS, "SigmoidCrossEntropyLoss"},
    {V1LayerParameter::SILENCE, "Silence"},
    {V1LayerParameter::SLICE, "Slice"},
    {V1LayerParameter::SOFTMAX, "Softmax"},
    {V1LayerParameter::SOFTMAX_LOSS, "SoftmaxWithLoss"},
    {V1LayerParameter::SPLIT, "Split"},
    {V1LayerParameter::TANH, "TanH"},
    {V1LayerParameter::THRESHOLD, "Threshold"},
    {V1LayerParameter::WINDOW_DATA, "WindowData"},
};

// V1 differs in numbers; names and content of what describes a layer are the same.
void UpgradeV1(const V1LayerParameter& v1, caffe::LayerParameter& layer) {
  std::vector<const FieldDescriptor*> fields;
  v1.GetReflection()->ListFields(v1, &fields);
  for (const FieldDescriptor* field : fields) {
    const FieldDescriptor* same = layer.GetDescriptor()->FindFieldByName(field->name());
    const bool parameters = same != nullptr && !field->is_repeated() &&
                            field->message_type() == same->message_type() &&
                            field->message_type() != nullptr;
    if (!parameters) continue;
    layer.GetReflection()
        ->MutableMessage(&layer, same)
        ->CopyFrom(v1.GetReflection()->GetMessage(v1, field));
  }
  layer.set_name(v1.name());
  *layer.mutable_bottom() = v1.bottom();
  *layer.mutable_top() = v1.top();
  *layer.mutable_include() = v1.include();
  *layer.mutable_exclude() = v1.exclude();
  for (const V1TypeName& name : kV1TypeNames) {
    if (name.v1 == v1.type()) layer.set_type(name.type);
  }
}

constexpr std::pair<absl::string_view, const char*> kV0TypeNames[] = {
    {"accuracy", "Accuracy"},
    {"bnll", "BNLL"},
    {"concat", "Concat"},
    {"conv", "Convolution"},
    {"data", "Data"},
    {"dropout", "Dropout"},
    {"euclidean_loss", "EuclideanLoss"},
    {"flatten", "Flatten"},
    {"hdf5_data", "HDF5Data"},
    {"hdf5_output", "HDF5Output"},
    {"im2col", "Im2col"},
    {"images", "ImageData"},
    {"infogain_loss", "InfogainLoss"},
    {"innerproduct", "InnerProduct"},
    {"lrn", "LRN"},
    {"multinomial_logistic_loss", "MultinomialLogisticLoss"},
    {"pool", "Pooling"},
    {"relu", "ReLU"},
    {"sigmoid", "Sigmoid"},
    {"softmax", "Softmax"},
    {"softmax_loss", "SoftmaxWithLoss"},
    {"split", "Split"},
    {"tanh", "TanH"},
    {"window_data", "WindowData"},
};

// V0 has the parameters of all types in one message.
void UpgradeV0(const V0LayerParameter& v0, caffe::LayerParameter& layer) {
  layer.set_name(v0.name());
  layer.set_type(v0.type());
  for (const auto& [old, type] : kV0TypeNames) {
    if (old == v0.type()) layer.set_type(type);
  }
  if (layer.type() == "Convolution") {
    caffe::ConvolutionParameter& param = *layer.mutable_convolution_param();
    param.set_num_output(v0.num_output());
    param.set_bias_term(v0.biasterm());
    param.add_kernel_size(v0.kernelsize());
    param.add_stride(v0.stride());
    param.add_pad(v0.pad());
    param.set_group(v0.group());
  } else if (layer.type() == "Pooling") {
    caffe::PoolingParameter& param = *layer.mutable_pooling_param();
    param.set_pool(v0.pool());
    param.set_kernel_size(v0.kernelsize());
    param.set_stride(v0.stride());
    param.set_pad(v0.pad());
  } else if (layer.type() == "InnerProduct") {
    layer.mutable_inner_product_param()->set_num_output(v0.num_output());
    layer.mutable_inner_product_param()->set_bias_term(v0.biasterm());
  } else if (layer.type() == "LRN") {
    caffe::LRNParameter& param = *layer.mutable_lrn_param();
    param.set_local_size(v0.local_size());
    param.set_alpha(v0.alpha());
    param.set_beta(v0.beta());
    param.set_k(v0.k());
  } else if (layer.type() == "Concat") {
    layer.mutable_concat_param()->set_concat_dim(v0.concat_dim());
  }
}

// A padding layer of V0: its operand and its pads.
struct Padding {
  std::string bottom;
  uint32_t pad = 0;
};

absl::Status TakeOver(const Padding& padding, caffe::LayerParameter& layer, std::string& bottom) {
  if (layer.type() == "Convolution") {
    layer.mutable_convolution_param()->set_pad(0, padding.pad);
  } else if (layer.type() == "Pooling") {
    layer.mutable_pooling_param()->set_pad(padding.pad);
  } else {
    return absl::InvalidArgumentError(absl::StrCat("layer '", layer.name(), "' (", layer.type(),
                                                   "): it reads the padding '", bottom,
                                                   "', which only a convolution or pooling can"));
  }
  bottom = padding.bottom;
  return absl::OkStatus();
}

}  // namespace

absl::Status UpgradeLayers(caffe::NetParameter& net) {
  std::map<std::string, Padding> paddings;  // by top
  for (const V1LayerParameter& old : net.layers()) {
    if (old.layer().type() == "padding" && old.bottom_size() == 1 && old.top_size() == 1) {
      paddings[old.top(0)] = {old.bottom(0), old.layer().pad()};
      continue;
    }
    caffe::LayerParameter& layer = *net.add_layer();
    UpgradeV1(old, layer);
    if (old.has_layer()) UpgradeV0(old.layer(), layer);
    for (std::string& bottom : *layer.mutable_bottom()) {
      const auto padding = paddings.find(bottom);
      if (padding != paddings.end()) RETURN_IF_ERROR(TakeOver(padding->second, layer, bottom));
    }
  }
  net.clear_layers();
  return absl::OkStatus();
}

}  // namespace synap_internal::caffe_import
