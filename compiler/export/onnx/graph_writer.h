// Writes nodes and initializers of an ONNX graph under unique names.
#ifndef COMPILER_EXPORT_ONNX_GRAPH_WRITER_H_
#define COMPILER_EXPORT_ONNX_GRAPH_WRITER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/data_type.h"
#include "base/shape.h"
#include "compiler/export/onnx/export_profile.h"
#include "kernels/attributes.h"
#include "onnx/onnx_pb.h"

namespace synap_internal::onnx_export {

// The TensorProto::DataType of the same elements. REQUIRES: not kInvalid.
int OnnxType(DataType type);

// Values and nodes have separate namespaces. Not thread-safe.
class GraphWriter {
 public:
  // Both must outlive the writer.
  GraphWriter(onnx::GraphProto& graph, const ExportProfile& profile)
      : graph_(graph), profile_(profile) {}

  const ExportProfile& profile() const { return profile_; }

  // Reserves the name of a value that the caller will write.
  void Reserve(const std::string& value_name) { values_.try_emplace(value_name, 0); }
  // A unique name: `base`, or `base` with a number after it.
  std::string UniqueValue(const std::string& base) { return Unique(base, values_); }

  void AddInput(const std::string& name, DataType type, const Shape& shape);
  void AddOutput(const std::string& name, DataType type, const Shape& shape);
  // Documentation for people who look at the graph.
  void Describe(const std::string& name, DataType type, const Shape& shape);

  // `name`: a reserved one. `bytes`: dense, little endian.
  void AddInitializer(const std::string& name, DataType type, const Shape& shape,
                      absl::Span<const uint8_t> bytes);
  // Under names like `base`: a list, and scalars.
  std::string AddInts(const std::string& base, const std::vector<int64_t>& values);
  std::string AddFloats(const std::string& base, const std::vector<float>& values);
  std::string AddScalar(const std::string& base, int64_t value);
  std::string AddScalar(const std::string& base, float value);

  // An input of "" is an absent one. The node is named after `label`; `origins`: the model's
  // nodes that it comes from, as documentation.
  void AddNode(absl::string_view op_type, const std::string& label,
               const std::vector<std::string>& inputs, const std::vector<std::string>& outputs,
               const Attributes& attributes, const std::vector<std::string>& origins = {});

 private:
  using Names = absl::flat_hash_map<std::string, int>;  // name -> the last number appended to it

  static std::string Unique(const std::string& base, Names& names);
  // One without values.
  onnx::TensorProto& NewInitializer(const std::string& name, DataType type, const Shape& shape);

  onnx::GraphProto& graph_;
  const ExportProfile& profile_;
  Names values_;
  Names nodes_;
};

}  // namespace synap_internal::onnx_export

#endif  // COMPILER_EXPORT_ONNX_GRAPH_WRITER_H_
