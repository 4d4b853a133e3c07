// Constants whose elements are functions of their index: windows of signals, frequencies, ranges.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/emit/constant.h"
#include "compiler/import/torchscript/op_table.h"
#include "compiler/import/torchscript/scalar_type.h"

namespace synap_internal::torchscript_import {
namespace {

constexpr double kTurn = 6.28318530717958648;

// value(0), value(1), ... as float32, or of the type that argument `type_at` names.
absl::Status SetSequence(NodeContext& node, int64_t size, size_t type_at,
                         absl::FunctionRef<double(int64_t i)> value) {
  if (size < 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("it has ", size, " elements, expected 0 or more"));
  }
  const Shape shape({size});
  RETURN_IF_ERROR(node.ChargeValues<float>(shape));
  std::vector<float> values;
  for (int64_t i = 0; i < size; ++i) values.push_back(static_cast<float>(value(i)));
  return SetTypedConstant(node, node.Values(shape, std::move(values), ".values"), type_at,
                          DataType::kFloat32);
}

// How many arguments are before the options: 1 to `most`.
absl::StatusOr<size_t> CountBeforeOptions(const NodeContext& node, size_t most) {
  const size_t count = node.size() - kConstantOptions;
  if (count >= 1 && count <= most) return count;
  return absl::UnimplementedError(absl::StrCat("it has ", node.size(), " arguments, expected 1 to ",
                                               most, " and ", kConstantOptions, " options"));
}

// --- Windows

// Where element i of a window is, from 0 at its begin to 1 at its end.
using WindowShape = absl::FunctionRef<double(double place)>;

// (size, periodic, parameters of the window, ...): a periodic window is one of size + 1 without its
// last element.
absl::Status SetWindow(NodeContext& node, size_t most_arguments, WindowShape shape) {
  ASSIGN_OR_RETURN(const size_t count, CountBeforeOptions(node, most_arguments));
  ASSIGN_OR_RETURN(const int64_t size, node.GetInt(0));
  ASSIGN_OR_RETURN(const bool periodic, node.GetBoolOr(count > 1 ? 1 : node.size(), true));
  const double last = static_cast<double>(size) - (periodic ? 0 : 1);
  return SetSequence(node, size, count, [&](int64_t i) {
    return size == 1 ? 1.0 : shape(static_cast<double>(i) / last);
  });
}

// Argument `at`, if that is before the options.
absl::StatusOr<double> GetParameterOr(const NodeContext& node, size_t at, double fallback) {
  if (at + kConstantOptions >= node.size()) return fallback;
  return node.GetDouble(at);
}

absl::Status MapBartlettWindow(NodeContext& node) {
  return SetWindow(node, 2, [](double place) { return 1 - std::abs(2 * place - 1); });
}

absl::Status MapHannWindow(NodeContext& node) {
  return SetWindow(node, 2, [](double place) { return 0.5 - 0.5 * std::cos(kTurn * place); });
}

// (size, periodic, alpha, beta, ...): alpha - beta cos
absl::Status MapHammingWindow(NodeContext& node) {
  ASSIGN_OR_RETURN(const double alpha, GetParameterOr(node, 2, 0.54));
  ASSIGN_OR_RETURN(const double beta, GetParameterOr(node, 3, 0.46));
  return SetWindow(node, 4, [&](double place) { return alpha - beta * std::cos(kTurn * place); });
}

absl::Status MapBlackmanWindow(NodeContext& node) {
  return SetWindow(node, 2, [](double place) {
    return 0.42 - 0.5 * std::cos(kTurn * place) + 0.08 * std::cos(2 * kTurn * place);
  });
}

// The modified Bessel function I0 by its power series; std::cyl_bessel_i throws exceptions.
double BesselI0(double x) {
  double term = 1, sum = 1;
  for (int k = 1; term > sum * 1e-17; ++k) {
    term *= x / (2 * k) * (x / (2 * k));
    sum += term;
  }
  return sum;
}

// (size, periodic, beta, ...): I0(beta sqrt(1 - (2 place - 1)^2)) / I0(beta)
// (https://en.wikipedia.org/wiki/Kaiser_window).
absl::Status MapKaiserWindow(NodeContext& node) {
  constexpr double kMost = 500;  // I0 of which is about 10^215
  ASSIGN_OR_RETURN(const double beta, GetParameterOr(node, 2, 12.0));
  if (!(std::abs(beta) <= kMost)) {
    return absl::UnimplementedError(
        absl::StrCat("its beta is ", beta, ", expected -", kMost, " to ", kMost));
  }
  return SetWindow(node, 3, [&](double place) {
    const double inside = std::max(1 - (2 * place - 1) * (2 * place - 1), 0.0);
    return BesselI0(beta * std::sqrt(inside)) / BesselI0(beta);
  });
}

// --- Frequencies and ranges

// (n, distance between samples, ...): the frequencies of the bins of a Fourier transform of n
// samples; those of fftfreq are negative in the second half.
absl::Status MapFrequencies(NodeContext& node) {
  ASSIGN_OR_RETURN(const int64_t n, node.GetInt(0));
  ASSIGN_OR_RETURN(const size_t count, CountBeforeOptions(node, 2));
  ASSIGN_OR_RETURN(const double distance, GetParameterOr(node, 1, 1.0));
  const bool one_side = node.kind() == "aten::fft_rfftfreq";
  return SetSequence(node, one_side ? n / 2 + 1 : n, count, [&](int64_t i) {
    const int64_t bin = one_side || i < (n + 1) / 2 ? i : i - n;
    return static_cast<double>(bin) / (static_cast<double>(n) * distance);
  });
}

template <typename T>
absl::Status EndlessRange(T start, T end, T step) {
  return absl::InvalidArgumentError(absl::StrCat("its range from ", start, " to ", end,
                                                 " in steps of ", step,
                                                 " has no end that can be held, expected fewer "
                                                 "elements"));
}

// Argument `at`, if that is before the options, without the digits after its point.
absl::StatusOr<int64_t> GetWholeOr(const NodeContext& node, size_t at, int64_t fallback) {
  constexpr double kLimit = 9223372036854775808.0;  // 2^63
  if (at + kConstantOptions >= node.size()) return fallback;
  const absl::StatusOr<int64_t> whole = node.GetInt(at);
  if (whole.ok()) return whole;
  ASSIGN_OR_RETURN(const double real, node.GetDouble(at));
  if (std::abs(real) < kLimit) return static_cast<int64_t>(real);
  return absl::InvalidArgumentError(absl::StrCat(real, " is outside of the 64-bit integers"));
}

// The range of integers.
Emitted EmitInclusiveRange(NodeContext& node) {
  constexpr int64_t kMostEnd = int64_t{1} << 62;
  ASSIGN_OR_RETURN(const int64_t start, GetWholeOr(node, 0, 0));
  ASSIGN_OR_RETURN(const int64_t end, GetWholeOr(node, 1, 0));
  ASSIGN_OR_RETURN(const int64_t step, GetWholeOr(node, 2, 1));
  const bool ends = step > 0 ? start <= end : step < 0 && start >= end;
  if (!ends || end > kMostEnd || end < -kMostEnd) return EndlessRange(start, end, step);
  return EmitRange(node, start, step > 0 ? end + 1 : end - 1, step, ".range");
}

// (start, end, ...) or (start, end, step, ...): the end is included.
absl::Status MapInclusiveRange(NodeContext& node) {
  ASSIGN_OR_RETURN(const size_t count, CountBeforeOptions(node, 3));
  ASSIGN_OR_RETURN(const NamedType type, GetTypeOr(node, count, DataType::kFloat32));
  if (type.dtype == DataType::kInt64) {
    return SetTypedConstant(node, EmitInclusiveRange(node), count, DataType::kInt64);
  }
  ASSIGN_OR_RETURN(const double start, node.GetDouble(0));
  ASSIGN_OR_RETURN(const double end, node.GetDouble(1));
  ASSIGN_OR_RETURN(const double step, GetParameterOr(node, 2, 1.0));
  const double steps = std::floor((end - start) / step);
  if (!(steps >= 0 && steps < static_cast<double>(Shape::kMaxElements))) {
    return EndlessRange(start, end, step);
  }
  return SetSequence(node, static_cast<int64_t>(steps) + 1, count,
                     [&](int64_t i) { return start + step * static_cast<double>(i); });
}

constexpr OpMapping kSequenceMappings[] = {
    {"aten::bartlett_window", kConstantOptions + 1, MapBartlettWindow},
    {"aten::hann_window", kConstantOptions + 1, MapHannWindow},
    {"aten::hamming_window", kConstantOptions + 1, MapHammingWindow},
    {"aten::blackman_window", kConstantOptions + 1, MapBlackmanWindow},
    {"aten::kaiser_window", kConstantOptions + 1, MapKaiserWindow},
    {"aten::fft_fftfreq", kConstantOptions + 1, MapFrequencies},
    {"aten::fft_rfftfreq", kConstantOptions + 1, MapFrequencies},
    {"aten::range", kConstantOptions + 2, MapInclusiveRange},
};

}  // namespace

absl::Span<const OpMapping> SequenceMappings() { return kSequenceMappings; }

}  // namespace synap_internal::torchscript_import
