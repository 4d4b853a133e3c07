// Means of the values that a linear layer's weights multiply, over samples and positions.
#ifndef COMPILER_QUANTIZE_SEARCH_PATCH_MEANS_H_
#define COMPILER_QUANTIZE_SEARCH_PATCH_MEANS_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "compiler/quantize/search/layer_patches.h"

namespace synap_internal {

// The mean patch (layer_patches.h) of a layer: over all output positions, with 0 in the padding, as
// the layer computes it. A tap that lies in the padding at a border has another mean than one that
// never does. Sums are in doubles, in the order of the samples.
class PatchMeans {
 public:
  explicit PatchMeans(const PatchLayout& layout);

  // A sample. `x`: the operand's values, dense.
  void Add(absl::Span<const float> x);

  // [groups, inputs], as the weights of an output channel of each group; 0 without a sample.
  std::vector<double> Means() const;

 private:
  // The kernel's rows that read row `y` of the operand.
  std::vector<int64_t> TapsOfRow(int64_t y) const;
  // Sums over a row of the operand of what each of the kernel's columns reads: [taps, channels].
  std::vector<double> ColumnSums(const float* row) const;

  PatchLayout layout_;
  std::vector<double> sums_;  // [taps, channels of the operand]
  int64_t samples_ = 0;
};

}  // namespace synap_internal

#endif  // COMPILER_QUANTIZE_SEARCH_PATCH_MEANS_H_
