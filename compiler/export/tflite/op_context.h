// Interface of a mapping: the op that it writes, and the functions that write operators.
#ifndef COMPILER_EXPORT_TFLITE_OP_CONTEXT_H_
#define COMPILER_EXPORT_TFLITE_OP_CONTEXT_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "compiler/export/tflite/arithmetic.h"
#include "compiler/export/tflite/model_writer.h"
#include "compiler/export/tflite/tensor_values.h"
#include "compiler/graph/graph.h"
#include "kernels/attributes.h"

namespace synap_internal::tflite_export {

// One op of one output, in one arithmetic.
class OpContext {
 public:
  using Values = std::vector<Value>;
  // Options with an activation that the operator applies to its results.
  using ActivatedOptions = std::function<Options(tflite::Activation)>;

  // All must outlive the context.
  OpContext(const Op& op, Arithmetic arithmetic, TensorValues& values, ModelWriter& writer)
      : op_(op),
        arithmetic_(arithmetic),
        values_(values),
        writer_(writer),
        reader_(op.attributes) {}

  const Op& op() const { return op_; }
  TensorValues& values() { return values_; }
  // The caller finishes it.
  AttributeReader& attributes() { return reader_; }

  Arithmetic arithmetic() const { return arithmetic_; }
  // Whether it computes with quantized integers.
  bool integers() const { return SetOf(arithmetic_) != kNoIntegers; }
  bool has(size_t operand) const { return op_.input(operand) != nullptr; }
  const Shape& shape(size_t operand) const { return op_.inputs[operand]->type.shape; }
  const Shape& output_shape() const { return op_.output()->type.shape; }
  const TensorType& type(Value value) const { return writer_.type(value); }

  // A tensor's type in this arithmetic. Bytes in 16 bits keep their scale; as an output they are in
  // finer steps, so that rounding them to bytes adds no error.
  TensorType InputType(size_t operand) const;
  TensorType OutputType() const;

  Value Input(size_t operand) { return values_.As(op_.inputs[operand], InputType(operand)); }
  // The operand by another quantizer, for operators that want those of several tensors to be one.
  Value InputBy(size_t operand, const QuantParams& quant);
  // The operand by the output's quantizer.
  Value InputAsOutput(size_t operand) { return InputBy(operand, OutputType().quant); }

  // Constants: int32 lists and scalars, real numbers, and a number in this arithmetic by a
  // quantizer.
  Value Ints(absl::string_view suffix, const std::vector<int64_t>& values);
  Value Int(absl::string_view suffix, int64_t value);
  // [rank, 2]: what is before and after each dimension. `pads`: all before, then all after.
  Value PadPairs(const std::vector<int64_t>& pads);
  Value Float(absl::string_view suffix, float value);
  Value Number(absl::string_view suffix, float value, const QuantParams& quant);
  Value AddConstant(absl::string_view suffix, TensorType type, Constant data);

  // An operator whose only output is a value of that type, between two operators of the op.
  Value Emit(tflite::BuiltinOperator code, const Values& inputs, TensorType type,
             Options options = nullptr);
  // A value like `like` in another shape, and one of float32 in a shape.
  Value EmitLike(tflite::BuiltinOperator code, const Values& inputs, Value like, const Shape& shape,
                 Options options = nullptr);
  Value EmitReal(tflite::BuiltinOperator code, const Values& inputs, const Shape& shape,
                 Options options = nullptr);
  // The second output of an operator whose first nothing reads.
  Value EmitSecond(tflite::BuiltinOperator code, const Values& inputs, TensorType first,
                   TensorType second, Options options = nullptr);
  Value Reshape(Value value, const Shape& shape);
  Value Slice(Value value, const std::vector<int64_t>& begin, const Shape& size);

  // The op's last operator, which gives the output's type in this arithmetic.
  void Output(tflite::BuiltinOperator code, const Values& inputs, Options options = nullptr);
  // The same where it can only give values of this type, which are rounded to the output's
  // quantizer after it.
  void OutputOf(tflite::BuiltinOperator code, const Values& inputs, TensorType made,
                Options options = nullptr);
  // Output with operand 0's quantizer.
  void OutputLikeInput(tflite::BuiltinOperator code, const Values& inputs,
                       Options options = nullptr);
  // Output and the clamp of the attributes min and max, as the operator's activation where it is
  // one.
  void OutputClamped(tflite::BuiltinOperator code, const Values& inputs,
                     const ActivatedOptions& options);
  // The clamp without the bounds that the integers of the output never pass.
  Clamp ExplicitClamp(const Clamp& clamp) const;
  // `value`, of the output's type, after a clamp that has a bound.
  void OutputClamp(Value value, const Clamp& clamp);
  // The same by the clamp of the attributes min and max, which may have none.
  void OutputClampOf(Value value);
  // An operand's values as the output, in the output's type.
  void OutputCopy(size_t operand);
  // `value`, which the op's last operator has made, as the output.
  void Finish(Value value) { values_.BindMade(op_.output(), value); }

 private:
  std::string Name(absl::string_view suffix);
  // Whether integers of the output's type are never beyond the bound.
  bool IsImplied(float bound, bool is_min) const;
  Clamp ReadClamp();

  const Op& op_;
  const Arithmetic arithmetic_;
  TensorValues& values_;
  ModelWriter& writer_;
  AttributeReader reader_;
};

// Options with an activation, of a table with one.
template <typename Make>
OpContext::ActivatedOptions MakeActivated(Make make) {
  return [make](tflite::Activation activation) {
    return MakeOptions([=](FileBuilder& builder) { return make(builder, activation); });
  };
}

}  // namespace synap_internal::tflite_export

#endif  // COMPILER_EXPORT_TFLITE_OP_CONTEXT_H_
