// Shape of a tensor: its extents, outermost dimension first.
#ifndef BASE_SHAPE_H_
#define BASE_SHAPE_H_

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace synap_internal {

// A value type. A scalar has rank 0 and one element. Dimensions are known and
// not negative once Validate() has accepted them.
class Shape {
 public:
  // More dimensions than this are refused by Validate().
  static constexpr size_t kMaxRank = 8;
  // Tensors with more elements than this are refused by Validate(), so that
  // byte sizes and offsets never overflow int64_t.
  static constexpr int64_t kMaxElements = int64_t{1} << 40;

  Shape() = default;
  Shape(std::initializer_list<int64_t> dims) : dims_(dims) {}
  explicit Shape(std::vector<int64_t> dims) : dims_(std::move(dims)) {}
  explicit Shape(absl::Span<const int64_t> dims) : dims_(dims.begin(), dims.end()) {}

  size_t rank() const { return dims_.size(); }
  int64_t operator[](size_t i) const { return dims_[i]; }
  int64_t& operator[](size_t i) { return dims_[i]; }
  const std::vector<int64_t>& dims() const { return dims_; }
  int64_t back() const { return dims_.back(); }

  // Number of elements. REQUIRES: Validate() is OK.
  int64_t elements() const;

  // Product of dims [begin, end). REQUIRES: Validate() is OK.
  int64_t Product(size_t begin, size_t end) const;

  // InvalidArgument if the rank, a dimension or the number of elements is out
  // of range; the message holds the shape.
  absl::Status Validate() const;

  // "1x3x224x224"; "scalar" for rank 0.
  std::string ToString() const;

  friend bool operator==(const Shape& a, const Shape& b) { return a.dims_ == b.dims_; }
  friend bool operator!=(const Shape& a, const Shape& b) { return a.dims_ != b.dims_; }

 private:
  std::vector<int64_t> dims_;
};

}  // namespace synap_internal

#endif  // BASE_SHAPE_H_
