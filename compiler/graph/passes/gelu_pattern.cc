#include "compiler/graph/passes/gelu_pattern.h"

#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include "compiler/graph/passes/op_attributes.h"
#include "compiler/graph/passes/producers.h"

namespace synap_internal {
namespace {

constexpr double kSqrtHalf = 0.70710678118654752;
constexpr double kSqrtTwoByPi = 0.79788456080286536;
constexpr double kCubic = 0.044715;

// The longest chain of ops that exporters write for x + 0.044715 x^3 or for what is around f.
constexpr int kMostOps = 6;

constexpr size_t kPowersOfX = 4;
constexpr size_t kPowersOfF = 2;

// Of two tensors x and f: [i][j] is the coefficient of x^i f^j.
using Polynomial = std::array<std::array<double, kPowersOfF>, kPowersOfX>;

Polynomial Monomial(double coefficient, size_t power_of_x, size_t power_of_f) {
  Polynomial p{};
  p[power_of_x][power_of_f] = coefficient;
  return p;
}

Polynomial Sum(const Polynomial& a, const Polynomial& b) {
  Polynomial sum = a;
  for (size_t i = 0; i < kPowersOfX; ++i) {
    for (size_t j = 0; j < kPowersOfF; ++j) sum[i][j] += b[i][j];
  }
  return sum;
}

// Nullopt if its degree is too high.
std::optional<Polynomial> Product(const Polynomial& a, const Polynomial& b) {
  Polynomial product{};
  for (size_t i = 0; i < kPowersOfX; ++i) {
    for (size_t j = 0; j < kPowersOfF; ++j) {
      if (a[i][j] == 0) continue;
      for (size_t k = 0; k < kPowersOfX; ++k) {
        for (size_t l = 0; l < kPowersOfF; ++l) {
          if (b[k][l] == 0) continue;
          if (i + k >= kPowersOfX || j + l >= kPowersOfF) return std::nullopt;
          product[i + k][j + l] += a[i][j] * b[k][l];
        }
      }
    }
  }
  return product;
}

bool NearPolynomial(const Polynomial& a, const Polynomial& b) {
  for (size_t i = 0; i < kPowersOfX; ++i) {
    for (size_t j = 0; j < kPowersOfF; ++j) {
      if (!(std::abs(a[i][j] - b[i][j]) <= 1e-6)) return false;
    }
  }
  return true;
}

// `tensor` as a polynomial of x and f; nullopt if it isn't one, or made by more than `most` ops
// behind each other.
std::optional<Polynomial> PolynomialOf(const Tensor& tensor, const Tensor* x, const Tensor* f,
                                       int most = kMostOps) {
  if (&tensor == x) return Monomial(1, 1, 0);
  if (&tensor == f) return Monomial(1, 0, 1);
  if (const std::optional<float> scalar = ScalarValue(tensor)) {
    return Monomial(static_cast<double>(*scalar), 0, 0);
  }
  const Op* op = tensor.producer;
  if (op == nullptr || HasClamp(*op) || most == 0) return std::nullopt;
  const auto operand = [&](size_t i) { return PolynomialOf(*op->inputs[i], x, f, most - 1); };
  if (FunctionOf(tensor) == UnaryFunction::kSquare) {
    const std::optional<Polynomial> base = operand(0);
    return base.has_value() ? Product(*base, *base) : std::nullopt;
  }
  if (op->Is(Arithmetic::kSum) || op->Is(Arithmetic::kProduct)) {
    const std::optional<Polynomial> a = operand(0);
    const std::optional<Polynomial> b = a.has_value() ? operand(1) : std::nullopt;
    if (!b.has_value()) return std::nullopt;
    return op->Is(Arithmetic::kSum) ? Sum(*a, *b) : Product(*a, *b);
  }
  if (!op->Is(Arithmetic::kQuotient) && !IsPower(*op)) return std::nullopt;
  const std::optional<float> right = ScalarValue(*op->inputs[1]);
  const std::optional<Polynomial> left = right.has_value() ? operand(0) : std::nullopt;
  if (!left.has_value()) return std::nullopt;
  if (op->Is(Arithmetic::kQuotient)) {
    return Product(*left, Monomial(1 / static_cast<double>(*right), 0, 0));
  }
  if (*right != 2 && *right != 3) return std::nullopt;
  const std::optional<Polynomial> square = Product(*left, *left);
  return *right == 2 || !square.has_value() ? square : Product(*square, *left);
}

// x / 2 (1 + f).
Polynomial HalfXTimesOnePlusF() { return Sum(Monomial(0.5, 1, 0), Monomial(0.5, 1, 1)); }

// Whether `f` is the function of x for this form of GELU.
bool IsFactor(const Tensor& f, const Tensor* x, bool approximate) {
  const std::optional<Polynomial> argument = PolynomialOf(*f.producer->inputs[0], x, nullptr);
  if (!argument.has_value()) return false;
  if (!approximate) return NearPolynomial(*argument, Monomial(kSqrtHalf, 1, 0));
  return NearPolynomial(*argument,
                        Sum(Monomial(kSqrtTwoByPi, 1, 0), Monomial(kSqrtTwoByPi * kCubic, 3, 0)));
}

// The tensors that sums, products and quotients make the op's result of.
void FindParts(const Op& op, int most, std::vector<Tensor*>& parts) {
  const bool descends =
      op.Is(Arithmetic::kSum) || op.Is(Arithmetic::kProduct) || op.Is(Arithmetic::kQuotient);
  if (!descends || most == 0) return;
  for (Tensor* operand : op.inputs) {
    if (operand->is_constant()) continue;
    parts.push_back(operand);
    if (operand->producer != nullptr) FindParts(*operand->producer, most - 1, parts);
  }
}

}  // namespace

std::optional<GeluMatch> MatchGelu(const Op& op) {
  std::vector<Tensor*> parts;
  FindParts(op, 3, parts);  // from op by the product with x and the sum with 1 to f
  for (const Tensor* f : parts) {
    const std::optional<UnaryFunction> function = FunctionOf(*f);
    const bool approximate = function == UnaryFunction::kTanh;
    if (function != UnaryFunction::kErf && !approximate) continue;
    for (Tensor* x : parts) {
      if (x == f || !IsFactor(*f, x, approximate)) continue;
      const std::optional<Polynomial> result = PolynomialOf(*op.output(), x, f);
      if (result.has_value() && NearPolynomial(*result, HalfXTimesOnePlusF()))
        return GeluMatch{x, approximate};
    }
  }
  return std::nullopt;
}

}  // namespace synap_internal
