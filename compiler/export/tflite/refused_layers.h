// Collects the layers that a file can't say, by reason.
#ifndef COMPILER_EXPORT_TFLITE_REFUSED_LAYERS_H_
#define COMPILER_EXPORT_TFLITE_REFUSED_LAYERS_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "compiler/graph/graph.h"

namespace synap_internal::tflite_export {

class RefusedLayers {
 public:
  void Add(const Op& op, const absl::Status& why);

  // OK without any layer. Unimplemented with a sentence for each reason and the first few of its
  // layers. `advice`: what to do about it.
  absl::Status ToStatus(absl::string_view advice) const;

 private:
  std::map<std::string, std::vector<std::string>> layers_;  // by reason
};

}  // namespace synap_internal::tflite_export

#endif  // COMPILER_EXPORT_TFLITE_REFUSED_LAYERS_H_
