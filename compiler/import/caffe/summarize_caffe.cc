#include "compiler/import/caffe/summarize_caffe.h"

#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/file.h"
#include "base/status_macros.h"
#include "compiler/import/caffe/layer_table.h"
#include "compiler/import/caffe/network.h"
#include "compiler/import/caffe/network_file.h"
#include "compiler/import/caffe/weights.h"
#include "compiler/import/input_shape.h"

namespace synap_internal {
namespace caffe_import {
namespace {

absl::string_view Text(const MappedFile& file) {
  return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}

std::string InputText(const Network& network, const NetworkInput& input) {
  std::vector<std::string> dims;
  for (const std::optional<int64_t>& dim : input.shape.value_or(OpenShape())) {
    dims.push_back(dim.has_value() ? absl::StrCat(*dim) : "?");
  }
  return absl::StrCat(network.blobs[input.value], " [",
                      input.shape.has_value() ? absl::StrJoin(dims, "x") : "...", "]");
}

ModelSummary Summarize(const Network& network) {
  ModelSummary summary;
  summary.framework = "Caffe 1.0";
  for (const NetworkInput& input : network.inputs) {
    summary.inputs.push_back(InputText(network, input));
  }
  std::vector<bool> read(network.blobs.size(), false), made = read;
  for (const Layer& layer : network.layers) {
    summary.Count(layer.param->type(), FindMapping(layer.param->type()) != nullptr);
    for (const size_t bottom : layer.bottoms) read[bottom] = true;
    for (const size_t top : layer.tops) made[top] = true;
  }
  for (size_t i = 0; i < network.blobs.size(); ++i) {
    if (made[i] && !read[i]) summary.outputs.push_back(network.blobs[i]);
  }
  return summary;
}

}  // namespace
}  // namespace caffe_import

absl::StatusOr<ModelSummary> SummarizeCaffe(const std::string& path,
                                            const std::string& weights_path) {
  ASSIGN_OR_RETURN(const MappedFile file, MappedFile::Open(path));
  const auto parsed = caffe_import::ParseNetwork(caffe_import::Text(file));
  if (!parsed.ok()) return Annotate(parsed.status(), path);
  const auto network = caffe_import::BuildNetwork(parsed->net);
  if (!network.ok()) return Annotate(network.status(), path);
  ModelSummary summary = caffe_import::Summarize(*network);
  if (weights_path.empty()) return summary;
  ASSIGN_OR_RETURN(const MappedFile weights_file, MappedFile::Open(weights_path));
  ASSIGN_OR_RETURN(const caffe_import::Weights weights,
                   caffe_import::Weights::Parse(caffe_import::Text(weights_file), weights_path));
  summary.parameters = weights.parameters();
  summary.parameter_bytes = static_cast<int64_t>(weights_file.bytes().size());
  return summary;
}

}  // namespace synap_internal
