// Dispatch from a data type to the C++ type of its elements.
#ifndef BASE_VISIT_TYPE_H_
#define BASE_VISIT_TYPE_H_

#include <cstdint>

#include "base/data_type.h"

namespace synap_internal {

// Calls visit(T()) with the T of Types that stores elements of `type` (DataTypeOf). False, without
// a call, if none of them does.
template <typename... Types, typename Visit>
bool VisitTypes(DataType type, Visit visit) {
  const auto visit_if = [&](auto zero) {
    if (type != DataTypeOf<decltype(zero)>()) return false;
    visit(zero);
    return true;
  };
  return (visit_if(Types()) || ...);
}

// The same with the integer type of any integer: bool is visited as uint8_t. False for float types.
template <typename Visit>
bool VisitIntegers(DataType type, Visit visit) {
  return VisitTypes<uint8_t, int8_t, uint16_t, int16_t, uint32_t, int32_t, int64_t>(
      type == DataType::kBool ? DataType::kUint8 : type, visit);
}

}  // namespace synap_internal

#endif  // BASE_VISIT_TYPE_H_
