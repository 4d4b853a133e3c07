#include "base/shape.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace synap_internal {

int64_t Shape::elements() const { return Product(0, rank()); }

int64_t Shape::Product(size_t begin, size_t end) const {
  int64_t product = 1;
  for (size_t i = begin; i < end; ++i) product *= dims_[i];
  return product;
}

absl::Status Shape::Validate() const {
  if (rank() > kMaxRank) {
    return absl::InvalidArgumentError(
        absl::StrCat("shape ", ToString(), " has rank ", rank(), ", expected at most ", kMaxRank));
  }
  int64_t product = 1;
  for (int64_t dim : dims_) {
    if (dim < 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("shape ", ToString(), " has a negative dimension, expected 0 or more"));
    }
    // Counted without zeros: strides and partial products must not overflow in
    // an empty tensor either.
    if (dim == 0) continue;
    if (product > kMaxElements / dim) {
      return absl::InvalidArgumentError(absl::StrCat(
          "shape ", ToString(), " has too many elements, expected at most ", kMaxElements));
    }
    product *= dim;
  }
  return absl::OkStatus();
}

std::string Shape::ToString() const { return dims_.empty() ? "scalar" : absl::StrJoin(dims_, "x"); }

}  // namespace synap_internal
