#include "compiler/import/caffe/network_file.h"

#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/text_format.h>

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace synap::caffe_import {
namespace {

using caffe::V1LayerParameter;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

absl::Status NotCaffe(absl::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat("is not a Caffe network: ", why));
}

// Keeps the first error, and the first unknown field that could change what is
// computed.
class TextErrors : public google::protobuf::io::ErrorCollector {
 public:
  void AddError(int line, int /*column*/, const std::string& message) override {
    if (error_.empty()) error_ = AtLine(line, message);
  }
  void AddWarning(int line, int /*column*/, const std::string& message) override {
    // What is unknown in these belongs to training, or to layers that aren't mapped.
    for (const absl::string_view lenient :
         {"\"caffe.Ignored\"", "\"caffe.NetParameter\"", "\"caffe.LayerParameter\"",
          "\"caffe.V1LayerParameter\"", "\"caffe.NetState\""}) {
      if (absl::StrContains(message, lenient)) return;
    }
    if (unknown_.empty()) unknown_ = AtLine(line, message);
  }

  const std::string& error() const { return error_; }
  const std::string& unknown() const { return unknown_; }

 private:
  static std::string AtLine(int line, const std::string& message) {
    return absl::StrCat("line ", line + 1, ": ", message);
  }

  std::string error_, unknown_;
};

struct TypeName {
  V1LayerParameter::LayerType v1;
  const char* type;
};

constexpr TypeName kTypeNames[] = {
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

// The generations differ in numbers; names and content of what describes a layer
// are the same.
void Upgrade(const V1LayerParameter& v1, caffe::LayerParameter& layer) {
  std::vector<const FieldDescriptor*> fields;
  v1.GetReflection()->ListFields(v1, &fields);
  for (const FieldDescriptor* field : fields) {
    const FieldDescriptor* twin = layer.GetDescriptor()->FindFieldByName(field->name());
    const bool parameters = twin != nullptr && !field->is_repeated() &&
                            field->message_type() == twin->message_type() &&
                            field->message_type() != nullptr;
    if (!parameters) continue;
    layer.GetReflection()
        ->MutableMessage(&layer, twin)
        ->CopyFrom(v1.GetReflection()->GetMessage(v1, field));
  }
  layer.set_name(v1.name());
  *layer.mutable_bottom() = v1.bottom();
  *layer.mutable_top() = v1.top();
  *layer.mutable_include() = v1.include();
  *layer.mutable_exclude() = v1.exclude();
  for (const TypeName& name : kTypeNames) {
    if (name.v1 == v1.type()) layer.set_type(name.type);
  }
}

absl::Status CheckLayers(const caffe::NetParameter& net) {
  if (net.op_size() > 0) {
    return absl::UnimplementedError(
        "is a network of Caffe2, which is not supported; export it to ONNX");
  }
  if (net.layer_size() > 0 && net.layers_size() > 0) {
    return NotCaffe("it has layers of two generations, 'layer' and 'layers'");
  }
  if (net.layer_size() == 0 && net.layers_size() == 0) {
    return NotCaffe("it has no layers; a solver only names the file that has them");
  }
  for (const V1LayerParameter& v1 : net.layers()) {
    if (!v1.has_layer()) continue;
    return absl::UnimplementedError(
        "has layers of the first generation (V0), which is not supported; upgrade it with Caffe's "
        "upgrade_net_proto_text");
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<NetworkFile> ParseNetwork(absl::string_view text) {
  if (text.empty()) return NotCaffe("it is empty");
  if (absl::StartsWith(text, "version https://git-lfs")) {
    return NotCaffe("it is a git-lfs pointer; fetch the file itself with 'git lfs pull'");
  }
  if (text.size() > static_cast<size_t>(std::numeric_limits<int>::max())) {
    return NotCaffe("it has more than 2 GiB");
  }
  NetworkFile file;
  TextErrors errors;
  google::protobuf::TextFormat::Parser parser;
  parser.AllowUnknownField(true);
  parser.RecordErrorsTo(&errors);
  parser.SetRecursionLimit(32);
  google::protobuf::io::ArrayInputStream stream(text.data(), static_cast<int>(text.size()));
  if (!parser.Parse(&stream, &file.net)) return NotCaffe(errors.error());
  RETURN_IF_ERROR(CheckLayers(file.net));
  for (const V1LayerParameter& v1 : file.net.layers()) Upgrade(v1, *file.net.add_layer());
  file.net.clear_layers();
  if (!errors.unknown().empty()) file.unknown_field = absl::UnimplementedError(errors.unknown());
  return file;
}

}  // namespace synap::caffe_import
