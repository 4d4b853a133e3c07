#include "compiler/import/caffe/import_caffe.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "base/file.h"
#include "base/status_macros.h"
#include "compiler/import/caffe/layer_context.h"
#include "compiler/import/caffe/layer_table.h"
#include "compiler/import/caffe/network.h"
#include "compiler/import/caffe/network_file.h"
#include "compiler/import/caffe/weights.h"
#include "compiler/import/input_shape.h"
#include "compiler/import/model_part.h"
#include "compiler/import/operator_table.h"
#include "compiler/import/unreadable_file.h"
#include "compiler/import/unsupported_ops.h"

namespace synap_internal {
namespace caffe_import {
namespace {

// Layers of the best known fork.
constexpr absl::string_view kSsdTypes[] = {"PriorBox", "DetectionOutput", "Normalize",
                                           "DetectionEvaluate", "AnnotatedData"};

absl::Status CheckSupported(const Network& network, const std::vector<size_t>& layers) {
  UnsupportedOps unsupported("layer type", "layer");
  for (const size_t i : layers) {
    const caffe::LayerParameter& layer = *network.layers[i].param;
    if (LayerTypes().Find(layer.type()) == nullptr) unsupported.Add(layer.type(), layer.name());
  }
  const absl::Status status = unsupported.ToStatus();
  const bool ssd =
      std::any_of(std::begin(kSsdTypes), std::end(kSsdTypes),
                  [&](absl::string_view type) { return unsupported.Contains(std::string(type)); });
  if (!ssd) return status;
  return absl::UnimplementedError(
      absl::StrCat(status.message(),
                   "; it is a network of Caffe-SSD, supported is Caffe 1.0: end it at blobs before "
                   "these layers with 'outputs' in the metafile"));
}

// Turns one network into a graph.
class Importer {
 public:
  Importer(const Network& network, const Weights& weights, const ImportOptions& options)
      : network_(network),
        options_(options),
        state_{GraphBuilder(graph_, options.max_folded_bytes), network, weights,
               std::vector<Tensor*>(network.blobs.size())} {
    state_.builder.FixInputs(options.fixed);
  }

  // `unknown_field`: what the text has that Caffe 1.0 hasn't.
  absl::StatusOr<Graph> Run(const absl::Status& unknown_field) {
    for (const NetworkInput& input : network_.inputs) shapes_[input.value] = input.shape;
    ASSIGN_OR_RETURN(const ModelPart part, FindModelPart(ModelGraphOf(network_), options_));
    RETURN_IF_ERROR(CheckSupported(network_, part.nodes));
    RETURN_IF_ERROR(unknown_field);
    for (const PartInput& input : part.inputs) {
      RETURN_IF_ERROR(
          Annotate(AddInput(input), absl::StrCat("input '", network_.blobs[input.value], "'")));
    }
    for (const size_t i : part.nodes) {
      RETURN_IF_ERROR(
          Annotate(MapLayer(network_.layers[i]), LayerLabel(*network_.layers[i].param)));
    }
    std::vector<GraphBuilder::Output> outputs;
    for (const size_t output : part.outputs) {
      outputs.push_back({state_.values[output], network_.blobs[output]});
    }
    RETURN_IF_ERROR(state_.builder.AddOutputs(outputs));
    RETURN_IF_ERROR(state_.builder.Finish(kCaffeFramework.layout));
    return std::move(graph_);
  }

 private:
  absl::Status AddInput(const PartInput& input) {
    const auto model = shapes_.find(input.value);
    ASSIGN_OR_RETURN(
        Shape shape,
        ResolveInputShape(model == shapes_.end() ? std::nullopt : model->second, input.given));
    ASSIGN_OR_RETURN(state_.values[input.value],
                     state_.builder.AddInput(network_.blobs[input.value],
                                             {DataType::kFloat32, std::move(shape), {}}));
    return absl::OkStatus();
  }

  absl::Status MapLayer(const Layer& layer) {
    const LayerMapping& mapping = *LayerTypes().Find(layer.param->type());
    RETURN_IF_ERROR(CheckOperandCount(layer.bottoms.size(), mapping.required, mapping.max));
    LayerContext context(layer, state_);
    RETURN_IF_ERROR(mapping.Map(context));
    for (size_t i = 0; i < layer.tops.size(); ++i) {
      if (state_.values[layer.tops[i]] != nullptr) continue;
      return absl::InvalidArgumentError(
          absl::StrCat("it has ", layer.tops.size(), " tops, expected ", i));
    }
    return absl::OkStatus();
  }

  const Network& network_;
  const ImportOptions& options_;
  absl::flat_hash_map<size_t, std::optional<OpenShape>> shapes_;  // of the network's inputs
  Graph graph_;
  ImportState state_;
};

absl::StatusOr<ImportedModel> Import(absl::string_view text, const Weights& weights,
                                     absl::string_view name, const ImportOptions& options) {
  ASSIGN_OR_RETURN(const NetworkFile file, ParseNetwork(text));
  ASSIGN_OR_RETURN(const Network network, BuildNetwork(file.net));
  ASSIGN_OR_RETURN(Graph graph, Importer(network, weights, options).Run(file.unknown_field));
  graph.name = file.net.name().empty() ? std::string(name) : file.net.name();
  return ImportedModel{std::move(graph), network.warnings};
}

}  // namespace
}  // namespace caffe_import

absl::StatusOr<ImportedModel> ImportCaffeBytes(absl::string_view text, absl::string_view weights,
                                               absl::string_view name,
                                               const ImportOptions& options) {
  ASSIGN_OR_RETURN(const caffe_import::Weights parsed, caffe_import::Weights::Parse(weights));
  return caffe_import::Import(text, parsed, name, options);
}

absl::StatusOr<ImportedModel> ImportCaffe(const ModelFiles& files, const ImportOptions& options) {
  const std::string& path = files.model;
  ASSIGN_OR_RETURN(const MappedFile file, MappedFile::Open(path));
  ASSIGN_OR_RETURN(const MappedFile weights_file, MappedFile::Open(files.weights));
  ASSIGN_OR_RETURN(const caffe_import::Weights weights,
                   caffe_import::Weights::Parse(BytesOf(weights_file), files.weights));
  return Annotate(caffe_import::Import(BytesOf(file), weights, Stem(path), options), path);
}

}  // namespace synap_internal
