#include "compiler/import/onnx/node_graph.h"

#include <algorithm>
#include <cstddef>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "compiler/import/onnx/graph_index.h"
#include "compiler/import/onnx/tensor_data.h"

namespace synap_internal::onnx_import {
namespace {

bool IsSuppression(const onnx::NodeProto& node) {
  return IsStandard(node) && node.op_type() == "NonMaxSuppression";
}

bool ChoosesByValues(const onnx::NodeProto& node) {
  static const absl::flat_hash_set<absl::string_view>* const kOps =
      new absl::flat_hash_set<absl::string_view>{"NonZero", "TopK", "Compress", "Unique",
                                                 "NonMaxSuppression"};
  return IsStandard(node) && kOps->contains(node.op_type());
}

bool HoldsSuppression(const onnx::NodeProto& node) {
  if (IsSuppression(node)) return true;
  for (const onnx::AttributeProto& attribute : node.attribute()) {
    const auto& inner = attribute.g().node();
    if (std::any_of(inner.begin(), inner.end(), IsSuppression)) return true;
  }
  return false;
}

// The attribute that is the value of a Constant node; null for other nodes.
const onnx::AttributeProto* ValueOf(const onnx::NodeProto& node) {
  if (node.op_type() != "Constant") return nullptr;
  for (const onnx::AttributeProto& attribute : node.attribute()) {
    if (absl::StartsWith(attribute.name(), "value")) return &attribute;
  }
  return nullptr;
}

// Of value_float, value_floats, value_int or value_ints.
std::vector<double> ListedElements(const onnx::AttributeProto& value, int64_t most) {
  const std::string& name = value.name();
  if (name == "value_float") return {value.f()};
  if (name == "value_int") return {static_cast<double>(value.i())};
  if (name == "value_floats" && value.floats_size() <= most) {
    return {value.floats().begin(), value.floats().end()};
  }
  if (name == "value_ints" && value.ints_size() <= most) {
    return {value.ints().begin(), value.ints().end()};
  }
  return {};
}

bool HasAtMost(const onnx::TensorProto& tensor, int64_t most) {
  int64_t elements = 1;
  for (const int64_t dim : tensor.dims()) {
    if (dim < 0 || dim > most) return false;
    elements *= dim;
    if (elements > most) return false;
  }
  return true;
}

template <typename T>
void Append(const TensorData& data, std::vector<double>& elements) {
  for (size_t at = 0; at + sizeof(T) <= data.constant.bytes.size(); at += sizeof(T)) {
    T value;
    std::copy_n(data.constant.bytes.data() + at, sizeof(T), reinterpret_cast<uint8_t*>(&value));
    elements.push_back(static_cast<double>(value));
  }
}

// Whether it, or a node in its body, has weights or reads features at boxes.
bool IsLayer(const onnx::NodeProto& node) {
  static const absl::flat_hash_set<absl::string_view>* const kOps =
      new absl::flat_hash_set<absl::string_view>{
          "Attention",  "Conv",        "ConvInteger",   "ConvTranspose", "DeformConv",
          "FusedConv",  "FusedGemm",   "FusedMatMul",   "GRU",           "Gemm",
          "GridSample", "LSTM",        "MatMul",        "MatMulInteger", "MaxRoiPool",
          "RNN",        "QLinearConv", "QLinearMatMul", "RoiAlign",      "MultiHeadAttention"};
  if (kOps->contains(node.op_type())) return true;
  if (node.op_type() == "If") return false;  // its nodes are looked at one by one
  return std::any_of(node.attribute().begin(), node.attribute().end(), [](const auto& attribute) {
    const auto& body = attribute.g().node();
    return std::any_of(body.begin(), body.end(), IsLayer);
  });
}

}  // namespace

NodeGraph::NodeGraph(onnx::GraphProto& graph) {
  for (const onnx::ValueInfoProto& input : graph.input()) inputs_.insert(input.name());
  AddNodes(graph);
  for (const onnx::NodeProto& node : graph.node()) Classify(node);
  for (onnx::NodeProto& node : *graph.mutable_node()) {
    if (node.op_type() != "If") continue;
    for (onnx::AttributeProto& attribute : *node.mutable_attribute()) {
      if (!attribute.has_g()) continue;
      AddNodes(*attribute.mutable_g());
      for (const onnx::NodeProto& inner : attribute.g().node()) {
        inner_.insert(inner.output().begin(), inner.output().end());
        Classify(inner);
      }
    }
  }
}

void NodeGraph::AddNodes(onnx::GraphProto& graph) {
  for (const onnx::TensorProto& tensor : graph.initializer()) {
    initializers_.emplace(tensor.name(), &tensor);
    constant_.insert(tensor.name());
  }
  for (onnx::NodeProto& node : *graph.mutable_node()) {
    for (const std::string& output : node.output()) {
      if (!output.empty()) producers_.emplace(output, &node);
    }
    nodes_.push_back(&node);
    if (IsSuppression(node)) suppressions_.push_back(&node);
  }
}

void NodeGraph::Classify(const onnx::NodeProto& node) {
  const std::vector<absl::string_view> reads = ReadsOf(node);
  bool constant = node.op_type() == "Constant" || !reads.empty();
  bool dynamic = false;
  bool suppressed = HoldsSuppression(node);
  for (const absl::string_view name : reads) {
    if (name.empty()) continue;
    constant = constant && constant_.contains(name);
    dynamic = dynamic || dynamic_.contains(name);
    suppressed = suppressed || suppressed_.contains(name);
  }
  const bool is_shape = node.op_type() == "Shape" || node.op_type() == "Size";
  constant = (constant || is_shape) && !dynamic && !absl::StartsWith(node.op_type(), "Random");
  dynamic = !constant && (dynamic || ChoosesByValues(node));
  for (const std::string& output : node.output()) {
    if (output.empty()) continue;
    if (constant) constant_.insert(output);
    if (dynamic) dynamic_.insert(output);
    if (suppressed) suppressed_.insert(output);
  }
}

onnx::NodeProto* NodeGraph::Producer(const std::string& tensor) const {
  const auto it = producers_.find(tensor);
  return it == producers_.end() ? nullptr : it->second;
}

bool NodeGraph::IsInner(const std::string& tensor) const { return inner_.contains(tensor); }

bool NodeGraph::IsTaken(const std::string& tensor) const {
  return producers_.contains(tensor) || initializers_.contains(tensor) || inputs_.contains(tensor);
}

std::string NodeGraph::WithoutWrapping(std::string tensor) const {
  static const absl::flat_hash_set<absl::string_view>* const kOps =
      new absl::flat_hash_set<absl::string_view>{"Identity", "Unsqueeze", "Squeeze", "Reshape"};
  constexpr int kLongestChain = 64;
  for (int i = 0; i < kLongestChain; ++i) {
    const onnx::NodeProto* node = Producer(tensor);
    if (node == nullptr || !kOps->contains(node->op_type())) break;
    tensor = OperandName(*node, 0);
  }
  return tensor;
}

std::vector<double> NodeGraph::Elements(const std::string& tensor, int64_t most) const {
  const std::string source = WithoutWrapping(tensor);
  const onnx::TensorProto* proto = nullptr;
  if (const auto it = initializers_.find(source); it != initializers_.end()) {
    proto = it->second;
  } else if (const onnx::NodeProto* node = Producer(source); node != nullptr) {
    const onnx::AttributeProto* value = ValueOf(*node);
    if (value == nullptr) return {};
    if (!value->has_t()) return ListedElements(*value, most);
    proto = &value->t();
  }
  if (proto == nullptr || !HasAtMost(*proto, most)) return {};
  const absl::StatusOr<TensorData> data = TensorReader(Model()).Read(*proto);
  if (!data.ok()) return {};
  std::vector<double> elements;
  if (data->type.dtype == DataType::kFloat32) Append<float>(*data, elements);
  if (data->type.dtype == DataType::kInt64) Append<int64_t>(*data, elements);
  return elements;
}

absl::optional<double> NodeGraph::Number(const std::string& tensor) const {
  const std::vector<double> elements = Elements(tensor, 1);
  return elements.empty() ? absl::nullopt : absl::make_optional(elements[0]);
}

int64_t IntAttribute(const onnx::NodeProto& node, const std::string& name, int64_t fallback) {
  for (const onnx::AttributeProto& attribute : node.attribute()) {
    if (attribute.name() == name) return attribute.i();
  }
  return fallback;
}

const std::string& OperandName(const onnx::NodeProto& node, int i) {
  static const std::string* const kAbsent = new std::string();
  return i < node.input_size() ? node.input(i) : *kAbsent;
}

NodeSet NodesBefore(const NodeGraph& graph, std::vector<std::string> tensors,
                    const absl::flat_hash_map<onnx::NodeProto*, std::string>& replaced) {
  NodeSet found;
  while (!tensors.empty()) {
    onnx::NodeProto* node = graph.Producer(tensors.back());
    tensors.pop_back();
    if (node == nullptr || !found.insert(node).second) continue;
    if (const auto it = replaced.find(node); it != replaced.end()) {
      tensors.push_back(it->second);
    } else if (node->op_type() == "If") {
      tensors.insert(tensors.end(), node->input().begin(), node->input().end());
      for (const onnx::AttributeProto& branch : node->attribute()) {
        for (const onnx::ValueInfoProto& output : branch.g().output()) {
          tensors.push_back(output.name());
        }
      }
    } else {
      for (const absl::string_view name : ReadsOf(*node)) tensors.emplace_back(name);
    }
  }
  return found;
}

bool IsTopOne(const NodeGraph& graph, const onnx::NodeProto& node) {
  if (node.op_type() != "TopK" || IntAttribute(node, "largest", 1) == 0) return false;
  if (node.input_size() < 2) return IntAttribute(node, "k", 0) == 1;
  return graph.Number(node.input(1)) == 1.0;
}

const onnx::NodeProto* FindSecondStage(const NodeGraph& graph, const NodeSet& results) {
  for (const onnx::NodeProto* node : graph.nodes()) {
    const bool follows =
        std::any_of(node->output().begin(), node->output().end(),
                    [&](const std::string& output) { return graph.IsSuppressed(output); });
    if (follows && results.contains(node) && IsLayer(*node)) return node;
  }
  return nullptr;
}

const onnx::NodeProto* FindClassChoice(const NodeGraph& graph, const NodeSet& results,
                                       const NodeSet& kept) {
  for (const onnx::NodeProto* node : graph.nodes()) {
    if (!results.contains(node) || kept.contains(node)) continue;
    if (node->op_type() == "ArgMax" || IsTopOne(graph, *node)) return node;
  }
  return nullptr;
}

}  // namespace synap_internal::onnx_import
