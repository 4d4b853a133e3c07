#include "compiler/export/onnx/fit_profile.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/check.h"
#include "base/name_list.h"
#include "base/rounding.h"
#include "base/status_macros.h"
#include "compiler/export/onnx/opset.h"
#include "kernels/registry.h"

namespace synap_internal::onnx_export {
namespace {

// Names of the layers that make the tensors, or read the constants, the first ones of many.
std::string LayersOf(const std::vector<Tensor*>& tensors) {
  constexpr size_t kMaxNamed = 3;
  std::vector<std::string> names;
  for (const Tensor* tensor : tensors) {
    const Op* op = tensor->producer;
    if (tensor->is_constant() && !tensor->users.empty()) op = tensor->users.front();
    std::string name = op == nullptr ? tensor->name : op->LayerName();
    if (std::find(names.begin(), names.end(), name) == names.end())
      names.push_back(std::move(name));
  }
  return FirstNames(names, kMaxNamed);
}

// Whether the op computes with the integers that its tensors store, not with the real numbers, or
// rounds to a quantizer of its own for integers of its output's type.
bool ReadsStored(const Op& op) {
  if (op.Is(TypeConversion::kCast) || op.attributes.count("own_scale") > 0) return true;
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    if (op.inputs[i] != nullptr && RoleOf(op, i) == OperandRole::kTable) return true;
  }
  return false;
}

// That nothing depends on how the tensors' numbers are stored.
absl::Status CheckCanChange(const std::vector<Tensor*>& tensors, const ExportProfile& profile) {
  std::vector<std::string> readers;
  const auto check = [&](const Op* op) {
    if (op == nullptr || !ReadsStored(*op)) return;
    std::string label = op->Label();
    if (std::find(readers.begin(), readers.end(), label) == readers.end()) {
      readers.push_back(std::move(label));
    }
  };
  for (const Tensor* tensor : tensors) {
    check(tensor->producer);
    for (const Op* user : tensor->users) check(user);
  }
  if (readers.empty()) return absl::OkStatus();
  return absl::UnimplementedError(
      absl::StrCat(absl::StrJoin(readers, ", "), ": it computes with stored integers, whose type ",
                   profile.tool, " doesn't take; export the graph before it is compiled"));
}

template <typename Predicate>
std::vector<Tensor*> TensorsThat(Graph& graph, Predicate holds) {
  std::vector<Tensor*> found;
  for (Tensor& tensor : graph.tensors()) {
    if (tensor.type.quant.quantized() && holds(tensor)) found.push_back(&tensor);
  }
  return found;
}

// Replaces the op's quantized constants by their real numbers. `known`: those of all ops.
void MakeConstantsReal(Graph& graph, Op& op, std::map<const Tensor*, Tensor*>& known) {
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    const Tensor* constant = op.inputs[i];
    if (constant == nullptr || !constant->is_constant() || !constant->type.quant.quantized()) {
      continue;
    }
    Tensor*& real = known[constant];
    if (real == nullptr) {
      real =
          graph.AddConstant(absl::StrCat(constant->name, ".real"),
                            {DataType::kFloat32, constant->type.shape, {}}, Dequantized(*constant));
    }
    graph.SetInput(&op, i, real);
  }
}

absl::Status MakeSixteenBitsReal(const ExportProfile& profile, Graph& graph, Warnings& warnings) {
  const auto has_16_bits = [](const Tensor* tensor) {
    return tensor != nullptr && tensor->type.quant.quantized() &&
           tensor->type.dtype == DataType::kInt16;
  };
  const std::vector<Tensor*> wide = TensorsThat(
      graph, [&](const Tensor& tensor) { return has_16_bits(&tensor) && !tensor.is_constant(); });
  RETURN_IF_ERROR(CheckCanChange(wide, profile));
  std::map<const Tensor*, Tensor*> known;
  for (Op& op : graph.ops()) {
    if (std::none_of(op.inputs.begin(), op.inputs.end(), has_16_bits)) continue;
    MakeConstantsReal(graph, op, known);
  }
  for (Tensor* tensor : wide) {
    tensor->type.dtype = DataType::kFloat32;
    tensor->type.quant = {};
  }
  if (wide.empty()) return absl::OkStatus();
  const bool is_wish = profile.sixteen_bits == SixteenBitForm::kFloat;
  warnings.Add(absl::StrCat(
      wide.size(), " activations of 16 bits are written as float32 (", LayersOf(wide), "): ",
      is_wish ? absl::StrCat(profile.tool, ": ", profile.Reason("sixteen_bits"))
              : absl::StrCat("opset ", profile.opset, " quantizes to 8 bits alone")));
  return absl::OkStatus();
}

// Whether every op that reads the constant takes it as it takes data that flows.
bool IsReadAsActivation(const Tensor& constant) {
  return std::all_of(constant.users.begin(), constant.users.end(), [&](const Op* user) {
    for (size_t i = 0; i < user->inputs.size(); ++i) {
      if (user->inputs[i] == &constant && RoleOf(*user, i) != OperandRole::kActivation) {
        return false;
      }
    }
    return true;
  });
}

// Biases of 64 bits that fit into 32: a tool that has layers of 16 bits knows such biases alone.
void NarrowBiases(Graph& graph) {
  const auto fits = [](int64_t value) { return value >= INT32_MIN && value <= INT32_MAX; };
  const std::vector<Tensor*> biases = TensorsThat(graph, [&](const Tensor& tensor) {
    if (!tensor.is_constant() || tensor.type.dtype != DataType::kInt64) return false;
    const auto values = tensor.values<int64_t>();
    return std::all_of(values.begin(), values.end(), fits);
  });
  for (Tensor* bias : biases) {
    const auto values = bias->values<int64_t>();
    bias->type.dtype = DataType::kInt32;
    bias->constant = std::make_shared<const Constant>(
        Constant::Own(std::vector<int32_t>(values.begin(), values.end())));
  }
}

absl::Status MakeSixteenBitsUnsigned(const ExportProfile& profile, Graph& graph) {
  constexpr int32_t kShift = 32768;
  const std::vector<Tensor*> wide = TensorsThat(graph, [](const Tensor& tensor) {
    return tensor.type.dtype == DataType::kInt16 &&
           (!tensor.is_constant() || IsReadAsActivation(tensor));
  });
  RETURN_IF_ERROR(CheckCanChange(wide, profile));
  for (Tensor* tensor : wide) {
    const QuantParams& quant = tensor->type.quant;
    if (quant.scheme == QuantScheme::kPerChannelSymmetric) continue;
    if (tensor->is_constant()) {
      std::vector<uint16_t> values;
      for (const int16_t value : tensor->values<int16_t>()) {
        values.push_back(static_cast<uint16_t>(value + kShift));
      }
      tensor->constant = std::make_shared<const Constant>(Constant::Own(std::move(values)));
    }
    tensor->type.dtype = DataType::kUint16;
    tensor->type.quant = QuantParams::Affine(quant.scale(), quant.zero_point() + kShift);
  }
  return absl::OkStatus();
}

// The zero point that the same numbers have in int8.
int32_t ZeroPointInInt8(DataType type, int32_t zero_point) {
  return type == DataType::kUint8 ? zero_point - 128 : zero_point;
}

// How much longer the steps become that cover the range from 0 to the farther end.
double StepRatio(const TensorType& type) {
  const int32_t zero_point = ZeroPointInInt8(type.dtype, type.quant.zero_point());
  return zero_point == 0 ? 1 : std::max(127 - zero_point, zero_point + 128) / 127.0;
}

void MakeSymmetric(Tensor& tensor) {
  const TensorType type = tensor.type;
  const QuantParams& old = type.quant;
  const double ratio = StepRatio(type);
  const auto scale = static_cast<float>(old.scale() * ratio);
  tensor.type.dtype = DataType::kInt8;
  tensor.type.quant = QuantParams::Affine(scale, 0);
  if (!tensor.is_constant()) return;
  std::vector<int8_t> values;
  values.reserve(tensor.constant->bytes.size());
  for (const uint8_t byte : tensor.constant->bytes) {
    const int32_t q = type.dtype == DataType::kUint8 ? byte : static_cast<int8_t>(byte);
    const float real = DequantizeValue(q, old.scale(), old.zero_point());
    values.push_back(static_cast<int8_t>(QuantizeValue(real, scale, 0, -128, 127)));
  }
  tensor.constant = std::make_shared<const Constant>(Constant::Own(std::move(values)));
}

absl::Status MakeEightBitsSymmetric(const ExportProfile& profile, Graph& graph,
                                    Warnings& warnings) {
  const std::vector<Tensor*> affine = TensorsThat(graph, [](const Tensor& tensor) {
    const bool is_int8 = tensor.type.dtype == DataType::kInt8;
    if (!is_int8 && tensor.type.dtype != DataType::kUint8) return false;
    return !is_int8 || tensor.type.quant.zero_point() != 0;
  });
  RETURN_IF_ERROR(CheckCanChange(affine, profile));
  std::vector<Tensor*> coarser;
  double largest = 1;
  for (Tensor* tensor : affine) {
    const double ratio = StepRatio(tensor->type);
    if (ratio != 1) coarser.push_back(tensor);
    largest = std::max(largest, ratio);
    MakeSymmetric(*tensor);
  }
  if (coarser.empty()) return absl::OkStatus();
  warnings.Add(absl::StrCat(
      "zero point 0 makes the steps of ", coarser.size(), " tensors up to ",
      absl::StrCat(std::round(largest * 100) / 100), " times as long (", LayersOf(coarser),
      "): ", profile.tool, ": ", profile.Reason("eight_bits"),
      "; quantize with data_type int8 and scheme dynamic_fixed_point for a file with the numbers "
      "of the conversion"));
  return absl::OkStatus();
}

// A conversion from one tensor to the other.
Op Conversion(absl::string_view name, Tensor* from, Tensor* to) {
  Op op;
  op.def = FindOp(name);
  CHECK(op.def != nullptr);
  op.inputs = {from};
  op.outputs = {to};
  return op;
}

// Renames a tensor, and returns a float32 one that has its name.
Tensor* AddFloatTensor(Graph& graph, Tensor* stored) {
  const std::string name = stored->name;
  graph.Rename(stored, graph.UniqueName(absl::StrCat(name, ".quantized")));
  return graph.AddTensor(name, {DataType::kFloat32, stored->type.shape, {}});
}

void MakeOutputsFloat(Graph& graph) {
  std::map<const Tensor*, Tensor*> known;
  for (Tensor*& output : graph.outputs) {
    if (!output->type.quant.quantized()) continue;
    Tensor*& real = known[output];
    if (real == nullptr) {
      // An input's name stays the input's.
      const bool is_input =
          std::find(graph.inputs.begin(), graph.inputs.end(), output) != graph.inputs.end();
      real = is_input ? graph.AddTensor(graph.UniqueName(output->name),
                                        {DataType::kFloat32, output->type.shape, {}})
                      : AddFloatTensor(graph, output);
      graph.AddOp(Conversion("dequantize", output, real));
    }
    output = real;
  }
}

void MakeInputsFloat(Graph& graph) {
  for (Tensor*& input : graph.inputs) {
    if (!input->type.quant.quantized()) continue;
    Tensor* real = AddFloatTensor(graph, input);
    graph.AddOp(Conversion("quantize", real, input),
                graph.ops().empty() ? nullptr : &graph.ops().front());
    input = real;
  }
}

}  // namespace

absl::Status FitProfile(const ExportProfile& profile, Graph& graph, Warnings& warnings) {
  if (profile.sixteen_bits == SixteenBitForm::kFloat || !QuantizesTo16Bits(profile.opset)) {
    RETURN_IF_ERROR(MakeSixteenBitsReal(profile, graph, warnings));
  } else if (profile.sixteen_bits == SixteenBitForm::kUint16) {
    RETURN_IF_ERROR(MakeSixteenBitsUnsigned(profile, graph));
    NarrowBiases(graph);
  }
  if (profile.eight_bits == EightBitForm::kSymmetricInt8) {
    RETURN_IF_ERROR(MakeEightBitsSymmetric(profile, graph, warnings));
  }
  if (profile.ends == EndForm::kFloat) {
    MakeOutputsFloat(graph);
    MakeInputsFloat(graph);
  }
  return absl::OkStatus();
}

}  // namespace synap_internal::onnx_export
