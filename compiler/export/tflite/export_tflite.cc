#include "compiler/export/tflite/export_tflite.h"

#include <algorithm>
#include <limits>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/export/tflite/arithmetic.h"
#include "compiler/export/tflite/join_division.h"
#include "compiler/export/tflite/model_writer.h"
#include "compiler/export/tflite/op_context.h"
#include "compiler/export/tflite/op_table.h"
#include "compiler/export/tflite/refused_layers.h"
#include "compiler/export/tflite/tensor_values.h"
#include "compiler/graph/change_layout.h"

namespace synap_internal {
namespace {

using tflite_export::Arithmetic;
using tflite_export::Integers;
using tflite_export::ModelWriter;
using tflite_export::OpContext;
using tflite_export::OpMapping;
using tflite_export::RefusedLayers;
using tflite_export::TensorValues;

constexpr char kFallbackAdvice[] =
    "; quantize these layers to the types that are expected, or let them compute in float32 "
    "(--fallback float)";

// The arithmetic in which TensorFlow Lite computes the op's integers.
absl::StatusOr<Arithmetic> IntegerArithmetic(const Op& op, const OpMapping& mapping,
                                             DataType bytes) {
  if (mapping.converts) return DataType::kInvalid;
  const absl::StatusOr<Integers> available =
      mapping.restrict == nullptr ? mapping.integers : mapping.restrict(op);
  absl::StatusOr<Arithmetic> arithmetic =
      tflite_export::ChooseArithmetic(op, available.value_or(mapping.integers), bytes);
  // Of real numbers nothing is restricted.
  const bool counts = arithmetic.ok() && tflite_export::SetOf(*arithmetic) != 0;
  if (counts && !available.ok()) return available.status();
  return arithmetic;
}

// Before anything as large as a tensor is made. A file's numbers of elements are of 32 bits.
absl::Status CheckSize(const Tensor& tensor) {
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  const Shape& shape = tensor.type.shape;
  const bool fits =
      shape.elements() <= kMost && std::all_of(shape.dims().begin(), shape.dims().end(),
                                               [](int64_t dim) { return dim <= kMost; });
  if (fits) return absl::OkStatus();
  return absl::ResourceExhaustedError(
      absl::StrCat("'", tensor.name, "' is ", shape.ToString(),
                   ", expected dimensions and a number of elements below 2^31"));
}

// One graph on its way into a file.
class Exporter {
 public:
  Exporter(const Graph& graph, const ExportTfliteOptions& options)
      : graph_(graph), options_(options), values_(graph, writer_) {}

  absl::StatusOr<std::string> Run() {
    for (const Tensor& tensor : graph_.tensors()) RETURN_IF_ERROR(CheckSize(tensor));
    for (const Op& op : graph_.ops()) Check(op);
    RETURN_IF_ERROR(unknown_.ToStatus(""));
    RETURN_IF_ERROR(refused_.ToStatus(kFallbackAdvice));
    for (const Op& op : graph_.ops()) RETURN_IF_ERROR(Annotate(WriteOrCollect(op), op.Label()));
    RETURN_IF_ERROR(unknown_.ToStatus(""));
    values_.AddOutputs();
    return writer_.Finish(graph_.name.empty() ? "main" : graph_.name);
  }

 private:
  void Check(const Op& op) {
    const OpMapping* mapping = tflite_export::FindMapping(op.def->name);
    if (mapping == nullptr || op.outputs.size() != 1) {
      return unknown_.Add(op, absl::UnimplementedError("TensorFlow Lite has no operator for it"));
    }
    absl::Status types = tflite_export::CheckQuantizers(op);
    types.Update(tflite_export::CheckPlainIntegers(op, mapping->plain_bits));
    if (!types.ok()) return unknown_.Add(op, types);
    const absl::StatusOr<Arithmetic> arithmetic = IntegerArithmetic(op, *mapping, values_.bytes());
    if (!arithmetic.ok() && !options_.fallback_float) refused_.Add(op, arithmetic.status());
  }

  absl::Status Write(const Op& op) {
    const OpMapping& mapping = *tflite_export::FindMapping(op.def->name);
    OpContext context(op,
                      IntegerArithmetic(op, mapping, values_.bytes()).value_or(DataType::kFloat32),
                      values_, writer_);
    RETURN_IF_ERROR(mapping.write(context));
    return context.attributes().Finish();
  }

  // Writes the op. Where the format can't say it, its output is a value that nothing makes, so that
  // the layers behind it are looked at, too.
  absl::Status WriteOrCollect(const Op& op) {
    const absl::Status status = Write(op);
    if (!absl::IsUnimplemented(status)) return status;
    unknown_.Add(op, status);
    const Tensor* output = op.output();
    values_.Bind(output, values_.MakeOutput(output, values_.StoredType(output->type)));
    return absl::OkStatus();
  }

  const Graph& graph_;
  const ExportTfliteOptions& options_;
  ModelWriter writer_;
  TensorValues values_;
  RefusedLayers unknown_, refused_;
};

}  // namespace

absl::StatusOr<std::string> ExportTflite(const Graph& graph, const ExportTfliteOptions& options) {
  Graph joined = options.layout.empty() ? graph.Clone() : WithLayout(graph, options.layout);
  tflite_export::JoinDivision(joined);
  return Annotate(Exporter(joined, options).Run(), "as TensorFlow Lite");
}

}  // namespace synap_internal
