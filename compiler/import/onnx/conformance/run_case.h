// Runs one case of ONNX's conformance suite as `synap` would: imported, through
// the import passes, lowered, and executed in float32.
#ifndef COMPILER_IMPORT_ONNX_CONFORMANCE_RUN_CASE_H_
#define COMPILER_IMPORT_ONNX_CONFORMANCE_RUN_CASE_H_

#include <string>

#include "absl/status/status.h"

namespace synap_internal::onnx_import {

// kExported: what the importer made is exported as ONNX, and imported again.
enum class Route { kImported, kExported };

// OK if all data sets of the case give what they should.
absl::Status RunCase(const std::string& case_folder, Route route);

}  // namespace synap_internal::onnx_import

#endif  // COMPILER_IMPORT_ONNX_CONFORMANCE_RUN_CASE_H_
