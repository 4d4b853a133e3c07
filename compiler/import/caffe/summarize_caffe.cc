#include "base/file.h"
#include "base/status_macros.h"
#include "compiler/import/caffe/import_caffe.h"
#include "compiler/import/caffe/layer_table.h"
#include "compiler/import/caffe/network.h"
#include "compiler/import/caffe/network_file.h"
#include "compiler/import/caffe/weights.h"
#include "compiler/import/unreadable_file.h"

namespace synap_internal {
namespace caffe_import {
namespace {

ModelSummary Summarize(const Network& network) {
  ModelSummary summary;
  summary.framework = "Caffe 1.0";
  summary.metadata.producer = "Caffe";
  for (const NetworkInput& input : network.inputs) {
    summary.inputs.push_back(InputOutputText(network.blobs[input.value], "", input.shape));
  }
  for (const Layer& layer : network.layers) {
    summary.Count(layer.param->type(), LayerTypes().Find(layer.param->type()) != nullptr);
  }
  for (const size_t output : ModelGraphOf(network).outputs) {
    summary.outputs.push_back(network.blobs[output]);
  }
  return summary;
}

}  // namespace
}  // namespace caffe_import

absl::StatusOr<ModelSummary> SummarizeCaffe(const ModelFiles& files) {
  ASSIGN_OR_RETURN(const MappedFile file, MappedFile::Open(files.model));
  ASSIGN_OR_RETURN(const caffe_import::NetworkFile parsed,
                   Annotate(caffe_import::ParseNetwork(BytesOf(file)), files.model));
  ASSIGN_OR_RETURN(const caffe_import::Network network,
                   Annotate(caffe_import::BuildNetwork(parsed.net), files.model));
  ModelSummary summary = caffe_import::Summarize(network);
  if (files.weights.empty()) return summary;
  ASSIGN_OR_RETURN(const MappedFile weights_file, MappedFile::Open(files.weights));
  ASSIGN_OR_RETURN(const caffe_import::Weights weights,
                   caffe_import::Weights::Parse(BytesOf(weights_file), files.weights));
  summary.parameters = weights.parameters();
  summary.parameter_bytes = static_cast<int64_t>(weights_file.bytes().size());
  return summary;
}

}  // namespace synap_internal
