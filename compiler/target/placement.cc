#include "compiler/target/placement.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "base/check.h"
#include "compiler/target/narrow_integers.h"
#include "kernels/attributes.h"

namespace synap_internal {
namespace {

std::vector<TensorType> TypesOf(const Program& program, const std::vector<bool>& narrow,
                                const std::vector<int32_t>& tensors) {
  std::vector<TensorType> types;
  for (const int32_t tensor : tensors) {
    const auto i = static_cast<size_t>(tensor);
    types.push_back(tensor < 0 ? TensorType{} : program.tensors[i].type);
    if (tensor >= 0 && narrow[i]) types.back().dtype = DataType::kInt32;
  }
  return types;
}

LayerKind KindOf(LinearForm form) {
  switch (form) {
    case LinearForm::kDense:
      return LayerKind::kFullyConnected;
    case LinearForm::kWindow:
      return LayerKind::kConvolution;
    case LinearForm::kDepthwise:
      return LayerKind::kDepthwiseConvolution;
    case LinearForm::kTransposed:
      return LayerKind::kTransposedConvolution;
    case LinearForm::kMatrices:
      return LayerKind::kMatrixProduct;
    case LinearForm::kNone:
      return LayerKind::kOther;
  }
  return LayerKind::kOther;
}

// Of an op that is no sum of products.
LayerKind KindOfFunction(const OpDef& op) {
  if (op.pools) return LayerKind::kPooling;
  if (op.movement != Movement::kNone) return LayerKind::kMovement;
  if (op.conversion != TypeConversion::kNone) return LayerKind::kConversion;
  if (op.arithmetic == Arithmetic::kSum || op.arithmetic == Arithmetic::kDifference) {
    return LayerKind::kAddition;
  }
  if (op.is_function() || op.is_lookup()) return LayerKind::kActivation;
  if (op.probability != Probability::kNone) return LayerKind::kSoftmax;
  return op.elementwise ? LayerKind::kArithmetic : LayerKind::kOther;
}

// Whether weights [O, KH, KW, I] tell the window's size.
bool HasWindow(LinearForm form) {
  return form == LinearForm::kWindow || form == LinearForm::kDepthwise ||
         form == LinearForm::kTransposed;
}

int64_t Largest(AttributeReader& reader, absl::string_view name) {
  const std::vector<int64_t> values = reader.Ints(name, -1, {1});
  return values.empty() ? 1 : *std::max_element(values.begin(), values.end());
}

void AddFlow(const TensorType& type, LayerFacts& facts) {
  const bool is_known =
      std::find(facts.types.begin(), facts.types.end(), type.dtype) != facts.types.end();
  if (!is_known) facts.types.push_back(type.dtype);
  facts.rank = std::max<int64_t>(facts.rank, type.shape.rank());
}

}  // namespace

LayerKind KindOf(const OpDef& op) {
  return op.linear == LinearForm::kNone ? KindOfFunction(op) : KindOf(op.linear);
}

std::string LayerTypeOf(const OpDef& op) {
  if (!op.layer_type.empty()) return std::string(op.layer_type);
  std::string type = "Tensor";
  for (const absl::string_view word : absl::StrSplit(op.name, '_')) {
    std::string capitalized(word);
    if (!capitalized.empty()) capitalized[0] = absl::ascii_toupper(capitalized[0]);
    absl::StrAppend(&type, capitalized);
  }
  return type;
}

LayerFacts FactsOf(const OpDef& op, absl::Span<const TensorType> inputs,
                   absl::Span<const TensorType> outputs, const Attributes& attributes) {
  LayerFacts facts;
  facts.kind = KindOf(op);
  AttributeReader reader(attributes);
  facts.stride = Largest(reader, "strides");
  facts.dilation = Largest(reader, "dilations");
  if (op.pools) facts.kernel = Largest(reader, "kernel");
  if (HasWindow(op.linear)) {
    facts.kernel = std::max(inputs[1].shape[1], inputs[1].shape[2]);
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    const OperandRole role = op.operands[std::min(i, op.operands.size() - 1)];
    if (inputs[i].present() && role == OperandRole::kActivation) AddFlow(inputs[i], facts);
  }
  for (const TensorType& output : outputs) AddFlow(output, facts);
  return facts;
}

std::vector<LayerFacts> FactsOf(const Program& program) {
  const std::vector<bool> narrow = NarrowIntegers(program);
  std::vector<LayerFacts> facts;
  for (const Instruction& instruction : program.instructions) {
    facts.push_back(FactsOf(*instruction.op, TypesOf(program, narrow, instruction.inputs),
                            TypesOf(program, narrow, instruction.outputs), instruction.attributes));
  }
  return facts;
}

std::string EngineText(const Placement& placement) {
  return absl::StrCat(Name(placement.engine), placement.helper.has_value() ? "+" : "",
                      placement.helper.has_value() ? Name(*placement.helper) : "");
}

Placement PlaceLayer(const Target& target, const LayerFacts& layer, bool (*allows)(Engine)) {
  // The reason is what keeps the layer off an engine that runs others of its kind.
  std::string obstacle;
  for (const EngineSpec& spec : target.engines) {
    if (allows != nullptr && !allows(spec.engine)) continue;
    std::optional<std::string> reason = WhyNot(target, spec.engine, layer);
    if (reason.has_value()) {
      if (spec.RunsKind(layer.kind)) obstacle = *std::move(reason);
      continue;
    }
    if (const TargetLimit* help = FindHelp(target, spec.engine, layer); help != nullptr) {
      return {spec.engine, help->helper, help->sentence};
    }
    if (!obstacle.empty()) return {spec.engine, std::nullopt, std::move(obstacle)};
    return {spec.engine, std::nullopt,
            absl::StrCat("the ", Name(spec.engine),
                         " is the first engine that runs layers of the kind ",
                         absl::StrReplaceAll(WordOf(layer.kind), {{"_", " "}}))};
  }
  return {Engine::kCpu, std::nullopt,
          obstacle.empty() ? "no other engine is allowed" : std::move(obstacle)};
}

std::vector<Placement> PlaceProgram(const Target& target, const Program& program,
                                    bool (*allows)(Engine)) {
  std::vector<Placement> placements;
  for (const LayerFacts& layer : FactsOf(program)) {
    placements.push_back(PlaceLayer(target, layer, allows));
  }
  return placements;
}

void NameLayers(const Target& target, absl::Span<const Placement> placements, Program& program) {
  CHECK(placements.size() == program.instructions.size());
  program.target = target.name;
  program.target_aliases = target.aliases;
  for (size_t i = 0; i < placements.size(); ++i) {
    Instruction& instruction = program.instructions[i];
    instruction.layer_type = LayerTypeOf(*instruction.op);
    instruction.engine = std::string(Name(placements[i].engine));
  }
}

}  // namespace synap_internal
