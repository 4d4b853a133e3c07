// What the fast kernels of the ops with weights do behind the clamp.
#ifndef KERNELS_LINEAR_EPILOGUE_H_
#define KERNELS_LINEAR_EPILOGUE_H_

#include <cstdint>

#include "kernels/binary/binary.h"
#include "kernels/linear/linear.h"
#include "kernels/lookup/lookup.h"
#include "kernels/op_def.h"

namespace synap {

// The activation or its table, then the sum with the residual: run over the outputs of a task
// while these are in the cache. Immutable; any number of threads may use it.
class LinearEpilogue {
 public:
  // `data` must outlive it.
  explicit LinearEpilogue(const LinearData& data);

  // Whether there is nothing to do.
  bool empty() const {
    return data_.activation == nullptr && data_.output.table == nullptr && sum_ == nullptr;
  }
  // On `count` elements of output 0 from the one with index `begin` on; each output once.
  void Run(const KernelArgs& args, int64_t begin, int64_t count) const;

 private:
  const LinearData& data_;
  const lookup::Function table_;
  const binary::Run sum_;  // null without a residual
};

}  // namespace synap

#endif  // KERNELS_LINEAR_EPILOGUE_H_
