// Functions of one operand and without attributes that ONNX and the ops have alike.
#ifndef COMPILER_IMPORT_ONNX_UNARY_FUNCTIONS_H_
#define COMPILER_IMPORT_ONNX_UNARY_FUNCTIONS_H_

#include "absl/strings/string_view.h"

namespace synap_internal::onnx_import {

struct UnaryFunction {
  absl::string_view op_type;  // of ONNX
  absl::string_view op;       // of kernels/
};

inline constexpr UnaryFunction kUnaryFunctions[] = {
    {"Relu", "relu"},
    {"Sigmoid", "sigmoid"},
    {"Tanh", "tanh"},
    {"HardSwish", "hard_swish"},
    {"Exp", "exp"},
    {"Log", "log"},
    {"Sqrt", "sqrt"},
    {"Erf", "erf"},
    {"Softplus", "softplus"},
    {"Mish", "mish"},
    {"Floor", "floor"},
    {"Ceil", "ceil"},
    {"Round", "round"},
    {"Sign", "sign"},
    {"Reciprocal", "reciprocal"},
    {"Abs", "abs"},
    {"Neg", "neg"},
    {"Not", "logical_not"},
    {"Sin", "sin"},
    {"Cos", "cos"},
    {"Tan", "tan"},
    {"Asin", "asin"},
    {"Acos", "acos"},
    {"Atan", "atan"},
    {"Sinh", "sinh"},
    {"Cosh", "cosh"},
    {"Asinh", "asinh"},
    {"Acosh", "acosh"},
    {"Atanh", "atanh"},
};

}  // namespace synap_internal::onnx_import

#endif  // COMPILER_IMPORT_ONNX_UNARY_FUNCTIONS_H_
