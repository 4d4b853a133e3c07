// Caffe network for inference: its layers in order, over blobs that each are written once.
#ifndef COMPILER_IMPORT_CAFFE_NETWORK_H_
#define COMPILER_IMPORT_CAFFE_NETWORK_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "compiler/import/caffe/caffe.pb.h"
#include "compiler/import/input_shape.h"
#include "compiler/import/model_part.h"

namespace synap_internal::caffe_import {

struct Layer {
  const caffe::LayerParameter* param = nullptr;
  // Values: a blob that a layer changes in place is a new one from there on.
  std::vector<size_t> bottoms, tops;
};

// "layer 'conv1' (Convolution)".
std::string LayerLabel(const caffe::LayerParameter& layer);

struct NetworkInput {
  size_t value = 0;
  // Absent where the network doesn't know it. The batch is open: networks say
  // how many samples they were tested with, which isn't how many they get here.
  std::optional<OpenShape> shape;
};

struct Network {
  // Without those of other phases, those that read data and those that only
  // training and testing need.
  std::vector<Layer> layers;
  std::vector<std::string> blobs;                 // the name of each value
  absl::flat_hash_map<std::string, size_t> last;  // name -> the last value of that blob
  std::vector<NetworkInput> inputs;
  std::vector<std::string> warnings;  // about what has been left out
};

// The network of phase TEST. `net` must outlive the result. InvalidArgument
// naming the layer for blobs that nothing makes, or two layers.
absl::StatusOr<Network> BuildNetwork(const caffe::NetParameter& net);

// The network as FindModelPart needs it: values are the network's, nodes its layers. Outputs are
// the blobs that no layer reads, in order.
ModelGraph ModelGraphOf(const Network& network);

}  // namespace synap_internal::caffe_import

#endif  // COMPILER_IMPORT_CAFFE_NETWORK_H_
