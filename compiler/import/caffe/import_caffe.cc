#include "compiler/import/caffe/import_caffe.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "base/file.h"
#include "base/status_macros.h"
#include "compiler/import/caffe/graph_border.h"
#include "compiler/import/caffe/layer_context.h"
#include "compiler/import/caffe/layer_table.h"
#include "compiler/import/caffe/network.h"
#include "compiler/import/caffe/network_file.h"
#include "compiler/import/caffe/weights.h"
#include "compiler/import/op_limits.h"
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
    if (FindMapping(layer.type()) == nullptr) unsupported.Add(layer.type(), layer.name());
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
        state_{GraphBuilder(graph_, options.max_folded_bytes),
               network,
               weights,
               std::vector<Tensor*>(network.blobs.size()),
               {}} {}

  // `unknown_field`: what the text has that Caffe 1.0 hasn't.
  absl::StatusOr<Graph> Run(const absl::Status& unknown_field) {
    ASSIGN_OR_RETURN(const Border border, FindBorder(network_, options_));
    RETURN_IF_ERROR(CheckSupported(network_, border.layers));
    RETURN_IF_ERROR(unknown_field);
    for (const BorderInput& input : border.inputs) {
      RETURN_IF_ERROR(
          Annotate(AddInput(input), absl::StrCat("input '", network_.blobs[input.value], "'")));
    }
    for (const size_t i : border.layers) {
      RETURN_IF_ERROR(
          Annotate(MapLayer(network_.layers[i]), LayerLabel(*network_.layers[i].param)));
    }
    for (const size_t output : border.outputs) wanted_.insert(network_.blobs[output]);
    for (const size_t output : border.outputs) RETURN_IF_ERROR(AddOutput(output));
    graph_.RemoveDead();
    graph_.layout = "nchw";
    RETURN_IF_ERROR(VerifyGraph(graph_));
    return std::move(graph_);
  }

 private:
  absl::Status AddInput(const BorderInput& input) {
    ASSIGN_OR_RETURN(Shape shape, ResolveInputShape(input.model, input.given));
    Tensor* tensor = graph_.AddTensor(graph_.UniqueName(network_.blobs[input.value]),
                                      {DataType::kFloat32, std::move(shape), {}});
    graph_.inputs.push_back(tensor);
    inputs_.insert(tensor);
    state_.Bind(input.value, tensor);
    return absl::OkStatus();
  }

  absl::Status MapLayer(const Layer& layer) {
    const LayerMapping& mapping = *FindMapping(layer.param->type());
    const size_t bottoms = layer.bottoms.size();
    if (bottoms < mapping.min || bottoms > mapping.max) {
      return absl::InvalidArgumentError(absl::StrCat("it has ", bottoms, " bottoms, expected ",
                                                     mapping.min,
                                                     mapping.max > mapping.min ? " or more" : ""));
    }
    LayerContext context(layer, state_);
    RETURN_IF_ERROR(WithLimits(mapping.map(context), mapping.limits));
    for (size_t i = 0; i < layer.tops.size(); ++i) {
      if (state_.values[layer.tops[i]] != nullptr) continue;
      return absl::InvalidArgumentError(
          absl::StrCat("it has ", layer.tops.size(), " tops, expected ", i));
    }
    return absl::OkStatus();
  }

  // Outputs bear their own names; what stands under another one is renamed or,
  // if that is needed too, copied.
  absl::Status AddOutput(size_t value) {
    Tensor* tensor = state_.values[value];
    const std::string& name = network_.blobs[value];
    const Tensor* namesake = graph_.FindTensor(name);
    if (namesake != tensor && inputs_.contains(namesake)) {  // changed in place
      graph_.outputs.push_back(tensor);
      return absl::OkStatus();
    }
    const bool name_needed = inputs_.contains(tensor) || wanted_.contains(tensor->name);
    return state_.builder.AddOutput(tensor, name, name_needed);
  }

  const Network& network_;
  const ImportOptions& options_;
  Graph graph_;
  absl::flat_hash_set<const Tensor*> inputs_;
  absl::flat_hash_set<absl::string_view> wanted_;  // names of the outputs
  ImportState state_;
};

absl::StatusOr<CaffeImport> Import(absl::string_view text, const Weights& weights,
                                   absl::string_view name, const ImportOptions& options) {
  ASSIGN_OR_RETURN(const NetworkFile file, ParseNetwork(text));
  ASSIGN_OR_RETURN(const Network network, BuildNetwork(file.net));
  ASSIGN_OR_RETURN(Graph graph, Importer(network, weights, options).Run(file.unknown_field));
  graph.name = file.net.name().empty() ? std::string(name) : file.net.name();
  return CaffeImport{std::move(graph), network.warnings};
}

absl::string_view Text(const MappedFile& file) {
  return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}

}  // namespace
}  // namespace caffe_import

absl::StatusOr<CaffeImport> ImportCaffeBytes(absl::string_view text, absl::string_view weights,
                                             absl::string_view name, const ImportOptions& options) {
  ASSIGN_OR_RETURN(const caffe_import::Weights parsed, caffe_import::Weights::Parse(weights));
  return caffe_import::Import(text, parsed, name, options);
}

absl::StatusOr<CaffeImport> ImportCaffe(const std::string& path, const std::string& weights_path,
                                        const ImportOptions& options) {
  ASSIGN_OR_RETURN(const MappedFile file, MappedFile::Open(path));
  ASSIGN_OR_RETURN(const MappedFile weights_file, MappedFile::Open(weights_path));
  ASSIGN_OR_RETURN(const caffe_import::Weights weights,
                   caffe_import::Weights::Parse(caffe_import::Text(weights_file), weights_path));
  return Annotate(caffe_import::Import(caffe_import::Text(file), weights, Stem(path), options),
                  path);
}

}  // namespace synap_internal
