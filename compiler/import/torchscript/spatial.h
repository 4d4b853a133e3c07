// Spatial dimensions, of which the IR's images have two.
#ifndef COMPILER_IMPORT_TORCHSCRIPT_SPATIAL_H_
#define COMPILER_IMPORT_TORCHSCRIPT_SPATIAL_H_

#include <cstdint>
#include <vector>

namespace synap_internal::torchscript_import {

// One number for each spatial dimension; `height` goes before that of a single one.
inline std::vector<int64_t> Lifted(std::vector<int64_t> values, int64_t height) {
  if (values.size() == 1) values.insert(values.begin(), height);
  return values;
}

}  // namespace synap_internal::torchscript_import

#endif  // COMPILER_IMPORT_TORCHSCRIPT_SPATIAL_H_
