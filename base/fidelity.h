// How near an approximation comes to a reference.
#ifndef BASE_FIDELITY_H_
#define BASE_FIDELITY_H_

#include "absl/types/span.h"

namespace synap {

// Sums over elements of a reference and of its approximation, part by part.
class Fidelity {
 public:
  // REQUIRES: same size.
  void Add(absl::Span<const float> reference, absl::Span<const float> approximation);
  void Add(const Fidelity& other);

  // Signal to quantization noise ratio, 10 log10(sum r² / sum (r - a)²), in dB, from -200 to 200;
  // -200 where one side isn't a number.
  double SqnrDb() const;
  // sum r a / sqrt(sum r² sum a²); 1 if both are zero.
  double Cosine() const;

 private:
  double reference_squares_ = 0, approximation_squares_ = 0, products_ = 0, error_squares_ = 0;
};

}  // namespace synap

#endif  // BASE_FIDELITY_H_
