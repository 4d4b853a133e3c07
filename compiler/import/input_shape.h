// Shape of an input: the model's, completed by the metafile.
#ifndef COMPILER_IMPORT_INPUT_SHAPE_H_
#define COMPILER_IMPORT_INPUT_SHAPE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/shape.h"

namespace synap_internal {

// One entry for each dimension; nullopt where the model leaves it open.
using OpenShape = std::vector<std::optional<int64_t>>;

// "1x3x?x?"
std::string ToString(const OpenShape& shape);

// `model`: absent if the model says nothing; the input then has the shape `given`
// (ImportInput::shape), dimension 0 included. Otherwise dimension 0 of two or more
// is the model's; where that leaves it open, it is `given`'s of two or three
// dimensions (steps of time, points, or a batch), and 1, a batch, of more or
// without `given`. InvalidArgument, without the input's name, if the two
// contradict one another or a dimension stays open. A scalar of the model has the
// shape [1] in `given`, as artifacts show it.
absl::StatusOr<Shape> ResolveInputShape(const std::optional<OpenShape>& model,
                                        const std::optional<Shape>& given);

}  // namespace synap_internal

#endif  // COMPILER_IMPORT_INPUT_SHAPE_H_
