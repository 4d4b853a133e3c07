// Normalizations, composed of element-wise ops and reductions.
#ifndef COMPILER_IMPORT_EMIT_NORMALIZATION_H_
#define COMPILER_IMPORT_EMIT_NORMALIZATION_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/shape.h"
#include "compiler/graph/graph.h"
#include "compiler/import/emit/op_emitter.h"

namespace synap_internal {

// InvalidArgument unless the input `x` has channels, its second dimension, and `values`, if they
// aren't null, are [C]. `what` names the values in the error.
absl::Status CheckChannels(absl::string_view what, const Tensor* values, const Shape& x);

// sqrt(variance + epsilon)
Emitted EmitDeviation(OpEmitter& emitter, const Emitted& variance, float epsilon);

// Over `axes`, which are kept as dimensions of 1.
struct Moments {
  Tensor* mean = nullptr;
  Tensor* centered = nullptr;  // x - mean
  Tensor* variance = nullptr;
};
absl::StatusOr<Moments> EmitMoments(OpEmitter& emitter, const Emitted& x,
                                    const std::vector<int64_t>& axes);

// y = (x - mean) / deviation over `axes`, with deviation = sqrt(variance + epsilon).
struct Standardized {
  Tensor* y = nullptr;
  Tensor* mean = nullptr;
  Tensor* deviation = nullptr;
};
absl::StatusOr<Standardized> EmitStandardized(OpEmitter& emitter, const Emitted& x,
                                              const std::vector<int64_t>& axes, float epsilon);

// x / sqrt(mean of squares + epsilon) over `axes` (Zhang and Sennrich, "Root Mean Square Layer
// Normalization", 2019).
Emitted EmitRootMeanSquare(OpEmitter& emitter, const Emitted& x, const std::vector<int64_t>& axes,
                           float epsilon);

// x * scale + shift, broadcast; a null scale or shift is left out. The result is named
// Name(suffix).
Emitted EmitAffine(OpEmitter& emitter, const Emitted& x, const Emitted& scale, const Emitted& shift,
                   absl::string_view suffix = "");

// EmitAffine by values [C], those of the second dimension of x: the node's output.
Emitted EmitChannelAffine(OpEmitter& emitter, const Emitted& x, Emitted scale, Emitted shift);

// (x - mean) / deviation * scale + shift of each image, x [N,C,L], [N,C,H,W] or [N,C,D,H,W], and
// each channel; `scale` and `shift` as above.
Emitted EmitInstanceNormalization(OpEmitter& emitter, Tensor* x, const Emitted& scale,
                                  const Emitted& shift, float epsilon);

// Parameters of a batch normalization, one value for each channel. A null scale is 1, a null offset
// 0.
struct BatchNormalization {
  Emitted scale = nullptr;
  Emitted offset = nullptr;
  Emitted mean = nullptr;
  Emitted variance = nullptr;
  float epsilon = 1e-5f;
};

// As x * factor + shift: factor = scale / sqrt(variance + epsilon), shift = offset - mean * factor.
struct ChannelAffine {
  Tensor* factor = nullptr;
  Tensor* shift = nullptr;
};
absl::StatusOr<ChannelAffine> EmitBatchNormalization(OpEmitter& emitter,
                                                     const BatchNormalization& parameters);

// Local response normalization: y = x * (k + alpha * mean) ^ -beta, with the mean of the squares
// around x; squares outside of the image are 0.
struct Lrn {
  float alpha = 1, beta = 0.75f, k = 1;
};

// Over `size`, an odd number, neighbouring channels of an image [N,H,W,C].
Emitted EmitChannelLrn(OpEmitter& emitter, const Emitted& image, int64_t size, const Lrn& lrn,
                       absl::string_view suffix);

// Over size x size neighbouring pixels of each channel.
Emitted EmitSpatialLrn(OpEmitter& emitter, const Emitted& image, int64_t size, const Lrn& lrn,
                       absl::string_view suffix);

}  // namespace synap_internal

#endif  // COMPILER_IMPORT_EMIT_NORMALIZATION_H_
