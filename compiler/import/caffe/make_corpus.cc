// make_corpus FOLDER: writes the corpus of caffe_fuzz, small networks, sound and
// hostile. A file is the text, a zero and the weights.
#include <cstdio>
#include <map>
#include <string>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/file.h"
#include "compiler/import/caffe/test_network.h"

namespace synap_internal::caffe_import {
namespace {

TestNetwork Image() { return TestNetwork().Input({1, 2, 4, 4}); }

TestNetwork Convolution(const std::string& more) {
  TestNetwork network = Image();
  network.Layer("Convolution", "x", "y",
                absl::StrCat("convolution_param { num_output: 2 kernel_size: 3 ", more, " }"));
  return network.Blob("y_layer", {2, 2, 3, 3}, Count(36)).Blob("y_layer", {2}, {1, 2});
}

TestNetwork Classifier() {
  TestNetwork network = Image();
  network.Layer("BatchNorm", "x", "n").Layer("Scale", "n", "s", "scale_param { bias_term: true }");
  network.Layer("PReLU", "s", "r").Layer("Pooling", "r", "p", "pooling_param { kernel_size: 3 }");
  network.Layer("InnerProduct", "p", "f", "inner_product_param { num_output: 3 }");
  network.Layer("Softmax", "f", "y");
  for (const char* layer : {"n_layer", "s_layer", "r_layer"}) {
    network.Blob(layer, {2}, {1, 2});
    if (layer[0] != 'r') network.Blob(layer, {2}, {3, 4});
    if (layer[0] == 'n') network.Blob(layer, {1}, {5});
  }
  return network.Blob("f_layer", {3, 8}, Count(24)).Blob("f_layer", {3}, {1, 2, 3});
}

TestNetwork One(const std::string& type, const std::string& parameters) {
  return Image().Layer(type, "x", "y", parameters);
}

TestNetwork Legacy() {
  TestNetwork network;
  network.Text(
      "input: 'x' input_dim: [1, 1, 1, 2] layers { name: 'c' type: INNER_PRODUCT "
      "bottom: 'x' top: 'y' inner_product_param { num_output: 1 bias_term: false } }");
  caffe::V1WeightsLayer& layer = *network.weights().add_layers();
  layer.set_name("c");
  caffe::BlobProto& blob = *layer.add_blobs();
  blob.set_num(1);
  blob.set_channels(1);
  blob.set_height(1);
  blob.set_width(2);
  blob.add_data(1);
  blob.add_data(2);
  return network;
}

TestNetwork LegacyV0() {
  TestNetwork network;
  network.Text(
      "input: 'x' input_dim: [1, 1, 2, 2] layers { layer { name: 'p' type: 'padding' "
      "pad: 1 } bottom: 'x' top: 'p' } layers { layer { name: 'm' type: 'pool' "
      "kernelsize: 2 } bottom: 'p' top: 'y' }");
  return network;
}

std::map<std::string, TestNetwork> Networks() {
  return {
      {"convolution", Convolution("pad: 1 stride: 2")},
      {"convolution_extremes", Convolution("pad: 4294967295 stride: 4294967295")},
      {"classifier", Classifier()},
      {"legacy", Legacy()},
      {"legacy_v0", LegacyV0()},
      {"lrn", One("LRN", "lrn_param { local_size: 3 }")},
      {"lrn_extremes", One("LRN", "lrn_param { local_size: 4294967295 alpha: nan }")},
      {"mvn", One("MVN", "mvn_param { across_channels: true }")},
      {"pooling_extremes", One("Pooling", "pooling_param { kernel_size: 4294967295 stride: 0 }")},
      {"reshape", One("Reshape", "reshape_param { shape { dim: [0, -1, 2] } axis: 1 }")},
      {"reshape_extremes",
       One("Reshape", "reshape_param { shape { dim: [9223372036854775807, -1] } num_axes: -7 }")},
      {"slice", One("Slice", "top: 'z' slice_param { slice_point: 1 }")},
      {"tile_huge", One("Tile", "tile_param { tiles: 2147483647 axis: 3 }")},
      {"permute", One("Permute", "permute_param { order: 3 }")},
      {"argmax", One("ArgMax", "argmax_param { axis: -1 }")},
      {"reduction", One("Reduction", "reduction_param { operation: ASUM axis: 2 }")},
      {"power", One("Power", "power_param { power: 0.5 scale: 2 shift: inf }")},
      {"log", One("Log", "log_param { base: 2 }")},
      {"ssd", One("PriorBox", "prior_box_param { min_size: 30 }")},
      {"in_place", One("AbsVal", "} layer { name: 'r' type: 'ReLU' bottom: 'y' top: 'y'")},
  };
}

void WriteAll(const std::string& folder) {
  for (const auto& [name, network] : Networks()) {
    const std::string bytes =
        absl::StrCat(network.Prototxt(), std::string(1, '\0'), network.WeightsBytes());
    CHECK(WriteFileAtomically(absl::StrCat(folder, "/", name, ".caffe"), bytes).ok());
  }
}

}  // namespace
}  // namespace synap_internal::caffe_import

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("make_corpus FOLDER\n", stderr);
    return 2;
  }
  synap_internal::caffe_import::WriteAll(argv[1]);
  return 0;
}
