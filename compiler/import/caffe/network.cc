#include "compiler/import/caffe/network.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace synap_internal::caffe_import {
namespace {

// Whether a layer only brings data.
bool IsData(const std::string& type) {
  static constexpr absl::string_view kTypes[] = {"Input",    "Data",      "ImageData", "MemoryData",
                                                 "HDF5Data", "DummyData", "WindowData"};
  return std::find(std::begin(kTypes), std::end(kTypes), type) != std::end(kTypes);
}

// Whether a layer only serves training or testing.
bool IsMeasure(const std::string& type) {
  return absl::EndsWith(type, "Loss") || type == "Accuracy" || type == "Silence" ||
         type == "HDF5Output";
}

bool Holds(const caffe::NetStateRule& rule, const caffe::NetState& state) {
  const auto has_stage = [&](const std::string& stage) {
    return std::find(state.stage().begin(), state.stage().end(), stage) != state.stage().end();
  };
  if (rule.has_phase() && rule.phase() != caffe::TEST) return false;
  if (rule.has_min_level() && state.level() < rule.min_level()) return false;
  if (rule.has_max_level() && state.level() > rule.max_level()) return false;
  return std::all_of(rule.stage().begin(), rule.stage().end(), has_stage) &&
         std::none_of(rule.not_stage().begin(), rule.not_stage().end(), has_stage);
}

bool IsIncluded(const caffe::LayerParameter& layer, const caffe::NetState& state) {
  const auto holds = [&](const caffe::NetStateRule& rule) { return Holds(rule, state); };
  if (layer.include_size() > 0) {
    return std::any_of(layer.include().begin(), layer.include().end(), holds);
  }
  return std::none_of(layer.exclude().begin(), layer.exclude().end(), holds);
}

// Dimensions of 0 are open too.
template <typename Dims>
OpenShape WithOpenBatch(const Dims& dims) {
  OpenShape shape;
  for (const int64_t dim : dims) {
    const bool batch = shape.empty() && dims.size() >= 2;
    shape.push_back(batch || dim < 1 ? std::nullopt : std::optional<int64_t>(dim));
  }
  return shape;
}

class NetworkBuilder {
 public:
  explicit NetworkBuilder(const caffe::NetParameter& net) : net_(net) {}

  absl::StatusOr<Network> Build() {
    RETURN_IF_ERROR(AddLegacyInputs());
    for (const caffe::LayerParameter& layer : net_.layer()) {
      if (!IsIncluded(layer, net_.state())) continue;
      RETURN_IF_ERROR(Annotate(AddLayer(layer), LayerLabel(layer)));
    }
    return std::move(network_);
  }

 private:
  absl::Status CheckNew(const std::string& blob) const {
    if (blob.empty()) return absl::InvalidArgumentError("a blob has no name");
    if (!network_.last.contains(blob)) return absl::OkStatus();
    return absl::InvalidArgumentError(absl::StrCat("blob '", blob, "' is made twice"));
  }

  size_t NewValue(const std::string& blob) {
    const size_t value = network_.blobs.size();
    network_.blobs.push_back(blob);
    network_.last[blob] = value;
    return value;
  }

  absl::Status AddInput(const std::string& blob, std::optional<OpenShape> shape) {
    RETURN_IF_ERROR(CheckNew(blob));
    network_.inputs.push_back({NewValue(blob), std::move(shape)});
    return absl::OkStatus();
  }

  // `input` with input_shape or, older, four of input_dim for each.
  absl::Status AddLegacyInputs() {
    const int inputs = net_.input_size();
    const bool shapes = net_.input_shape_size() == inputs;
    const bool dims = net_.input_dim_size() == 4 * inputs;
    if (inputs > 0 &&
        (net_.input_shape_size() > 0 ? !shapes : !dims && net_.input_dim_size() > 0)) {
      return absl::InvalidArgumentError(
          absl::StrCat("has ", inputs, " inputs, ", net_.input_shape_size(), " of input_shape and ",
                       net_.input_dim_size(), " of input_dim"));
    }
    for (int i = 0; i < inputs; ++i) {
      std::optional<OpenShape> shape;
      if (shapes) {
        shape = WithOpenBatch(net_.input_shape(i).dim());
      } else if (dims) {
        const auto begin = net_.input_dim().begin() + 4 * i;
        shape = WithOpenBatch(std::vector<int64_t>(begin, begin + 4));
      }
      RETURN_IF_ERROR(AddInput(net_.input(i), std::move(shape)));
    }
    return absl::OkStatus();
  }

  static std::optional<OpenShape> DataShape(const caffe::LayerParameter& layer, int top) {
    const auto& shapes = layer.input_param().shape();
    if (!shapes.empty()) return WithOpenBatch(shapes[shapes.size() == 1 ? 0 : top].dim());
    if (!layer.has_memory_data_param() || top != 0) return std::nullopt;
    const caffe::MemoryDataParameter& memory = layer.memory_data_param();
    return WithOpenBatch(
        std::vector<int64_t>{1, memory.channels(), memory.height(), memory.width()});
  }

  absl::Status AddData(const caffe::LayerParameter& layer) {
    const int shapes = layer.input_param().shape_size();
    if (shapes > 1 && shapes != layer.top_size()) {
      return absl::InvalidArgumentError(
          absl::StrCat("it has ", shapes, " shapes for ", layer.top_size(), " tops"));
    }
    for (int i = 0; i < layer.top_size(); ++i) {
      RETURN_IF_ERROR(AddInput(layer.top(i), DataShape(layer, i)));
    }
    return absl::OkStatus();
  }

  absl::Status AddMeasure(const caffe::LayerParameter& layer) {
    for (const std::string& top : layer.top()) measures_[top] = LayerLabel(layer);
    network_.warnings.push_back(
        absl::StrCat("skipping ", LayerLabel(layer), ", which only training and testing need"));
    return absl::OkStatus();
  }

  absl::StatusOr<size_t> Find(const std::string& blob) const {
    if (const auto it = network_.last.find(blob); it != network_.last.end()) return it->second;
    if (const auto it = measures_.find(blob); it != measures_.end()) {
      return absl::UnimplementedError(
          absl::StrCat("it reads blob '", blob, "' of ", it->second, ", which is not imported"));
    }
    return absl::InvalidArgumentError(
        absl::StrCat("it reads blob '", blob, "', which nothing before it makes"));
  }

  absl::Status AddLayer(const caffe::LayerParameter& param) {
    if (param.type().empty()) return absl::InvalidArgumentError("it has no type");
    if (IsData(param.type())) return AddData(param);
    if (IsMeasure(param.type())) return AddMeasure(param);
    Layer layer{&param, {}, {}};
    for (const std::string& bottom : param.bottom()) {
      ASSIGN_OR_RETURN(const size_t value, Find(bottom));
      layer.bottoms.push_back(value);
    }
    if (param.top().empty()) return absl::InvalidArgumentError("it has no top");
    for (int i = 0; i < param.top_size(); ++i) {
      const std::string& top = param.top(i);
      const bool in_place = i < param.bottom_size() && param.bottom(i) == top;
      if (!in_place) RETURN_IF_ERROR(CheckNew(top));
      layer.tops.push_back(NewValue(top));
    }
    network_.layers.push_back(std::move(layer));
    return absl::OkStatus();
  }

  const caffe::NetParameter& net_;
  Network network_;
  absl::flat_hash_map<std::string, std::string> measures_;  // top -> label of its layer
};

}  // namespace

std::string LayerLabel(const caffe::LayerParameter& layer) {
  return absl::StrCat("layer '", layer.name(), "' (", layer.type(), ")");
}

absl::StatusOr<Network> BuildNetwork(const caffe::NetParameter& net) {
  return NetworkBuilder(net).Build();
}

ModelGraph ModelGraphOf(const Network& network) {
  ModelGraph graph;
  graph.noun = "a blob or layer of the network";
  graph.values = network.blobs;
  std::vector<bool> read(network.blobs.size());
  for (const Layer& layer : network.layers) {
    graph.nodes.push_back({layer.bottoms, layer.tops});
    graph.aliases.emplace_back(layer.param->name(), layer.tops[0]);
    for (const size_t bottom : layer.bottoms) read[bottom] = true;
  }
  for (const Layer& layer : network.layers) {
    for (const size_t top : layer.tops) {
      if (!read[top]) graph.outputs.push_back(top);
    }
  }
  for (const NetworkInput& input : network.inputs) graph.inputs.push_back(input.value);
  return graph;
}

}  // namespace synap_internal::caffe_import
