// Writes a first metafile for a network, with a reason for each guess.
#ifndef COMPILER_START_PROPOSE_METAFILE_H_
#define COMPILER_START_PROPOSE_METAFILE_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "compiler/graph/graph.h"
#include "compiler/metafile/metafile.h"
#include "compiler/start/model_facts.h"

namespace synap_internal {

struct MetafileProposal {
  std::string task;                    // "a classifier of 1000 classes"
  std::string format;                  // of the first output; empty if it has none
  std::string text;                    // the metafile, commented
  std::vector<std::string> questions;  // also in the text; what the network can't tell
};

// `graph`: as imported with `given`, whose names and shapes of inputs and outputs the proposal
// keeps; its other fields aren't read. `model`: the file's name. `facts`: what the file states.
MetafileProposal ProposeMetafile(const Graph& graph, absl::string_view model,
                                 const Metafile& given = {}, const ModelFacts& facts = {});

}  // namespace synap_internal

#endif  // COMPILER_START_PROPOSE_METAFILE_H_
