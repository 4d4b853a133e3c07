#include "compiler/export/onnx/export_onnx.h"

#include <limits>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "base/version.h"
#include "compiler/export/onnx/fit_profile.h"
#include "compiler/export/onnx/graph_writer.h"
#include "compiler/export/onnx/op_context.h"
#include "compiler/export/onnx/op_table.h"
#include "compiler/export/onnx/operator_versions.h"
#include "compiler/export/onnx/opset.h"
#include "compiler/export/onnx/separate_activations.h"
#include "compiler/export/onnx/tensor_views.h"
#include "onnx/onnx_pb.h"

namespace synap_internal {
namespace {

using onnx_export::GraphWriter;
using onnx_export::OpContext;
using onnx_export::OpMapping;
using onnx_export::TensorViews;

absl::Status WriteOp(const Op& op, TensorViews& views, GraphWriter& writer) {
  if (TensorViews::IsView(op)) return absl::OkStatus();
  const OpMapping* mapping = onnx_export::FindMapping(op.def->name);
  if (mapping == nullptr || op.outputs.size() != 1) {
    return absl::UnimplementedError("ONNX has no operator for it");
  }
  OpContext context(op, views, writer);
  RETURN_IF_ERROR(mapping->write(context));
  return context.attributes().Finish();
}

}  // namespace

absl::StatusOr<std::string> ExportOnnx(const Graph& graph) {
  Warnings none;  // nothing changes without a profile
  return ExportOnnx(graph, {}, none);
}

absl::StatusOr<std::string> ExportOnnx(const Graph& original, const ExportProfile& profile,
                                       Warnings& warnings) {
  Graph graph = original.Clone();
  RETURN_IF_ERROR(Annotate(onnx_export::SeparateActivations(graph), "as ONNX"));
  RETURN_IF_ERROR(Annotate(onnx_export::FitProfile(profile, graph, warnings), "as ONNX"));
  onnx::ModelProto model;
  model.set_ir_version(onnx_export::IrVersionOf(profile.opset));
  model.set_producer_name("synap");
  model.set_producer_version(kVersion);
  model.add_opset_import()->set_version(profile.opset);
  model.mutable_graph()->set_name(graph.name.empty() ? "graph" : graph.name);
  GraphWriter writer(*model.mutable_graph(), profile);
  TensorViews views(graph, writer);
  for (const Op& op : graph.ops()) {
    RETURN_IF_ERROR(Annotate(WriteOp(op, views, writer), absl::StrCat("as ONNX: ", op.Label())));
  }
  views.AddOutputs();
  RETURN_IF_ERROR(
      Annotate(onnx_export::CheckOperatorVersions(model.graph(), profile.opset), "as ONNX"));
  const size_t bytes = model.ByteSizeLong();
  if (bytes > static_cast<size_t>(std::numeric_limits<int>::max())) {
    return absl::ResourceExhaustedError(
        absl::StrCat("as ONNX: the file has ", bytes,
                     " bytes, expected less than 2 GiB (without external data)"));
  }
  return model.SerializeAsString();
}

}  // namespace synap_internal
