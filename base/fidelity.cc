#include "base/fidelity.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace synap_internal {

void Fidelity::Add(absl::Span<const float> reference, absl::Span<const float> approximation) {
  for (size_t i = 0; i < reference.size(); ++i) {
    const double r = reference[i], a = approximation[i];
    reference_squares_ += r * r;
    approximation_squares_ += a * a;
    products_ += r * a;
    error_squares_ += (r - a) * (r - a);
  }
}

void Fidelity::Add(const Fidelity& other) {
  reference_squares_ += other.reference_squares_;
  approximation_squares_ += other.approximation_squares_;
  products_ += other.products_;
  error_squares_ += other.error_squares_;
}

double Fidelity::SqnrDb() const {
  constexpr double kLargest = 200;
  if (error_squares_ == 0) return kLargest;
  const double decibels = 10 * std::log10(reference_squares_ / error_squares_);
  return std::isnan(decibels) ? -kLargest : std::clamp(decibels, -kLargest, kLargest);
}

double Fidelity::Cosine() const {
  const double norms = std::sqrt(reference_squares_) * std::sqrt(approximation_squares_);
  if (std::isfinite(norms) && norms > 0) return products_ / norms;
  return reference_squares_ == approximation_squares_ ? 1 : 0;
}

}  // namespace synap_internal
