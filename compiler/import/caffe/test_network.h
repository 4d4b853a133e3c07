// Small Caffe networks for tests, and what they compute.
#ifndef COMPILER_IMPORT_CAFFE_TEST_NETWORK_H_
#define COMPILER_IMPORT_CAFFE_TEST_NETWORK_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "compiler/import/caffe/caffe.pb.h"
#include "compiler/import/caffe/import_caffe.h"
#include "compiler/import/evaluate_graph.h"
#include "compiler/import/import_options.h"

namespace synap_internal::caffe_import {

// Builds a network step by step; each step returns the network.
class TestNetwork {
 public:
  using Dims = std::vector<int64_t>;

  // A layer Input with top "x".
  TestNetwork& Input(const Dims& dims);
  // Text of the network, as it stands in a .prototxt.
  TestNetwork& Text(const std::string& text);
  // layer { name: "<top>_layer" type: "<type>" bottom: "<bottom>" top: "<top>" <more> }
  TestNetwork& Layer(const std::string& type, const std::string& bottom, const std::string& top,
                     const std::string& more = "");
  // The next blob of that layer's weights.
  TestNetwork& Blob(const std::string& layer, const Dims& dims, const std::vector<float>& values);

  const std::string& Prototxt() const { return text_; }
  caffe::WeightsFile& weights() { return weights_; }
  std::string WeightsBytes() const;

  absl::StatusOr<ImportedModel> Import(const ImportOptions& options = {}) const;
  // The printed graph, or the error's message.
  std::string Graph(const ImportOptions& options = {}) const;
  // The first output for `inputs` in the graph's order. Aborts on errors.
  std::vector<float> Run(const std::vector<std::vector<float>>& inputs) const;

 private:
  std::string text_;
  caffe::WeightsFile weights_;
};

}  // namespace synap_internal::caffe_import

#endif  // COMPILER_IMPORT_CAFFE_TEST_NETWORK_H_
