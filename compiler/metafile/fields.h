// Table of the metafile's fields: one row for each, from which reading, the canonical text, the
// stages' parts and docs/metafile.md derive. fields.cc has the rows.
#ifndef COMPILER_METAFILE_FIELDS_H_
#define COMPILER_METAFILE_FIELDS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "compiler/metafile/metafile.h"
#include "compiler/metafile/yaml_reader.h"

namespace synap_internal {

// What the value of a field decides, as bits. A stage reads the fields that decide what it makes.
struct Decides {
  static constexpr unsigned kGraph = 1;         // the imported graph
  static constexpr unsigned kSamples = 2;       // how files become samples
  static constexpr unsigned kStatistics = 4;    // which samples there are, what is counted
  static constexpr unsigned kQuantizers = 8;    // types and quantizers of tensors
  static constexpr unsigned kRealOutputs = 16;  // which outputs are converted to float32
  static constexpr unsigned kDelegates = 32;    // the hardware that runs a layer
  static constexpr unsigned kArtifact = 64;     // what compiling makes of the graph
  static constexpr unsigned kAll = 127;
};

struct MetafileField {
  std::string path;                // "inputs[].preprocess.type"; [] stands for each entry of a list
  std::vector<std::string> words;  // that it takes, the default first; empty if it takes others too
  std::string fallback;  // what holds without it: a value, a sentence, or "–" for nothing
  std::string sentence;  // Markdown
};

// All fields, each section before its own.
std::vector<MetafileField> MetafileFields();

// Reads the document `root`. Checks each field by itself; validate.h checks fields against each
// other.
absl::StatusOr<Metafile> ReadFields(const YamlReader& yaml, const YAML::Node& root,
                                    const MetafileOptions& options);

// The path and the fields that decide any of `decided`, with their places; all others have their
// defaults, and a section without other values is left out.
Metafile KeepFields(const Metafile& metafile, unsigned decided);

// Those fields as YAML: in a fixed order, values in one spelling. Defaults are left out, but where
// quantizers are decided, for what is the default of those may change.
std::string TextOfFields(const Metafile& metafile, unsigned decided);

}  // namespace synap_internal

#endif  // COMPILER_METAFILE_FIELDS_H_
