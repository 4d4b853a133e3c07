#include "compiler/import/emit/constant.h"

#include <cmath>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "compiler/import/constant_operand.h"
#include "compiler/import/emit/axes.h"

namespace synap_internal {

namespace {

Emitted EmitRealRange(OpEmitter& op, float start, float end, float step) {
  const float size = std::ceil(std::fabs((end - start) / step));
  if (step == 0 || !(size <= static_cast<float>(Shape::kMaxElements))) {
    return absl::InvalidArgumentError(absl::StrCat("its range from ", start, " to ", end,
                                                   " in steps of ", step,
                                                   " isn't finite, expected another step"));
  }
  const bool forward = (end - start) / step > 0;
  const auto count = forward ? static_cast<int64_t>(size) : 0;
  RETURN_IF_ERROR(op.builder().Charge(count * static_cast<int64_t>(sizeof(float))));
  std::vector<float> values(static_cast<size_t>(count));
  for (size_t i = 0; i < values.size(); ++i) values[i] = i == 0 ? start : values[i - 1] + step;
  return op.Values(Shape({count}), std::move(values));
}

}  // namespace

Emitted EmitRange(OpEmitter& op, int64_t start, int64_t end, int64_t step,
                  absl::string_view suffix) {
  ASSIGN_OR_RETURN(const AxisSlice range, ResolveRange(start, end, step));
  return op.builder().AddRange(op.Name(suffix), range.start, range.size, range.step);
}

Emitted EmitRange(OpEmitter& op, const Tensor& start, const Tensor& limit, const Tensor& delta) {
  if (start.type.dtype == DataType::kFloat32) {
    ASSIGN_OR_RETURN(const float first, ConstantReal(start, "start"));
    ASSIGN_OR_RETURN(const float end, ConstantReal(limit, "limit"));
    ASSIGN_OR_RETURN(const float step, ConstantReal(delta, "delta"));
    return EmitRealRange(op, first, end, step);
  }
  ASSIGN_OR_RETURN(const int64_t first, ConstantInt(start, "start"));
  ASSIGN_OR_RETURN(const int64_t end, ConstantInt(limit, "limit"));
  ASSIGN_OR_RETURN(const int64_t step, ConstantInt(delta, "delta"));
  return EmitRange(op, first, end, step);
}

}  // namespace synap_internal
