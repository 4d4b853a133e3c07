#include "compiler/convert/programs/preprocess_command.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/file.h"
#include "base/status_macros.h"
#include "compiler/convert/programs/model_options.h"
#include "compiler/convert/programs/provenance.h"
#include "compiler/convert/programs/provenance_option.h"
#include "compiler/convert/programs/stage_flags.h"
#include "compiler/convert/programs/writable_files.h"
#include "compiler/convert/stages/compile_stage.h"
#include "compiler/convert/stages/preprocess_stage.h"
#include "kernels/image_to_tensor/picture_type.h"
#include "runtime/bundle/bundle.h"
#include "runtime/bundle/model_metadata.h"

namespace synap_internal {
namespace {

struct PreprocessFlags {
  ModelOptions options;  // the target alone
  std::string model, input, type, out, info, provenance;
  std::vector<int64_t> size;
  bool crop = false;
};

std::vector<std::string> TypeNames() {
  std::vector<std::string> names;
  for (const PictureTypeRow& row : kPictureTypes) names.emplace_back(row.name);
  return names;
}

// Of the bundle, in order.
std::vector<TensorMetadata> InputsOf(const Bundle& bundle) {
  std::vector<TensorMetadata> inputs(static_cast<size_t>(bundle.input_count));
  for (const BundleSubgraph& subgraph : bundle.subgraphs) {
    for (size_t i = 0; i < subgraph.inputs.size(); ++i) {
      const BundleEdge& edge = subgraph.inputs[i];
      if (edge.subgraph == -1)
        inputs[static_cast<size_t>(edge.index)] = subgraph.metadata.inputs[i];
    }
  }
  return inputs;
}

// The input named, or the only one.
absl::StatusOr<TensorMetadata> FindInput(const Bundle& bundle, const std::string& name) {
  const std::vector<TensorMetadata> inputs = InputsOf(bundle);
  if (inputs.empty()) {
    return absl::InvalidArgumentError("the model has no inputs, expected one for pictures");
  }
  if (name.empty() && inputs.size() == 1) return inputs[0];
  std::vector<std::string> names;
  for (const TensorMetadata& input : inputs) {
    if (input.name == name) return input;
    names.push_back(absl::StrCat("'", input.name, "'"));
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "the model has ", name.empty() ? "several inputs" : "no input '", name,
      name.empty() ? "" : "'", ", expected --input to name one of ", absl::StrJoin(names, ", ")));
}

absl::StatusOr<CompiledModel> Convert(const PreprocessFlags& flags, Warnings& warnings) {
  ASSIGN_OR_RETURN(const Target* target, flags.options.FindTarget());
  ASSIGN_OR_RETURN(const Bundle bundle, OpenBundle(flags.model));
  ASSIGN_OR_RETURN(const TensorMetadata input,
                   Annotate(FindInput(bundle, flags.input), flags.model));
  PreprocessSpec pictures;
  pictures.picture = FindPictureType(flags.type);
  pictures.crop = flags.crop;
  if (!flags.size.empty()) {
    pictures.width = flags.size[0];
    pictures.height = flags.size[1];
  }
  return Annotate(PreprocessStage(input, pictures, *target, warnings), flags.model);
}

absl::Status Preprocess(const PreprocessFlags& flags) {
  RETURN_IF_ERROR(CheckCanWrite({flags.out, flags.info, flags.provenance}));
  Warnings warnings = PrintedWarnings();
  ASSIGN_OR_RETURN(const CompiledModel model, Convert(flags, warnings));
  if (!flags.info.empty()) RETURN_IF_ERROR(WriteFileAtomically(flags.info, model.info_text));
  RETURN_IF_ERROR(WriteFileAtomically(flags.out, model.synap));
  ASSIGN_OR_RETURN(const Target* target, flags.options.FindTarget());
  return WriteProvenance(flags.provenance,
                         RecordOf(PreprocessingFiles{
                             std::string(target->name), flags.type, absl::StrJoin(flags.size, "x"),
                             flags.input, flags.crop, flags.model, flags.out, flags.info}));
}

}  // namespace

void AddPreprocessCommand(CommandLine& app, Command& chosen) {
  const auto flags = std::make_shared<PreprocessFlags>();
  CommandLine command = app.AddCommand(
      "preprocess", "Make a model that only converts pictures, for the input of another model");
  command.AddOption("model", flags->model, "The other model (.synap)").Required();
  command.AddOption("--input", flags->input, "Name of its input, if it has several");
  command.AddOption("--type", flags->type, "Type of the pictures").Required().OneOf(TypeNames());
  command
      .AddOption("--size", flags->size,
                 "Width and height of the pictures in pixels; default: those of the input")
      .Expects(2)
      .InRange(1, 65535);
  command.AddFlag("--crop", flags->crop, "A region of the pictures can be chosen for each run");
  AddModelOptions(command, flags->options,
                  {.target = Takes::kRequired, .target_names = TargetNames});
  command.AddOption("--out", flags->out, "Model to write (.synap)").Required();
  command.AddOption("--info", flags->info, "Also write model_info.txt here");
  AddProvenanceOption(command, flags->provenance);
  SetWork(command, flags, Preprocess, chosen);
}

}  // namespace synap_internal
