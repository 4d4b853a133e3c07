#include "compiler/start/first_layer.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <set>
#include <vector>

#include "absl/types/span.h"

namespace synap_internal {
namespace {

// The only op with weights that `input` reaches through moves alone; null if there is another op.
const Op* FirstLayer(const Tensor& input) {
  std::vector<const Tensor*> open = {&input};
  std::set<const Tensor*> seen;
  const Op* layer = nullptr;
  while (!open.empty()) {
    const Tensor* tensor = open.back();
    open.pop_back();
    if (!seen.insert(tensor).second) continue;
    for (const Op* user : tensor->users) {
      if (user->def->movement != Movement::kNone) {
        open.push_back(user->output());
      } else if (HasRealWeights(*user) && user->input(0) == tensor &&
                 (layer == nullptr || layer == user)) {
        layer = user;
      } else {
        return nullptr;
      }
    }
  }
  return layer;
}

// The kernels of a layer, one after the other.
struct Kernels {
  absl::Span<const float> values;
  size_t count = 0;

  absl::Span<const float> kernel(size_t i) const {
    return values.subspan(i * (values.size() / count), values.size() / count);
  }
};

// nullopt for layers whose weights don't begin with the output channels.
std::optional<Kernels> KernelsOf(const Op& layer) {
  if (!(layer.Is(LinearForm::kWindow) || layer.Is(LinearForm::kDense))) return std::nullopt;
  const Tensor& weights = *layer.input(1);
  const Kernels kernels = {weights.values<float>(), static_cast<size_t>(weights.type.shape[0])};
  if (kernels.count == 0 || kernels.values.empty()) return std::nullopt;
  return kernels;
}

// Biases that follow the kernels' sums more closely than this do so for a reason.
constexpr double kFollows = -0.5;
constexpr size_t kFewestKernels = 8;

// The constant operand of an op of two, as float32; empty if it is none, or neither one value nor
// one for each of the last dimension's.
absl::Span<const float> SmallConstant(const Op& op, const Tensor& other) {
  if (op.inputs.size() != 2) return {};
  const Tensor* operand = op.input(0) == &other ? op.input(1) : op.input(0);
  if (operand == nullptr || !operand->is_constant()) return {};
  if (operand->type.dtype != DataType::kFloat32 || operand->type.quant.quantized()) return {};
  return operand->type.shape.elements() <= 4 ? operand->values<float>() : absl::Span<const float>();
}

// Applies `function` to each value of `values` with that of `constant`; either may have one.
template <typename Function>
void Combine(absl::Span<const float> constant, Function function, std::vector<float>& values) {
  if (values.size() < constant.size()) values.resize(constant.size(), values[0]);
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = function(values[i], constant[std::min(i, constant.size() - 1)]);
  }
}

// Whether the op is a sum or a product of `input` and constants, which are added to `found`.
bool AddArithmetic(const Op& op, const Tensor& input, OwnNormalization& found) {
  const absl::Span<const float> constant = SmallConstant(op, input);
  if (constant.empty()) return false;
  const bool is_first = op.input(0) == &input;
  const auto plus = [](float a, float b) { return a + b; };
  const auto minus = [](float a, float b) { return a - b; };
  const auto times = [](float a, float b) { return a * b; };
  const auto over = [](float a, float b) { return a / b; };
  switch (op.def->arithmetic) {
    case Arithmetic::kSum:
      Combine(constant, plus, found.terms);
      return true;
    case Arithmetic::kDifference:
      if (is_first) Combine(constant, minus, found.terms);
      return is_first;
    case Arithmetic::kProduct:
      Combine(constant, times, found.factors);
      Combine(constant, times, found.terms);
      return true;
    case Arithmetic::kQuotient:
      if (is_first) Combine(constant, over, found.factors);
      if (is_first) Combine(constant, over, found.terms);
      return is_first;
    default:
      return false;
  }
}

}  // namespace

std::optional<float> FirstKernelNorm(const Tensor& input) {
  const Op* layer = FirstLayer(input);
  const std::optional<Kernels> kernels = layer == nullptr ? std::nullopt : KernelsOf(*layer);
  if (!kernels.has_value()) return std::nullopt;
  std::vector<float> norms;
  for (size_t i = 0; i < kernels->count; ++i) {
    double sum = 0;
    for (const float w : kernels->kernel(i)) sum += double{w} * w;
    norms.push_back(static_cast<float>(std::sqrt(sum)));
  }
  std::nth_element(norms.begin(), norms.begin() + kernels->count / 2, norms.end());
  return norms[kernels->count / 2];
}

std::optional<float> AveragePixel(const Tensor& input) {
  const Op* layer = FirstLayer(input);
  const std::optional<Kernels> kernels = layer == nullptr ? std::nullopt : KernelsOf(*layer);
  if (!kernels.has_value() || kernels->count < kFewestKernels) return std::nullopt;
  const Tensor* bias = layer->input(2);
  if (bias == nullptr || !bias->is_constant() || bias->type.dtype != DataType::kFloat32) {
    return std::nullopt;
  }
  const absl::Span<const float> biases = bias->values<float>();
  if (biases.size() != kernels->count) return std::nullopt;
  // The line through the points (sum of a kernel, its bias) falls by the average pixel.
  const auto count = static_cast<double>(kernels->count);
  double x = 0, y = 0, xx = 0, xy = 0, yy = 0;
  for (size_t i = 0; i < kernels->count; ++i) {
    double sum = 0;
    for (const float w : kernels->kernel(i)) sum += w;
    x += sum, y += biases[i], xx += sum * sum, xy += sum * biases[i];
    yy += double{biases[i]} * biases[i];
  }
  const double covariance = xy - x * y / count;
  const double variances = (xx - x * x / count) * (yy - y * y / count);
  if (!(variances > 0) || !(covariance / std::sqrt(variances) <= kFollows)) return std::nullopt;
  return static_cast<float>(-covariance / (xx - x * x / count));
}

std::optional<OwnNormalization> FindOwnNormalization(const Tensor& input) {
  OwnNormalization found;
  bool any = false;
  const Tensor* tensor = &input;
  while (tensor->users.size() == 1) {
    const Op& op = *tensor->users[0];
    if (AddArithmetic(op, *tensor, found)) {
      any = true;
    } else if (!MovesData(op) && !op.Is(TypeConversion::kCast)) {
      break;
    }
    tensor = op.output();
  }
  return any ? std::make_optional(found) : std::nullopt;
}

}  // namespace synap_internal
