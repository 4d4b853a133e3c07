#include "compiler/report/model_info.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/rounding.h"
#include "compiler/report/layer_tables.h"
#include "kernels/attributes.h"

namespace synap_internal {
namespace {

std::string Header() {
  return absl::StrCat("Model converted with SyNAP toolkit ", kVersion, "\n\n");
}

std::string Separator() { return std::string(100, '=') + "\n"; }

std::string LayoutName(TensorLayout layout) {
  switch (layout) {
    case TensorLayout::kNchw:
      return "nchw";
    case TensorLayout::kNhwc:
      return "nhwc";
    case TensorLayout::kNone:
      return "none";
  }
  return "none";
}

std::string QuantizationText(const QuantParams& quant) {
  switch (quant.scheme) {
    case QuantScheme::kAsymmetricAffine:
      return absl::StrCat("{scheme: asymmetric_affine, scale: ", FloatToString(quant.scale()),
                          ", zero_point: ", quant.zero_point(), "}");
    case QuantScheme::kDynamicFixedPoint:
      return absl::StrCat(
          "{scheme: dynamic_fixed_point, fractional_length: ", quant.fractional_length, "}");
    default:
      return "";
  }
}

// A YAML scalar: quoted, with quotes and backslashes escaped.
std::string Yaml(const std::string& text) { return ToString(AttributeValue(text)); }

void AppendTensors(absl::string_view key, const std::vector<TensorMetadata>& tensors,
                   absl::Span<const std::string> pictures, std::string& text) {
  absl::StrAppend(&text, key, ":\n");
  for (size_t i = 0; i < tensors.size(); ++i) {
    const TensorMetadata& tensor = tensors[i];
    absl::StrAppend(
        &text, "  - name: ", Yaml(tensor.name), "\n    shape: [",
        absl::StrJoin(tensor.shape.dims(), ", "), "]\n    layout: ", LayoutName(tensor.layout),
        "\n    format: ", Yaml(tensor.data_format), "\n    type: ", Name(tensor.dtype), "\n");
    const std::string quantization = QuantizationText(tensor.quant);
    if (!quantization.empty()) absl::StrAppend(&text, "    quantization: ", quantization, "\n");
    if (tensor.security != TensorSecurity::kNone) {
      absl::StrAppend(&text, "    security: ", Name(tensor.security), "\n");
    }
    if (i < pictures.size() && !pictures[i].empty()) {
      absl::StrAppend(&text, "    pictures: ", Yaml(pictures[i]), "\n");
    }
  }
}

// The section about the inputs and outputs of a subgraph.
void AppendTensors(const SubgraphReport& subgraph, std::string& text) {
  const ModelMetadata& metadata = *subgraph.metadata;
  absl::StrAppend(
      &text, Separator(), "Detailed input/output information for ", subgraph.lowered->program.name,
      ":\n\nsecure: ", metadata.secure ? "true" : "false", "\ndelegate: ", metadata.delegate, "\n");
  AppendTensors("inputs", metadata.inputs, subgraph.pictures, text);
  AppendTensors("outputs", metadata.outputs, {}, text);
}

}  // namespace

std::string ModelInfo(absl::Span<const SubgraphReport> subgraphs, const ModelMetadata& metadata,
                      absl::Span<const Warning> moved, const Target& target) {
  std::string text = absl::StrCat(Header(), "target: ", subgraphs[0].lowered->program.target, "\n");
  if (subgraphs.size() == 1) {
    absl::StrAppend(&text, "delegate: ", subgraphs[0].metadata->delegate, "\n");
  } else {
    AppendTensors("inputs", metadata.inputs, {}, text);
    AppendTensors("outputs", metadata.outputs, {}, text);
    LatencyEstimate latency;
    for (const SubgraphReport& subgraph : subgraphs) latency.Add(subgraph.latency);
    absl::StrAppend(&text, "estimated time: ", Yaml(PrintMilliseconds(latency)), "\n");
  }
  absl::StrAppend(&text, "\nsubgraphs: ", subgraphs.size(), "\n\n");
  if (!moved.empty()) absl::StrAppend(&text, "layers moved to the cpu:\n");
  for (const Warning& layer : moved) absl::StrAppend(&text, "  - ", Yaml(layer.Text()), "\n");
  if (!moved.empty()) absl::StrAppend(&text, "\n");
  for (const SubgraphReport& subgraph : subgraphs) AppendTensors(subgraph, text);
  absl::StrAppend(&text, "\n");
  for (const SubgraphReport& subgraph : subgraphs) {
    absl::StrAppend(
        &text, Separator(), "Detailed graph information for ", subgraph.lowered->program.name,
        ":\n\n", LayerTable(subgraph.lowered->program, target, subgraph.latency, subgraph.allows),
        "\n", OperationTable(*subgraph.lowered), "\n", MemoryTable(*subgraph.lowered));
  }
  return text;
}

namespace {

void AppendQuantizer(const std::string& key, const Tensor& tensor, const ValueRange* range,
                     std::string& text) {
  const QuantParams& quant = tensor.type.quant;
  absl::StrAppend(&text, "  ", Yaml(key), ":\n    qtype: ", RowOf(tensor.type.dtype).abbreviation,
                  "\n    quantizer: ", Name(quant.scheme), "\n    rounding: rtne\n");
  if (range != nullptr) {
    absl::StrAppend(&text, "    max_value: ", FloatToString(range->max),
                    "\n    min_value: ", FloatToString(range->min), "\n");
  }
  const bool per_channel = quant.scheme == QuantScheme::kPerChannelSymmetric;
  const std::string scales = absl::StrJoin(quant.scales, ", ", [](std::string* out, float scale) {
    absl::StrAppend(out, FloatToString(scale));
  });
  if (quant.scheme == QuantScheme::kDynamicFixedPoint) {
    absl::StrAppend(&text, "    fl: ", quant.fractional_length, "\n");
    return;
  }
  absl::StrAppend(&text, "    scale: ", per_channel ? absl::StrCat("[", scales, "]") : scales,
                  "\n    zero_point: ", quant.zero_point(), "\n");
}

// The range that the quantized operand can hold: constants have no calibrated range.
ValueRange Representable(const Tensor& tensor) {
  const IntegerRange range = RangeOf(tensor.type.dtype);
  const QuantParams& quant = tensor.type.quant;
  const float scale = *std::max_element(quant.scales.begin(), quant.scales.end());
  const auto real = [&](int64_t q) {
    return DequantizeValue(static_cast<int32_t>(q), scale, quant.zero_point());
  };
  return {real(range.min), real(range.max)};
}

// The quantizers of a network, each with a key of its own.
class QuantizerList {
 public:
  QuantizerList(const Graph& quantized, const std::map<std::string, ValueRange>& ranges)
      : ranges_(ranges) {
    for (const Op& op : quantized.ops()) {
      if (op.Is(TypeConversion::kNone)) last_[op.LayerName()] = &op;
    }
    for (const Tensor* input : quantized.inputs) AddFlowing(input->name, "out0", *input);
    for (const Op& op : quantized.ops()) {
      if (op.Is(TypeConversion::kNone)) AddLayer(op);
    }
    for (const Tensor* output : quantized.outputs) {
      if (IsConverted(output)) AddFlowing(output->producer->LayerName(), "out0", *output);
    }
  }

  std::string Take() { return std::move(text_); }

 private:
  static bool IsConverted(const Tensor* tensor) {
    return tensor->producer != nullptr && !tensor->producer->Is(TypeConversion::kNone);
  }

  void AddLayer(const Op& op) {
    const std::string& layer = op.LayerName();
    const bool makes_result = last_.at(layer) == &op;
    for (size_t i = 0; i < op.outputs.size(); ++i) {
      AddFlowing(layer, absl::StrCat(makes_result ? "out" : "inner", i), *op.outputs[i]);
    }
    for (size_t i = 0; i < op.inputs.size(); ++i) {
      const Tensor* operand = op.inputs[i];
      if (operand == nullptr || !operand->type.quant.quantized()) continue;
      if (operand->is_constant()) {
        const bool bias = RoleOf(op, i) == OperandRole::kBias;
        const ValueRange range = Representable(*operand);
        Add(layer, bias ? "bias" : "weight", *operand, bias ? nullptr : &range);
      } else if (IsConverted(operand)) {
        AddFlowing(layer, absl::StrCat("in", i), *operand);
      }
    }
  }

  void AddFlowing(const std::string& layer, absl::string_view what, const Tensor& tensor) {
    if (!tensor.type.quant.quantized()) return;
    const auto range = ranges_.find(tensor.name);
    Add(layer, what, tensor, range == ranges_.end() ? nullptr : &range->second);
  }

  void Add(const std::string& layer, absl::string_view what, const Tensor& tensor,
           const ValueRange* range) {
    const std::string base = absl::StrCat("@", layer, ":", what);
    std::string key = base;
    for (int i = 1; !keys_.insert(key).second; ++i) key = absl::StrCat(base, ".", i);
    AppendQuantizer(key, tensor, range, text_);
  }

  const std::map<std::string, ValueRange>& ranges_;
  std::map<std::string, const Op*> last_;  // the op that makes a layer's result
  std::set<std::string> keys_;
  std::string text_;
};

// "dynamic_fixed_point-i16", "float16".
std::string QuantizerWord(const TensorType& type) {
  if (!type.quant.quantized()) return std::string(Name(type.dtype));
  return absl::StrCat(Name(type.quant.scheme), "-", RowOf(type.dtype).abbreviation);
}

// Whether the op is a layer with weights whose operand has the type `base`, though its result may
// have more bits: a rule that names it would give them to the operand.
bool TakesBase(const Op& op, DataType base) {
  return op.def->is_weighted_sum() && op.inputs[0]->type.dtype == base;
}

// The layers of another type than `base`, and the conversions; "" if there are none.
std::string MixedLayers(const Graph& quantized, DataType base) {
  std::string layers;
  std::set<std::string> listed;  // a node may have become several ops
  int64_t conversions = 0, elements = 0;
  for (const Op& op : quantized.ops()) {
    const TensorType& type = op.output()->type;
    if (!op.Is(TypeConversion::kNone)) {
      ++conversions;
      elements += type.shape.elements();
    } else if (!TakesBase(op, base) && type.dtype != base &&
               (type.quant.quantized() || IsFloat(type.dtype))) {
      const std::string layer = op.LayerName();
      if (!listed.insert(layer).second) continue;
      absl::StrAppend(&layers, "  ", Yaml(absl::StrCat("@", layer)), ": ", QuantizerWord(type),
                      "\n");
    }
  }
  if (!layers.empty()) layers = absl::StrCat("customized_quantize_layers:\n", layers);
  if (conversions == 0) return layers;
  return absl::StrCat(layers, "conversions:\n  count: ", conversions, "\n  elements: ", elements,
                      "\n");
}

}  // namespace

std::string QuantizationInfo(const Graph& quantized, DataType base,
                             const std::map<std::string, ValueRange>& ranges) {
  return absl::StrCat("quantize_parameters:\n", QuantizerList(quantized, ranges).Take(),
                      MixedLayers(quantized, base));
}

}  // namespace synap_internal
