// A framework whose models can be imported, as stages, commands and the docs see it.
#ifndef COMPILER_IMPORT_FRAMEWORK_H_
#define COMPILER_IMPORT_FRAMEWORK_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "compiler/import/import_options.h"
#include "compiler/import/imported_model.h"
#include "compiler/import/model_files.h"
#include "compiler/import/model_summary.h"

namespace synap_internal {

// A set of operators in the docs.
struct OperatorList {
  absl::string_view title;  // "ONNX, operators of the default domain"
  // By name: the supported part of the operator (op_limits.h).
  std::map<std::string, absl::string_view> limits;
};

// A program that reads models with libraries that this program must not link.
struct ReaderProgram {
  // Its path. FailedPrecondition if it isn't installed.
  absl::StatusOr<std::string> (*find)();
  // Its output for a model. `reader`: its path, "" for the one that `find` finds. Errors begin
  // with the model's path.
  absl::StatusOr<std::string> (*run)(const std::string& model, const std::string& reader);
};

// Rows are constants that live for ever; frameworks.h lists them.
struct Framework {
  absl::string_view name;                        // "TensorFlow Lite"
  absl::Span<const absl::string_view> suffixes;  // of models, lower case: ".tflite"
  absl::string_view layout;                      // of its images at inputs: "nchw" or "nhwc"
  // For the docs, in Markdown: the supported models, and what their conversion needs beside them.
  absl::string_view format, needs;

  // Errors begin with the path of the file that is wrong:
  //   InvalidArgument     the file isn't a valid model, or contradicts the options
  //   NotFound            the file, or a name of the options
  //   Unimplemented       valid, but not supported; operators are listed all at once
  //   ResourceExhausted   constants are larger than ImportOptions allows
  absl::StatusOr<ImportedModel> (*import)(const ModelFiles& files, const ImportOptions& options);
  // Also of models that can't be imported; errors as above.
  absl::StatusOr<ModelSummary> (*summarize)(const ModelFiles& files);
  std::vector<OperatorList> (*operators)();

  // The usual suffix of the second file, which has the weights; "": the model has them.
  absl::string_view weights_suffix = "";
  // Ends the error about a second file with weights for a model that has them inside.
  absl::string_view weights_refusal = "";
  // Whether only a metafile knows the shapes of inputs, also of those that it doesn't name.
  bool needs_input_shapes = false;
  // The files that importing reads beside those of the command line. Null if there are none.
  absl::StatusOr<std::vector<std::string>> (*data_files)(const std::string& model) = nullptr;
  const ReaderProgram* reader = nullptr;
};

// The rows of a framework's OperatorTable, named by `name_of(row->op)`.
template <typename Table, typename NameOf>
OperatorList ListOperators(absl::string_view title, const Table& table, const NameOf& name_of) {
  OperatorList list = {title, {}};
  for (const auto* row : table.rows()) list.limits.emplace(name_of(row->op), row->limits);
  return list;
}
template <typename Table>
OperatorList ListOperators(absl::string_view title, const Table& table) {
  return ListOperators(title, table, [](absl::string_view op) { return std::string(op); });
}

}  // namespace synap_internal

#endif  // COMPILER_IMPORT_FRAMEWORK_H_
