#include "compiler/export/onnx/lint_model.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
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
    for (const TensorProto& tensor : graph.initializer()) {
      values_[tensor.name()] = {tensor.data_type(), tensor.dims_size(), false, &tensor};
    }
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

  // Whether a quantizer reads or makes the value. Plain integers, such as pixels, have none.
  bool IsQuantized(const std::string& value) const {
    for (const onnx::NodeProto& node : model_.graph().node()) {
      if (!IsQuantizer(node) || node.input_size() == 0 || node.output_size() == 0) continue;
      if (node.input(0) == value || node.output(0) == value) return true;
    }
    return false;
  }

  void LintNodes(const onnx::GraphProto& graph) {
    for (const onnx::NodeProto& node : graph.node()) {
      if (IsQuantizer(node)) LintQuantizer(node);
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
    const int type = zero_point.type != TensorProto::UNDEFINED ? zero_point.type : value.type;
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
