#include "kernels/shared/linear/epilogue.h"

#include "base/data_type.h"

namespace synap_internal {

LinearEpilogue::LinearEpilogue(const LinearData& data)
    : data_(data),
      table_(lookup::FindFunction()),
      sum_(data.sum.has_value()
               ? binary::FindRun(BinaryFunction::kAdd, data.out_type, binary::kBothAdvance)
               : nullptr) {}

void LinearEpilogue::Run(const KernelArgs& args, int64_t begin, const Rows& rows) const {
  const auto size = static_cast<int64_t>(SizeOf(data_.out_type));
  uint8_t* const out = args.output<uint8_t>(0) + begin * size;
  for (int64_t row = 0; row < rows.count; ++row) {
    uint8_t* const at = out + row * rows.stride * size;
    if (data_.activation != nullptr) {
      auto* const values = reinterpret_cast<float*>(at);
      data_.activation(data_.activation_params, values, values, rows.length);
    }
    if (data_.output.table != nullptr) table_(data_.output.table, at, at, rows.length);
  }
  if (sum_ != nullptr) {
    sum_(*data_.sum, out, args.input<uint8_t>(kResidual) + begin * size, out, rows);
  }
}

}  // namespace synap_internal
