#include "compiler/target/layer_work.h"

#include <algorithm>
#include <tuple>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/status_macros.h"
#include "kernels/image_to_tensor/picture_type.h"

namespace synap_internal {
namespace {

struct OpFacts {
  const OpDef& def;
  const Attributes& attributes;
  std::vector<TensorType> inputs, outputs;
  std::vector<bool> constant;  // of each operand

  bool Flows(size_t i) const { return i < inputs.size() && inputs[i].present() && !constant[i]; }
  int64_t OutputElements() const { return outputs[0].shape.elements(); }
  int64_t LargestOperand() const {
    int64_t largest = OutputElements();
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (Flows(i)) largest = std::max(largest, inputs[i].shape.elements());
    }
    return largest;
  }
};

// Null if it is absent or has another type.
template <typename T>
const T* Find(const OpFacts& op, absl::string_view name) {
  const auto it = op.attributes.find(name);
  return it == op.attributes.end() ? nullptr : std::get_if<T>(&it->second);
}

LayerWork NewWork(WorkKind kind, const OpFacts& op) {
  LayerWork work;
  work.kind = kind;
  work.type = op.Flows(0) ? op.inputs[0].dtype : op.outputs[0].dtype;
  work.pictures = op.outputs[0].shape.rank() == 4 ? op.outputs[0].shape[0] : 1;
  return work;
}

LayerWork Elementwise(WorkKind kind, const OpFacts& op) {
  LayerWork work = NewWork(kind, op);
  work.elements = op.LargestOperand();
  if (kind != WorkKind::kStream) return work;
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    if (op.Flows(i)) work.tensors.push_back(op.inputs[i].shape.elements());
  }
  work.tensors.push_back(op.OutputElements());
  return work;
}

bool IsStrided(const OpFacts& op) {
  const auto* strides = Find<std::vector<int64_t>>(op, "strides");
  return strides != nullptr &&
         std::any_of(strides->begin(), strides->end(), [](int64_t stride) { return stride > 1; });
}

// Whether a fused function needs a pass of its own over the output. The NN cores clamp and scale.
bool HasFusedFunction(const OpFacts& op) {
  if (op.Flows(0) && op.inputs.size() > 3 && op.inputs[3].present()) return true;  // a table
  const auto* function = Find<std::string>(op, "activation");
  return function != nullptr && *function != "leaky_relu" && *function != "relu";
}

// The sum of products, then what is fused into it.
std::vector<LayerWork> Linear(const OpFacts& op) {
  const bool depthwise = op.def.linear == LinearForm::kDepthwise;
  LayerWork work = NewWork(depthwise ? WorkKind::kDepthwise : WorkKind::kConvolution, op);
  const Shape& weights = op.inputs[1].shape;
  work.macs = op.def.cost(op.inputs, op.outputs).macs;
  work.window = weights.rank() == 4 ? weights[1] * weights[2] : 1;
  work.channels = op.outputs[0].shape.rank() == 0 ? 1 : op.outputs[0].shape.back();
  work.weights = weights.elements();
  work.tensors = {op.inputs[0].shape.elements(), op.OutputElements()};
  std::vector<LayerWork> all = {work};
  if (!depthwise && IsStrided(op)) {
    LayerWork rearranged = NewWork(WorkKind::kCopy, op);
    rearranged.elements = op.inputs[0].shape.elements();
    rearranged.is_layer = false;
    all.push_back(rearranged);
  }
  if (HasFusedFunction(op)) {
    all.push_back(NewWork(WorkKind::kFunction, op));
    all.back().elements = op.OutputElements();
  }
  if (op.Flows(4)) {  // a residual
    all.push_back(NewWork(WorkKind::kStream, op));
    all.back().type = op.outputs[0].dtype;
    all.back().elements = op.OutputElements();
    all.back().tensors.assign(3, op.OutputElements());
  }
  return all;
}

// Whether a transpose of more than four dimensions moves elements out of the row of the picture
// (batch, row, ...) that they are in. Depth to space, for one, keeps them there.
bool LeavesRows(const OpFacts& op) {
  const auto* perm = Find<std::vector<int64_t>>(op, "perm");
  if (perm == nullptr || perm->size() < 5) return false;
  return (*perm)[0] != 0 || (*perm)[1] != 1;
}

std::vector<LayerWork> Moved(const OpFacts& op) {
  const Shape& shape = op.outputs[0].shape;
  LayerWork work = NewWork(WorkKind::kCopy, op);
  work.elements = op.OutputElements();
  // Pictures are stored plane by plane: their channels are joined and taken apart by addresses.
  const auto* axis = Find<int64_t>(op, "axis");
  const bool planes = shape.rank() == 4 && (axis == nullptr || *axis == 3);
  switch (op.def.movement) {
    case Movement::kReshape:
      return {};
    case Movement::kSlice:
    case Movement::kConcat:
      if (planes) return {};
      work.kind = WorkKind::kScatter;
      return {work};
    case Movement::kTranspose:
      if (LeavesRows(op)) work.kind = WorkKind::kScatter;
      return {work};
    default:
      return {work};
  }
}

// Ops without sums of products and without movement.
WorkKind KindOf(const OpFacts& op) {
  const OpDef& def = op.def;
  if (def.conversion != TypeConversion::kNone || def.probability == Probability::kSoftmax ||
      def.probability == Probability::kLogSoftmax || def.normalizes) {
    return WorkKind::kProduct;
  }
  if (def.clamp != nullptr) return WorkKind::kStream;
  if (def.is_function() || def.is_lookup()) return WorkKind::kFunction;
  if (def.arithmetic == Arithmetic::kSum) return WorkKind::kStream;
  if (def.arithmetic != Arithmetic::kNone) return WorkKind::kProduct;
  const auto* mode = Find<std::string>(op, "mode");
  if (mode != nullptr && (*mode == "linear" || *mode == "bilinear")) {
    return WorkKind::kInterpolation;
  }
  return WorkKind::kStream;
}

// Null if the op doesn't convert pictures.
const PictureTypeRow* PictureOf(const OpFacts& op) {
  const auto* type = Find<std::string>(op, "type");
  return type == nullptr ? nullptr : FindPictureType(*type);
}

// A scaled picture is a mean of neighbours, in colours that follow from it; one of the same size is
// sums of the products of its components.
LayerWork Pixels(const PictureTypeRow& type, const OpFacts& op) {
  const Shape& plane = op.inputs[0].shape;
  const Shape& out = op.outputs[0].shape;
  const bool whole = op.inputs.size() == static_cast<size_t>(type.planes);
  const int64_t height = type.planar ? plane[2] : plane[1];
  const int64_t width = type.planar ? plane[3] : plane[2];
  const bool scaled = !whole || height != out[1] || width != out[2];
  LayerWork work = NewWork(scaled ? WorkKind::kInterpolation : WorkKind::kProduct, op);
  work.type = op.outputs[0].dtype;
  const bool mixed =
      type.colours == PictureColours::kFullRange || type.colours == PictureColours::kLimitedRange;
  work.elements = op.OutputElements() * (mixed && !scaled ? 3 : 1);
  return work;
}

// A function with constant slopes (PReLU), which the NN cores apply to what they sum.
bool HasSlopes(const OpFacts& op) {
  return op.def.elementwise && op.def.arithmetic == Arithmetic::kNone && op.inputs.size() == 2 &&
         op.constant[1] && op.def.operands[1] == OperandRole::kWeight;
}

std::vector<LayerWork> WorkOf(const OpFacts& op) {
  if (op.def.is_weighted_sum()) return Linear(op);
  if (HasSlopes(op)) return {};
  if (const PictureTypeRow* picture = PictureOf(op)) return {Pixels(*picture, op)};
  if (op.def.linear == LinearForm::kMatrices) {
    LayerWork work = NewWork(WorkKind::kMatrices, op);
    work.macs = op.def.cost(op.inputs, op.outputs).macs;
    return {work};
  }
  if (op.def.movement != Movement::kNone) return Moved(op);
  return {Elementwise(KindOf(op), op)};
}

struct NumberField {
  absl::string_view name;
  int64_t LayerWork::*value;
  int64_t fallback;
};

constexpr NumberField kNumbers[] = {
    {"macs", &LayerWork::macs, 0},         {"window", &LayerWork::window, 1},
    {"channels", &LayerWork::channels, 1}, {"weights", &LayerWork::weights, 0},
    {"elements", &LayerWork::elements, 0}, {"pictures", &LayerWork::pictures, 1},
};

absl::Status BadWord(absl::string_view word) {
  return absl::InvalidArgumentError(
      absl::StrCat("'", word, "' isn't known in the work of a layer"));
}

absl::Status ReadWord(absl::string_view word, LayerWork& work) {
  if (word == "part") {
    work.is_layer = false;
    return absl::OkStatus();
  }
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(word, absl::MaxSplits('=', 1));
  if (parts.first == "tensors") {
    for (const absl::string_view size : absl::StrSplit(parts.second, '+')) {
      if (!absl::SimpleAtoi(size, &work.tensors.emplace_back())) return BadWord(word);
    }
    return absl::OkStatus();
  }
  for (const NumberField& field : kNumbers) {
    if (parts.first != field.name) continue;
    return absl::SimpleAtoi(parts.second, &(work.*field.value)) ? absl::OkStatus() : BadWord(word);
  }
  return BadWord(word);
}

}  // namespace

bool operator==(const LayerWork& a, const LayerWork& b) {
  const auto tie = [](const LayerWork& w) {
    return std::tie(w.kind, w.type, w.macs, w.window, w.channels, w.weights, w.elements, w.pictures,
                    w.is_layer, w.tensors);
  };
  return tie(a) == tie(b);
}

std::vector<LayerWork> WorkOf(const Op& op) {
  OpFacts facts{*op.def, op.attributes, InputTypes(op), OutputTypes(op), {}};
  for (const Tensor* input : op.inputs) {
    facts.constant.push_back(input != nullptr && input->is_constant());
  }
  return WorkOf(facts);
}

std::vector<LayerWork> WorkOf(const Program& program, const Instruction& instruction) {
  OpFacts facts{*instruction.op, instruction.attributes, {}, {}, {}};
  for (const int32_t input : instruction.inputs) {
    const ProgramTensor* tensor =
        input < 0 ? nullptr : &program.tensors[static_cast<size_t>(input)];
    facts.inputs.push_back(tensor == nullptr ? TensorType{} : tensor->type);
    facts.constant.push_back(tensor != nullptr && tensor->place == Place::kConstant);
  }
  for (const int32_t output : instruction.outputs) {
    facts.outputs.push_back(program.tensors[static_cast<size_t>(output)].type);
  }
  return WorkOf(facts);
}

std::string PrintWork(const LayerWork& work) {
  std::string line = absl::StrCat(RowOf(work.kind).word, " ", Name(work.type));
  for (const NumberField& field : kNumbers) {
    if (work.*field.value != field.fallback) {
      absl::StrAppend(&line, " ", field.name, "=", work.*field.value);
    }
  }
  if (!work.is_layer) absl::StrAppend(&line, " part");
  if (!work.tensors.empty()) {
    absl::StrAppend(&line, " tensors=", absl::StrJoin(work.tensors, "+"));
  }
  return line;
}

absl::StatusOr<LayerWork> ParseWork(absl::string_view line) {
  const std::vector<absl::string_view> words = absl::StrSplit(line, ' ', absl::SkipEmpty());
  if (words.size() < 2) return BadWord(line);
  LayerWork work;
  const auto* const row = std::find_if(std::begin(kWorkKinds), std::end(kWorkKinds),
                                       [&](const WorkKindRow& r) { return r.word == words[0]; });
  if (row == std::end(kWorkKinds)) return BadWord(words[0]);
  work.kind = row->kind;
  ASSIGN_OR_RETURN(work.type, ParseDataType(words[1]));
  for (size_t i = 2; i < words.size(); ++i) RETURN_IF_ERROR(ReadWord(words[i], work));
  return work;
}

}  // namespace synap_internal
