#include "compiler/export/onnx/lint_model.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/status_macros.h"
#include "compiler/import/onnx/model_file.h"

namespace synap_internal {
namespace {

using onnx::TensorProto;

// What a file says of a value. Type 0: nothing.
struct ValueFacts {
  int type = TensorProto::UNDEFINED;
  std::optional<int64_t> rank;
  bool dynamic = false;
  const TensorProto* constant = nullptr;
};

ValueFacts FactsOf(const onnx::ValueInfoProto& info) {
  const auto& tensor = info.type().tensor_type();
  ValueFacts facts = {tensor.elem_type()};
  if (!tensor.has_shape()) return facts;
  facts.rank = tensor.shape().dim_size();
  for (const auto& dim : tensor.shape().dim()) facts.dynamic |= !dim.has_dim_value();
  return facts;
}

bool IsOneOf(int type, std::initializer_list<int> types) {
  return std::find(types.begin(), types.end(), type) != types.end();
}

bool Has8Bits(int type) { return IsOneOf(type, {TensorProto::INT8, TensorProto::UINT8}); }
bool Has16Bits(int type) { return IsOneOf(type, {TensorProto::INT16, TensorProto::UINT16}); }

bool IsQuantizer(const onnx::NodeProto& node) {
  return node.op_type() == "QuantizeLinear" || node.op_type() == "DequantizeLinear";
}

// Whether the output has the elements of operand 0, moved around perhaps.
bool MovesElements(const onnx::NodeProto& node) {
  constexpr absl::string_view kMoves[] = {"Flatten", "Identity",  "Reshape",
                                          "Squeeze", "Transpose", "Unsqueeze"};
  return std::find(std::begin(kMoves), std::end(kMoves), node.op_type()) != std::end(kMoves);
}

// The type of a QuantizeLinear without a zero point.
int TypeOfNoZeroPoint(const onnx::NodeProto& node) {
  for (const onnx::AttributeProto& attribute : node.attribute()) {
    if (attribute.name() == "output_dtype" && attribute.i() != TensorProto::UNDEFINED) {
      return static_cast<int>(attribute.i());
    }
  }
  return TensorProto::UINT8;
}

bool HasNonZero(const TensorProto& tensor) {
  const std::string& raw = tensor.raw_data();
  return std::any_of(raw.begin(), raw.end(), [](char byte) { return byte != 0; }) ||
         std::any_of(tensor.int32_data().begin(), tensor.int32_data().end(),
                     [](int32_t value) { return value != 0; });
}

class ModelLinter {
 public:
  ModelLinter(const onnx::ModelProto& model, const ExportProfile& profile)
      : model_(model), profile_(profile) {}

  std::vector<LintFinding> Run() {
    LintOpset();
    Learn(model_.graph());
    LintEnds("input", model_.graph().input());
    LintEnds("output", model_.graph().output());
    LintNodes(model_.graph());
    return std::move(findings_);
  }

 private:
  void Add(std::string place, absl::string_view sentence,
           LimitEffect effect = LimitEffect::kRefused) {
    findings_.push_back({std::move(place), std::string(sentence), effect});
  }

  void LintOpset() {
    for (const onnx::OperatorSetIdProto& opset : model_.opset_import()) {
      if (!opset.domain().empty() && opset.domain() != "ai.onnx") continue;
      if (opset.version() <= profile_.opset || !profile_.Insists("opset")) continue;
      Add(absl::StrCat("the model has opset ", opset.version(), ", expected ", profile_.opset,
                       " or lower"),
          profile_.Reason("opset"));
    }
  }

  void Learn(const onnx::GraphProto& graph) {
    for (const auto* list : {&graph.input(), &graph.output(), &graph.value_info()}) {
      for (const onnx::ValueInfoProto& info : *list) values_[info.name()] = FactsOf(info);
    }
    for (const TensorProto& tensor : graph.initializer()) LearnConstant(tensor.name(), tensor);
    for (const onnx::NodeProto& node : graph.node()) LearnNode(node);
  }

  void LearnConstant(const std::string& name, const TensorProto& tensor) {
    values_[name] = {tensor.data_type(), tensor.dims_size(), false, &tensor};
  }

  void LearnNode(const onnx::NodeProto& node) {
    if (node.output_size() == 0) return;
    nodes_at_[node.output(0)].push_back(&node);
    if (node.input_size() > 0) nodes_at_[node.input(0)].push_back(&node);
    if (node.op_type() != "Constant") return;
    for (const onnx::AttributeProto& attribute : node.attribute()) {
      if (attribute.has_t()) LearnConstant(node.output(0), attribute.t());
    }
  }

  absl::Span<const onnx::NodeProto* const> NodesAt(const std::string& value) const {
    const auto known = nodes_at_.find(value);
    if (known == nodes_at_.end()) return {};
    return known->second;
  }

  ValueFacts Facts(const std::string& name) const {
    const auto known = values_.find(name);
    return known == values_.end() ? ValueFacts() : known->second;
  }

  template <typename Infos>
  void LintEnds(absl::string_view kind, const Infos& infos) {
    if (profile_.ends != EndForm::kFloat || !profile_.Insists("ends")) return;
    for (const onnx::ValueInfoProto& info : infos) {
      const ValueFacts facts = Facts(info.name());
      if (facts.constant != nullptr || (!Has8Bits(facts.type) && !Has16Bits(facts.type))) continue;
      if (!IsQuantized(info.name())) continue;
      Add(absl::StrCat(kind, " '", info.name(), "'"), profile_.Reason("ends"));
    }
  }

  // Whether a quantizer reads or makes the value, moved around or not. Plain integers, such as
  // pixels, have none.
  bool IsQuantized(const std::string& value) const {
    std::vector<std::string> open = {value};
    absl::flat_hash_set<std::string> seen;
    while (!open.empty()) {
      const std::string name = std::move(open.back());
      open.pop_back();
      if (!seen.insert(name).second) continue;
      for (const onnx::NodeProto* node : NodesAt(name)) {
        if (IsQuantizer(*node)) return true;
        if (!MovesElements(*node) || node->input_size() == 0) continue;
        open.push_back(node->input(0));
        open.push_back(node->output(0));
      }
    }
    return false;
  }

  // A clamp between a layer and its quantizer.
  bool IsJoinedClamp(const onnx::NodeProto& node) const {
    const bool clamps = node.op_type() == "Relu" || node.op_type() == "Clip";
    if (!clamps || node.input_size() == 0 || node.output_size() == 0) return false;
    const auto after = NodesAt(node.output(0)), before = NodesAt(node.input(0));
    return std::any_of(after.begin(), after.end(),
                       [](const onnx::NodeProto* reader) {
                         return reader->op_type() == "QuantizeLinear";
                       }) &&
           std::any_of(before.begin(), before.end(), [&](const onnx::NodeProto* maker) {
             return maker->output(0) == node.input(0) && maker->op_type() != "DequantizeLinear";
           });
  }

  void LintNodes(const onnx::GraphProto& graph) {
    for (const onnx::NodeProto& node : graph.node()) {
      if (IsQuantizer(node)) LintQuantizer(node);
      const auto& composed = profile_.compose;
      if (std::find(composed.begin(), composed.end(), node.op_type()) != composed.end()) {
        AddWish(node, "compose");
      }
      if (profile_.clamps == ClampForm::kApart && IsJoinedClamp(node)) AddWish(node, "clamps");
      for (const ProfileLimit& limit : profile_.limits) {
        if (Holds(limit.when, node)) Add(PlaceOf(node), limit.sentence, limit.effect);
      }
      for (const onnx::AttributeProto& attribute : node.attribute()) {
        if (attribute.has_g()) LintSubgraph(attribute.g());
        for (const onnx::GraphProto& subgraph : attribute.graphs()) LintSubgraph(subgraph);
      }
    }
  }

  void LintSubgraph(const onnx::GraphProto& graph) {
    Learn(graph);
    LintNodes(graph);
  }

  static std::string PlaceOf(const onnx::NodeProto& node) {
    const std::string& name =
        node.name().empty() && node.output_size() > 0 ? node.output(0) : node.name();
    return absl::StrCat("node '", name, "' (", node.op_type(), ")");
  }

  // The wishes for integers; their type is that of the zero point.
  void LintQuantizer(const onnx::NodeProto& node) {
    if (node.input_size() == 0) return;
    const ValueFacts value = Facts(node.input(0));
    const bool has_zero_point = node.input_size() > 2 && !node.input(2).empty();
    const ValueFacts zero_point = has_zero_point ? Facts(node.input(2)) : ValueFacts();
    const bool quantizes = node.op_type() == "QuantizeLinear";
    const int without = quantizes ? TypeOfNoZeroPoint(node) : value.type;
    const int type = has_zero_point ? zero_point.type : without;
    const bool is_16_bit_activation = type == TensorProto::INT16 && value.constant == nullptr;
    if ((Has16Bits(type) && profile_.sixteen_bits == SixteenBitForm::kFloat) ||
        (is_16_bit_activation && profile_.sixteen_bits == SixteenBitForm::kUint16)) {
      AddWish(node, "sixteen_bits");
    }
    if (Has8Bits(type) && profile_.eight_bits == EightBitForm::kSymmetricInt8) {
      const bool is_shifted = zero_point.constant != nullptr && HasNonZero(*zero_point.constant);
      if (type == TensorProto::UINT8 || is_shifted) AddWish(node, "eight_bits");
    }
    if (value.type == TensorProto::INT32 && value.constant != nullptr &&
        profile_.biases == BiasForm::kFloat) {
      AddWish(node, "biases");
    }
  }

  // A node that contradicts a wish.
  void AddWish(const onnx::NodeProto& node, absl::string_view field) {
    if (profile_.Insists(field)) Add(PlaceOf(node), profile_.Reason(field));
  }

  bool Holds(const NodeCondition& when, const onnx::NodeProto& node) const {
    const auto& operators = when.operators;
    if (!operators.empty() &&
        std::find(operators.begin(), operators.end(), node.op_type()) == operators.end()) {
      return false;
    }
    std::vector<ValueFacts> values;
    for (const auto* names : {&node.input(), &node.output()}) {
      for (const std::string& name : *names) values.push_back(Facts(name));
    }
    const auto any = [&](const auto& holds) {
      return std::any_of(values.begin(), values.end(), holds);
    };
    const auto has_type = [&](const ValueFacts& value) {
      return std::find(when.types.begin(), when.types.end(), value.type) != when.types.end();
    };
    const auto is_high = [&](const ValueFacts& value) {
      return value.rank.has_value() && *value.rank > *when.rank_above;
    };
    return (when.types.empty() || any(has_type)) &&
           (!when.rank_above.has_value() || any(is_high)) &&
           (!when.dynamic || any([](const ValueFacts& value) { return value.dynamic; }));
  }

  const onnx::ModelProto& model_;
  const ExportProfile& profile_;
  absl::flat_hash_map<std::string, ValueFacts> values_;
  // The nodes that make a value or read it as operand 0.
  absl::flat_hash_map<std::string, std::vector<const onnx::NodeProto*>> nodes_at_;
  std::vector<LintFinding> findings_;
};

}  // namespace

std::string LintFinding::Text() const {
  return absl::StrCat(place, sentence.empty() ? "" : ": ", sentence);
}

absl::StatusOr<std::vector<LintFinding>> LintOnnxBytes(absl::string_view bytes,
                                                       const ExportProfile& profile) {
  ASSIGN_OR_RETURN(const onnx_import::Model model, onnx_import::ParseModel(bytes, ""));
  return ModelLinter(*model.proto, profile).Run();
}

absl::StatusOr<std::vector<LintFinding>> LintOnnxFile(const std::string& path,
                                                      const ExportProfile& profile) {
  ASSIGN_OR_RETURN(const onnx_import::Model model, onnx_import::ReadModelFile(path));
  return ModelLinter(*model.proto, profile).Run();
}

}  // namespace synap_internal
