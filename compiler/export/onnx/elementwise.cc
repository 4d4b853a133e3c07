// Ops that compute each element from the same element of their operands, and prelu and where.
#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "compiler/export/onnx/op_table.h"
#include "compiler/import/onnx/unary_functions.h"

namespace synap_internal::onnx_export {
namespace {

absl::string_view BinaryOperator(absl::string_view op) {
  constexpr std::pair<absl::string_view, absl::string_view> kOperators[] = {
      {"add", "Add"},     {"sub", "Sub"},         {"mul", "Mul"}, {"div", "Div"},
      {"minimum", "Min"}, {"maximum", "Max"},     {"pow", "Pow"}, {"equal", "Equal"},
      {"less", "Less"},   {"greater", "Greater"},
  };
  for (const auto& [name, onnx_name] : kOperators) {
    if (name == op) return onnx_name;
  }
  return "";
}

absl::Status WriteBinary(OpContext& context) {
  const Order order = context.CheapOrder();
  const std::string a = context.Broadcast(0, order), b = context.Broadcast(1, order);
  context.OutputClamped(BinaryOperator(context.op().def->name), {a, b}, {}, order);
  return absl::OkStatus();
}

// The remainder of floats has the sign of the dividend, that of integers the sign of the divisor.
absl::Status WriteMod(OpContext& context) {
  const Order order = context.CheapOrder();
  const std::string a = context.Broadcast(0, order), b = context.Broadcast(1, order);
  context.Output("Mod", {a, b}, {{"fmod", int64_t{IsFloat(context.output_type().dtype)}}}, order);
  return absl::OkStatus();
}

absl::Status WritePrelu(OpContext& context) {
  const Order order = context.CheapOrder();
  const std::string x = context.Input(0, order);
  context.Output("PRelu", {x, context.Broadcast(1, order)}, {}, order);
  return absl::OkStatus();
}

absl::Status WriteWhere(OpContext& context) {
  const Order order = context.CheapOrder();
  const std::string condition = context.Broadcast(0, order);
  const std::string a = context.Broadcast(1, order), b = context.Broadcast(2, order);
  context.Output("Where", {condition, a, b}, {}, order);
  return absl::OkStatus();
}

absl::Status WriteFunction(OpContext& context) {
  const auto* function =
      std::find_if(std::begin(onnx_import::kUnaryFunctions), std::end(onnx_import::kUnaryFunctions),
                   [&](const auto& row) { return row.op == context.op().def->name; });
  const Order order = context.CheapOrder();
  context.Output(function->op_type, {context.Input(0, order)}, {}, order);
  return absl::OkStatus();
}

absl::Status WriteClip(OpContext& context) {
  const Order order = context.CheapOrder();
  const Clamp unbounded;
  const float min = context.attributes().Float("min", unbounded.min);
  const float max = context.attributes().Float("max", unbounded.max);
  context.OutputBetween(context.Input(0, order), {min, max}, order);
  return absl::OkStatus();
}

absl::Status WriteRelu6(OpContext& context) {
  const Order order = context.CheapOrder();
  context.OutputBetween(context.Input(0, order), {0, 6}, order);
  return absl::OkStatus();
}

absl::Status WriteLeakyRelu(OpContext& context) {
  const Order order = context.CheapOrder();
  const float alpha = context.attributes().Float("alpha", 0.01f);
  context.Output("LeakyRelu", {context.Input(0, order)}, {{"alpha", alpha}}, order);
  return absl::OkStatus();
}

absl::Status WriteElu(OpContext& context) {
  const Order order = context.CheapOrder();
  const float alpha = context.attributes().Float("alpha", 1.0f);
  context.Output("Elu", {context.Input(0, order)}, {{"alpha", alpha}}, order);
  return absl::OkStatus();
}

absl::Status WriteHardSigmoid(OpContext& context) {
  const Order order = context.CheapOrder();
  const float alpha = context.attributes().Float("alpha", 0.2f);
  const float beta = context.attributes().Float("beta", 0.5f);
  context.Output("HardSigmoid", {context.Input(0, order)}, {{"alpha", alpha}, {"beta", beta}},
                 order);
  return absl::OkStatus();
}

// The share of x that gelu keeps, between 0 and 2: 1 + erf(x / sqrt(2)), or its approximation
// 1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3)).
std::string TwiceGeluGate(OpContext& context, const std::string& x, bool approximate) {
  std::string inner;
  if (approximate) {
    const std::string cube = context.Emit("Mul", {context.Emit("Mul", {x, x}, {}), x}, {});
    const std::string part = context.Emit("Mul", {cube, context.Scalar("/cubic", 0.044715f)}, {});
    const std::string sum = context.Emit("Add", {x, part}, {});
    inner = context.Emit(
        "Tanh", {context.Emit("Mul", {sum, context.Scalar("/slope", 0.7978845608f)}, {})}, {});
  } else {
    inner = context.Emit(
        "Erf", {context.Emit("Mul", {x, context.Scalar("/slope", 0.7071067812f)}, {})}, {});
  }
  return context.Emit("Add", {inner, context.Scalar("/one", 1.0f)}, {});
}

absl::Status WriteGelu(OpContext& context) {
  const Order order = context.CheapOrder();
  const bool approximate = context.attributes().Int("approximate", 0) != 0;
  const std::string x = context.Input(0, order);
  if (context.MayHave("Gelu")) {
    context.Output("Gelu", {x}, {{"approximate", std::string(approximate ? "tanh" : "none")}},
                   order);
    return absl::OkStatus();
  }
  const std::string half = context.Emit("Mul", {x, context.Scalar("/half", 0.5f)}, {});
  context.Output("Mul", {half, TwiceGeluGate(context, x, approximate)}, {}, order);
  return absl::OkStatus();
}

// x * max(0, min(1, x / 6 + 0.5)) where the file has no operator for it.
absl::Status WriteHardSwish(OpContext& context) {
  if (context.MayHave("HardSwish")) return WriteFunction(context);
  const Order order = context.CheapOrder();
  const std::string x = context.Input(0, order);
  const std::string gate = context.Emit("HardSigmoid", {x}, {{"alpha", 1.0f / 6}, {"beta", 0.5f}});
  context.Output("Mul", {x, gate}, {}, order);
  return absl::OkStatus();
}

// x * tanh(ln(1 + e^x)) where the file has no operator for it.
absl::Status WriteMish(OpContext& context) {
  if (context.MayHave("Mish")) return WriteFunction(context);
  const Order order = context.CheapOrder();
  const std::string x = context.Input(0, order);
  const std::string gate = context.Emit("Tanh", {context.Emit("Softplus", {x}, {})}, {});
  context.Output("Mul", {x, gate}, {}, order);
  return absl::OkStatus();
}

// x * sigmoid(x); ONNX has no operator for it before opset 24.
absl::Status WriteSilu(OpContext& context) {
  const Order order = context.CheapOrder();
  const std::string x = context.Input(0, order);
  context.Output("Mul", {x, context.Emit("Sigmoid", {x}, {})}, {}, order);
  return absl::OkStatus();
}

absl::Status WriteRsqrt(OpContext& context) {
  const Order order = context.CheapOrder();
  context.Output("Reciprocal", {context.Emit("Sqrt", {context.Input(0, order)}, {})}, {}, order);
  return absl::OkStatus();
}

absl::Status WriteSquare(OpContext& context) {
  const Order order = context.CheapOrder();
  const std::string x = context.Input(0, order);
  context.Output("Mul", {x, x}, {}, order);
  return absl::OkStatus();
}

constexpr OpMapping kElementwiseMappings[] = {
    {"add", WriteBinary},
    {"sub", WriteBinary},
    {"mul", WriteBinary},
    {"div", WriteBinary},
    {"minimum", WriteBinary},
    {"maximum", WriteBinary},
    {"pow", WriteBinary},
    {"equal", WriteBinary},
    {"less", WriteBinary},
    {"greater", WriteBinary},
    {"mod", WriteMod},
    {"prelu", WritePrelu},
    {"where", WriteWhere},
    {"clip", WriteClip},
    {"relu6", WriteRelu6},
    {"leaky_relu", WriteLeakyRelu},
    {"elu", WriteElu},
    {"hard_sigmoid", WriteHardSigmoid},
    {"gelu", WriteGelu},
    {"silu", WriteSilu},
    {"rsqrt", WriteRsqrt},
    {"square", WriteSquare},
    {"hard_swish", WriteHardSwish},
    {"mish", WriteMish},
};

bool HasRow(absl::string_view op) {
  return std::any_of(std::begin(kElementwiseMappings), std::end(kElementwiseMappings),
                     [&](const OpMapping& row) { return row.op == op; });
}

// The rows above, and those of kUnaryFunctions that have none there.
const std::vector<OpMapping>& AllMappings() {
  static const auto* const all = [] {
    auto* mappings = new std::vector<OpMapping>(std::begin(kElementwiseMappings),
                                                std::end(kElementwiseMappings));
    for (const auto& function : onnx_import::kUnaryFunctions) {
      if (!HasRow(function.op)) mappings->push_back({function.op, WriteFunction});
    }
    return mappings;
  }();
  return *all;
}

}  // namespace

absl::Span<const OpMapping> ElementwiseMappings() { return AllMappings(); }

}  // namespace synap_internal::onnx_export
