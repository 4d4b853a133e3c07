#include "compiler/convert/stages/import_stage.h"

#include <string>
#include <vector>

#include "base/file.h"
#include "base/status_macros.h"
#include "compiler/convert/stages/import_network.h"
#include "compiler/import/frameworks.h"

namespace synap_internal {

absl::Status ReadModule(ModelFiles& files) {
  const absl::StatusOr<const Framework*> framework = FindFramework(files.model);
  const bool has_reader = framework.ok() && (*framework)->reader != nullptr;
  if (!has_reader || !files.reader_output.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(files.reader_output, (*framework)->reader->run(files.model, files.reader));
  return absl::OkStatus();
}

absl::StatusOr<std::string> ForeignReader(const ModelFiles& files) {
  const absl::StatusOr<const Framework*> framework = FindFramework(files.model);
  if (!framework.ok() || (*framework)->reader == nullptr) return std::string();
  std::string reader = files.reader;
  if (reader.empty()) {
    ASSIGN_OR_RETURN(reader, (*framework)->reader->find());
  }
  return ReadFile(reader);
}

absl::StatusOr<std::vector<std::string>> DataFiles(const ModelFiles& files) {
  const absl::StatusOr<const Framework*> framework = FindFramework(files.model);
  const bool known = framework.ok() && (*framework)->data_files != nullptr;
  return known ? (*framework)->data_files(files.model) : std::vector<std::string>();
}

absl::StatusOr<Graph> ImportStage(const ModelFiles& files, const Metafile& metafile,
                                  const PassOptions& passes, Warnings& warnings) {
  ASSIGN_OR_RETURN(const Framework* framework, FindFramework(files.model));
  RETURN_IF_ERROR(CheckWeights(*framework, files));
  return ImportNetwork(*framework, files, metafile, passes, warnings);
}

absl::StatusOr<ModelSummary> SummarizeModel(const ModelFiles& files) {
  ASSIGN_OR_RETURN(const Framework* framework, FindFramework(files.model));
  return framework->summarize(files);
}

}  // namespace synap_internal
