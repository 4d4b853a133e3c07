#include "compiler/graph/passes/wide_outputs.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/rounding.h"
#include "base/status_macros.h"
#include "compiler/graph/passes/fixed_point.h"
#include "compiler/graph/passes/output_tail.h"
#include "compiler/graph/passes/replace_op.h"

namespace synap_internal {
namespace {

// Steps of int16 that an 8-bit step must have, so that the second rounding adds little.
constexpr double kFineSteps = 4;
// How far beyond the largest of 8 bits results may lie that float32 would keep; 16 bits have room.
constexpr double kHeadroom = 2;

bool IsFloat32(const Tensor& tensor) { return tensor.type.dtype == DataType::kFloat32; }

// The largest magnitude that a quantized tensor can hold.
double LargestOf(const TensorType& type) {
  const IntegerRange integers = RangeOf(type.dtype);
  const double zero = type.quant.zero_point(), scale = type.quant.scale();
  return scale * std::max(std::abs(static_cast<double>(integers.min) - zero),
                          std::abs(static_cast<double>(integers.max) - zero));
}

TensorType WideType(const Shape& shape, double largest) {
  return {DataType::kInt16, shape, FixedPointFor(largest, DataType::kInt16)};
}

// Gives operands of ops as int16.
class WideOperands {
 public:
  explicit WideOperands(Graph& graph) : graph_(graph) {}

  // With any quantizer.
  absl::StatusOr<Tensor*> Of(Op& op, Tensor* operand) {
    Tensor* const source = BeforeRounding(operand);
    if (source->type.dtype == DataType::kInt16) return source;
    return As(op, source, WideType(operand->type.shape, LargestOf(operand->type)));
  }

  // With that of `type`.
  absl::StatusOr<Tensor*> As(Op& op, Tensor* operand, const TensorType& type) {
    if (operand->type.dtype == DataType::kInt16 && operand->type.quant == type.quant) {
      return operand;
    }
    Tensor*& wide = made_[{operand, type.quant.fractional_length}];
    if (wide != nullptr) return wide;
    if (operand->is_constant()) {
      wide = Requantized(*operand, type.quant);
      return wide;
    }
    ASSIGN_OR_RETURN(
        Op * conversion,
        graph_.AddInferredOp(IsFloat32(*operand) ? "quantize" : "requantize", {operand}, {},
                             op.origins, absl::StrCat(op.output()->name, ".input"), &op));
    wide = conversion->output();
    wide->type = {DataType::kInt16, operand->type.shape, type.quant};
    return wide;
  }

 private:
  Tensor* Requantized(const Tensor& constant, const QuantParams& quant) {
    const Constant real = Dequantized(constant);
    const absl::Span<const float> values(reinterpret_cast<const float*>(real.bytes.data()),
                                         real.bytes.size() / sizeof(float));
    std::vector<int16_t> integers;
    for (const float value : values) {
      const float rounded = RoundHalfEven(value / quant.scale());
      integers.push_back(static_cast<int16_t>(std::clamp(rounded, -32768.0f, 32767.0f)));
    }
    return graph_.AddConstant(absl::StrCat(constant.name, ".int16"),
                              {DataType::kInt16, constant.type.shape, quant},
                              Constant::Own(std::move(integers)));
  }

  Graph& graph_;
  std::map<std::pair<const Tensor*, int>, Tensor*> made_;
};

class Widening {
 public:
  explicit Widening(Graph& graph) : graph_(graph), tail_(graph), wide_(graph), real_(graph) {}

  absl::StatusOr<int> Run() {
    if (tail_.empty()) return 0;
    std::vector<Op*> order;
    for (Op& op : graph_.ops()) order.push_back(&op);
    for (auto op = order.rbegin(); op != order.rend(); ++op) PassOnQuantizer(**op);
    int rewrites = 0;
    for (Op* op : order) {
      if (tail_.Ends(*op)) {
        if (IsFloat32(*op->inputs[0])) ReplaceOp(graph_, op, op->inputs[0]);
      } else if (tail_.Has(op)) {
        RETURN_IF_ERROR(IsWideSum(*op)         ? WidenSum(*op)
                        : MustBeReal(*op)      ? MakeReal(*op)
                        : SharesQuantizer(*op) ? WidenMove(*op)
                                               : WidenFunction(*op));
        ++rewrites;
      }
    }
    graph_.RemoveDead();
    return rewrites;
  }

 private:
  // Its result has the quantizer of what it moves.
  static bool SharesQuantizer(const Op& op) {
    return MovesOrJoins(op) || op.def->quant_rule == QuantRule::kSameAsInput;
  }

  static bool Flows(const Op& op, size_t i) {
    return op.inputs[i] != nullptr && RoleOf(op, i) != OperandRole::kIndex;
  }

  // Whether int16 would leave a part too few steps. REQUIRES: operands are those of 8 bits yet.
  bool JoinsNarrowParts(const Op& op) const {
    const double least = 255.0 * kFineSteps * WideResult(op).quant.scale();
    for (size_t i = 0; i < op.inputs.size(); ++i) {
      const TensorType& type = op.inputs[i]->type;
      if (Flows(op, i) && type.quant.quantized() && LargestOf(type) < least) return true;
    }
    return false;
  }

  // Depthwise layers of bytes give 16 bits by their reference alone, which is slow.
  static bool IsWideSum(const Op& op) {
    return IsQuantizedSum(op) && !op.Is(LinearForm::kDepthwise);
  }

  bool MustBeReal(const Op& op) const {
    if (real_joins_.count(&op) > 0 || IsQuantizedSum(op)) return true;
    for (size_t i = 0; i < op.inputs.size(); ++i) {
      if (Flows(op, i) && IsFloat32(*op.inputs[i]) && !op.inputs[i]->is_constant()) return true;
    }
    return false;
  }

  // What only a concat of 16 bits reads, moved or not, gets the concat's quantizer at once.
  void PassOnQuantizer(const Op& op) {
    if (!tail_.Has(&op) || !MovesOrJoins(op)) return;
    if (op.Is(Movement::kConcat) && JoinsNarrowParts(op)) {
      real_joins_.insert(&op);
      return;
    }
    const auto wanted = joined_.find(op.output());
    if (wanted == joined_.end() && !op.Is(Movement::kConcat)) return;
    const QuantParams quant = WideResult(op).quant;
    for (size_t i = 0; i < op.inputs.size(); ++i) {
      const Tensor* operand = op.inputs[i];
      const bool is_own =
          Flows(op, i) && tail_.Has(operand->producer) && operand->users.size() == 1;
      if (is_own) joined_[operand] = quant;
    }
  }

  TensorType WideResult(const Op& op) const {
    const TensorType& type = op.output()->type;
    const auto joined = joined_.find(op.output());
    if (joined != joined_.end()) return {DataType::kInt16, type.shape, joined->second};
    const bool is_bounded = op.def->quant_rule == QuantRule::kFixedRange;
    return WideType(type.shape, LargestOf(type) * (is_bounded ? 1 : kHeadroom));
  }

  // Bytes by bytes, with a result of 16 bits.
  absl::Status WidenSum(Op& op) const {
    op.output()->type = WideResult(op);
    return absl::OkStatus();
  }

  absl::Status MakeReal(Op& op) {
    for (size_t i = 0; i < op.inputs.size(); ++i) {
      ASSIGN_OR_RETURN(Tensor * operand, real_.Of(op, op.inputs[i]));
      graph_.SetInput(&op, i, operand);
    }
    op.output()->type = {DataType::kFloat32, op.output()->type.shape, {}};
    return absl::OkStatus();
  }

  absl::Status WidenMove(Op& op) {
    TensorType wide = WideResult(op);
    if (!op.Is(Movement::kConcat)) {
      ASSIGN_OR_RETURN(const Tensor* moved, wide_.Of(op, op.inputs[0]));
      wide.quant = moved->type.quant;
    }
    for (size_t i = 0; i < op.inputs.size(); ++i) {
      if (!Flows(op, i) || !op.inputs[i]->type.quant.quantized()) continue;
      ASSIGN_OR_RETURN(Tensor * operand, wide_.As(op, BeforeRounding(op.inputs[i]), wide));
      graph_.SetInput(&op, i, operand);
    }
    op.output()->type = std::move(wide);
    return absl::OkStatus();
  }

  absl::Status WidenFunction(Op& op) {
    for (size_t i = 0; i < op.inputs.size(); ++i) {
      if (!Flows(op, i) || !op.inputs[i]->type.quant.quantized()) continue;
      ASSIGN_OR_RETURN(Tensor * operand, wide_.Of(op, op.inputs[i]));
      graph_.SetInput(&op, i, operand);
    }
    return WidenSum(op);
  }

  Graph& graph_;
  const OutputTail tail_;
  WideOperands wide_;
  RealOperands real_;
  std::map<const Tensor*, QuantParams> joined_;  // quantizers that concats want
  std::set<const Op*> real_joins_;               // concats of narrow parts
};

}  // namespace

absl::StatusOr<int> WideOutputs(Graph& graph) { return Widening(graph).Run(); }

}  // namespace synap_internal
