#include "compiler/import/caffe/test_network.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "compiler/graph/text.h"

namespace synap_internal::caffe_import {

TestNetwork& TestNetwork::Input(const Dims& dims) {
  return Text(absl::StrCat("layer { name: 'x' type: 'Input' top: 'x' input_param { shape { dim: [",
                           absl::StrJoin(dims, ", "), "] } } }\n"));
}

TestNetwork& TestNetwork::Text(const std::string& text) {
  text_ += text;
  return *this;
}

TestNetwork& TestNetwork::Layer(const std::string& type, const std::string& bottom,
                                const std::string& top, const std::string& more) {
  return Text(absl::StrCat("layer { name: '", top, "_layer' type: '", type, "' bottom: '", bottom,
                           "' top: '", top, "' ", more, " }\n"));
}

TestNetwork& TestNetwork::Blob(const std::string& layer, const Dims& dims,
                               const std::vector<float>& values) {
  const int count = weights_.layer_size();
  if (count == 0 || weights_.layer(count - 1).name() != layer) {
    weights_.add_layer()->set_name(layer);
  }
  caffe::BlobProto& blob = *weights_.mutable_layer(weights_.layer_size() - 1)->add_blobs();
  blob.mutable_shape()->mutable_dim()->Add(dims.begin(), dims.end());
  blob.mutable_data()->Add(values.begin(), values.end());
  return *this;
}

std::string TestNetwork::WeightsBytes() const {
  caffe::WeightsFile file = weights_;
  if (file.layer().empty() && file.layers().empty()) file.add_layer()->set_name("none");
  return file.SerializeAsString();
}

absl::StatusOr<ImportedModel> TestNetwork::Import(const ImportOptions& options) const {
  return ImportCaffeBytes(text_, WeightsBytes(), "test", options);
}

std::string TestNetwork::Graph(const ImportOptions& options) const {
  const absl::StatusOr<ImportedModel> import = Import(options);
  return import.ok() ? PrintGraph(import->graph) : std::string(import.status().message());
}

std::vector<float> TestNetwork::Run(const std::vector<std::vector<float>>& inputs) const {
  const absl::StatusOr<ImportedModel> import = Import();
  return FirstOutput(import.status(), import.ok() ? &import->graph : nullptr, inputs);
}

}  // namespace synap_internal::caffe_import
