#include "kernels/shared/linear/epilogue.h"

#include "base/data_type.h"

namespace synap_internal {

LinearEpilogue::LinearEpilogue(const LinearData& data)
    : data_(data),
      table_(lookup::FindFunction()),
      sum_(data.sum.has_value()
               ? binary::FindRun(BinaryFunction::kAdd, data.type, binary::kBothAdvance)
               : nullptr) {}

void LinearEpilogue::Run(const KernelArgs& args, int64_t begin, int64_t count) const {
  const int64_t offset = begin * static_cast<int64_t>(SizeOf(data_.type));
  uint8_t* const out = args.output<uint8_t>(0) + offset;
  if (data_.activation != nullptr) {
    auto* const values = reinterpret_cast<float*>(out);
    data_.activation(data_.activation_params, values, values, count);
  }
  if (data_.output.table != nullptr) table_(data_.output.table, out, out, count);
  if (sum_ != nullptr) sum_(*data_.sum, out, args.input<uint8_t>(kResidual) + offset, out, count);
}

}  // namespace synap_internal
