// Epilogue of the linear kernels: activation, then residual add.
#ifndef KERNELS_SHARED_LINEAR_EPILOGUE_H_
#define KERNELS_SHARED_LINEAR_EPILOGUE_H_

#include <cstdint>

#include "kernels/binary/binary.h"
#include "kernels/lookup/lookup.h"
#include "kernels/op_def.h"
#include "kernels/shared/linear/linear.h"

namespace synap_internal {

// Applied after the clamp to the outputs of a task, while they are in the cache. The activation is
// a function (float32) or a table (uint8). Immutable; any number of threads may use it.
class LinearEpilogue {
 public:
  using Rows = binary::Rows;

  // `data` must outlive it.
  explicit LinearEpilogue(const LinearData& data);

  // Whether the op has neither activation nor residual.
  bool empty() const {
    return data_.activation == nullptr && data_.output.table == nullptr && sum_ == nullptr;
  }
  // Processes rows of output 0 in place, the first of which starts at element `begin`; each element
  // exactly once.
  void Run(const KernelArgs& args, int64_t begin, const Rows& rows) const;

 private:
  const LinearData& data_;
  const lookup::Function table_;
  const binary::Run sum_;  // null without a residual
};

}  // namespace synap_internal

#endif  // KERNELS_SHARED_LINEAR_EPILOGUE_H_
