#include "kernels/matmul/matmul.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "kernels/shared/linear/linear.h"

namespace synap_internal {
namespace {

// matmul_c1
absl::Status CheckShapes(absl::Span<const TensorType> inputs) {
  const Shape &a = inputs[0].shape, &b = inputs[1].shape;
  if (a.rank() >= 2 && b.rank() >= 2 && a.back() == b[b.rank() - 2] && a.back() >= 1) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat("a is [", a.ToString(), "], b is [", b.ToString(),
                                                 "]; expected [...,M,K] and [...,K,N]"));
}

// matmul_c3
absl::Status CheckTypes(const TensorType& a, const TensorType& b) {
  const auto is_affine8 = [](const TensorType& type) {
    return type.dtype == DataType::kUint8 && type.quant.scheme == QuantScheme::kAsymmetricAffine;
  };
  if ((a.dtype == DataType::kFloat32 && b.dtype == DataType::kFloat32) ||
      (is_affine8(a) && is_affine8(b))) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "a is ", Name(a.dtype), " (", Name(a.quant.scheme), "), b is ", Name(b.dtype), " (",
      Name(b.quant.scheme), "); expected float32 both, or uint8 (asymmetric_affine) both"));
}

// matmul_c2. Fills in the batch of `matmul`.
absl::Status Broadcast(const Shape& a, const Shape& b, Matmul& matmul) {
  const size_t rank = std::max(a.rank(), b.rank()) - 2;
  matmul.batch_dims.assign(rank, 1);
  matmul.a_steps.assign(rank, 0);
  matmul.b_steps.assign(rank, 0);
  int64_t a_matrices = 1, b_matrices = 1;
  for (size_t back = 1; back <= rank; ++back) {
    const int64_t in_a = back + 2 <= a.rank() ? a[a.rank() - 2 - back] : 1;
    const int64_t in_b = back + 2 <= b.rank() ? b[b.rank() - 2 - back] : 1;
    if (in_a != in_b && in_a != 1 && in_b != 1) {
      return absl::InvalidArgumentError(absl::StrCat("the leading dimensions of [", a.ToString(),
                                                     "] and [", b.ToString(),
                                                     "] don't broadcast: ", in_a, " and ", in_b));
    }
    matmul.batch_dims[rank - back] = in_a == 1 ? in_b : in_a;
    if (in_a != 1) matmul.a_steps[rank - back] = a_matrices;
    if (in_b != 1) matmul.b_steps[rank - back] = b_matrices;
    a_matrices *= in_a;
    b_matrices *= in_b;
  }
  return absl::OkStatus();
}

}  // namespace

int64_t LargestMatmulSum(const TensorType& a, const TensorType& b) {
  const int64_t largest_a = std::max(a.quant.zero_point(), 255 - a.quant.zero_point());
  const int64_t largest_b = std::max(b.quant.zero_point(), 255 - b.quant.zero_point());
  return SaturatingProduct(a.shape.back(), largest_a * largest_b);
}

namespace {

// Everything but the output stage.
absl::StatusOr<Matmul> ParseMatmul(absl::Span<const TensorType> inputs,
                                   const Attributes& attributes) {
  AttributeReader reader(attributes);
  Matmul matmul;
  matmul.normalize = reader.Int("normalize", 0) != 0;
  RETURN_IF_ERROR(reader.Finish());
  RETURN_IF_ERROR(CheckShapes(inputs));
  const TensorType &a = inputs[0], &b = inputs[1];
  RETURN_IF_ERROR(CheckTypes(a, b));
  matmul.rows = a.shape[a.shape.rank() - 2];
  matmul.depth = a.shape.back();
  matmul.columns = b.shape.back();
  RETURN_IF_ERROR(Broadcast(a.shape, b.shape, matmul));
  matmul.quantized = a.dtype == DataType::kUint8;
  if (matmul.quantized) {
    matmul.a_zero_point = a.quant.zero_point();
    matmul.b_zero_point = b.quant.zero_point();
    matmul.long_sums = LargestMatmulSum(a, b) > kMaxBias;
  }
  return matmul;
}

absl::StatusOr<std::vector<TensorType>> InferMatmul(const InferContext& context) {
  ASSIGN_OR_RETURN(const Matmul matmul, ParseMatmul(context.inputs, context.attributes));
  std::vector<int64_t> dims = matmul.batch_dims;
  dims.push_back(matmul.rows);
  dims.push_back(matmul.columns);
  TensorType output{context.inputs[0].dtype, Shape(std::move(dims)), {}};
  RETURN_IF_ERROR(output.shape.Validate());
  return std::vector<TensorType>{std::move(output)};
}

absl::StatusOr<Kernel> PrepareMatmul(const PrepareContext& context) {
  ASSIGN_OR_RETURN(Matmul matmul, ParseMatmul(context.inputs, context.attributes));
  const TensorType& output = context.outputs[0];
  // matmul_c4
  if (output.dtype != context.inputs[0].dtype ||
      (matmul.quantized && output.quant.scheme != QuantScheme::kAsymmetricAffine)) {
    return absl::UnimplementedError(absl::StrCat("no kernel from ", Name(context.inputs[0].dtype),
                                                 " to ", Name(output.dtype), " (",
                                                 Name(output.quant.scheme), ")"));
  }
  if (matmul.quantized) {
    ASSIGN_OR_RETURN(matmul.output,
                     // A mean doesn't depend on the scale of its weights.
                     MakeOutputStage({}, matmul.normalize ? 1 : context.inputs[0].quant.scale(),
                                     {context.inputs[1].quant.scale()}, output, nullptr));
  }
  if (context.path == KernelPath::kFast && output.shape.elements() > 0) {
    return MatmulKernel(matmul);
  }
  Kernel kernel;
  kernel.run = [matmul](const KernelArgs& args) {
    RunMatmulReference(matmul, args.inputs[0], args.inputs[1], args.outputs[0]);
  };
  return kernel;
}

OpCost CostMatmul(absl::Span<const TensorType> inputs, absl::Span<const TensorType> outputs) {
  return {.macs = SaturatingProduct(outputs[0].shape.elements(), inputs[0].shape.back())};
}

}  // namespace

int64_t Matmul::batch() const {
  int64_t product = 1;
  for (const int64_t dim : batch_dims) product *= dim;
  return product;
}

int64_t Matmul::MatrixOf(const std::vector<int64_t>& steps, int64_t index) const {
  int64_t matrix = 0;
  for (size_t d = batch_dims.size(); d-- > 0;) {
    matrix += index % batch_dims[d] * steps[d];
    index /= batch_dims[d];
  }
  return matrix;
}

absl::Span<const OpDef> MatmulOps() {
  static const auto* const ops = new std::vector<OpDef>{{
      .name = "matmul",
      .operands = {OperandRole::kActivation, OperandRole::kActivation},
      .required = 2,
      .infer = InferMatmul,
      .prepare = PrepareMatmul,
      .cost = CostMatmul,
      .linear = LinearForm::kMatrices,
  }};
  return *ops;
}

}  // namespace synap_internal
