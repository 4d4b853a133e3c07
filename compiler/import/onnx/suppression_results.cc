#include "compiler/import/onnx/suppression_results.h"

#include <algorithm>

#include "absl/strings/string_view.h"
#include "compiler/import/onnx/graph_index.h"

namespace synap_internal::onnx_import {
namespace {

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
