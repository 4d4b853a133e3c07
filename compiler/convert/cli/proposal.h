// First steps with a network, which `synap start` and `synap tune` share.
#ifndef COMPILER_CONVERT_CLI_PROPOSAL_H_
#define COMPILER_CONVERT_CLI_PROPOSAL_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/warnings.h"
#include "compiler/graph/graph.h"
#include "compiler/import/model_files.h"
#include "compiler/metafile/metafile.h"
#include "compiler/start/propose_metafile.h"

namespace synap_internal {

// An imported network, and the metafile to begin with.
struct Proposal {
  Graph graph;
  MetafileProposal metafile;
};

// Imports with `given` and proposes by what the network shows and its file states. Errors name the
// file.
absl::StatusOr<Proposal> Propose(const ModelFiles& files, const Metafile& given,
                                 Warnings& warnings);

// Makes the pictures' folder the dataset, those of their suffix if they have one; of pictures in
// several folders of one folder, all of its folders. InvalidArgument naming a picture of another
// place, or one for a certain input ("1=a.npy").
absl::Status SetDataset(const std::vector<std::string>& pictures, Metafile& metafile);

// The command that converts the network with a metafile, a line.
std::string ConvertLine(const ModelFiles& files, absl::string_view meta, absl::string_view target);

}  // namespace synap_internal

#endif  // COMPILER_CONVERT_CLI_PROPOSAL_H_
