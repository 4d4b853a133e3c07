// Conversion between the data types of the application interface and the internal ones.
#ifndef RUNTIME_API_API_TYPE_H_
#define RUNTIME_API_API_TYPE_H_

#include "base/data_type.h"
#include "synap/types.hpp"

namespace synap_internal {

// Indexed by DataType.
inline constexpr synaptics::synap::DataType kApiTypes[kDataTypeCount] = {
    synaptics::synap::DataType::invalid, synaptics::synap::DataType::byte,
    synaptics::synap::DataType::int8,    synaptics::synap::DataType::uint8,
    synaptics::synap::DataType::int16,   synaptics::synap::DataType::uint16,
    synaptics::synap::DataType::int32,   synaptics::synap::DataType::uint32,
    synaptics::synap::DataType::int64,   synaptics::synap::DataType::float16,
    synaptics::synap::DataType::float32};

constexpr synaptics::synap::DataType ToApi(DataType type) {
  return kApiTypes[static_cast<size_t>(RowOf(type).type)];
}

constexpr DataType FromApi(synaptics::synap::DataType type) {
  for (const DataTypeRow& row : kDataTypes) {
    if (ToApi(row.type) == type) return row.type;
  }
  return DataType::kInvalid;
}

}  // namespace synap_internal

#endif  // RUNTIME_API_API_TYPE_H_
