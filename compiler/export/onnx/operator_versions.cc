#include "compiler/export/onnx/operator_versions.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"

namespace synap_internal::onnx_export {
namespace {

// What the exporter writes that opset 13 lacks, but for what it composes instead (kComposable).
struct OperatorVersion {
  absl::string_view op_type;
  absl::string_view attribute;  // "": every node of the operator
  absl::string_view value;      // of a string attribute; "": any
  int64_t since;
};

constexpr OperatorVersion kVersions[] = {
    {"AveragePool", "dilations", "", 19},  {"GridSample", "", "", 16},
    {"Reshape", "allowzero", "", 14},      {"ScatterND", "reduction", "", 16},
    {"ScatterND", "reduction", "max", 18}, {"ScatterND", "reduction", "min", 18},
};

bool Matches(const onnx::NodeProto& node, const OperatorVersion& row) {
  if (node.op_type() != row.op_type) return false;
  if (row.attribute.empty()) return true;
  return std::any_of(node.attribute().begin(), node.attribute().end(),
                     [&](const onnx::AttributeProto& attribute) {
                       return attribute.name() == row.attribute &&
                              (row.value.empty() || attribute.s() == row.value);
                     });
}

// The newest of the rows that the node matches; null if it matches none.
const OperatorVersion* NewestOf(const onnx::NodeProto& node) {
  const OperatorVersion* newest = nullptr;
  for (const OperatorVersion& row : kVersions) {
    if (Matches(node, row) && (newest == nullptr || row.since > newest->since)) newest = &row;
  }
  return newest;
}

std::string Describe(const OperatorVersion& row) {
  if (row.attribute.empty()) return std::string(row.op_type);
  if (row.value.empty()) return absl::StrCat(row.op_type, " with ", row.attribute);
  return absl::StrCat(row.op_type, " with ", row.attribute, "='", row.value, "'");
}

}  // namespace

absl::Status CheckOperatorVersions(const onnx::GraphProto& graph, int64_t opset) {
  std::vector<std::string> found;
  for (const onnx::NodeProto& node : graph.node()) {
    const OperatorVersion* newest = NewestOf(node);
    if (newest == nullptr || newest->since <= opset) continue;
    found.push_back(absl::StrCat("'", node.name(), "' is ", Describe(*newest),
                                 ", which ONNX has since opset ", newest->since));
  }
  if (found.empty()) return absl::OkStatus();
  return absl::UnimplementedError(
      absl::StrCat(absl::StrJoin(found, "; "), "; expected operators of opset ", opset));
}

}  // namespace synap_internal::onnx_export
